package tui_test

import (
	"testing"
	"time"

	"signaltty/proto"
	"signaltty/tui/tuitest"
)

// pasts are decisions of each kind of ending, with text that would hide.
func pasts() []proto.PastDecision {
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	return []proto.PastDecision{
		{ID: "d4", Agent: "claude", Kind: proto.KindPermission, Tool: "Bash", Prompt: "make", AskedAt: ago(3 * time.Second)},
		{Agent: "claude", Tool: "Write", Prompt: "/etc/passwd", AskedAt: ago(time.Minute), End: proto.EndRule, Option: proto.OptionDeny,
			Rule: "no-etc", Message: "the machine's own"},
		{ID: "d2", Agent: "claude", Subagent: "reviewer", Kind: proto.KindPermission, Tool: "Bash", Prompt: "rm -rf x\r\x1b[2K ls\u202e",
			AskedAt: ago(time.Hour), End: proto.EndAnswered, Option: proto.OptionDeny, Message: "not that", Client: "c7", ClientKind: "attach",
			UID: 1000, PID: 4243, WaitedMS: 2300},
		{ID: "d1", Agent: "claude", Kind: proto.KindPermission, Tool: "Bash", Prompt: "go test ./...", AskedAt: ago(2 * time.Hour),
			End: proto.EndMovedOn, Cause: "hook Stop", WaitedMS: 61_000},
	}
}

// The decisions of the focused pane are shown: what was asked, who or which
// rule answered, how long it took; nothing hides in them.
func TestPastDecisions(t *testing.T) {
	bubble(t, tuitest.Setup{Cols: 100, Lines: 30}, func(d *tuitest.Driver) {
		d.Press("ctrl+]", "w")
		d.Idle()
		d.Want("nothing was decided here yet")
		d.Press("esc")
		d.Server.Past(pasts()...)
		d.Press("ctrl+]", "w")
		d.Idle()
		d.Want("Decided in claude", "it waits", "Deny by the rule no-etc: the machine's own", "claude Bash (reviewer)",
			`rm -rf x\r\x1b[2K ls⟨U+202E⟩`, "Deny by attach (user 1000, process 4243): not that, after 2.3s", "the agent moved on, after 1m1s")
		asked := tuitest.Asked[proto.DecisionPast](d.Server, proto.MethodDecisionPast)
		if len(asked) != 2 || asked[1].Pane != "p1" {
			t.Errorf("asked was %+v", asked)
		}
		d.Press("x")
		d.Idle()
		d.WantNot("Decided in")
		if typed := d.Typed("p1"); typed != "" {
			t.Errorf("the pane got %q", typed)
		}
	})
}

// A long list scrolls, and no further than its end.
func TestPastDecisionsScroll(t *testing.T) {
	bubble(t, tuitest.Setup{Cols: 80, Lines: 16}, func(d *tuitest.Driver) {
		d.Server.Past(pasts()...)
		d.Press("ctrl+]", "w")
		d.Idle()
		d.WantNot("the agent moved on")
		for range 5 {
			d.Press("pgdown")
		}
		d.Idle()
		d.Want("the agent moved on")
		d.Press("up")
		d.Idle()
		d.WantNot("the agent moved on")
	})
}
