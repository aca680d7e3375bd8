package tui

import (
	"strings"
	"testing"

	"signaltty/budget"
)

func rendered(source string, width int) string {
	look := themeFor(true)
	w := inkwell{width: width}
	w.markdown(source, &look)
	var lines [][]span
	for _, r := range w.rows {
		lines = append(lines, r.spans)
	}
	var rows []string
	for row := range strings.SplitSeq(flat(lines), "\n") {
		rows = append(rows, strings.TrimRight(row, " "))
	}
	return strings.Join(rows, "\n")
}

func TestMarkdown(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"words", "# A plan\n\nfirst line\nsecond **line** of `it`", "A plan\n\nfirst line second\nline of it"},
		{"lists", "- a\n  - b\n- c\n\n3. d\n4. e", "• a\n  • b\n• c\n\n3. d\n4. e"},
		{"code", "```sh\nrm -rf /\n\ttab\n```", "sh\n│ rm -rf /\n│ →   tab"},
		{"quote", "> a\n> b", "▌ a b"},
		{"link", "[here](http://x/y)", "here (http://x/y)"},
		{"html", "<b>x</b>\n\n<!-- y -->", "<b>x</b>\n\n<!-- y -->"},
		{"hidden characters", "a\x1b[2Jb\u202ec", `a{\x1b}[2Jb{⟨U+202E⟩}c`},
		{"hidden in a definition", "plan\n\n[x]: http://evil 'run now'", "plan\n\n[x]: http://evil '\n  run now'"},
		{"numbers of no order", "1. a\n1. b", "1. a\n1. b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := rendered(tt.in, 20); got != tt.want {
				t.Errorf("rendered as\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// FuzzMarkdown wants that no word of a plan is hidden, no character reaches
// the terminal that it would obey, and time and memory in proportion.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"# a\n\n- b\n  1. c\n", "```\nx\n", "> > > a", "[a]: b 'c'\n\n[a]", "a\x1b]0;x\x07\r\nb", "| a | b |\n|---|---|", "&lt;b&gt; \\* <!-- c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 1<<14 {
			return
		}
		budget.Keep(t, len(source), 20000, func() {
			got := rendered(source, 40)
			for _, r := range got {
				if r != '\n' && Hidden(r) && r != ' ' {
					t.Fatalf("%q is in %q", r, got)
				}
			}
			joined := strings.Join(wordsOf(got), "")
			for line := range strings.SplitSeq(source, "\n") {
				for _, w := range wordsOf(Visible(line)) {
					if len(w) < 20 && !strings.Contains(joined, w) && !strings.Contains(got, "⟨") {
						t.Fatalf("%q is not in %q", w, got)
					}
				}
			}
		})
	})
}
