//go:build linux

package field

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"signaltty/e2e/place"
	"signaltty/proto"
)

// No event follows a denial, and after an approval none comes before the tool
// has ended: the answer itself ends "blocked".
func TestB03TheAnswerEndsBlocked(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	for _, option := range []string{proto.OptionDeny, proto.OptionOnce} {
		w.tell(pane, "PreToolUse", bash("make "+option).with("tool_use_id", "toolu_"+option))
		h, d := w.asks(pane, bash("make "+option))
		w.is(pane, proto.StateBlocked, proto.AttentionDecision)
		w.Verb("answer", d.ID, option)
		h.verdict()
		w.is(pane, proto.StateWorking, proto.AttentionNone)
	}
	w.tell(pane, "PostToolUse", bash("make once").with("tool_use_id", "toolu_once"))
	w.tell(pane, "Stop", bash(""))
	w.Verb("wait", pane, "--until", "done", "--timeout", "60s")

	// Answered in the agent's dialog, the pane is blocked until the tool ended.
	w.tell(pane, "PreToolUse", bash("make docs").with("tool_use_id", "toolu_9"))
	h, d := w.asks(pane, bash("make docs"))
	w.Verb("send", pane, "1")
	w.ends(d, proto.EndTurnedTo)
	h.leavesIt()
	w.is(pane, proto.StateBlocked, proto.AttentionNone)
	w.tell(pane, "PostToolUse", bash("make docs").with("tool_use_id", "toolu_9"))
	w.is(pane, proto.StateWorking, proto.AttentionNone)
}

// is checks what a pane is now.
func (w *world) is(pane string, state proto.State, attention proto.Attention) {
	w.T.Helper()
	if p := w.Pane(pane); p.State != state || p.Attention != attention {
		w.T.Errorf("the pane is %s (%s) with attention %q, want %s and %q", p.State, p.Reason, p.Attention, state, attention)
	}
}

// There is one source of state: whoever asks, at whichever moment, hears what
// the events say at that sequence number.
func TestB04OneState(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	flips := []string{"UserPromptSubmit", "Stop", "PreToolUse", "PostToolUse", "StopFailure", "SessionEnd"}
	var lists []proto.PaneList
	for i := range 60 {
		h := w.hook(pane, flips[i%len(flips)], bash("make").with("tool_use_id", "toolu_1", "prompt", "go"))
		for flipping := true; flipping; {
			select {
			case <-h.done:
				flipping = false
			default:
			}
			lists = append(lists, place.Ask[proto.PaneList](w.Place, proto.MethodPaneList, proto.None{}))
		}
	}
	told := w.told(lists[len(lists)-1].Seq)
	seen := map[proto.State]bool{}
	for _, l := range lists {
		if want := told[l.Seq]; l.Panes[0].State != want {
			t.Errorf("at %d the list says %s, and the events %s", l.Seq, l.Panes[0].State, want)
		}
		seen[l.Panes[0].State] = true
	}
	if len(lists) < 100 || len(seen) < 3 {
		t.Errorf("%d lists saw only %v", len(lists), seen)
	}
	// The verbs and the screen of that moment are no other.
	var row struct{ State proto.State }
	if err := json.Unmarshal([]byte(w.Verb("ls", "--json")), &row); err != nil || row.State != w.Pane(pane).State {
		t.Errorf("ls says %s (%v), the server %s", row.State, err, w.Pane(pane).State)
	}
	w.Attach(size)
	w.UI.WaitText(string(row.State))
}

// told is the state of the only pane at each sequence number up to last, as
// the events tell it.
func (w *world) told(last uint64) map[uint64]proto.State {
	w.T.Helper()
	place.Await(w.Events, proto.EventPaneUpdated, func(proto.Pane) bool { return w.Events.Seq() >= last })
	states, state := map[uint64]proto.State{}, proto.StateUnknown
	for i := 0; ; i++ {
		m := w.Events.At(i)
		if m.Event == proto.EventPaneUpdated {
			var p proto.Pane
			if err := m.Decode(&p); err != nil {
				w.T.Fatal(err)
			}
			state = p.State
		}
		states[m.Seq] = state
		if m.Seq >= last {
			return states
		}
	}
}

// What was looked at raises its hand again when it asks again.
func TestB06SeenAsksAgain(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	look := func() {
		t.Helper()
		place.Ask[proto.None](w.Place, proto.MethodPaneSeen, proto.PaneRef{Pane: pane})
	}
	for i := range 3 {
		h, d := w.asks(pane, bash(fmt.Sprintf("make %d", i)))
		w.is(pane, proto.StateBlocked, proto.AttentionDecision)
		look()
		w.is(pane, proto.StateBlocked, proto.AttentionDecision)
		w.Verb("answer", d.ID, proto.OptionOnce)
		h.says("allow")
		w.tell(pane, "Stop", bash(""))
		w.is(pane, proto.StateDone, proto.AttentionDone)
		look()
		w.is(pane, proto.StateIdle, proto.AttentionNone)
	}
}

// A session belongs to the pane where it began. The environment of a later
// hook, which a shared daemon may have from elsewhere, does not move it; and
// what nothing speaks for is unbound, not a guess.
func TestB09WhoseSessionItIs(t *testing.T) {
	w := newWorld(t)
	start := w.file("start.json", bash("").with("hook_event_name", "SessionStart", "source", "startup").String(), 0o600)
	hers := w.shell(`signaltty hook-event --agent claude --event SessionStart --payload-stdin <"$1"; echo told; read stay`, start)
	w.Until("the session began", func() bool { return w.Screen(hers).Has("told") })
	other := w.idlePane()

	tests := []struct {
		name, session, env, want string
	}{
		{"bound, another pane in the environment", "s1", other, hers},
		{"bound, no pane in the environment", "s1", "", hers},
		{"bound, a pane that is gone in the environment", "s1", "p9-9", hers},
		{"unknown, no pane", "s7", "", ""},
		{"unknown, a pane that is gone", "s8", "p9-9", ""},
		{"unknown, the pane of another session", "s9", hers, ""},
		{"unknown, a free pane", "s10", other, other},
	}
	for i, tt := range tests {
		command := fmt.Sprintf("make %d", i)
		h := w.hook(tt.env, "PermissionRequest", bash(command).with("session_id", tt.session))
		d, _ := place.Await(w.Events, proto.EventDecisionAdded, func(d proto.Decision) bool { return d.Prompt == command })
		if d.Pane != tt.want {
			t.Errorf("%s: it is given to %q, want %q", tt.name, d.Pane, tt.want)
		}
		w.Verb("answer", d.ID, proto.OptionOnce)
		h.says("allow")
	}

	// Environment against ancestry is a conflict, and no guess either.
	ask := w.file("ask.json", bash("make conflict").with("hook_event_name", "PermissionRequest", "session_id", "s11").String(), 0o600)
	w.shell(`SIGNALTTY_PANE=$2 signaltty hook-event --agent claude --event PermissionRequest --payload-stdin --wait-for-answer <"$1"; read stay`, ask, other)
	d := w.Events.Added("", "Bash", "make conflict")
	if list := w.Verb("decisions"); !strings.Contains(list, d.ID) {
		t.Errorf("what is unbound is not listed:\n%s", list)
	}
	if s := w.Status(); s.Unbound != 1 {
		t.Errorf("%d holds are unbound", s.Unbound)
	}
	w.Verb("answer", d.ID, proto.OptionOnce)
}
