package tui

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDesktopOf(t *testing.T) {
	tests := []struct {
		env  string
		want Desktop
	}{
		{"TERM=xterm-kitty", DesktopOSC99},
		{"TERM=xterm-kitty SSH_CONNECTION=x", DesktopOSC99},
		{"TERM=foot", DesktopOSC99},
		{"TERM=xterm-ghostty TERM_PROGRAM=ghostty", DesktopOSC777},
		{"TERM=xterm-256color TERM_PROGRAM=WezTerm", DesktopOSC777},
		{"TERM=rxvt-unicode-256color", DesktopOSC777},
		{"TERM=xterm-256color TERM_PROGRAM=iTerm.app", DesktopOSC9},
		{"TERM=tmux-256color TMUX=x TERM_PROGRAM=iTerm.app", DesktopNone},
		{"TERM=screen DISPLAY=:0", DesktopProgram},
		{"TERM=xterm-256color WAYLAND_DISPLAY=wayland-0", DesktopProgram},
		{"TERM=xterm-256color DISPLAY=:0 SSH_CONNECTION=x", DesktopNone},
		{"TERM=xterm-256color", DesktopNone},
	}
	for _, test := range tests {
		env := func(name string) string {
			for entry := range strings.FieldsSeq(test.env) {
				if value, ok := strings.CutPrefix(entry, name+"="); ok {
					return value
				}
			}
			return ""
		}
		if got := desktopOf(env, func(string) bool { return true }); got != test.want {
			t.Errorf("%s: got %s, want %s", test.env, got, test.want)
		}
	}
	if got := desktopOf(func(name string) string { return map[string]string{"DISPLAY": ":0"}[name] }, func(string) bool { return false }); got != DesktopNone {
		t.Errorf("without notify-send: %s", got)
	}
}

func TestDesktopSequences(t *testing.T) {
	for d, want := range map[Desktop]string{
		DesktopOSC9:    "\x1b]9;a;b: 4;1;50\a",
		DesktopOSC777:  "\x1b]777;notify;a,b;4;1;50\a",
		DesktopOSC99:   "\x1b]99;i=signaltty-turn-p1:e=1:d=0:p=title;YTti\x1b\\\x1b]99;i=signaltty-turn-p1:e=1:d=1:p=body;NDsxOzUw\x1b\\",
		DesktopProgram: "",
	} {
		if got := desktopSequence(d, "turn p1", "a;b", "4;1;50"); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
	if got := shown(strings.Repeat("x", 300)+"\n", mostText); len([]rune(got)) != mostText || !strings.HasSuffix(got, "…") {
		t.Errorf("a long text is %q", got)
	}
}

func TestNotifyingPrograms(t *testing.T) {
	want := []string{"notify-send", "--app-name=signaltty", "--", "-a", "&lt;b&gt; &amp;"}
	if got := programOf(Notify{Desktop: DesktopProgram}, "-a", "<b> &"); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	file := filepath.Join(t.TempDir(), "said")
	mine := programOf(Notify{Desktop: DesktopOSC9, Command: []string{"/bin/sh", "-c", `printf '%s|' "$@" > "$0"`, file}}, "title", "<text>")
	if err := runProgram(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	if said, err := os.ReadFile(file); err != nil || string(said) != "title|<text>|" {
		t.Errorf("the command got %q, %v", said, err)
	}
	if err := runProgram(t.Context(), []string{"/nonexistent"}); err == nil || !strings.Contains(err.Error(), "notifying with /nonexistent") {
		t.Errorf("a missing program: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p := newPrograms(func(error) {})
	ended := make(chan struct{})
	go func() { p.run(ctx); close(ended) }()
	for range 2 * programBacklog { // more than fits, and the first one never ends
		p.add([]string{"/bin/sh", "-c", "sleep 1000 & wait"})
	}
	cancel()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("the screen's end waits for a program")
	}
}
