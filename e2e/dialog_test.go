//go:build linux

package e2e

import (
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/claude"
	"signaltty/e2e/place"
	"signaltty/proto"
)

// Yes in the agent's own dialog: Claude Code tells nothing at the approval and
// leaves the hook alive, so the decision ends when the tool does, and with it
// every process and descriptor of the hold.
func TestYesInTheAgentsDialog(t *testing.T) {
	w := newWorld(t,
		runs("Bash", touches("made.txt")),
		anthropic.Rule{Match: "#again", Turns: []anthropic.Turn{
			anthropic.Call(anthropic.Tool("toolu_2", "Bash", touches("again.txt"))), anthropic.Say("Over again."),
		}},
	)
	pane := w.open("#go")
	w.yes(pane, "made.txt")
	open := place.Descriptors(w.Server.PID())

	w.Verb("send", pane, "#again", "--enter")
	w.yes(pane, "again.txt")
	w.Until("as many descriptors are open as before", func() bool { return place.Descriptors(w.Server.PID()) <= open })
}

// yes goes through one ask that is answered in the agent's own dialog.
func (w *world) yes(pane, file string) {
	w.T.Helper()
	d := w.Events.Added(pane, "Bash", touches(file)["command"].(string))
	hooks := w.Hooks()
	if len(hooks) != 1 {
		w.T.Errorf("%d hook processes hold one decision: %v", len(hooks), hooks)
	}
	w.dialog(pane)
	w.agentKey(pane, "1")
	end, _ := w.Events.Ended(d)
	if end.End != proto.EndMovedOn || end.Cause != "hook PostToolUse" {
		w.T.Errorf("ended as %+v, not by the end of the tool", end)
	}
	if !w.made(file) {
		w.T.Error("the decision ended before the tool did")
	}
	for _, p := range hooks {
		if !p.Ends() {
			w.T.Errorf("the hook stays: %s", p)
		}
	}
	w.idle(pane)
}

// Esc in the agent's own dialog fires no hook event at all: Claude Code ends
// the held hook by SIGTERM, and the closed hold is what tells.
func TestEscInTheAgentsDialog(t *testing.T) {
	w := newWorld(t, runs("Bash", touches("made.txt")))
	pane := w.open("#go")
	d := w.Events.Added(pane, "Bash", "")
	w.dialog(pane)
	w.agentKey(pane, "\x1b")
	if end, _ := w.Events.Ended(d); end.End != proto.EndHoldClosed {
		t.Errorf("ended as %+v", end)
	}
	if w.made("made.txt") {
		t.Error("the command ran")
	}
	w.Until("no hold is open", func() bool { return w.Status().Holds == 0 })
}

// dialog waits until the agent's own dialog stands on the pane's screen.
func (w *world) dialog(pane string) {
	w.T.Helper()
	w.Until("the agent's dialog is on the screen", func() bool { return claude.Asks(w.Screen(pane)) })
}
