package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

func TestEncode(t *testing.T) {
	legacy, app := proto.Modes{}, proto.Modes{AppCursor: true}
	other1, other2 := proto.Modes{ModifyOtherKeys: 1}, proto.Modes{ModifyOtherKeys: 2}
	kitty1, kitty3, kitty31 := proto.Modes{Kitty: 1}, proto.Modes{Kitty: 3}, proto.Modes{Kitty: 31}
	key := func(code rune, mod tea.KeyMod) tea.Key { return tea.Key{Code: code, Mod: mod} }
	text := func(s string) tea.Key { return tea.Key{Code: []rune(s)[0], Text: s} }
	up := func(k tea.Key) stroke { return stroke{key: k, release: true} }
	tests := []struct {
		name  string
		s     stroke
		modes proto.Modes
		want  string
	}{
		{"letter", stroke{key: text("a")}, legacy, "a"},
		{"wide letter", stroke{key: text("日")}, legacy, "日"},
		{"ctrl+c", stroke{key: key('c', tea.ModCtrl)}, legacy, "\x03"},
		{"ctrl+space", stroke{key: key(' ', tea.ModCtrl)}, legacy, "\x00"},
		{"ctrl+]", stroke{key: key(']', tea.ModCtrl)}, legacy, "\x1d"},
		{"ctrl+/", stroke{key: key('/', tea.ModCtrl)}, legacy, "\x1f"},
		{"alt+b", stroke{key: key('b', tea.ModAlt)}, legacy, "\x1bb"},
		{"alt+shift+b", stroke{key: key('b', tea.ModAlt|tea.ModShift)}, legacy, "\x1bB"},
		{"ctrl+alt+x", stroke{key: key('x', tea.ModCtrl|tea.ModAlt)}, legacy, "\x1b\x18"},
		{"caps lock", stroke{key: tea.Key{Code: 'a', Text: "A", Mod: tea.ModCapsLock}}, legacy, "A"},
		{"enter", stroke{key: key(tea.KeyEnter, 0)}, legacy, "\r"},
		{"shift+enter", stroke{key: key(tea.KeyEnter, tea.ModShift)}, legacy, "\x1b\r"},
		{"alt+enter", stroke{key: key(tea.KeyEnter, tea.ModAlt)}, legacy, "\x1b\r"},
		{"escape", stroke{key: key(tea.KeyEscape, 0)}, legacy, "\x1b"},
		{"backspace", stroke{key: key(tea.KeyBackspace, 0)}, legacy, "\x7f"},
		{"tab", stroke{key: key(tea.KeyTab, 0)}, legacy, "\t"},
		{"shift+tab", stroke{key: key(tea.KeyTab, tea.ModShift)}, legacy, "\x1b[Z"},
		{"up", stroke{key: key(tea.KeyUp, 0)}, legacy, "\x1b[A"},
		{"up, application", stroke{key: key(tea.KeyUp, 0)}, app, "\x1bOA"},
		{"ctrl+up, application", stroke{key: key(tea.KeyUp, tea.ModCtrl)}, app, "\x1b[1;5A"},
		{"f1", stroke{key: key(tea.KeyF1, 0)}, legacy, "\x1bOP"},
		{"shift+f5", stroke{key: key(tea.KeyF5, tea.ModShift)}, legacy, "\x1b[15;2~"},
		{"delete", stroke{key: key(tea.KeyDelete, 0)}, legacy, "\x1b[3~"},
		{"keypad", stroke{key: key(tea.KeyKp7, 0)}, legacy, "7"},
		{"release", up(text("a")), legacy, ""},
		{"shift alone", stroke{key: key(tea.KeyLeftShift, 0)}, legacy, ""},

		{"other 1: shift+enter", stroke{key: key(tea.KeyEnter, tea.ModShift)}, other1, "\x1b[27;2;13~"},
		{"other 1: ctrl+c", stroke{key: key('c', tea.ModCtrl)}, other1, "\x03"},
		{"other 2: ctrl+c", stroke{key: key('c', tea.ModCtrl)}, other2, "\x1b[27;5;99~"},
		{"other 2: letter", stroke{key: tea.Key{Code: 'a', Text: "A", Mod: tea.ModShift}}, other2, "A"},

		{"kitty: letter", stroke{key: text("a")}, kitty1, "a"},
		{"kitty: enter", stroke{key: key(tea.KeyEnter, 0)}, kitty1, "\r"},
		{"kitty: shift+enter", stroke{key: key(tea.KeyEnter, tea.ModShift)}, kitty1, "\x1b[13;2u"},
		{"kitty: escape", stroke{key: key(tea.KeyEscape, 0)}, kitty1, "\x1b[27u"},
		{"kitty: ctrl+c", stroke{key: key('c', tea.ModCtrl)}, kitty1, "\x1b[99;5u"},
		{"kitty: up", stroke{key: key(tea.KeyUp, 0)}, kitty1, "\x1b[A"},
		{"kitty: f3", stroke{key: key(tea.KeyF3, 0)}, kitty1, "\x1b[13~"},
		{"kitty: release unasked", up(key(tea.KeyUp, 0)), kitty1, ""},
		{"kitty events: release", up(key(tea.KeyUp, 0)), kitty3, "\x1b[1;1:3A"},
		{"kitty events: release of a letter", up(text("a")), kitty3, ""},
		{"kitty events: repeat", stroke{key: tea.Key{Code: 'c', Mod: tea.ModCtrl, IsRepeat: true}}, kitty3, "\x1b[99;5:2u"},
		{"kitty all: letter", stroke{key: text("a")}, kitty31, "\x1b[97;1;97u"},
		{"kitty all: release", up(text("a")), kitty31, "\x1b[97;1:3u"},
		{"kitty all: shift alone", stroke{key: key(tea.KeyLeftShift, tea.ModShift)}, kitty31, "\x1b[57441;2u"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(encode(test.s, test.modes)); got != test.want {
				t.Errorf("sends %q, want %q", got, test.want)
			}
		})
	}
}

