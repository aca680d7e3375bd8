package proto_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"signaltty/budget"
	"signaltty/proto"
)

// zero is a pointer to a new value of v's type.
func zero(v any) any { return reflect.New(reflect.TypeOf(v)).Interface() }

// seeds adds every golden line.
func seeds(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(goldens, "*.jsonl"))
	if err != nil || len(files) == 0 {
		f.Fatalf("there are no golden lines: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			f.Add(bytes.TrimSpace(line))
		}
	}
	f.Add([]byte(`{"id":1,"method":"tab.arrange","params":{"tree":` + deep(5000) + `}}`))
	f.Add(bytes.Repeat([]byte("["), 100_000))
}

// deep is a split tree with n levels.
func deep(n int) string {
	return string(bytes.Repeat([]byte(`{"a":`), n)) + "{}" + string(bytes.Repeat([]byte("}"), n))
}

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		budget.Keep(t, len(line), 200, func() {
			if m, err := proto.Parse(line); err == nil {
				if (m.Method != "") == (m.Event != "") && m.ID == 0 {
					t.Errorf("%s is no request, reply or event, and was taken", line)
				}
			}
		})
	})
}

func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := proto.Parse(line)
		if err != nil {
			return
		}
		for _, k := range proto.Kinds {
			budget.Keep(t, len(line), 200, func() { roundTrip(t, m, k.Params) })
			if k.Result != nil {
				roundTrip(t, m, k.Result)
			}
		}
	})
}

// roundTrip checks that what decodes comes back the same from the wire.
func roundTrip(t *testing.T, m proto.Message, of any) {
	t.Helper()
	first, second := zero(of), zero(of)
	if m.Decode(first) != nil {
		return
	}
	var w recorder
	c := proto.NewConn(&w)
	if c.Send(1, "any", first) != nil {
		return // it grew beyond a line by escaping
	}
	again, err := c.Read()
	if err != nil {
		t.Fatalf("%T does not parse again: %v", of, err)
	}
	if err := again.Decode(second); err != nil {
		t.Fatalf("%T does not decode again: %v", of, err)
	}
	var w2 recorder
	if err := proto.NewConn(&w2).Send(1, "any", second); err != nil {
		t.Fatal(err)
	}
	var w1 recorder
	if err := proto.NewConn(&w1).Send(1, "any", first); err != nil {
		t.Fatal(err)
	}
	if w1.String() != w2.String() {
		t.Errorf("%T changed on its way:\n%s%s", of, w1.String(), w2.String())
	}
}

func FuzzRead(f *testing.F) {
	seeds(f)
	f.Add([]byte("{\"event\":\"a\"}\n{\"event\":\"b\"}\nx"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		var w recorder
		w.Write(stream)
		c := proto.NewConn(&w)
		budget.Keep(t, len(stream)+64<<10, 200, func() {
			for range bytes.Count(stream, []byte("\n")) + 1 {
				_, _ = c.Read()
			}
		})
		if _, err := c.Read(); err == nil {
			t.Error("there are more messages than lines")
		}
	})
}
