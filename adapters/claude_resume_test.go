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
