package term

import (
	"slices"
	"testing"

	"signaltty/proto"
)

func write(s string) *Terminal {
	t := New(proto.Size{Cols: 10, Lines: 4}, Options{Fg: 0x102030, Bg: 0xfefefe, Version: "1.2"})
	t.Write([]byte(s))
	return t
}

func TestReplies(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"DA1", "\x1b[c", "\x1b[?62;22c"},
		{"DECID", "\x1bZ", "\x1b[?62;22c"},
		{"DA2", "\x1b[>c", "\x1b[>1;277;0c"},
		{"DA3 is not answered", "\x1b[=c", ""},
		{"XTVERSION", "\x1b[>0q", "\x1bP>|signaltty 1.2\x1b\\"},
		{"DSR", "\x1b[5n", "\x1b[0n"},
		{"CPR", "\x1b[3;4H\x1b[6n", "\x1b[3;4R"},
		{"CPR at the edge", "0123456789\x1b[6n", "\x1b[1;10R"},
		{"CPR in the margins", "\x1b[2;3r\x1b[?6h\x1b[2;1H\x1b[6n", "\x1b[2;1R"},
		{"DECXCPR", "\x1b[?6n", "\x1b[?1;1;1R"},
		{"DECRQM reset", "\x1b[?2026$p", "\x1b[?2026;2$y"},
		{"DECRQM set", "\x1b[?2026h\x1b[?2026$p", "\x1b[?2026;1$y"},
		{"DECRQM origin", "\x1b[?6h\x1b[?6$p", "\x1b[?6;1$y"},
		{"DECRQM always", "\x1b[?2027$p", "\x1b[?2027;3$y"},
		{"DECRQM of what is not there", "\x1b[?69$p\x1b[?2031$p", "\x1b[?69;0$y\x1b[?2031;0$y"},
		{"RQM", "\x1b[4h\x1b[4$p\x1b[99$p", "\x1b[4;1$y\x1b[99;0$y"},
		{"foreground", "\x1b]10;?\x1b\\", "\x1b]10;rgb:1010/2020/3030\x1b\\"},
		{"both colours", "\x1b]10;?;?\a", "\x1b]10;rgb:1010/2020/3030\x1b\\\x1b]11;rgb:fefe/fefe/fefe\x1b\\"},
		{"palette", "\x1b]4;1;?;255;?\a", "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\\x1b]4;255;rgb:eeee/eeee/eeee\x1b\\"},
		{"kitty", "\x1b[?u\x1b[>5u\x1b[?u\x1b[=2;2u\x1b[?u\x1b[<u\x1b[?u", "\x1b[?0u\x1b[?5u\x1b[?7u\x1b[?0u"},
		{"kitty per screen", "\x1b[>1u\x1b[?1049h\x1b[?u\x1b[?1049l\x1b[?u", "\x1b[?0u\x1b[?1u"},
		{"modifyOtherKeys", "\x1b[>4;2m\x1b[?4m\x1b[>4m\x1b[?4m", "\x1b[>4;2m\x1b[>4;0m"},
		{"size", "\x1b[18t", "\x1b[8;4;10t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := write(c.in)
			if got := string(e.Replies()); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := e.Replies(); got != nil {
				t.Errorf("told twice: %q", got)
			}
		})
	}
}

func TestModes(t *testing.T) {
	for _, c := range []struct {
		in   string
		want proto.Modes
	}{
		{"", proto.Modes{}},
		{"\x1b[?1;2004;1004h\x1b=", proto.Modes{AppCursor: true, BracketedPaste: true, FocusEvents: true, AppKeypad: true}},
		{"\x1b[?1000;1002;1003;1006h", proto.Modes{Mouse: 1003, MouseSGR: true}},
		{"\x1b[?1003h\x1b[?1000l", proto.Modes{}},
		{"\x1b[?9h", proto.Modes{Mouse: 9}},
		{"\x1b[?5h\x1b[>4;1m\x1b[>1u", proto.Modes{ReverseScreen: true, ModifyOtherKeys: 1, Kitty: 1}},
		{"\x1b[?1049h", proto.Modes{AltScreen: true}},
		{"\x1b[?1049h\x1b[?2004h\x1b[>1u\x1bc", proto.Modes{}},
		// What Claude Code 2.1.197 sends as it ends, after all was set.
		{"\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[>4;2m\x1b[<u\x1b[>4m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2031l\x1b[?2004l", proto.Modes{}},
	} {
		if got := write(c.in).Modes(); got != c.want {
			t.Errorf("%q: got %+v, want %+v", c.in, got, c.want)
		}
	}
}

func TestCursorAndSync(t *testing.T) {
	e := write("ab\x1b[4 q\x1b[?25l\x1b[?2026h")
	if got, want := e.Cursor(), (proto.Cursor{X: 2, Shape: 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !e.Synchronized() {
		t.Error("mode 2026 was not seen")
	}
	e.EndSync()
	if e.Synchronized() {
		t.Error("EndSync did not end it")
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []Event
	}{
		// Claude Code's title: its first character has the byte 0x9c.
		{"title", "\x1b]0;✳ Claude Code\a", []Event{{Kind: TitleChanged}}},
		{"the same title", "\x1b]2;\a", nil},
		{"bells", "\a\a\a", []Event{{Kind: Bell}}},
		{"OSC 9", "\x1b]9;done\a", []Event{{Kind: Notified, Body: "done"}}},
		{"OSC 777", "\x1b]777;notify;t;b;c\x1b\\", []Event{{Kind: Notified, Title: "t", Body: "b;c"}}},
		{"OSC 99", "\x1b]99;i=1:d=0;Hel\a\x1b]99;i=1:d=0;lo\a\x1b]99;p=body:e=1;d29ybGQ=\a", []Event{{Kind: Notified, Title: "Hello", Body: "world"}}},
		{"progress", "\x1b]9;4;1;20\a\x1b]9;4;1;140\a", []Event{{Kind: Progressed, Progress: 1, Percent: 100}}},
		{"directory", "\x1b]7;file://host/a%20b/../c\a", []Event{{Kind: CwdChanged}}},
		{"no directory", "\x1b]7;http://host/a\a\x1b]7;file://host\a\x1b]7;/a\a", nil},
		{"controls in a notification", "\x1b]9;a\u009b\u202eb\xff\a", []Event{{Kind: Notified, Body: "ab\ufffd"}}},
		{"cancelled", "\x1b]9;a\x18\x1b]9;b\x1b[m", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := write(c.in)
			if got := e.Events(); !slices.Equal(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	e := write("\x1b]0;✳ Claude Code\a\x1b]7;file://host/a%20b/../c\a")
	if e.Title() != "✳ Claude Code" || e.Cwd() != "/c" {
		t.Errorf("the title is %q, the directory %q", e.Title(), e.Cwd())
	}
}
