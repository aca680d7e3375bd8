package term

import (
	"slices"
	"strings"
	"testing"

	"signaltty/proto"
)

func write(s string) *Terminal {
	t := New(proto.Size{Cols: 10, Lines: 4}, Options{Fg: 0x102030, Bg: 0xfefefe, Version: "1.2", Host: "host"})
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
		{"DECRQM of what is not there", "\x1b[?68$p\x1b[?2032$p", "\x1b[?68;0$y\x1b[?2032;0$y"},
		{"RQM", "\x1b[4h\x1b[4$p\x1b[99$p", "\x1b[4;1$y\x1b[99;0$y"},
		{"foreground", "\x1b]10;?\x1b\\", "\x1b]10;rgb:1010/2020/3030\x1b\\"},
		{"both colours", "\x1b]10;?;?\a", "\x1b]10;rgb:1010/2020/3030\x1b\\\x1b]11;rgb:fefe/fefe/fefe\x1b\\"},
		{"palette", "\x1b]4;1;?;255;?\a", "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\\x1b]4;255;rgb:eeee/eeee/eeee\x1b\\"},
		{"kitty", "\x1b[?u\x1b[>5u\x1b[?u\x1b[=2;2u\x1b[?u\x1b[<u\x1b[?u", "\x1b[?0u\x1b[?5u\x1b[?7u\x1b[?0u"},
		{"kitty per screen", "\x1b[>1u\x1b[?1049h\x1b[?u\x1b[?1049l\x1b[?u", "\x1b[?0u\x1b[?1u"},
		{"modifyOtherKeys", "\x1b[>4;2m\x1b[?4m\x1b[>4m\x1b[?4m", "\x1b[>4;2m\x1b[>4;0m"},
		{"size", "\x1b[18t", "\x1b[8;4;10t"},
		{"safe window reports", "\x1b[11t\x1b[13t\x1b[19t", "\x1b[1t\x1b[3;0;0t\x1b[9;4;10t"},
		{"titles are not told", "\x1b]2;rm -rf\a\x1b[20t\x1b[21t", "\x1b]L\x1b\\\x1b]l\x1b\\"},
		{"DECRQSS of the pen", "\x1b[1;38;2;1;2;3;48;5;9m\x1bP$qm\x1b\\", "\x1bP1$r0;1;38:2::1:2:3;48:5:9m\x1b\\"},
		{"DECRQSS of no pen", "\x1bP$qm\x1b\\", "\x1bP1$r0m\x1b\\"},
		{"DECRQSS of margins", "\x1b[?69h\x1b[2;3r\x1b[4;5s\x1bP$qr\x1b\\\x1bP$qs\x1b\\", "\x1bP1$r2;3r\x1b\\\x1bP1$r4;5s\x1b\\"},
		{"DECRQSS of others", "\x1b[4 q\x1b[1\"q\x1bP$q q\x1b\\\x1bP$q\"q\x1b\\\x1bP$q\"p\x1b\\\x1bP$qz\x1b\\",
			"\x1bP1$r4 q\x1b\\\x1bP1$r1\"q\x1b\\\x1bP1$r62;1\"p\x1b\\\x1bP0$r\x1b\\"},
		{"XTGETTCAP", "\x1bP+q5463;524742\x1b\\", "\x1bP1+r5463\x1b\\\x1bP1+r524742=382F382F38\x1b\\"},
		{"XTGETTCAP with an escape", "\x1bP+q4d73\x1b\\", "\x1bP1+r4d73=1B5D35323B25703125733B25703225731B5C\x1b\\"},
		{"XTGETTCAP of what is not there", "\x1bP+q78797a;5463\x1b\\", "\x1bP0+r78797a\x1b\\"},
		{"own colours", "\x1b]10;#f00;rgb:0/8000/ff\a\x1b]10;?;?\a\x1b]110\a\x1b]10;?\a", "\x1b]10;rgb:ffff/0000/0000\x1b\\\x1b]11;rgb:0000/7f7f/ffff\x1b\\\x1b]10;rgb:1010/2020/3030\x1b\\"},
		{"the cursor's colour is the foreground's", "\x1b]12;?\a", "\x1b]12;rgb:1010/2020/3030\x1b\\"},
		{"own palette", "\x1b]4;1;#010203;300;#fff\a\x1b]4;1;?\a\x1b]104;1\a\x1b]4;1;?\a", "\x1b]4;1;rgb:0101/0202/0303\x1b\\\x1b]4;1;rgb:cdcd/0000/0000\x1b\\"},
		{"the colour scheme", "\x1b[?996n", "\x1b[?997;2n"},
		{"program status", "\x1b]7501;?\x1b\\", "\x1b]7501;?\x1b\\"},
		{"notifications", "\x1b]99;i=opentui:p=?;\x1b\\", "\x1b]99;i=opentui:p=?;p=title,body,?\x1b\\"},
		{"modes are kept", "\x1b[?1002;1006;25h\x1b[?1000;1002;1006;25;9999s\x1b[?1003h\x1b[?25;1006l\x1b[?1000;1002;1006;25;9999r\x1b[?1002$p\x1b[?1006$p\x1b[?25$p",
			"\x1b[?1002;1$y\x1b[?1006;1$y\x1b[?25;1$y"},
		{"modes that were not kept", "\x1b[?2004h\x1b[?2004r\x1b[?2004$p", "\x1b[?2004;1$y"},
		{"modifyOtherKeys off", "\x1b[>4;2m\x1b[>4n\x1b[?4m", "\x1b[>4;0m"},
		{"the clipboard is not told", "\x1b]52;c;?\a", ""},
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

// TestQueriesOfAgents is what agents ask when they start, and what they get:
// an answer, or nothing where they go on without one. The questions are from
// recordings of Codex 0.171.0, OpenCode 1.18.33 and Gemini CLI 0.61.0.
func TestQueriesOfAgents(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"codex", "\x1b[6n\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[?u\x1b[c\x1b[?1007$p",
			"\x1b[1;1R\x1b]10;rgb:1010/2020/3030\x1b\\\x1b]11;rgb:fefe/fefe/fefe\x1b\\\x1b[?0u\x1b[?62;22c\x1b[?1007;0$y"},
		{"opencode: modes", "\x1b[?1016$p\x1b[?2027$p\x1b[?2031$p\x1b[?1004$p\x1b[?2004$p\x1b[?2026$p",
			"\x1b[?1016;0$y\x1b[?2027;3$y\x1b[?2031;2$y\x1b[?1004;2$y\x1b[?2004;2$y\x1b[?2026;2$y"},
		{"opencode: colours", "\x1b]4;0;?\a\x1b]12;?\a", "\x1b]4;0;rgb:0000/0000/0000\x1b\\\x1b]12;rgb:1010/2020/3030\x1b\\"},
		{"opencode: what is not there", "\x1b[14t\x1b_Gi=31337,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b]1337;Capabilities\x1b\\", ""},
		{"opencode: text sizing moves no cursor", "\x1b]66;w=1; \x1b\\\x1b[6n\x1b]66;s=2; \x1b\\\x1b[6n", "\x1b[1;1R\x1b[1;1R"},
		{"gemini", "\x1b[?u\x1b]11;?\x1b\\\x1b[>q\x1b[c", "\x1b[?0u\x1b]11;rgb:fefe/fefe/fefe\x1b\\\x1bP>|signaltty 1.2\x1b\\\x1b[?62;22c"},
	} {
		if got := string(write(c.in).Replies()); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
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
		{"no directory", "\x1b]7;http://host/a\a\x1b]7;file://host\a\x1b]7;/a\a\x1b]7;file://elsewhere/a\a", nil},
		{"controls in a notification", "\x1b]9;a\u009b\u202eb\xff\a", []Event{{Kind: Notified, Body: "ab\ufffd"}}},
		{"clipboard", "\x1b]52;c;YQpi\a", []Event{{Kind: Copied, Body: "a\nb"}}},
		{"no clipboard", "\x1b]52;c;?\a\x1b]52;c;!\a\x1b]52;c;\a", nil},
		// What Codex 0.171.0 sends.
		{"status", "\x1b]7501;state=blocked:app=codex:kind=permission\x1b\\", []Event{{Kind: Status, State: "blocked", App: "codex", Reason: "permission"}}},
		{"status with a message", "\x1b]7501;state=working:progress=40:msg=aGk=\a", []Event{{Kind: Status, State: "working", Percent: 40, Body: "hi"}}},
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

func TestSetColors(t *testing.T) {
	e := write("\x1b[?2031h")
	for _, c := range []struct{ name, fg, bg, cursor, in, want string }{
		{"dark now", "#ffffff", "#101010", "#00ff00", "", "\x1b[?997;1n"},
		{"dark as before", "#eeeeee", "#000000", "#00ff00", "", ""},
		{"asked", "#ffffff", "rgb:1010/1010/1010", "#00ff00", "\x1b]10;?;?;?\a", "\x1b]10;rgb:ffff/ffff/ffff\x1b\\\x1b]11;rgb:1010/1010/1010\x1b\\\x1b]12;rgb:0000/ffff/0000\x1b\\"},
		{"light again", "#000", "#fff", "", "", "\x1b[?997;2n"},
		{"nobody wants to know", "#fff", "#000", "", "\x1b[?2031l", ""},
	} {
		e.Write([]byte(c.in))
		e.SetColors(c.fg, c.bg, c.cursor)
		e.Write([]byte(c.in))
		if got := string(e.Replies()); c.in == "" && got != c.want || c.in != "" && !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPaletteIsShown shows that a client gets the colour that OSC 4 has set.
func TestPaletteIsShown(t *testing.T) {
	e := write("\x1b[31mx")
	var v View
	var f proto.Frame
	for _, c := range []struct{ in, want string }{{"", "1"}, {"\x1b]4;1;#010203\a", "#010203"}, {"\x1b]104\a", "1"}} {
		e.Write([]byte(c.in))
		if !e.Frame(&v, &f) || !f.Full || f.Styles[0].Fg != c.want {
			t.Errorf("%q: got %+v", c.in, f)
		}
	}
}
