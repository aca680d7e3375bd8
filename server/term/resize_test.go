package term

import (
	"fmt"
	"slices"
	"testing"

	"signaltty/proto"
)

// all is the text of the scrollback and the screen, without blank lines at the end.
func all(e *Terminal) []string {
	l := e.Lines(-e.history.count(), e.history.count()+e.lines)
	for len(l) > 0 && l[len(l)-1] == "" {
		l = l[:len(l)-1]
	}
	return l
}

func TestResizeLosesNothingOfTheMainScreen(t *testing.T) {
	for _, alt := range []bool{false, true} {
		t.Run(fmt.Sprintf("alt %v", alt), func(t *testing.T) {
			e := New(proto.Size{Cols: 20, Lines: 6}, Options{})
			e.Write([]byte("one\r\ntwo\r\nthree and much more\r\nfour\r\nfive\r\nsix"))
			want := all(e)
			if alt {
				e.Write([]byte("\x1b[?1049h\x1b[Hvim"))
			}
			for _, s := range []proto.Size{{Cols: 5, Lines: 2}, {Cols: 2, Lines: 1}, {Cols: 30, Lines: 9}, {Cols: 20, Lines: 6}} {
				e.Resize(s)
				if e.Size() != s {
					t.Fatalf("the size is %v, not %v", e.Size(), s)
				}
			}
			if alt {
				e.Write([]byte("\x1b[?1049l"))
			}
			if got := all(e); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if got := e.Lines(e.y, 1); !slices.Equal(got, []string{"six"}) {
				t.Errorf("the cursor's line is %q", got)
			}
		})
	}
}

func TestResizeDropsBlankRowsFirst(t *testing.T) {
	e := New(proto.Size{Cols: 20, Lines: 10}, Options{})
	e.Write([]byte("a\r\nb\r\n"))
	e.Resize(proto.Size{Cols: 20, Lines: 4})
	if e.history.count() != 0 || e.y != 2 {
		t.Errorf("%d lines went to the scrollback, the cursor is in line %d", e.history.count(), e.y)
	}
}

func TestSizeIsClipped(t *testing.T) {
	e := New(proto.Size{Cols: -1, Lines: 1 << 30}, Options{})
	if got, want := e.Size(), (proto.Size{Cols: MinCols, Lines: MaxLines}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRevGrowsWithWhatIsSeen(t *testing.T) {
	e := write("")
	for _, c := range []struct {
		in   string
		seen bool
	}{
		{"a", true}, {"\x1b[m", false}, {"\x1b[6n", false}, {"\x1b]0;t\a", false}, {"\x1b[H", true}, {"\x1b[H", false},
		{"\x1b[?25l", true}, {"\x1b[?2004h", true}, {"\x1b[3J", true}, {"\x1b[2K", true}, {"", false},
	} {
		before := e.Rev()
		e.Write([]byte(c.in))
		if got := e.Rev() > before; got != c.seen {
			t.Errorf("%q: the revision grew: %v", c.in, got)
		}
	}
}
