package term

import (
	"slices"
	"testing"
)

// TestScreenText is what the screen of 10 columns and 4 lines shows, and
// where the cursor is. What is expected is as xterm's control sequences page
// and the VT510 manual say.
func TestScreenText(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		x, y     int
	}{
		{"columns wrap at the right margin", "\x1b[?69h\x1b[3;6s\x1b[1;3Habcdefg", []string{"  abcd", "  efg"}, 5, 1},
		{"CR goes to the left margin", "\x1b[?69h\x1b[3;6s\x1b[1;5Hx\ry", []string{"  y x"}, 3, 0},
		{"from outside CR goes to the edge", "\x1b[?69h\x1b[3;6s\x1b[1;2H\ry", []string{"y"}, 1, 0},
		{"scrolling within columns", "0123456789\x1b[2;1H0123456789\x1b[?69h\x1b[3;6s\x1b[1;2r\x1b[2;4H\n", []string{"0123456789", "01    6789"}, 3, 1},
		{"insert within columns", "0123456789\x1b[?69h\x1b[3;6s\x1b[1;4H\x1b[2@", []string{"012  36789"}, 3, 0},
		{"delete within columns", "0123456789\x1b[?69h\x1b[3;6s\x1b[1;4H\x1b[2P", []string{"0125  6789"}, 3, 0},
		{"insert lines within columns", "0123456789\x1b[?69h\x1b[3;6s\x1b[1;4H\x1b[L", []string{"01    6789", "  2345"}, 2, 0},
		{"a wide character cut by a margin", "你好你好\x1b[?69h\x1b[2;5s\x1b[1;2H\x1b[P", []string{" 好   好"}, 1, 0},
		{"origin counts from both margins", "\x1b[?69h\x1b[3;6s\x1b[2;3r\x1b[?6h\x1b[Hx\x1b[99;99Hy", []string{"", "  x", "     y"}, 5, 2},
		{"no margins without the mode", "\x1b[3;6s\x1b[1;9Hxyz", []string{"        xy", "z"}, 1, 1},
		{"turned off they are gone", "\x1b[?69h\x1b[3;6s\x1b[?69l\x1b[1;9Hxyz", []string{"        xy", "z"}, 1, 1},
		{"CUF stops at the margin", "\x1b[?69h\x1b[3;6s\x1b[1;3H\x1b[99Cx", []string{"     x"}, 5, 0},
		{"REP wraps at the margin", "\x1b[?69h\x1b[3;6s\x1b[1;3Hx\x1b[6b", []string{"  xxxx", "  xxx"}, 5, 1},
		{"reverse wrap", "\x1b[?45h0123456789ab\x1b[4Dx", []string{"01234567x9", "ab"}, 9, 0},
		{"reverse wrap stays on the line", "\x1b[?45hab\r\ncd\x1b[9Dx", []string{"ab", "xd"}, 1, 1},
		{"selective erase in the line", "\x1b[1\"qab\x1b[0\"qcd\x1b[?2K", []string{"ab"}, 4, 0},
		{"selective erase in the display", "ab\x1b[1\"q你\x1b[2\"qcd\r\nef\x1b[?J\x1b[?1J", []string{"  你"}, 2, 1},
		{"SGR keeps protection", "\x1b[1\"q\x1b[ma\x1b[0\"qb\x1b[H\x1b[?J", []string{"a"}, 0, 0},
		{"other erasure does not", "\x1b[1\"qab\x1b[2K", nil, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := write(c.in)
			check(t, e)
			got := all(e)
			if !slices.Equal(got, c.want) || e.x != c.x || e.y != c.y {
				t.Errorf("got %q, the cursor at %d, %d", got, e.x, e.y)
			}
		})
	}
}
