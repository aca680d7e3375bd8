//go:build linux

package field

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// Asks of one session that come at the same moment queue in order, each with
// its own id. None overwrites another, and each hook gets the answer that was
// given to its own.
func TestA16ManyAtOnce(t *testing.T) {
	const n = 50
	w := newWorld(t)
	pane := w.idlePane()
	w.Attach(size)
	hooks := map[string]*hook{}
	for i := range n {
		command := fmt.Sprintf("make part-%d", i)
		hooks[command] = w.hook(pane, "PermissionRequest", bash(command))
	}
	w.UI.WaitText(fmt.Sprintf("1 of %d", n))
	list := place.Ask[proto.DecisionList](w.Place, proto.MethodDecisionList, proto.None{}).Decisions
	ids := map[string]bool{}
	for i, d := range list {
		ids[d.ID] = true
		if i > 0 && d.ReceivedAt.Before(list[i-1].ReceivedAt) {
			t.Errorf("%s stands after %s and came before it", d.ID, list[i-1].ID)
		}
	}
	if len(ids) != n {
		t.Fatalf("%d decisions wait, want %d", len(ids), n)
	}
	// From both ends, every other one denied with words of its own.
	for len(list) > 0 {
		w.Verb("answer", list[0].ID, proto.OptionOnce)
		hooks[list[0].Prompt].says("allow")
		last := list[len(list)-1]
		w.Verb("answer", last.ID, proto.OptionDeny, "--message", "not "+last.Prompt)
		if behavior, message := hooks[last.Prompt].verdict(); behavior != "deny" || message != "not "+last.Prompt {
			t.Errorf("the hook of %s hears %q %q", last.Prompt, behavior, message)
		}
		list = list[1 : len(list)-1]
	}
	w.NothingWaits()
	w.counts(n)
}

// The second ask comes just before the key: the key is for the first, which
// was on the screen when it went down.
func TestA17TheKeyIsForWhatWasShown(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	w.Attach(size)
	first, shown := w.asks(pane, bash("make safe"))
	end := w.chordAfter(shown, func() { w.asks(pane, bash("rm -rf /srv/data")) }, "y")
	if end.Decision != shown.ID || end.Option != proto.OptionOnce {
		t.Errorf("the key answered %+v", end)
	}
	first.says("allow")
	w.UI.WaitText("rm -rf /srv/data")
	if got := len(w.waiting()); got != 1 {
		t.Errorf("%d wait, want the second alone", got)
	}
}

// chordAfter waits until the bar takes answers, does what comes in between,
// and presses keys after the prefix until a decision has ended.
func (w *world) chordAfter(d proto.Decision, between func(), keys ...string) proto.DecisionEnded {
	w.T.Helper()
	w.Bar(d)
	between()
	w.Press(d, append([]string{"ctrl+]"}, keys...)...)
	end, _ := place.Await(w.Events, proto.EventDecisionEnded, func(proto.DecisionEnded) bool { return true })
	return end
}

// The shown decision ends elsewhere and another one takes its place under the
// finger: a key within the grace answers nothing. A machine that is busy may
// let the grace pass, so it is tried some times.
func TestA17GraceAfterAChange(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	w.Attach(size)
	refused := false
	for i := 0; i < 8 && !refused; i++ {
		_, first := w.asks(pane, bash(fmt.Sprintf("make %d", i)))
		_, second := w.asks(pane, bash(fmt.Sprintf("rm -rf /%d", i)))
		w.Bar(first)
		w.Verb("answer", first.ID, proto.OptionDeny)
		w.Bar(second)
		w.UI.Press("ctrl+]", "y")
		// Either the key is refused on the screen or it answered.
		w.UI.WaitFor("an outcome", func(s tty.Screen) bool { return s.Has("it only just came up") || !place.OnBar(s, second) })
		refused = slices.Contains(w.waiting(), second.ID)
		if refused {
			w.Verb("answer", second.ID, proto.OptionDeny)
		}
		w.NothingWaits()
	}
	if !refused {
		t.Error("a key that followed at once answered each time")
	}
}

