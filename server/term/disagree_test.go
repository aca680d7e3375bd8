package term

import (
	"slices"
	"testing"
)

// TestWhereTerminalsDisagree has a case for each row of the table of that name
// in docs/terminal.md, where xterm's own behaviour and its source stand. The
// screen has 10 columns and 4 lines; text is the scrollback and the screen.
func TestWhereTerminalsDisagree(t *testing.T) {
	full := "0123456789"
	for _, c := range []struct {
		row, in string
		text    []string
		x, y    int
		told    string
	}{
		{row: "backspace at the edge", in: full + "\bx", text: []string{"01234567x9"}, x: 9},
		{row: "tab at the edge", in: full + "\t\x1b[Ix", text: []string{full, "x"}, x: 1, y: 1},
		{row: "restoring a cursor at the edge", in: full + "\x1b7\x1b[H\x1b8x", text: []string{full, "x"}, x: 1, y: 1},
		{row: "attributes at the edge", in: full + "\x1b[1m\x1b[4h\x1b[4l\ax", text: []string{full, "x"}, x: 1, y: 1},
		{row: "erasing at the edge", in: full + "\x1b[Kx", text: []string{full, "x"}, x: 1, y: 1},
		{row: "erasing at the edge", in: full + "\x1b[Jx", text: []string{full, "x"}, x: 1, y: 1},
		{row: "erasing at the edge", in: full + "\x1b[X\x1b[P\x1b[@x", text: []string{full, "x"}, x: 1, y: 1},
		{row: "repeat", in: "x\x1b[12b", text: []string{"xxxxxxxxxx", "xxx"}, x: 3, y: 1},
		{row: "repeat", in: full + "\x1b[2b", text: []string{full, "99"}, x: 2, y: 1},
		{row: "repeat", in: "\x1b[?7lx\x1b[12b", text: []string{"xxxxxxxxxx"}, x: 9},
		{row: "backspace in the first column", in: full + "a\b\bx", text: []string{full, "x"}, x: 1, y: 1},
		{row: "backspace in the first column", in: "\x1b[?45h" + full + "a\b\bx", text: []string{"012345678x", "a"}, x: 9},
		{row: "saved cursors", in: "\x1b[2;2H\x1b7\x1b[?47h\x1b[3;3H\x1b7\x1b[?47l\x1b8", text: nil, x: 1, y: 1},
		{row: "a region below the top", in: "a\r\nb\r\nc\x1b[2;3r\x1b[3H\n\n", text: []string{"a"}, x: 0, y: 2},
		{row: "a region at the top", in: "a\r\nb\r\nc\x1b[1;2r\x1b[2H\n", text: []string{"a", "b", "", "c"}, x: 0, y: 1},
		{row: "erasing the screen", in: "a\r\nb\x1b[2J", text: nil, x: 1, y: 1},
		{row: "erasing the scrollback", in: "a\r\nb\r\nc\r\nd\r\ne\x1b[3J", text: []string{"b", "c", "d", "e"}, x: 1, y: 3},
		{row: "left and right margins", in: "\x1b[?69h\x1b[2;3s\x1b[1;2Habc", text: []string{" ab", " c"}, x: 2, y: 1},
		{row: "characters of C1 in UTF-8", in: "a\u009b1mb", text: []string{"a1mb"}, x: 4},
		{row: "what is no UTF-8", in: "a\x9b1mb", text: []string{"a\ufffd1mb"}, x: 5},
		{row: "strings without a meaning", in: "a\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\b", text: []string{"ab"}, x: 2},
		{row: "character sets", in: "\x1b(A#\x1b(0q\x1b(Bq", text: []string{"#─q"}, x: 3},
		{row: "width of a cluster", in: "👨\u200d👩\u200d👧|", text: []string{"👨\u200d👩\u200d👧|"}, x: 3},
		{row: "titles", in: "\x1b]2;t\a\x1b[21t", told: "\x1b]l\x1b\\"},
		{row: "modifyOtherKeys", in: "\x1b[>4;2m\x1b[?1049h\x1b[?4m", told: "\x1b[>4;2m"},
		{row: "a capability that is not known", in: "\x1bP+q5463;78;5463\x1b\\", told: "\x1bP1+r5463\x1b\\\x1bP0+r78\x1b\\"},
		{row: "the clipboard", in: "\x1b]52;c;?\a"},
	} {
		t.Run(c.row, func(t *testing.T) {
			e := write(c.in)
			check(t, e)
			if got := all(e); !slices.Equal(got, c.text) || e.x != c.x || e.y != c.y {
				t.Errorf("got %q, the cursor at %d, %d", got, e.x, e.y)
			}
			if got := string(e.Replies()); got != c.told {
				t.Errorf("told %q, want %q", got, c.told)
			}
		})
	}
}
