//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"signaltty/e2e/claude"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// installed puts signaltty's hooks into the agent's own settings and returns
// the bytes that were there before.
func (w *world) installed() string {
	w.T.Helper()
	before := w.agentSettings()
	if out := w.Verb("integration", "install", "claude"); !strings.Contains(out, "installed") {
		w.T.Fatalf("integration says %q", out)
	}
	return before
}

func (w *world) agentSettings() string {
	w.T.Helper()
	data, err := os.ReadFile(filepath.Join(w.home.Dir, ".claude", "settings.json"))
	if err != nil {
		w.T.Fatal(err)
	}
	return string(data)
}

// In a pane the hooks that it brings and those of the settings both run: one
// ask is one decision all the same.
func TestInstalledHooksInAPane(t *testing.T) {
	w := newWorld(t, runs("Bash", touches("made.txt")))
	before := w.installed()
	pane := w.open("#go")
	d := w.Events.Added(pane, "Bash", "")
	w.dialog(pane)
	w.Until("the hook of the settings has ended", func() bool { return w.Status().Holds == 1 })
	w.Verb("answer", d.ID, proto.OptionOnce)
	if r := w.result("toolu_1"); r.IsError {
		t.Errorf("the tool failed: %s", r.Text)
	}
	w.idle(pane)
	if n := w.Events.Count(proto.EventDecisionAdded); n != 1 {
		t.Errorf("one ask was %d decisions", n)
	}
	w.Verb("integration", "uninstall", "claude")
	if after := w.agentSettings(); after != before && !w.meansTheSame(after, before) {
		t.Errorf("the settings are %q, were %q", after, before)
	}
}

// meansTheSame compares settings that Claude Code has written anew meanwhile,
// which it now and then does with a setting of its own (measured on 2.1.197).
func (w *world) meansTheSame(after, before string) bool {
	w.T.Helper()
	var a, b map[string]any
	if err := errors.Join(json.Unmarshal([]byte(after), &a), json.Unmarshal([]byte(before), &b)); err != nil {
		w.T.Fatal(err)
	}
	delete(a, "skipDangerousModePermissionPrompt")
	return reflect.DeepEqual(a, b)
}

// A26: an agent that is started by hand in a shell pane is managed once the
// hooks are in its settings, and bound to that pane.
func TestA26InstalledHooksInAShell(t *testing.T) {
	w := newWorld(t, runs("Bash", touches("made.txt")))
	w.installed()
	pane := strings.TrimSpace(w.Verb("new", "--cwd", w.home.Work, "--", "/bin/sh", "-c", "claude '#go'; echo the shell goes on; read x"))
	d := w.Events.Added(pane, "Bash", "")
	if p := w.Pane(pane); p.State != proto.StateBlocked || p.Session != d.Session {
		t.Errorf("the pane is %+v", p)
	}
	w.Verb("answer", d.ID, proto.OptionDeny, "--message", "not today")
	if r := w.result("toolu_1"); !r.IsError || r.Text != "not today" {
		t.Errorf("the model got %+v", r)
	}
	w.idle(pane)
	// B05: it ends, and the pane does not stay at what it did last.
	w.Verb("send", pane, "/exit", "--enter")
	w.Until("the shell goes on", func() bool { return w.Screen(pane).Has("the shell goes on") })
	if s := w.Pane(pane).State; s != proto.StateIdle && s != proto.StateUnknown {
		t.Errorf("after the agent has left the pane is %s", s)
	}
}

// Outside of panes the installed hooks do nothing.
func TestInstalledHooksOutside(t *testing.T) {
	w := newWorld(t, runs("Bash", touches("made.txt")))
	w.installed()
	var env []string
	for _, entry := range w.Env {
		if !strings.HasPrefix(entry, proto.EnvSocket+"=") {
			env = append(env, entry)
		}
	}
	p := tty.Start(t, tty.Command{Argv: []string{filepath.Join(w.home.Bin, "claude"), "#go"}, Dir: w.home.Work, Env: env})
	p.WaitFor("the dialog", claude.Asks)
	if s := w.Status(); s.Decisions+s.Holds+s.Unbound != 0 {
		t.Errorf("the server knows of it: %+v", s)
	}
	p.Press("1")
	p.WaitText("The turn is over.")
	if n := w.Events.Seq(); n != 0 {
		t.Errorf("%d events were told:\n%s", n, w.Events)
	}
}
