package term

import (
	"encoding/json"
	"strings"
	"testing"

	"signaltty/proto"
)

func TestFrame(t *testing.T) {
	for _, c := range []struct{ name, before, in, want string }{
		{"the first", "", "ab", `{"full":true,"rows":[{"y":0,"runs":[{"col":0,"text":"ab"}]}]}`},
		{"only what changed", "a\r\nb\r\n", "c", `{"rows":[{"y":2,"runs":[{"col":0,"text":"c"}]}]}`},
		{"wide", "-", "你好", `{"rows":[{"y":0,"runs":[{"col":0,"text":"-"},{"col":1,"text":"你好","width":2}]}]}`},
		{"clusters", "-", "e\u0301👍🏽", `{"rows":[{"y":0,"runs":[{"col":0,"text":"-"},{"col":1,"text":"e\u0301","cluster":true},{"col":2,"text":"👍🏽","width":2,"cluster":true}]}]}`},
		{"a style once", "\x1b[1;31mx", "y", `{"rows":[{"y":0,"runs":[{"col":0,"text":"xy","style":1}]}]}`},
		{"a new style", "-", "\x1b[4:3;48;2;1;2;3m ", `{"rows":[{"y":0,"runs":[{"col":0,"text":"-"},{"col":1,"text":" ","style":1}]}],"styles":[{"id":1,"bg":"#010203","underline":"curly"}]}`},
		{"gaps", "-", "\rab  c\x1b[10Gd", `{"rows":[{"y":0,"runs":[{"col":0,"text":"ab  c    d"}]}]}`},
		{"a wrapped row", "-", "\r0123456789a", `{"rows":[{"y":0,"runs":[{"col":0,"text":"0123456789"}],"wrapped":true},{"y":1,"runs":[{"col":0,"text":"a"}]}]}`},
		{"only the cursor", "-", "\x1b[H", `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := write(c.before)
			var v View
			var f proto.Frame
			if c.before != "" {
				e.Frame(&v, &f)
			}
			e.Write([]byte(c.in))
			if !e.Frame(&v, &f) {
				t.Fatal("nothing changed")
			}
			if f.Rev != e.Rev() || f.Cursor != e.Cursor() || f.Cols != 10 || f.Lines != 4 {
				t.Errorf("the frame is of %+v", f)
			}
			got, _ := json.Marshal(struct {
				Full   bool          `json:"full,omitzero"`
				Rows   []proto.Row   `json:"rows,omitempty"`
				Styles []proto.Style `json:"styles,omitempty"`
			}{f.Full, f.Rows, f.Styles})
			if want := strings.ReplaceAll(c.want, `\u0301`, "\u0301"); string(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if e.Frame(&v, &f) {
				t.Error("told twice")
			}
		})
	}
}

func TestFrameInParts(t *testing.T) {
	e := New(proto.Size{Cols: MaxCols, Lines: MaxLines}, Options{})
	e.Write([]byte(strings.Repeat("\x1b[31ma\x1b[32mb", MaxCols*MaxLines/2)))
	var v View
	var f proto.Frame
	parts, rows := 0, 0
	for more := true; more; more = f.More {
		if !e.Frame(&v, &f) || f.Full != (parts == 0) || f.Rev != e.Rev() {
			t.Fatalf("part %d: full %v, revision %d", parts, f.Full, f.Rev)
		}
		b, err := json.Marshal(f)
		if err != nil || len(b) > 2*maxFrame {
			t.Fatalf("part %d has %d bytes, %v", parts, len(b), err)
		}
		parts, rows = parts+1, rows+len(f.Rows)
	}
	if parts < 2 || rows != MaxLines {
		t.Errorf("%d parts with %d rows", parts, rows)
	}
	if e.Frame(&v, &f) {
		t.Error("told twice")
	}
}
