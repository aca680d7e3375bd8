package term

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"signaltty/proto"
)

func TestCapture(t *testing.T) {
	e := New(proto.Size{Cols: 12, Lines: 2}, Options{})
	e.Write([]byte("old\r\n\x1b[1;31mred\x1b[m plain  \r\n\x1b[44m \x1b[m\x1b]8;;http://e.x/\a你\x1b]8;;\a"))
	for _, c := range []struct {
		name string
		req  proto.PaneCapture
		want []string
	}{
		{"text", proto.PaneCapture{}, []string{"red plain", " 你"}},
		{"attributes", proto.PaneCapture{ANSI: true}, []string{"\x1b[0;1;38;5;1mred\x1b[m plain", "\x1b[0;48;5;4m \x1b]8;;http://e.x/\x1b\\\x1b[m你\x1b]8;;\x1b\\"}},
		{"scrollback", proto.PaneCapture{Scrollback: true}, []string{"old"}},
		{"from a line on", proto.PaneCapture{Start: 1}, []string{" 你"}},
		{"past the end", proto.PaneCapture{Start: 9}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := e.Capture(c.req)
			if !slices.Equal(got.Lines, c.want) || got.Next != 0 || got.Cursor != e.Cursor() {
				t.Errorf("got %+v, want %q", got, c.want)
			}
		})
	}
}

// TestCaptureCanBeReplayed writes a capture with attributes to another
// terminal, which then looks the same.
func TestCaptureCanBeReplayed(t *testing.T) {
	for _, s := range streams(t) {
		e, again := New(s.size, Options{}), New(s.size, Options{})
		e.Write(s.data)
		got := e.Capture(proto.PaneCapture{ANSI: true})
		again.Write([]byte("\x1b[?7l" + strings.Join(got.Lines, "\r\n")))
		if g := again.Capture(proto.PaneCapture{ANSI: true}); !slices.Equal(g.Lines, got.Lines) {
			t.Errorf("%s: %s", s.name, diff(strings.Join(got.Lines, "\n"), strings.Join(g.Lines, "\n")))
		}
	}
}

func TestCaptureInParts(t *testing.T) {
	e := New(proto.Size{Cols: 200, Lines: 2}, Options{HistoryLines: 20_000})
	for i := range 15_000 {
		fmt.Fprintf(e, "%d%s\r\n", i, strings.Repeat("x", 150))
	}
	var lines []string
	parts := 0
	for req := (proto.PaneCapture{Scrollback: true}); ; parts++ {
		got := e.Capture(req)
		lines = append(lines, got.Lines...)
		if req.Start = got.Next; got.Next == 0 {
			break
		}
	}
	if len(lines) != e.history.count() || parts < 2 || !strings.HasPrefix(lines[len(lines)-1], fmt.Sprint(e.history.count()-1)+"x") {
		t.Errorf("%d lines of %d in %d parts", len(lines), e.history.count(), parts+1)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		want int
	}{
		{"lines", Options{HistoryLines: 10}, 10},
		{"none", Options{HistoryLines: -1}, 0},
		{"bytes", Options{HistoryBytes: 1000}, 1000 / (24 + lineOverhead)},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := New(proto.Size{Cols: 80, Lines: 2}, c.o)
			for i := range 1000 {
				fmt.Fprintf(e, "line %010d\r\n", i)
			}
			got := e.Lines(-5000, 5000)
			if len(got) != c.want || e.history.bytes > e.history.maxBytes {
				t.Fatalf("%d lines in %d bytes, want %d", len(got), e.history.bytes, c.want)
			}
			if c.want > 0 && got[len(got)-1] != "line 0000000998" {
				t.Errorf("the youngest is %q", got[len(got)-1])
			}
		})
	}
}
