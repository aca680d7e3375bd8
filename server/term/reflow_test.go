package term

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"signaltty/proto"
)

// TestReflow resizes a screen of 10 columns and 4 lines.
func TestReflow(t *testing.T) {
	for _, c := range []struct {
		name, in string
		size     proto.Size
		history  []string
		screen   []string
		x, y     int
	}{
		{"narrower", "0123456789", proto.Size{Cols: 6, Lines: 4}, nil, []string{"012345", "6789"}, 4, 1},
		{"wider", "0123456789abc", proto.Size{Cols: 20, Lines: 4}, nil, []string{"0123456789abc"}, 13, 0},
		{"wider, the cursor in the middle", "0123456789abc\x1b[1;4H", proto.Size{Cols: 20, Lines: 4}, nil, []string{"0123456789abc"}, 3, 0},
		{"narrower, the cursor in the middle", "0123456789\x1b[1;8H", proto.Size{Cols: 5, Lines: 4}, nil, []string{"01234", "56789"}, 2, 1},
		{"a wide character has no room", "0你好吗", proto.Size{Cols: 4, Lines: 4}, nil, []string{"0你", "好吗"}, 3, 1},
		{"and has it again", "01234你好吗", proto.Size{Cols: 12, Lines: 4}, nil, []string{"01234你好吗"}, 11, 0},
		{"what has no room goes to the history", "0123456789\r\na\r\nb\r\nc", proto.Size{Cols: 5, Lines: 4}, []string{"01234"}, []string{"56789", "a", "b", "c"}, 1, 3},
		{"blank rows go first", "0123456789\r\na", proto.Size{Cols: 5, Lines: 4}, nil, []string{"01234", "56789", "a"}, 1, 2},
		{"what left comes back", "a\r\nb\r\nc\r\nd\r\ne\r\nf", proto.Size{Cols: 10, Lines: 5}, []string{"a"}, []string{"b", "c", "d", "e", "f"}, 1, 4},
		{"half of a line comes back", "0123456789abc\r\nb\r\nc\r\nd", proto.Size{Cols: 5, Lines: 5}, []string{"01234"}, []string{"56789", "abc", "b", "c", "d"}, 1, 4},
		{"a line that began in the history", "0123456789abcde\r\nb\r\nc\r\nd", proto.Size{Cols: 15, Lines: 4}, nil, []string{"0123456789abcde", "b", "c", "d"}, 1, 3},
		{"nothing comes back after an erasure", "a\r\nb\r\nc\r\nd\r\ne\r\nf\x1b[H\x1b[2Jg", proto.Size{Cols: 10, Lines: 6}, []string{"a", "b"}, []string{"g"}, 1, 0},
		{"a line end is kept", "01234\r\n5", proto.Size{Cols: 20, Lines: 4}, nil, []string{"01234", "5"}, 1, 1},
		{"blanks within are kept", "0\x1b[10Ga\x1b[1;1Hbcdefghijkl", proto.Size{Cols: 20, Lines: 4}, nil, []string{"bcdefghijkl"}, 11, 0},
		{"waiting to wrap", "0123456789", proto.Size{Cols: 5, Lines: 4}, nil, []string{"01234", "56789"}, 4, 1},
		{"below all text", "a\x1b[3;7H", proto.Size{Cols: 5, Lines: 4}, nil, []string{"a"}, 4, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := write(c.in)
			e.Resize(c.size)
			check(t, e)
			history := e.Lines(-e.history.count(), e.history.count())
			screen := e.Lines(0, e.lines)
			for len(screen) > 0 && screen[len(screen)-1] == "" {
				screen = screen[:len(screen)-1]
			}
			if !slices.Equal(history, c.history) || !slices.Equal(screen, c.screen) || e.x != c.x || e.y != c.y {
				t.Errorf("got %q, %q, the cursor at %d, %d", history, screen, e.x, e.y)
			}
		})
	}
}

// TestReflowKeepsStylesAndPrompts takes text with attributes, links, clusters
// and a prompt through the history and back.
func TestReflowKeepsStylesAndPrompts(t *testing.T) {
	e := write("x\r\n\x1b]133;A\a\x1b[1;31mred\x1b[44m blue \x1b[m\x1b]8;;http://e.x/\alink\x1b]8;;\a e\u0301👍🏽你\r\n")
	want := e.Capture(proto.PaneCapture{ANSI: true}).Lines
	prompts := e.Prompts()
	e.Write([]byte("1\r\n2\r\n3\r\n4"))
	e.Resize(proto.Size{Cols: 3, Lines: 2})
	if got := e.Prompts(); len(got) != 1 || got[0] >= 0 || e.Lines(got[0], 1)[0] != "red" {
		t.Errorf("the prompts are in %v", got)
	}
	e.Resize(proto.Size{Cols: 10, Lines: 20})
	got := e.Capture(proto.PaneCapture{ANSI: true}).Lines
	if !slices.Equal(got[:3], want[:3]) || !slices.Equal(e.Prompts(), prompts) {
		t.Errorf("got %q, want %q, prompts %v", got, want, e.Prompts())
	}
}

