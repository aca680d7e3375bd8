package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// flagLine is a line of help: a flag, the name of its value in one word, what it does.
var flagLine = regexp.MustCompile(`^ +(-\w, |    )--[\w-]+( [^\s|]+)?   +\S`)

// Cobra takes the first back-quoted words of a flag's help for the name of
// its value, wherever they stand.
func TestFlagsNameTheirValueInOneWord(t *testing.T) {
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		for line := range strings.Lines(c.LocalFlags().FlagUsages()) {
			if !flagLine.MatchString(line) {
				t.Errorf("the help of %s has %q", c.CommandPath(), line)
			}
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(Root())
}

func TestAHookIsNoCryForHelp(t *testing.T) {
	tests := []struct {
		args string
		want bool
	}{
		{"--help", true},
		{"-h", true},
		{"", false},
		{"--agent claude --event Stop --payload-stdin", false},
		{"--agent claude --event PreToolUse --payload-stdin --help", false}, // a gate must not open by it
	}
	for _, test := range tests {
		if got := asksForHelp(strings.Fields(test.args)); got != test.want {
			t.Errorf("%q: %v", test.args, got)
		}
	}
}