// What a person types into the focused pane goes there, whatever letters it
// has and whatever comes up meanwhile.
func TestA18TypingNeverAnswers(t *testing.T) {
	w := newWorld(t)
	k := w.keys("")
	w.Attach(size)
	w.UI.WaitText("reads keys")
	text := strings.Repeat("yes, and ynadtj ", 8)
	var typing sync.WaitGroup
	typing.Go(func() {
		for _, r := range text {
			w.UI.Type(string(r))
		}
	})
	// The dialog of this one is not in the pane yet, so typing does not end it.
	h, d := w.asks(k.pane, bash("rm -rf /srv/data").with("agent_id", "a1", "agent_type", "writer"))
	typing.Wait()
	k.gets(text)
	w.Bar(d)
	w.UI.Type("y")
	k.gets(text + "y")
	if !slices.Equal(w.waiting(), []string{d.ID}) {
		t.Fatal("typing answered")
	}

	// A paste into the focused bar, with the bar's own keys in it, is no answer.
	w.UI.Press("ctrl+]", "b")
	w.UI.WaitText("esc leaves")
	w.UI.Type("\x1b[200~y\rn\x1b[201~")
	w.UI.WaitText("a paste does not answer")
	if !slices.Equal(w.waiting(), []string{d.ID}) {
		t.Fatal("a paste answered")
	}
	k.gets(text + "y")
	w.Press(d, "n")
	h.says("deny")
}

// What other subagents do meanwhile never makes a blocked pane look like a
// working one; and the bar says which subagent asks.
func TestA21BlockedWhileItWaits(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	w.Attach(size)
	h, d := w.asks(pane, bash("make"))
	_, from := place.Await(w.Events, proto.EventPaneUpdated, func(p proto.Pane) bool { return p.ID == pane && p.State == proto.StateBlocked })
	for i := range 20 {
		busy := bash("ls").with("agent_id", "a2", "agent_type", "reader", "tool_use_id", fmt.Sprintf("toolu_%d", i))
		w.tell(pane, "PreToolUse", busy)
		w.tell(pane, "PostToolUse", busy)
		if p := w.Pane(pane); p.State != proto.StateBlocked || p.Pending != 1 || p.Attention != proto.AttentionDecision {
			t.Fatalf("the pane is %s with %d pending", p.State, p.Pending)
		}
	}
	w.Verb("answer", d.ID, proto.OptionOnce)
	h.says("allow")
	_, to := w.Events.Ended(d)
	for i := from; i < to; i++ {
		m := w.Events.At(i)
		var p proto.Pane
		if m.Event == proto.EventPaneUpdated && m.Decode(&p) == nil && p.ID == pane && p.State != proto.StateBlocked {
			t.Errorf("while it waited, the pane was %s (%s)", p.State, p.Reason)
		}
	}
}

func TestA22SubagentHasItsName(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	w.Attach(size)
	h, d := w.asks(pane, bash("make").with("agent_id", "a1", "agent_type", "reviewer"))
	if d.Pane != pane || d.Subagent != "reviewer" {
		t.Errorf("it is %+v", d)
	}
	w.Bar(d)
	w.UI.WaitText("subagent reviewer")
	if out := w.Verb("decisions", "--json"); !strings.Contains(out, `"subagent":"reviewer"`) {
		t.Errorf("decisions says %s", out)
	}
	w.Verb("answer", d.ID, proto.OptionOnce)
	h.says("allow")
}

// The client goes away between its answer and the reply: the answer counts
// once, and whoever comes back sees what waits, and no more.
func TestA25AnswerWithoutReply(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	for i := range 20 {
		h, d := w.asks(pane, bash(fmt.Sprintf("make %d", i)))
		c, _ := w.Dial("attach")
		if err := c.Send(7, proto.MethodDecisionAnswer, proto.DecisionAnswer{Pane: pane, Decision: d.ID, Option: proto.OptionOnce}); err != nil {
			t.Fatal(err)
		}
		c.Close()
		w.ends(d, proto.EndAnswered)
		h.says("allow")
		w.exits(proto.ExitNoThing, "answer", d.ID, proto.OptionOnce)
	}
	w.counts(20)

	h, d := w.asks(pane, bash("make more"))
	w.Attach(size)
	w.Bar(d)
	w.UI.Kill()
	w.UI.Exit()
	w.Attach(size)
	w.Chord(d, "y")
	h.says("allow")
}
