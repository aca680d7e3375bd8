package tui

import "testing"

func TestUnstyled(t *testing.T) {
	for in, want := range map[string]string{
		"":      "",
		"plain": "plain",
		"\x1b[0;1;38;2;1;2;3mbold\x1b[m and \x1b]8;;https://m.example/\x1b\\\x1b[0;4:3mlink\x1b]8;;\x1b\\\x1b[m end": "bold and link end",
		"日\x1b[m": "日", "cut \x1b[3": "cut ",
	} {
		if got := unstyled(in); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}
