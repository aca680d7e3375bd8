package tui

import (
	"image"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"signaltty/budget"
)

func imagePoint(m tea.Mouse) image.Point { return image.Pt(m.X, m.Y) }

func TestParseChord(t *testing.T) {
	tests := []struct {
		in   string
		want Chord
		out  string
		bad  string
	}{
		{"ctrl+]", Chord{']', tea.ModCtrl}, "ctrl+]", ""},
		{"y", Chord{'y', 0}, "y", ""},
		{"Y", Chord{'Y', 0}, "Y", ""},
		{"shift+y", Chord{'Y', 0}, "Y", ""},
		{"alt+Y", Chord{'y', tea.ModAlt}, "alt+y", ""},
		{"+", Chord{'+', 0}, "+", ""},
		{"ctrl++", Chord{'+', tea.ModCtrl}, "ctrl++", ""},
		{"shift+tab", Chord{tea.KeyTab, tea.ModShift}, "shift+tab", ""},
		{"alt+ctrl+f5", Chord{tea.KeyF5, tea.ModAlt | tea.ModCtrl}, "ctrl+alt+f5", ""},
		{"space", Chord{' ', 0}, "space", ""},
		{"", Chord{}, "", "not known"},
		{"ctrl+", Chord{}, "", "not known"},
		{"ctrl+ctrl+a", Chord{}, "", "twice"},
		{"hello", Chord{}, "", "not known"},
		{"\x1b", Chord{}, "", "not known"},
	}
	for _, test := range tests {
		got, err := ParseChord(test.in)
		if test.bad != "" {
			if err == nil || !strings.Contains(err.Error(), test.bad) {
				t.Errorf("%q: error %v, want one with %q", test.in, err, test.bad)
			}
			continue
		}
		if err != nil || got != test.want || got.String() != test.out {
			t.Errorf("%q: %v (%s) %v, want %v (%s)", test.in, got, got, err, test.want, test.out)
		}
	}
}

// TestChordOfEveryEncoding: the prefix is known however a terminal sends it.
func TestChordOfEveryEncoding(t *testing.T) {
	for _, seq := range []string{"\x1d", "\x1b[93;5u", "\x1b[93;5:1u", "\x1b[27;5;93~", "\x1b[93;69u"} {
		var d uv.EventDecoder
		n, e := d.Decode([]byte(seq))
		k, ok := e.(uv.KeyPressEvent)
		if !ok || n != len(seq) {
			t.Errorf("%q is %T", seq, e)
			continue
		}
		if got := chordOf(tea.Key(k)); got != (Chord{']', tea.ModCtrl}) {
			t.Errorf("%q is %s", seq, got)
		}
	}
}

func TestKeys(t *testing.T) {
	k := DefaultKeys()
	if c := k.Clashes(); len(c) > 0 {
		t.Fatal(c)
	}
	if err := k.Set("once", "o"); err != nil {
		t.Fatal(err)
	}
	want := []Clash{{Chord{Code: 'o'}, [2]string{"once", "next-pane"}}}
	if got := k.Clashes(); !slices.Equal(got, want) {
		t.Errorf("a chord used twice: %v, want %v", got, want)
	}
	for _, test := range []struct{ name, chord, want string }{
		{"onec", "y", "not known"}, {"once", "ctrl+", "key once"}, {"prefix", "a", "panes need"}, {"once", "3", "pane 3"},
	} {
		if err := k.Set(test.name, test.chord); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s = %s: %v", test.name, test.chord, err)
		}
	}
	if err := k.Set("once"); err == nil {
		t.Error("a command may have no key")
	}
	if got := k["once"]; !slices.Equal(got, []Chord{{Code: 'o'}}) {
		t.Errorf("a refused key is kept: %v", got)
	}
}

func FuzzParseChord(f *testing.F) {
	for _, s := range []string{"ctrl+]", "alt+shift+Y", "f12", "ctrl++", "\xff", "shift+ß"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		budget.Keep(t, len(s), 500, func() {
			c, err := ParseChord(s)
			if err != nil {
				return
			}
			again, err := ParseChord(c.String())
			if err != nil || again != c {
				t.Errorf("%q is %v, written %q, read again %v %v", s, c, c, again, err)
			}
		})
	})
}
