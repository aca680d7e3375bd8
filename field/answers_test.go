//go:build linux

package field

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"signaltty/e2e/place"
	"signaltty/proto"
)

// Two people answer at once, one allows and one denies: one of them counts,
// is told so, and is the one that the agent hears.
func TestTwoAnswersRace(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	for i := range 12 {
		h, d := w.asks(pane, bash(fmt.Sprintf("make %d", i)))
		exits := map[string]int{}
		var mu sync.Mutex
		var both sync.WaitGroup
		for _, option := range []string{proto.OptionOnce, proto.OptionDeny} {
			both.Go(func() {
				r := w.Run("answer", d.ID, option)
				mu.Lock()
				defer mu.Unlock()
				exits[option] = r.Exit
			})
		}
		both.Wait()
		end := w.ends(d, proto.EndAnswered)
		want := map[string]int{proto.OptionOnce: proto.ExitNoThing, proto.OptionDeny: proto.ExitNoThing}
		want[end.Option] = proto.ExitOK
		if exits[proto.OptionOnce] != want[proto.OptionOnce] || exits[proto.OptionDeny] != want[proto.OptionDeny] {
			t.Errorf("%s ended in %q, and the answers in %v", d.ID, end.Option, exits)
		}
		h.says(map[string]string{proto.OptionOnce: "allow", proto.OptionDeny: "deny"}[end.Option])
	}
	w.counts(12)
}

// An answer that is given again, as a client does which did not see the first
// one's reply, counts once. From anybody else it is too late.
func TestRepeatedAnswer(t *testing.T) {
	w := newWorld(t)
	h, d := w.asks(w.idlePane(), bash("make"))
	once := proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce}
	for i, repeat := range []bool{false, true, true} {
		if a := place.Ask[proto.DecisionAnswered](w.Place, proto.MethodDecisionAnswer, once); a.Repeat != repeat {
			t.Errorf("answer %d is taken for a repeat: %t", i+1, a.Repeat)
		}
	}
	h.says("allow")
	w.exits(proto.ExitNoThing, "answer", d.ID, proto.OptionOnce)
	w.exits(proto.ExitNoThing, "answer", d.ID, proto.OptionDeny)
	w.counts(1)
}

// Ids that are no id, of what is over, of another pane, or of another server's
// run reach nothing; nor do options that the decision does not have.
func TestAnswersToNothing(t *testing.T) {
	w := newWorld(t)
	pane, other := w.idlePane(), w.idlePane()
	_, past := w.asks(pane, bash("make past"))
	w.Verb("answer", past.ID, proto.OptionDeny)
	h, d := w.asks(pane, bash("make"))

	for _, id := range []string{"d9-9", "0", past.ID, strings.ToUpper(d.ID), " " + d.ID, "'; drop", strings.Repeat("d", 1<<16)} {
		if said := w.exits(proto.ExitNoThing, "answer", id, proto.OptionOnce); strings.Count(said, "\n") != 1 {
			t.Errorf("answering %.20q says %q", id, said)
		}
	}
	for _, option := range []string{"", "Once", "yes", proto.OptionAlways, "once,deny", "\x1b[2J", strings.Repeat("o", 1<<16)} {
		if said := w.exits(proto.ExitUsage, "answer", d.ID, option); !strings.Contains(said, "once, deny, handback") || strings.Contains(said, "\x1b") {
			t.Errorf("the option %.20q is refused with %q", option, said)
		}
	}
	w.exits(proto.ExitUsage, "answer", d.ID, proto.OptionOnce, "--message", "only with a deny")

	for _, a := range []proto.DecisionAnswer{
		{Pane: other, Decision: d.ID, Option: proto.OptionOnce},
		{Pane: "p9-9", Decision: d.ID, Option: proto.OptionOnce},
		{Pane: pane, Decision: d.ID + "\x00", Option: proto.OptionOnce},
	} {
		if code := w.refusal(proto.MethodDecisionAnswer, a); code != proto.CodeNoSuchDecision {
			t.Errorf("%+v is refused with %q", a, code)
		}
	}
	for _, wrong := range []any{[]string{d.ID}, map[string]any{"decision_id": 7, "option_id": "once"}, map[string]any{"decision_id": d.ID, "option_id": true}} {
		if code := w.refusal(proto.MethodDecisionAnswer, wrong); code != proto.CodeBadRequest {
			t.Errorf("%v is refused with %q", wrong, code)
		}
	}

	// None of it harmed the decision.
	w.Verb("answer", d.ID, proto.OptionOnce)
	h.says("allow")
}

// refusal makes a request that must be refused and returns with what code.
func (w *world) refusal(method string, params any) proto.Code {
	w.T.Helper()
	err := w.Conn.Call(w.T.Context(), method, params, nil)
	e, ok := err.(*proto.Error)
	if !ok {
		w.T.Errorf("%s of %+v is not refused: %v", method, params, err)
		return ""
	}
	return e.Code
}

// A tool that signaltty does not know is asked about like any other.
func TestUnknownTool(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	inputs := []payload{
		{"depth": 3, "targets": []any{"a", nil, payload{"deep": true}}},
		{"command": 7},
		{},
	}
	for i, input := range inputs {
		tool := fmt.Sprintf("mcp__frobnicate__v%d", i)
		h := w.hook(pane, "PermissionRequest", bash("").with("tool_name", tool, "tool_input", input))
		d := w.Events.Added(pane, tool, "")
		if !d.Answerable || d.Kind != proto.KindPermission || !slices.ContainsFunc(d.Options, func(o proto.Option) bool { return o.ID == proto.OptionOnce }) {
			t.Errorf("%s is asked about as %+v", tool, d)
		}
		w.Verb("answer", d.ID, proto.OptionDeny, "--message", "not this one")
		if behavior, message := h.verdict(); behavior != "deny" || message != "not this one" {
			t.Errorf("the agent hears %q %q", behavior, message)
		}
	}
	// What is no input at all stays the agent's own business.
	w.hook(pane, "PermissionRequest", bash("").with("tool_input", nil)).leavesIt()
	w.counts(len(inputs))
}
