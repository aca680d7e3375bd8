package cli

import (
	"context"
	"fmt"
	"io"

	"signaltty/proto"
)

// demoAnswers are what the transcript's person answers, in turn; the last one
// goes for all that follow.
var demoAnswers = []proto.DecisionAnswer{
	{Option: proto.OptionOnce},
	{Option: proto.OptionOnce},
	{Option: proto.OptionDeny, Message: "not by force; open a pull request"},
}

// story is the demo as it goes on without a terminal.
type story struct {
	w       io.Writer
	answers *proto.Conn // apart from the events, so that none is passed over
	pane    string
	order   []string
	seen    map[string]*outcome
}

// outcome is what became of one decision.
type outcome struct {
	decision  proto.Decision
	end       proto.DecisionEnded
	confirmed bool
}

// transcript runs the demo's loop by itself, as a client like any other, and
// prints what happens. It ends with each decision's outcome.
func transcript(ctx context.Context, w io.Writer, socket string) error {
	hello := proto.Hello{Client: "demo", Build: build()}
	events, _, err := proto.Dial(ctx, socket, hello)
	if err != nil {
		return err
	}
	defer events.Close()
	answers, _, err := proto.Dial(ctx, socket, hello)
	if err != nil {
		return err
	}
	defer answers.Close()
	if err := events.Call(ctx, proto.MethodSubscribe, proto.None{}, nil); err != nil {
		return err
	}
	p, err := newDemoPane(ctx, answers, "--once")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "pane %s runs the built-in agent\n", p.ID)
	s := story{w: w, answers: answers, pane: p.ID, seen: map[string]*outcome{}}
	for m, err := range messages(ctx, events) {
		if err != nil {
			return err
		}
		over, err := s.follow(ctx, m)
		if err != nil {
			return err
		}
		if over {
			return s.summary()
		}
	}
	return context.Cause(ctx)
}

// follow takes one event. The story is over when the agent has ended.
func (s *story) follow(ctx context.Context, m proto.Message) (over bool, err error) {
	switch m.Event {
	case proto.EventDecisionAdded:
		var d proto.Decision
		if err := m.Decode(&d); err != nil {
			return false, err
		}
		return false, s.answer(ctx, d)
	case proto.EventDecisionEnded:
		var e proto.DecisionEnded
		if err := m.Decode(&e); err != nil {
			return false, err
		}
		if o := s.seen[e.Decision]; o != nil {
			o.end = e
			fmt.Fprintf(s.w, "%s is %s: sent to the agent\n", e.Decision, e.End)
		}
	case proto.EventDecisionConfirmed:
		var e proto.DecisionConfirmed
		if err := m.Decode(&e); err != nil {
			return false, err
		}
		if o := s.seen[e.Decision]; o != nil {
			o.confirmed = true
			fmt.Fprintf(s.w, "%s is confirmed: the agent went on (%s)\n", e.Decision, e.Cause)
		}
	}
	p, concerned, err := paneChange(m, s.pane)
	return concerned && p.Exit != nil, err
}

// answer answers a new decision, if it is one that can be answered here.
func (s *story) answer(ctx context.Context, d proto.Decision) error {
	fmt.Fprintf(s.w, "%s asks: %s %s\n", d.ID, d.Tool, visible(d.Prompt))
	a := demoAnswers[min(len(s.order), len(demoAnswers)-1)]
	s.order = append(s.order, d.ID)
	s.seen[d.ID] = &outcome{decision: d}
	if !d.Answerable {
		return nil
	}
	a.Pane, a.Decision = d.Pane, d.ID
	fmt.Fprintf(s.w, "%s gets the answer: %s\n", d.ID, a.Option)
	return s.answers.Call(ctx, proto.MethodDecisionAnswer, a, nil)
}

// summary prints the outcomes. A decision that its answer did not end is a failure.
func (s *story) summary() error {
	fmt.Fprintln(s.w, "\nOutcomes")
	answered := 0
	for _, id := range s.order {
		o := s.seen[id]
		line := fmt.Sprintf("%s %s %s: %s %s", id, o.decision.Tool, visible(o.decision.Prompt), o.end.End, o.end.Option)
		if o.confirmed {
			line += ", confirmed"
		}
		fmt.Fprintln(s.w, line)
		if o.end.End == proto.EndAnswered {
			answered++
		}
	}
	if answered == 0 || answered < len(s.order) {
		return fmt.Errorf("%d of the demo's %d decisions were answered; please report this transcript", answered, len(s.order))
	}
	return nil
}
