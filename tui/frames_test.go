package tui

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"signaltty/proto"
	"signaltty/server/term"
)

// output are pieces of what applications write, that also stand cut and out of
// order.
var output = []string{
	"text and more text", "\r\n", "\n\n\n", "\b", "\t", "你好世界", "e\u0301", "👨\u200d👩\u200d👧", "🇺🇸", "\u0301", "\U000f0000", "\x1b[H", "\x1b[2J", "\x1b[J", "\x1b[K", "\x1b[1K",
	"\x1b[3@", "\x1b[3P", "\x1b[2X", "\x1b[2L", "\x1b[2M", "\x1b[2S", "\x1b[2T", "\x1b[9b", "\x1b[2;4r", "\x1b[r", "\x1b[3;5H", "\x1b[31m", "\x1b[1;4:3;38;2;1;2;3m",
	"\x1b[44m", "\x1b[m", "\x1b[7m", "\x1b[?5h", "\x1b[?5l", "\x1b[?1049h", "\x1b[?1049l", "\x1b[4h", "\x1b[4l", "\x1bM", "\x1bc", "\x1b#8", "\x1b(0", "\x1b(B",
	"\x1b]8;;http://e.x/\x1b\\", "\x1b]8;;\x1b\\", "\x1b]4;1;#102030\a", "\x1b]104\a", "\x1b[?25l", "\x1b[5 q", "\x1b[?69h\x1b[2;5s", "\x1b[", "\xe4\xbd", "\x1b[5;5",
}

// TestFramesEqualARepaint: after any history of writes and sizes, a client that
// got whatever frames came, as lines of JSON, has cell for cell what a fresh one
// gets in one full repaint.
func TestFramesEqualARepaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := func() proto.Size {
			return proto.Size{Cols: rapid.IntRange(2, 20).Draw(t, "cols"), Lines: rapid.IntRange(1, 8).Draw(t, "lines")}
		}
		e := term.New(size(), term.Options{HistoryLines: 20})
		held, view := newScreen(), term.View{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 7).Draw(t, "step") {
			case 0:
				e.Resize(size())
			case 1, 2:
				follow(t, held, e, &view)
			default:
				e.Write([]byte(rapid.SampledFrom(output).Draw(t, "bytes")))
			}
		}
		follow(t, held, e, &view)
		fresh := newScreen()
		follow(t, fresh, e, &term.View{})
		if got, want := cells(held), cells(fresh); got != want {
			t.Fatalf("the client has\n%s\nand should have\n%s", got, want)
		}
	})
}

// follow brings a client's screen up to date, over the wire.
func follow(t *rapid.T, s *screen, e *term.Terminal, v *term.View) {
	var f proto.Frame
	for e.Frame(v, &f) {
		m, err := proto.Parse(proto.AppendFrame(nil, &f))
		if err != nil {
			t.Fatal(err)
		}
		var got proto.Frame
		if err := m.Decode(&got); err != nil {
			t.Fatal(err)
		}
		s.apply(&got)
	}
}

// cells is all that a client knows of a screen.
func cells(s *screen) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%dx%d %+v %+v %d %d %v\n", s.cols, s.lines, s.cursor, s.modes, s.history, s.scrolled, s.wrapped)
	for y := range s.lines {
		for _, c := range rowOf(s, y) {
			fmt.Fprintf(&b, "[%q %d %+v %+v]", c.Content, c.Width, c.Style, c.Link)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
