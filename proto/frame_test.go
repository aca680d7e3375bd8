package proto

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"signaltty/budget"
)

// slowLine is the line of a frame as encoding/json writes it.
func slowLine(t rapid.TB, f *Frame) []byte {
	t.Helper()
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(message{Event: EventFrame, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// slowFrame is the frame of a line as encoding/json reads it.
func slowFrame(line []byte) (*Frame, error) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return nil, err
	}
	f := new(Frame)
	return f, json.Unmarshal(m.Data, f)
}

// drawnFrame draws a frame whose fields are all of any value: what is new in
// the type is drawn too, so that an encoder that has not learnt it fails.
func drawnFrame(t *rapid.T) *Frame {
	var f Frame
	draw(t, reflect.ValueOf(&f).Elem())
	return &f
}

func draw(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			draw(t, v.Field(i))
		}
	case reflect.Slice:
		if n := rapid.IntRange(0, 3).Draw(t, "len"); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			draw(t, v.Index(i))
		}
	case reflect.String:
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~\x00-\x20\x7f"\\<>&é世🙂\x{2028}\x{fffd}]*`),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		v.SetString(text.Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case reflect.Int:
		v.SetInt(int64(rapid.Int().Draw(t, "number")))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "number"))
	default:
		t.Fatalf("a frame holds a %v, which nobody draws", v.Type())
	}
}

func TestFrameLineIsThatOfJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawnFrame(t)
		got, want := AppendFrame(nil, f), slowLine(t, f)
		if !bytes.Equal(got, want) {
			t.Fatalf("AppendFrame: %s\nencoding/json: %s", got, want)
		}
		back, ok := parseFrame(got)
		if !ok {
			t.Fatalf("our own line is not taken: %s", got)
		}
		again, err := slowFrame(got)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, again) {
			t.Fatalf("parseFrame: %+v\nencoding/json: %+v", back, again)
		}
	})
}

// FuzzFrameLine: what the direct reader accepts, encoding/json accepts too and
// reads in the same way.
func FuzzFrameLine(f *testing.F) {
	f.Add(AppendFrame(nil, wholeFrame()))
	f.Add(AppendFrame(nil, &Frame{Pane: "a\"<\u2028", Modes: Modes{Kitty: 1, MouseSGR: true}}))
	for _, s := range []string{`{}`, `{"pane_id":"p","rev":01}`, `{"pane_id":"\ud800","rev":1,"cols":1,"lines":1,"cursor":{"x":0,"y":0},"modes":{}}`,
		`{"pane_id":"p","rev":1,"cols":-0,"lines":99999999999999999999,"cursor":{"x":0,"y":0},"modes":{}}`} {
		f.Add([]byte(frameHead + s + "}"))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		budget.Keep(t, len(line), 2000, func() {
			got, ok := parseFrame(line)
			if !ok {
				return
			}
			want, err := slowFrame(line)
			if err != nil {
				t.Fatalf("encoding/json refuses: %v", err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("parseFrame: %+v\nencoding/json: %+v", got, want)
			}
			if !utf8.Valid(AppendFrame(nil, got)) {
				t.Fatal("the line is not UTF-8")
			}
		})
	})
}

// TestFrameOfAnotherWriter: a line that is written otherwise is read all the same.
func TestFrameOfAnotherWriter(t *testing.T) {
	m, err := Parse([]byte(`{"seq":0, "event":"frame", "data":{"rev":3, "pane_id":"p1", "new":[1]}}`))
	if err != nil {
		t.Fatal(err)
	}
	var f Frame
	if err := m.Decode(&f); err != nil || f.Pane != "p1" || f.Rev != 3 {
		t.Errorf("got %+v, %v", f, err)
	}
}

// wholeFrame is a full repaint of 160x48 in a few styles.
func wholeFrame() *Frame {
	f := &Frame{Pane: "p1", Rev: 12345, Cols: 160, Lines: 48, Full: true, Cursor: Cursor{X: 3, Y: 4, Visible: true}, Modes: Modes{BracketedPaste: true, Mouse: 1002}}
	for y := range 48 {
		r := Row{Y: y}
		for x := 0; x < 160; x += 20 {
			r.Runs = append(r.Runs, Run{Col: x, Text: fmt.Sprintf("row %2d at col %3d é ·", y, x), Style: x / 20})
		}
		f.Rows = append(f.Rows, r)
	}
	for id := 1; id < 8; id++ {
		f.Styles = append(f.Styles, Style{ID: id, Fg: "#ff8800", Bold: id%2 == 0})
	}
	return f
}

func BenchmarkAppendFrame(b *testing.B) {
	f := wholeFrame()
	var line []byte
	b.ReportAllocs()
	for b.Loop() {
		line = AppendFrame(line[:0], f)
	}
	b.SetBytes(int64(len(line)))
}

func BenchmarkParseFrame(b *testing.B) {
	line := AppendFrame(nil, wholeFrame())
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	var f Frame
	for b.Loop() {
		m, err := Parse(line)
		if err != nil || m.Decode(&f) != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseFrameJSON(b *testing.B) {
	line := AppendFrame(nil, wholeFrame())
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := slowFrame(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshalFrame(b *testing.B) {
	f := wholeFrame()
	b.ReportAllocs()
	for b.Loop() {
		slowLine(b, f)
	}
}
