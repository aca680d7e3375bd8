//go:build linux

package field

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// A server that is frozen must not freeze the agent: each hook ends by itself
// well before the agent would end it (6 s for those that only tell), in the
// fail direction of a permission, which is silence.
func TestA01FrozenServer(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	freeze(t, w.Server.PID())
	var hooks []*hook
	for _, event := range []string{"PermissionRequest", "PreToolUse", "PostToolUse", "Stop", "Notification"} {
		hooks = append(hooks, w.hook(pane, event, bash("make")))
	}
	for _, h := range hooks {
		h.leavesIt()
		if h.took > 5*time.Second {
			t.Errorf("the hook of %s took %v", h.name, h.took)
		}
		if !strings.Contains(h.said.String(), "did not answer in time") {
			t.Errorf("the hook of %s says %q", h.name, h.said.String())
		}
	}
	thaw(t, w.Server.PID())
	w.NothingWaits() // the server reads the ask only now, and its hook is gone
}

// freeze stops a process, until the end of the test at most.
func freeze(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // it may have ended
}

func thaw(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// A hook needs nothing of its environment but where the server is.
func TestA04EmptyEnvironment(t *testing.T) {
	w := newWorld(t)
	h := w.hookIn([]string{proto.EnvSocket + "=" + w.Socket}, bash("make"))
	d := w.Events.Added("", "Bash", "make")
	w.Verb("answer", d.ID, proto.OptionDeny, "--message", "use the Makefile")
	if behavior, message := h.verdict(); behavior != "deny" || message != "use the Makefile" {
		t.Errorf("the agent hears %q %q", behavior, message)
	}

	// With nothing at all it is none of an agent that signaltty knows of.
	w.hookIn([]string{}, bash("make")).leavesIt()
}

func (w *world) hookIn(env []string, p payload) *hook {
	w.T.Helper()
	cmd := w.Command("hook-event", "--agent", "claude", "--event", "PermissionRequest", "--payload-stdin", "--wait-for-answer")
	cmd.Env, cmd.Dir = env, "/"
	cmd.Stdin = strings.NewReader(p.with("hook_event_name", "PermissionRequest").String())
	return w.start("PermissionRequest", cmd)
}

// The person answers in the agent's own dialog, which tells nobody; the tool
// runs. The decision leaves every client at once, the hook ends without a
// verdict, and no key and no verb answers any more.
func TestA05AnsweredInTheAgent(t *testing.T) {
	w := newWorld(t)
	pane := w.mock(`[
		{"do": "ask", "leave": true, "asks": [{"name": "a", "tool": "Bash", "input": {"command": "make"}}]},
		{"do": "read"}, {"do": "end", "of": "a"}, {"do": "join", "of": "a"}, {"do": "read"}]`)
	w.Attach(size)
	d := w.Events.Added(pane, "Bash", "make")
	w.Bar(d)
	hooks := w.Hooks()
	w.typeBehind(pane, "\r")
	if end := w.ends(d, proto.EndMovedOn); end.Cause != "hook PostToolUse" {
		t.Errorf("it ended because of %q", end.Cause)
	}
	for _, x := range hooks {
		if !x.Ends() {
			t.Errorf("the hook stays: %s", x)
		}
	}
	w.Until("the agent has no verdict", func() bool { return w.Screen(pane).Has("a: no verdict") })
	w.UI.WaitFor("no bar", func(s tty.Screen) bool { return !place.OnBar(s, d) && !s.Has("waiting") })
	w.UI.Press("ctrl+]", "y")
	w.UI.WaitText("no decision waits")
	w.exits(proto.ExitNoThing, "answer", d.ID, proto.OptionOnce)
	w.NothingWaits()
	w.counts(1)
}

// Each event that shows that the agent went on retires what it is about, and
// nothing else.
func TestA06EachEventRetires(t *testing.T) {
	use := bash("make").with("tool_use_id", "toolu_1")
	events := []struct {
		name string
		p    payload
		ends bool // also what is asked by a subagent
	}{
		{"PostToolUse", use.with("tool_response", payload{}), false},
		{"PostToolUseFailure", use.with("error", "no rule to make target"), false},
		{"PostToolBatch", use.with("tool_calls", []any{payload{"tool_name": "Bash", "tool_input": payload{"command": "make"}, "tool_use_id": "toolu_1"}}), false},
		{"Stop", use.with("stop_hook_active", false), false},
		{"StopFailure", use.with("error", "overloaded"), false},
		{"UserPromptSubmit", use.with("prompt", "go on"), false},
		{"SessionEnd", use.with("reason", "other"), true},
	}
	for _, e := range events {
		t.Run(e.name, func(t *testing.T) {
			w := newWorld(t)
			pane, other := w.idlePane(), w.idlePane()
			w.tell(pane, "PreToolUse", use)
			h, d := w.asks(pane, bash("make"))
			sub, ds := w.asks(pane, bash("make docs").with("agent_id", "a1", "agent_type", "writer"))
			foreign, df := w.asks(other, bash("make").with("session_id", "s2"))
			w.tell(pane, e.name, e.p)
			if end := w.ends(d, proto.EndMovedOn); end.Cause != "hook "+e.name {
				t.Errorf("it ended because of %q", end.Cause)
			}
			h.leavesIt()
			left := []string{ds.ID, df.ID}
			if e.ends {
				w.ends(ds, proto.EndMovedOn)
				sub.leavesIt()
				left = left[1:]
			}
			if got := w.waiting(); !slices.Equal(got, left) {
				t.Errorf("%v wait, want %v", got, left)
			}
			for _, id := range left {
				w.Verb("answer", id, proto.OptionOnce)
			}
			foreign.says("allow")
			w.NothingWaits()
		})
	}
}

// waiting are the ids of the decisions that wait.
func (w *world) waiting() []string {
	w.T.Helper()
	var ids []string
	for _, d := range place.Ask[proto.DecisionList](w.Place, proto.MethodDecisionList, proto.None{}).Decisions {
		ids = append(ids, d.ID)
	}
	return ids
}

// An event of a subagent's end retires that subagent's asks alone.
func TestA06SubagentStopRetires(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	_, main := w.asks(pane, bash("make"))
	one, d1 := w.asks(pane, bash("make one").with("agent_id", "a1", "agent_type", "writer"))
	_, d2 := w.asks(pane, bash("make two").with("agent_id", "a2", "agent_type", "writer"))
	w.tell(pane, "SubagentStop", bash("").with("agent_id", "a1", "agent_type", "writer"))
	w.ends(d1, proto.EndMovedOn)
	one.leavesIt()
	if got, want := w.waiting(), []string{main.ID, d2.ID}; !slices.Equal(got, want) {
		t.Errorf("%v wait, want %v", got, want)
	}
}

// An event that fits no ask, or more than one, ends none on a guess.
func TestA06NothingEndsOnAGuess(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	w.tell(pane, "PreToolUse", bash("make").with("tool_use_id", "toolu_1"))
	_, first := w.asks(pane, bash("make"))
	w.tell(pane, "PreToolUse", bash("make").with("tool_use_id", "toolu_2"))
	second := w.hook(pane, "PermissionRequest", bash("make"))
	w.Until("both wait", func() bool { return len(w.waiting()) == 2 })

	w.tell(pane, "PostToolUse", bash("make docs").with("tool_use_id", "toolu_9"))
	w.tell(pane, "PostToolUse", bash("make").with("tool_use_id", "toolu_8"))
	w.tell(pane, "PostToolUse", bash("make").with("tool_use_id", "toolu_1", "session_id", "s2"))
	w.tell(pane, "Notification", bash("").with("message", "Claude needs your permission"))
	if got := w.waiting(); len(got) != 2 {
		t.Fatalf("%v wait", got)
	}
	w.tell(pane, "PostToolUse", bash("make").with("tool_use_id", "toolu_1"))
	w.ends(first, proto.EndMovedOn)
	w.tell(pane, "PostToolUse", bash("make").with("tool_use_id", "toolu_2"))
	second.leavesIt()
	w.NothingWaits()
}

// A thousand holds, each with a hook process of its own, ended in every way in
// turn, leave no process, no descriptor and no memory of them.
func TestA06ThousandHoldsLeaveNothing(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	w.cycle(pane, -1) // what is opened once is open now
	w.NothingWaits()
	before := place.Descriptors(w.Server.PID())
	for i := range 1000 / cycleHolds {
		w.cycle(pane, i)
	}
	w.NothingWaits()
	if left := w.Hooks(); len(left) > 0 {
		t.Errorf("%d hooks are left, such as %s", len(left), left[0])
	}
	w.Until("no more descriptors are open than before", func() bool { return place.Descriptors(w.Server.PID()) <= before })
	w.counts(1000 + cycleHolds)
}

// cycleHolds is how many holds one cycle opens at once.
const cycleHolds = 20

// cycle opens holds and ends them all.
func (w *world) cycle(pane string, i int) {
	w.T.Helper()
	var hooks []*hook
	for j := range cycleHolds {
		hooks = append(hooks, w.hook(pane, "PermissionRequest", bash(fmt.Sprintf("make %d %d", i, j))))
	}
	w.Until("all of them wait", func() bool { return w.Status().Decisions == cycleHolds })
	switch i % 5 {
	case 0:
		w.tell(pane, "Stop", bash(""))
	case 1:
		w.tell(pane, "SessionEnd", bash("").with("reason", "clear"))
	case 2:
		w.Verb("send", pane, "x")
	case 3:
		for _, h := range hooks {
			_ = h.cmd.Process.Kill() // each is alive: it holds
		}
	default:
		for _, id := range w.waiting() {
			place.Ask[proto.DecisionAnswered](w.Place, proto.MethodDecisionAnswer, proto.DecisionAnswer{Decision: id, Option: proto.OptionDeny})
		}
	}
	for _, h := range hooks {
		h.ended()
	}
}
