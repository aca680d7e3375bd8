//go:build linux

package field

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// What a terminal obeys or hides is shown as what it is, wherever a command is
// shown, so that what a person reads is what would run.
func TestC12NothingHidesInACommand(t *testing.T) {
	hidden := []struct{ name, char, shown, json string }{
		{"escape and erase", "\r\x1b[2K ls", `\r\x1b[2K ls`, `\r\u001b[2K ls`},
		{"right to left", "\u202egnp", "⟨U+202E⟩gnp", `\u202egnp`},
		{"zero width", "a\u200bb", "a⟨U+200B⟩b", `a\u200bb`},
		{"tag", "a\U000e0041b", "⟨U+E0041⟩", `\udb40\udc41`},
		{"variation selector", "a\U000e0100b", "⟨U+E0100⟩", `\udb40\udd00`},
		{"no-break space", "rm\u00a0-rf", "rm⟨U+00A0⟩-rf", `rm\u00a0-rf`},
		{"C1 control", "a\u009b2Jb", `⟨U+009B⟩2J`, `\u009b2J`},
		{"padding", "ls" + strings.Repeat(" ", 900) + "; rm -rf x", "⟨900 blanks⟩; rm -rf x", ""},
	}
	for _, tt := range hidden {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			pane := w.idlePane()
			w.Attach(size)
			w.hook(pane, "PermissionRequest", bash("echo begin "+tt.char+" end"))
			w.UI.WaitText("echo begin")
			s := w.UI.WaitText(tt.shown)
			if s.Row(tt.shown) > s.Row("echo begin")+2 {
				t.Errorf("it stands apart:\n%s", s)
			}
			list, lines := w.Verb("decisions"), w.Verb("decisions", "--json")
			for _, out := range []string{list, lines} {
				if tt.json != "" && strings.Contains(out, tt.char) {
					t.Errorf("it is printed as it is: %.300q", out)
				}
			}
			if !strings.Contains(list, tt.shown) {
				t.Errorf("decisions prints\n%.300s", list)
			}
			if !strings.Contains(lines, tt.json) {
				t.Errorf("decisions --json prints\n%.300s", lines)
			}
		})
	}
}

// A command that is longer than the bar cannot be allowed before all of it was
// in sight; it can be denied.
func TestC13AllowTakesHavingReadAll(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	w.Attach(size)
	long := func(name string) payload {
		return bash("echo " + name + strings.Repeat("\necho harmless", 198) + "\nrm -rf /the-end")
	}
	h := w.hook(pane, "PermissionRequest", long("first"))
	s := w.UI.WaitText("needed to allow")
	if s.Has("the-end") {
		t.Fatalf("all of it is in sight:\n%s", s)
	}
	w.until("the key is refused", "read all of it first", "ctrl+]", "y")
	if len(w.waiting()) != 1 {
		t.Fatal("what was not read was allowed")
	}
	w.UI.Press("ctrl+]", "e")
	w.UI.WaitText("esc leaves") // the bar has the keys now
	w.UI.Type(strings.Repeat("\x1b[6~", 30))
	w.UI.WaitText("rm -rf /the-end")
	w.UI.WaitFor("that it may be allowed", func(s tty.Screen) bool { return !s.Has("needed to allow") })
	w.UI.Press("y")
	h.says("allow")

	h = w.hook(pane, "PermissionRequest", long("second"))
	w.UI.WaitText("needed to allow")
	d := place.Ask[proto.DecisionList](w.Place, proto.MethodDecisionList, proto.None{}).Decisions[0]
	w.Press(d, "ctrl+]", "n")
	h.says("deny")
}

// until presses keys, once a second at most, until the screen shows text.
func (w *world) until(what, text string, keys ...string) {
	w.T.Helper()
	w.Until(what, func() bool {
		w.UI.Press(keys...)
		ctx, cancel := context.WithTimeout(w.T.Context(), time.Second)
		defer cancel()
		_, shown := w.UI.Await(ctx, func(s tty.Screen) bool { return s.Has(text) })
		return shown
	})
}

