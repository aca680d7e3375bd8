package adapters

import (
	"slices"
	"strings"
	"testing"
)

func TestKeepClaude(t *testing.T) {
	tests := []struct{ args, want string }{
		{"", ""},
		{"fix-it", ""},
		{"--model haiku fix-it", "--model haiku"},
		{"--model=haiku fix-it --verbose", "--model=haiku --verbose"},
		{"--settings mine.json --permission-mode plan", "--settings mine.json --permission-mode plan"},
		{"--resume 1234 --model haiku", "--model haiku"},
		{"--session-id 1234 -c --fork-session go", ""},
		{"--add-dir /a /b --verbose go", "--add-dir /a /b --verbose"},
		{"--verbose -- --model haiku", "--verbose"},
		{"--of-the-future value go", ""},
		{"--model", ""},
	}
	for _, test := range tests {
		got := keepClaude(strings.Fields(test.args))
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("of %q stays %q, want %q", test.args, got, test.want)
		}
	}
}

// What stays of the arguments of the others: flags, never a prompt, and
// nothing that names a session.
func TestKeepOthers(t *testing.T) {
	for agent, tests := range map[string][][2]string{
		"codex":  {{"-m gpt-5.5 -c a=b fix it", "-m gpt-5.5 -c a=b"}, {"resume 1234 --search", "--search"}, {"-i picture.png look --sandbox=read-only", "--sandbox=read-only"}},
		"gemini": {{"-m flash -i go", "-m flash"}, {"--resume latest --approval-mode plan", "--approval-mode plan"}, {"--policy a b -p go", "--policy a b"}},
		"pi":     {{"--model x --session 1234 go", "--model x"}, {"-c --thinking high", "--thinking high"}, {"--api-key k --offline", "--offline"}},
	} {
		a, _ := Lookup(agent)
		for _, tt := range tests {
			if got := strings.Join(a.Keep(strings.Fields(tt[0])), " "); got != tt[1] {
				t.Errorf("%s: of %q stays %q, want %q", agent, tt[0], got, tt[1])
			}
		}
	}
}
