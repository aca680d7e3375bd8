package mockagent

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"signaltty/budget"
)

func TestBadScripts(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"not a list", `{}`, "a JSON list of steps"},
		{"misspelt field", `[{"do":"say","txet":"x"}]`, `unknown field "txet"`},
		{"unknown step", `[{"do":"dance"}]`, `step 1: do "dance" is not one of say`},
		{"ask of nothing", `[{"do":"say"},{"do":"ask"}]`, "step 2: an ask needs asks"},
		{"ask without input", `[{"do":"ask","asks":[{"tool":"Bash"}]}]`, "needs tool and input"},
		{"unknown name", `[{"do":"abort","of":"a"}]`, `no ask before it is named "a"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := parse([]byte(test.script)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestStoryIsSound(t *testing.T) {
	names := map[string]bool{}
	for i, s := range story() {
		if err := s.check(names); err != nil {
			t.Errorf("step %d: %v", i+1, err)
		}
	}
}

func TestKeys(t *testing.T) {
	tests := []struct {
		in   string
		want []key
	}{
		{"y", []key{"y"}},
		{"é1\r", []key{"é", "1", keyEnter}},
		{"\x1b", []key{keyEsc}},
		{"\x1b[A\x1bOB2", []key{keyUp, keyDown, "2"}},
		{"\x1b[I\x1b[1;5C\x1b[<0;1;2M", nil},
		{"\x03\x04\x7f", []key{keyCtrlC, keyCtrlD, keyBackspace}},
		{"\x1b[A\x1b", []key{keyUp, keyEsc}},
	}
	for _, test := range tests {
		if got := keysOf(test.in); !slices.Equal(got, test.want) {
			t.Errorf("%q is %q, want %q", test.in, got, test.want)
		}
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("a\x1b[A\xff\x1b")
	f.Fuzz(func(t *testing.T, in string) {
		budget.Keep(t, len(in), 200, func() {
			if n := len(keysOf(in)); n > len(in) {
				t.Errorf("%q is %d keys", in, n)
			}
		})
	})
}

func FuzzScript(f *testing.F) {
	f.Add([]byte(`[{"do":"ask","asks":[{"name":"a","tool":"T","input":{}}]},{"do":"join","of":"a"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		budget.Keep(t, len(data), 2000, func() {
			steps, err := parse(data)
			if err != nil {
				return
			}
			for _, s := range steps {
				for _, a := range s.Asks {
					a.subject()
					for _, line := range a.body() {
						if strings.ContainsAny(line, "\x1b\n") {
							t.Errorf("%q breaks the dialog", line)
						}
					}
				}
			}
		})
	})
}

// Nothing that is drawn is wider than the terminal or taller than it.
func TestScreensFit(t *testing.T) {
	asks := []Ask{}
	for _, s := range story() {
		asks = append(asks, s.Asks...)
	}
	for _, size := range [][2]int{{80, 24}, {160, 48}, {40, 12}} {
		s := &screen{out: &strings.Builder{}, onTerminal: true, cols: size[0], lines: size[1]}
		check := func(what string) {
			if len(s.below) >= s.lines {
				t.Errorf("%v: %s has %d lines", size, what, len(s.below))
			}
			for _, line := range s.below {
				if width(line) > s.cols {
					t.Errorf("%v: %s has a line of %d columns: %q", size, what, width(line), line)
				}
			}
		}
		for _, a := range asks {
			s.dialog(a, 1)
			check("the dialog of " + a.Tool)
		}
		s.spin(0)
		check("the spinner")
		s.idle("hint")
		s.typed(strings.Repeat("typed ", 50))
		check("the prompt")
	}
}

func TestDialogPicture(t *testing.T) {
	s := &screen{out: &strings.Builder{}, onTerminal: true, cols: 44, lines: 24}
	s.dialog(story()[4].Asks[0], 0)
	var got strings.Builder
	for _, line := range s.below {
		fmt.Fprintln(&got, s.paint(line))
	}
	const file = "../testdata/mockagent/dialog.txt"
	if os.Getenv("UPDATE") != "" {
		os.WriteFile(file, []byte(got.String()), 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}