// What an agent starts may read and tell of hooks, and nothing else: by the
// verbs, by the socket itself, and after leaving its parents in any way.
func TestC14AnAgentCannotAnswerItself(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	h, d := w.asks(pane, bash("rm -rf /srv/data"))
	rebel := strings.Join(w.probeArgv("rebel", d.ID, pane), " ")
	answer := "signaltty answer " + d.ID + " once"
	w.file("claude", `#!/bin/sh
`+answer+`; echo "$?" >verb
setsid -w `+answer+`; echo "$?" >setsid
env -i PATH="$PATH" SIGNALTTY_SOCKET="$SIGNALTTY_SOCKET" `+answer+`; echo "$?" >bare
signaltty send `+pane+` 1; echo "$?" >send
signaltty decisions >/dev/null; echo "$?" >read
`+rebel+` >raw
setsid -w `+rebel+` >raw-setsid
(trap '' HUP; setsid sh -c '(`+answer+`; echo $? >fork.tmp; mv fork.tmp fork; `+rebel+` >raw-fork.tmp; mv raw-fork.tmp raw-fork) &') &
sh -c 'while ! [ -s raw-fork ]; do :; done'
echo all tried; read stay
`, 0o700)
	agent := w.open("--", "./claude")
	w.Until("the agent has tried it all", func() bool { return w.Screen(agent).Has("all tried") })
	w.tried(map[string]string{"verb": "7", "setsid": "7", "bare": "7", "send": "7", "fork": "7", "read": "0"})
	for _, name := range []string{"raw", "raw-setsid", "raw-fork"} {
		out := w.read(name)
		if bad := unrefused(out); len(bad) > 0 || strings.Count(out, "\n") < 20 {
			t.Errorf("%s: of %d tries these are not refused: %v", name, strings.Count(out, "\n"), bad)
		}
	}

	if got := w.waiting(); len(got) != 1 {
		t.Errorf("%v wait", got)
	}
	// The same words from a shell that no agent runs in.
	w.Verb("answer", d.ID, proto.OptionDeny)
	h.says("deny")
}

// unrefused are the lines of a rebel's output that are no refusal.
func unrefused(output string) []string {
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(output), "\n"), func(line string) bool {
		return strings.HasSuffix(line, "\t"+string(proto.CodeRefused))
	})
}

// tried checks what files say.
func (w *world) tried(want map[string]string) {
	w.T.Helper()
	for name, text := range want {
		if got := strings.TrimSpace(w.read(name)); got != text {
			w.T.Errorf("%s ended in %q, want %s", name, got, text)
		}
	}
}

func (w *world) read(name string) string {
	w.T.Helper()
	data, err := os.ReadFile(filepath.Join(w.Work, name))
	if err != nil {
		w.T.Error(err)
	}
	return string(data)
}

// A person who types the same into a shell of theirs is the person, and the
// audit knows who it was.
func TestC14ThePersonAnswersFromAShell(t *testing.T) {
	w := newWorld(t)
	h, d := w.asks(w.idlePane(), bash("make"))
	shell := w.open("--", "sh", "-i")
	w.Verb("send", shell, fmt.Sprintf("signaltty answer %s deny --message 'not now'; echo ended in $?", d.ID), "--enter")
	w.ends(d, proto.EndAnswered)
	if behavior, message := h.verdict(); behavior != "deny" || message != "not now" {
		t.Errorf("the agent hears %q %q", behavior, message)
	}
	w.Until("the shell is told", func() bool { return w.Screen(shell).Has("ended in 0") })
}

// The socket is this user's alone from the moment that it is there, whatever
// the umask.
func TestC15PrivateFromTheStart(t *testing.T) {
	t.Parallel()
	w := bareWorld(t)
	w.Serve("sh", "-c", `umask 0; exec "$0" server`, binary)
	w.Verb("new", "--", "true")
	modes := map[string]os.FileMode{
		w.Socket:               0o600,
		filepath.Dir(w.Socket): 0o700,
		filepath.Join(w.Dir, "state", "signaltty", "state.db"): 0o600,
	}
	for path, want := range modes {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %#o, want %#o", path, info.Mode().Perm(), want)
		}
	}
}
