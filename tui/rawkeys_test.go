package tui

import "testing"

// TestPrefixFilter: of the terminal's own bytes the prefix and the key after
// it are ours, in every encoding; the rest is the pane's.
func TestPrefixFilter(t *testing.T) {
	const kitty = "\x1b[93;5u"
	for _, tt := range []struct {
		in, want string
		detach   bool
	}{
		{"ab", "ab", false},
		{"a\x1dd", "a", true},
		{"a\x1dq", "a", true},
		{"\x1d\x1db", "\x1db", false},
		{"\x1dxb", "b", false},
		{kitty + "d", "", true},
		{kitty + "\x1b[100u", "", true},
		{kitty + "\x1b[113u", "", true},
		{kitty + "\x1b[113;1:1u", "", true},
		{kitty + "\x1b[113;129u", "", true},                       // with num lock
		{kitty + "\x1b[113;5u", "", false},                        // ctrl+q
		{kitty + "\x1b[1000u", "", false},                         // another key
		{kitty + "\x1b[100;1:3u" + "q", "", true},                 // a release is none
		{kitty + "\x1b[93;5:3u\x1b[113;1:1u", "", true},           // nor is the prefix's own
		{kitty + "\x1b[57442;5:1u\x1b[113u", "", true},            // nor ctrl alone
		{"\x1b[27;5;93~\x1b[27;1;113~", "", true},                 // modifyOtherKeys
		{"\x1d\x1b[<35;4;5M\x1b[Oq", "\x1b[<35;4;5M\x1b[O", true}, // the mouse moves meanwhile
		{"\x1d\x1b[Ax", "x", false},
		{"\x1b[200~\x1dq\x1b[201~", "\x1b[200~\x1dq\x1b[201~", false},
	} {
		f := prefixFilter{forms: prefixForms(nil)}
		got, detach := f.filter([]byte(tt.in))
		if string(got) != tt.want || detach != tt.detach {
			t.Errorf("%q passes %q, detach %v; want %q, %v", tt.in, got, detach, tt.want, tt.detach)
		}
	}
}
