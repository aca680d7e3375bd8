//go:build linux

package field

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"signaltty/adapters"
	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// over checks that nothing is left of a decision that ended without a verdict.
func (w *world) over(h *hook, d proto.Decision) {
	w.T.Helper()
	h.leavesIt()
	w.NothingWaits()
	w.exits(proto.ExitNoThing, "answer", d.ID, proto.OptionOnce)
	w.counts(1)
}

func TestPaneExitEndsADecision(t *testing.T) {
	w := newWorld(t)
	pane := w.shell("read go")
	h, d := w.asks(pane, bash("make").with("agent_id", "a1", "agent_type", "reviewer")) // typing does not end this one
	w.Verb("send", pane, "go", "--enter")
	w.ends(d, proto.EndPaneExited)
	w.over(h, d)
}

func TestPaneCloseEndsADecision(t *testing.T) {
	w := newWorld(t)
	pane, other := w.idlePane(), w.idlePane()
	h, d := w.asks(pane, bash("make"))
	kept, stays := w.asks(other, bash("make there").with("session_id", "s2"))
	w.Verb("close", pane)
	w.ends(d, proto.EndPaneClosed)
	h.leavesIt()
	w.exits(proto.ExitNoThing, "answer", d.ID, proto.OptionOnce)
	w.Verb("answer", stays.ID, proto.OptionOnce)
	kept.says("allow")
}

func TestServerStopEndsADecision(t *testing.T) {
	w := newWorld(t)
	h, d := w.asks(w.idlePane(), bash("make"))
	w.Verb("stop")
	w.ends(d, proto.EndServerStop)
	h.leavesIt()
}

// A server that is killed takes nothing with it but its holds: the hook ends
// by itself, and the next server does not know the old id.
func TestKilledServer(t *testing.T) {
	w := newWorld(t)
	h, d := w.asks(w.idlePane(), bash("make"))
	w.Server.Kill()
	h.leavesIt()
	if h.said.Len() == 0 {
		t.Error("the hook does not say why it gave no verdict")
	}
	w.Serve()
	if list := w.Verb("decisions", "--json"); list != "" {
		t.Errorf("the next server lists %s", list)
	}
	w.exits(proto.ExitNoThing, "answer", d.ID, proto.OptionOnce)
	_, fresh := w.asks(w.idlePane(), bash("make again"))
	if fresh.ID == d.ID {
		t.Errorf("the id %s is used again", d.ID)
	}
}

func TestKilledHook(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	h, d := w.asks(pane, bash("make"))
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	w.ends(d, proto.EndHoldClosed)
	w.NothingWaits()
	w.exits(proto.ExitNoThing, "answer", d.ID, proto.OptionOnce)
	if p := w.Pane(pane); p.State != proto.StateBlocked || p.Pending != 0 {
		t.Errorf("the agent's own dialog is left, and the pane is %s with %d pending", p.State, p.Pending)
	}
}

// A hook that is told to end says so, and the pane is not blocked: the person
// dismissed the agent's dialog.
func TestAbortedHook(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	h, d := w.asks(pane, bash("make"))
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	w.ends(d, proto.EndHoldClosed)
	w.over(h, d)
	if p := w.Pane(pane); p.State != proto.StateIdle {
		t.Errorf("the pane is %s", p.State)
	}
}

// The agent dies below a shell and leaves its hook behind: hook and decision
// end at once, and the shell goes on.
func TestKilledAgent(t *testing.T) {
	w := newWorld(t)
	steps := w.file("crash.json", `[
		{"do": "ask", "leave": true, "asks": [{"tool": "Bash", "input": {"command": "make"}}]},
		{"do": "read"}, {"do": "crash"}]`, 0o600)
	pane := w.shell(`signaltty mock-agent --script "$1"; echo "ended in $?"; read stay`, steps)
	d := w.Events.Added(pane, "Bash", "make")
	hooks := w.Hooks()
	if len(hooks) != 1 {
		t.Fatalf("one decision is held by %v", hooks)
	}
	w.typeBehind(pane, "\r")
	w.ends(d, proto.EndAgentDied)
	if !hooks[0].Ends() {
		t.Errorf("the hook outlives its agent: %s", hooks[0])
	}
	w.Until("the shell goes on", func() bool { return w.Screen(pane).Has("ended in 137") })
	w.NothingWaits()
	w.exits(proto.ExitNoThing, "answer", d.ID, proto.OptionOnce)
}

