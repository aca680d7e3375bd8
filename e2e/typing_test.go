//go:build linux

package e2e

import (
	"syscall"
	"testing"

	"signaltty/e2e/tty"
	"signaltty/proto"
)

// A key typed into the pane is the person's turn to it: the decision ends
// before the agent can have read the byte, and the agent's own dialog gets it.
func TestTypingIntoThePane(t *testing.T) {
	w := newWorld(t, runs("Bash", touches("made.txt")))
	w.attach()
	pane := w.open("#go")
	d := w.Events.Added(pane, "Bash", "")
	w.Bar(d)
	w.dialog(pane)
	hooks := w.Hooks()

	// An agent that is stopped reads nothing.
	agent := w.Pane(pane).PID
	signal(t, agent, syscall.SIGSTOP)
	w.UI.Press("1")
	if end, _ := w.Events.Ended(d); end.End != proto.EndTurnedTo {
		t.Errorf("ended as %+v", end)
	}
	for _, p := range hooks {
		if !p.Ends() {
			t.Errorf("the hook stays: %s", p)
		}
	}
	w.UI.WaitFor("the bar gone", func(s tty.Screen) bool { return !s.Has("asks to use") })
	signal(t, agent, syscall.SIGCONT)

	if r := w.result("toolu_1"); r.IsError {
		t.Errorf("the tool failed: %s", r.Text)
	}
	w.idle(pane)
	if n := w.Events.Count(proto.EventDecisionAdded); n != 1 {
		t.Errorf("%d decisions were raised, want 1", n)
	}
}

func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatalf("%v to %d: %v", s, pid, err)
	}
}
