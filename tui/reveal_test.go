package tui

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/clipperhouse/displaywidth"

	"signaltty/budget"
	"signaltty/proto"
)

func flat(lines [][]span) string {
	var out []string
	for _, l := range lines {
		var b strings.Builder
		for _, p := range l {
			if p.odd {
				b.WriteString("{" + p.text + "}")
			} else {
				b.WriteString(p.text)
			}
		}
		out = append(out, b.String())
	}
	return strings.Join(out, "\n")
}

func TestReveal(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "ls -l", "ls -l"},
		{"lines", "a\nb\n", "a\nb"},
		{"carriage return and escape", "rm x\r\x1b[2Kls", `rm x{\r\x1b}[2Kls`},
		{"tab", "a\tb", "a→   b"},
		{"bidi", "a\u202eb", "a{⟨U+202E⟩}b"},
		{"zero width", "a\u200bb\ufeff", "a{⟨U+200B⟩}b{⟨U+FEFF⟩}"},
		{"tag", "a\U000e0041b", "a{⟨U+E0041⟩}b"},
		{"variation selector", "a\U000e0100b\ufe0f", "a{⟨U+E0100⟩}b{⟨U+FE0F⟩}"},
		{"emoji picture", "✔\ufe0f ok", "✔\ufe0f ok"},
		{"other blanks", "a\u00a0b\u3000c\u2800", "a{⟨U+00A0⟩}b{⟨U+3000⟩}c{⟨U+2800⟩}"},
		{"filler", "a\u3164b", "a{⟨U+3164⟩}b"},
		{"padding", "a" + strings.Repeat(" ", 5000) + "b", "a{⟨5000 blanks⟩}b"},
		{"padding by tabs", "a" + strings.Repeat(" \t", 50) + "b", "a{⟨100 blanks⟩}b"},
		{"indentation", "        a", "        a"},
		{"empty lines", "a" + strings.Repeat("\n", 200) + "b", "a\n{⟨199 empty lines⟩}\nb"},
		{"two empty lines", "a\n\n\nb", "a\n\n\nb"},
		{"invalid", "a\xffb", `a{\?}b`},
		{"combining at the start", "\u0301a", "{⟨U+0301⟩}a"},
		{"combining on a letter", "e\u0301", "e\u0301"},
		{"delete and C1", "a\x7fb\u009bc", `a{\x7f}b{⟨U+009B⟩}c`},
		{"line separator", "a\u2028b", "a{⟨U+2028⟩}b"},
		{"wide", "日本", "日本"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := flat(reveal(test.in)); got != test.want {
				t.Errorf("%q shows as\n%s\nwant\n%s", test.in, got, test.want)
			}
		})
	}
}

// TestRevealIsLinear: the largest input that travels is laid out at once.
func TestRevealIsLinear(t *testing.T) {
	for _, s := range []string{"\x1b", " ", "a ", "\n", "日", "e\u0301"} {
		start := time.Now()
		for _, l := range reveal(strings.Repeat(s, proto.MaxInput/len(s))) {
			wrap(l, 80)
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%q took %v", s, d)
		}
	}
}

// FuzzReveal: nothing that is shown can move, hide or reorder, and wrapping
// loses nothing and keeps to the width.
func FuzzReveal(f *testing.F) {
	f.Add("rm x\r\x1b[2Kls\u202e", 10)
	f.Add("日本語👩‍👩‍👧\u0301", 3)
	f.Fuzz(func(t *testing.T, s string, width int) {
		budget.Keep(t, len(s), 2000, func() {
			width = 2 + (width%80+80)%80
			for _, l := range reveal(s) {
				whole := flat([][]span{l})
				for _, r := range whole {
					if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
						t.Fatalf("%U is shown of %q", r, s)
					}
				}
				var parts strings.Builder
				for _, row := range wrap(l, width) {
					n := 0
					for _, p := range row {
						for g := displaywidth.StringGraphemes(p.text); g.Next(); {
							if g.Width() == 0 {
								t.Fatalf("%q of %q takes no room", g.Value(), s)
							}
						}
						parts.WriteString(p.text)
						n += displaywidth.String(p.text)
					}
					if n > width {
						t.Fatalf("a row of %q is %d wide, not %d", s, n, width)
					}
				}
				var all strings.Builder
				for _, p := range l {
					all.WriteString(p.text)
				}
				if parts.String() != all.String() {
					t.Fatalf("wrapped %q is %q", all.String(), parts.String())
				}
			}
		})
	})
}
