//go:build linux

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"signaltty/e2e/claude"
	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// A killed Claude Code leaves its hook alive. Its decision must not be, be the
// agent the pane's own process or one that was started in a shell.
func TestKilledAgent(t *testing.T) {
	t.Run("of the pane", func(t *testing.T) {
		w := newWorld(t, runs("Bash", touches("made.txt")))
		pane := w.open("#go")
		d := w.Events.Added(pane, "Bash", "")
		w.killed(d, w.Pane(pane).PID, proto.EndPaneExited)
		w.Verb("wait", pane, "--until", "exited", "--timeout", "60s")
	})
	t.Run("below a shell", func(t *testing.T) {
		w := newWorld(t, runs("Bash", touches("made.txt")))
		script := "claude --settings '" + w.settings() + "' '#go'; echo the shell goes on; read x"
		pane := strings.TrimSpace(w.Verb("new", "--cwd", w.home.Work, "--", "/bin/sh", "-c", script))
		d := w.Events.Added(pane, "Bash", "")
		w.killed(d, place.Child(t, w.Pane(pane).PID), proto.EndAgentDied)
		w.Until("the shell goes on", func() bool { return w.Screen(pane).Has("the shell goes on") })
	})
}

// killed kills the agent behind a decision and looks for what stays.
func (w *world) killed(d proto.Decision, agent int, want proto.End) {
	w.T.Helper()
	hooks := w.Hooks()
	signal(w.T, agent, syscall.SIGKILL)
	if end, _ := w.Events.Ended(d); end.End != want {
		w.T.Errorf("ended as %+v, want %s", end, want)
	}
	for _, p := range hooks {
		if !p.Ends() {
			w.T.Errorf("the hook stays: %s", p)
		}
	}
	if n := w.Status().Decisions; n != 0 {
		w.T.Errorf("%d decisions wait", n)
	}
	w.Until("no hold is open", func() bool { return w.Status().Holds == 0 })
	cmd := w.Command("answer", d.ID, proto.OptionOnce)
	if _ = cmd.Run(); cmd.ProcessState.ExitCode() != proto.ExitNoThing {
		w.T.Errorf("answering it now exits %d, want %d", cmd.ProcessState.ExitCode(), proto.ExitNoThing)
	}
}

// settings is a file with the hooks that a pane's agent is started with, to
// start one by hand likewise.
func (w *world) settings() string {
	w.T.Helper()
	argv := w.Pane(w.open("hello")).Argv
	i := slices.Index(argv, "--settings")
	if i < 0 || i+1 == len(argv) {
		w.T.Fatalf("the pane's agent runs without settings: %q", argv)
	}
	return argv[i+1]
}

// The server crashes while it holds a decision of an agent that is not its
// child. The agent's own dialog stays, and works.
func TestKilledServer(t *testing.T) {
	w := newWorld(t, runs("Bash", touches("made.txt")))
	p := tty.Start(t, tty.Command{
		Argv: []string{filepath.Join(w.home.Bin, "claude"), "--settings", w.settings(), "#go"},
		Dir:  w.home.Work,
		Env:  w.Env,
	})
	d := w.Events.Added("", "Bash", "")
	p.WaitFor("the dialog", claude.Asks)
	hooks := w.Hooks()

	w.Server.Kill()
	for _, h := range hooks {
		if !h.Ends() {
			t.Errorf("the hook outlives the server: %s", h)
		}
	}
	if s := p.Screen(); !claude.Asks(s) {
		t.Fatalf("the dialog of %s is gone:\n%s", d.Prompt, s)
	}
	p.Press("1")
	p.WaitText("The turn is over.")
	if r := w.result("toolu_1"); r.IsError || !w.made("made.txt") {
		t.Errorf("the tool failed: %s", r.Text)
	}
}