func TestEncodeMouse(t *testing.T) {
	click, release := tea.MouseClickMsg{X: 3, Y: 4, Button: tea.MouseLeft}, tea.MouseReleaseMsg{X: 3, Y: 4, Button: tea.MouseLeft}
	move, drag := tea.MouseMotionMsg{X: 3, Y: 4}, tea.MouseMotionMsg{X: 3, Y: 4, Button: tea.MouseLeft}
	wheel := tea.MouseWheelMsg{X: 3, Y: 4, Button: tea.MouseWheelUp}
	sgr := func(mode int) proto.Modes { return proto.Modes{Mouse: mode, MouseSGR: true} }
	tests := []struct {
		name    string
		msg     tea.MouseMsg
		modes   proto.Modes
		want    string
		passive bool
	}{
		{"click", click, sgr(1000), "\x1b[<0;4;5M", false},
		{"release", release, sgr(1000), "\x1b[<0;4;5m", true},
		{"wheel", wheel, sgr(1000), "\x1b[<64;4;5M", true},
		{"motion unasked", move, sgr(1000), "", true},
		{"drag", drag, sgr(1002), "\x1b[<32;4;5M", true},
		{"move without button", move, sgr(1002), "", true},
		{"move", move, sgr(1003), "\x1b[<35;4;5M", true},
		{"legacy", click, proto.Modes{Mouse: 1000}, "\x1b[M $%", false},
		{"legacy release", release, proto.Modes{Mouse: 1000}, "\x1b[M#$%", true},
		{"x10 release", release, proto.Modes{Mouse: 9}, "", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := test.msg.Mouse()
			got, passive := encodeMouse(test.msg, imagePoint(m), test.modes)
			if string(got) != test.want || passive != test.passive {
				t.Errorf("sends %q passive %v, want %q %v", got, passive, test.want, test.passive)
			}
		})
	}
}