// TestResizesLoseNothing shows that after any output and any resizes all text
// of the main screen and the scrollback is there, that the first size again
// makes the lines that there were, and that the cursor is on its character.
func TestResizesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkResizes(t, fragment(), nonBlank) })
}

// TestResizesAreUndone shows the same of text alone, blank lines and all. (Where
// a wrapped line has rows of nothing but blanks at its end, these may go.)
func TestResizesAreUndone(t *testing.T) {
	var texts []string
	for _, f := range append(fragments, "\n\n", "  indented\r\n") {
		if f[0] >= ' ' || f[0] == '\r' && len(f) > 1 {
			texts = append(texts, f)
		}
	}
	text := rapid.Map(rapid.SampledFrom(texts), func(s string) []byte { return []byte(s) })
	rapid.Check(t, func(t *rapid.T) { checkResizes(t, text, func(l []string) []string { return l }) })
}

func checkResizes(t *rapid.T, parts *rapid.Generator[[]byte], lines func([]string) []string) {
	size := drawSize(t)
	e := New(size, Options{HistoryLines: 100_000})
	for _, part := range rapid.SliceOf(parts).Draw(t, "parts") {
		e.Write(part)
	}
	e.Write([]byte("\x1b[?47l"))
	want, under := all(e), underCursor(e)
	if e.wrapNext {
		under = "" // it is behind the character, not on it
	}
	for range rapid.IntRange(1, 4).Draw(t, "resizes") {
		e.Resize(drawSize(t))
		check(t, e)
		if w, g := squeeze(want), squeeze(all(e)); w != g {
			t.Fatalf("at %v: got %q, want %q", e.Size(), g, w)
		}
		if e.y == 0 {
			under = "" // its row may have left at the top, and it with it
		}
		if g := underCursor(e); under != "" && g != under {
			t.Fatalf("at %v: the cursor is on %q, and was on %q", e.Size(), g, under)
		}
	}
	e.Resize(size)
	if got := all(e); !slices.Equal(lines(got), lines(want)) {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
}

func nonBlank(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l == "" })
}

// squeeze is the text without lines and blanks.
func squeeze(lines []string) string {
	return strings.ReplaceAll(strings.Join(lines, ""), " ", "")
}

// underCursor is the character that the cursor is on, or "".
func underCursor(e *Terminal) string {
	r := e.screen.row(e.y)
	x := e.x
	if r.cells[x]&tail != 0 {
		x--
	}
	return strings.TrimSpace(string(e.appendText(nil, r.cells[x])))
}

func BenchmarkReflow(b *testing.B) {
	for _, text := range []string{strings.Repeat("plain text ", 7), strings.Repeat("\x1b[31mred\x1b[m 日本 ", 9)} {
		b.Run(fmt.Sprintf("10000 lines of %.5q", text), func(b *testing.B) {
			e := New(proto.Size{Cols: 80, Lines: 24}, Options{})
			for range 10_024 {
				e.Write([]byte(text + "\r\n"))
			}
			for i := 0; b.Loop(); i++ {
				e.Resize(proto.Size{Cols: 40 + i%2*40, Lines: 24})
			}
		})
	}
}

// TestEndlessLine shows that a line without an end is bounded like others.
func TestEndlessLine(t *testing.T) {
	e := New(proto.Size{Cols: 80, Lines: 24}, Options{HistoryLines: 1000})
	for i := range 200_000 {
		fmt.Fprintf(e, "%06d 日本", i)
	}
	check(t, e)
	checkBounds(t, e, 1<<20)
	got := e.Lines(-5000, 5000)
	if len(got) != 1000 || e.history.bytes > 200<<10 {
		t.Errorf("%d rows in %d bytes", len(got), e.history.bytes)
	}
	want := squeeze(all(e))
	e.Resize(proto.Size{Cols: 100, Lines: 24})
	if got := squeeze(all(e)); len(got) < 60_000 || !strings.HasSuffix(want, got[len(got)-60_000:]) {
		t.Error("the text has changed")
	}
}
