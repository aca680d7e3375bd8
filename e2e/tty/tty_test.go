package tty

import (
	"strings"
	"testing"

	"signaltty/proto"
)

func TestEncode(t *testing.T) {
	kitty := proto.Modes{Kitty: 1}
	tests := []struct {
		key   string
		modes proto.Modes
		want  string
	}{
		{"y", proto.Modes{}, "y"},
		{"é", proto.Modes{}, "é"},
		{"+", proto.Modes{}, "+"},
		{"enter", proto.Modes{}, "\r"},
		{"esc", proto.Modes{}, "\x1b"},
		{"ctrl+]", proto.Modes{}, "\x1d"},
		{"ctrl+c", proto.Modes{}, "\x03"},
		{"alt+y", proto.Modes{}, "\x1by"},
		{"shift+tab", proto.Modes{}, "\x1b[Z"},
		{"up", proto.Modes{}, "\x1b[A"},
		{"up", proto.Modes{AppCursor: true}, "\x1bOA"},
		{"ctrl+up", proto.Modes{AppCursor: true}, "\x1b[1;5A"},
		{"y", kitty, "y"},
		{"enter", kitty, "\r"},
		{"esc", kitty, "\x1b[27;1u"},
		{"ctrl+]", kitty, "\x1b[93;5u"},
		{"alt+y", kitty, "\x1b[121;3u"},
		{"shift+enter", kitty, "\x1b[13;2u"},
	}
	for _, tt := range tests {
		got, err := encode(tt.key, tt.modes)
		if err != nil {
			t.Errorf("%s: %v", tt.key, err)
		}
		if string(got) != tt.want {
			t.Errorf("%s in modes %+v is %q, want %q", tt.key, tt.modes, got, tt.want)
		}
	}
	if _, err := encode("nonsense", proto.Modes{}); err == nil {
		t.Error("a key that does not exist was encoded")
	}
}

func sh(t *testing.T, script string) *Program {
	t.Helper()
	return Start(t, Command{Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin", "TERM=xterm-256color"}})
}

func TestTypeAndRead(t *testing.T) {
	p := sh(t, `stty -echo; printf 'name? '; read n; printf '\033[2J\033[3;5Hhello %s\033]0;greeted\007' "$n"; read n`)
	p.WaitText("name?")
	p.Type("signaltty")
	p.Press("enter")
	s := p.WaitText("hello")
	if y := s.Row("hello signaltty"); y != 2 || !strings.HasPrefix(s.Lines[y], "    hello") {
		t.Errorf("drawn at the wrong place:\n%s", s)
	}
	p.WaitFor("the title", func(s Screen) bool { return s.Title == "greeted" })
	p.Press("enter")
	if code := p.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// What a program asks of its terminal is answered.
func TestReplies(t *testing.T) {
	p := sh(t, `stty raw -echo; printf '\033[4;7H\033[6n'; r=$(head -c 6 | tail -c +2); stty sane; printf '\ngot %s\n' "$r"`)
	p.WaitText("got [4;7R")
}

func TestResize(t *testing.T) {
	p := sh(t, `trap 'stty size' WINCH; echo ready; while :; do read x; done`)
	p.WaitText("ready")
	p.Resize(proto.Size{Cols: 100, Lines: 30})
	p.WaitText("30 100")
}

// The output before the end is on the screen when the end is known.
func TestExit(t *testing.T) {
	p := sh(t, `seq 1 2000; echo last; exit 3`)
	if code := p.Exit(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	if s := p.Screen(); !s.Has("last") {
		t.Errorf("the last line is missing:\n%s", s)
	}
}

func TestKill(t *testing.T) {
	p := sh(t, `echo up; read x`)
	p.WaitText("up")
	p.Kill()
	if code := p.Exit(); code != -1 {
		t.Errorf("exit code %d, want -1 for a signal", code)
	}
}