// typeBehind types into a pane in such a way that the server does not take it
// for the person's turn to it.
func (w *world) typeBehind(pane, text string) {
	w.T.Helper()
	place.Ask[proto.None](w.Place, proto.MethodPaneInput, proto.PaneInput{Pane: pane, Data: []byte(text), Passive: true})
}

// A hook that speaks while it is held has lost its place.
func TestHookSpeaksTwice(t *testing.T) {
	lines := map[string]func(*proto.Conn) error{
		"another ask": func(c *proto.Conn) error { return c.Send(3, proto.MethodHookEvent, event(t, "make two")) },
		"a read":      func(c *proto.Conn) error { return c.Send(3, proto.MethodStatus, proto.None{}) },
		"an answer": func(c *proto.Conn) error {
			return c.Send(3, proto.MethodDecisionAnswer, proto.DecisionAnswer{Decision: "d1-1", Option: proto.OptionOnce})
		},
		"garbage":     func(c *proto.Conn) error { return c.WriteLine([]byte("{]")) },
		"nothing":     func(c *proto.Conn) error { return c.WriteLine(nil) },
		"end of file": func(c *proto.Conn) error { return c.Close() },
	}
	for name, speak := range lines {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			pane := w.idlePane()
			c, _ := w.Dial("hook")
			e := event(t, "make")
			e.Pane = pane
			if err := c.Send(2, proto.MethodHookEvent, e); err != nil {
				t.Fatal(err)
			}
			d := w.Events.Added(pane, "Bash", "make")
			if err := speak(c); err != nil {
				t.Fatal(err)
			}
			w.ends(d, proto.EndHoldClosed)
			w.NothingWaits()
			w.exits(proto.ExitNoThing, "answer", d.ID, proto.OptionOnce)
			w.counts(1)
		})
	}
}

// event is an ask as the hook's process sends it.
func event(t *testing.T, command string) proto.HookEvent {
	t.Helper()
	line, err := json.Marshal(bash(command).with("hook_event_name", "PermissionRequest"))
	if err != nil {
		t.Fatal(err)
	}
	claude, ok := adapters.Lookup("claude")
	if !ok {
		t.Fatal("there is no adapter for Claude Code")
	}
	e, err := claude.Decode("PermissionRequest", line)
	if err != nil {
		t.Fatal(err)
	}
	e.Wait = true
	return e
}

// What is not the person's turn to the pane keeps its decision: focus, sizes,
// the mouse, looking at it, a second client.
func TestFocusAndResizeKeepADecision(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	w.Attach(size)
	h, d := w.asks(pane, bash("make"))
	w.Bar(d)
	for i, other := range []proto.Size{{Cols: 100, Lines: 30}, {Cols: 160, Lines: 48}, size} {
		w.UI.Resize(other)
		w.UI.Type("\x1b[I\x1b[O\x1b[I")                            // focus
		w.UI.Type("\x1b[<35;50;20M\x1b[<64;50;20M\x1b[<65;50;20M") // motion and wheel
		w.UI.WaitFor("the bar at another size", func(s tty.Screen) bool {
			return place.OnBar(s, d) && len(strings.TrimRight(s.Lines[0], " ")) > 0
		})
		place.Ask[proto.None](w.Place, proto.MethodPaneSeen, proto.PaneRef{Pane: pane})
		w.Until("the pane has another size", func() bool { return w.Pane(pane).Size.Cols != 80 })
		if s := w.Status(); s.Decisions != 1 {
			t.Fatalf("after size %d the decision is gone", i+1)
		}
	}
	second := w.UI
	w.Attach(proto.Size{Cols: 80, Lines: 24})
	w.Bar(d)
	if n := w.Events.Count(proto.EventDecisionEnded); n != 0 {
		t.Fatal("the decision has ended")
	}
	w.UI.Press("x")
	w.ends(d, proto.EndTurnedTo)
	h.leavesIt()
	for _, ui := range []*tty.Program{w.UI, second} {
		ui.WaitFor("no bar", func(s tty.Screen) bool { return !place.OnBar(s, d) })
	}
}
