package store

import (
	"context"
	"crypto/sha256"
	"slices"

	"signaltty/proto"
)

// By is who answers: a client connection and the process behind it.
type By struct {
	Client string // the connection's id
	Kind   string // what the client said it is: "attach", "answer"
	UID    int
	PID    int
}

// answered is a consumed answer, kept so that a repeat of it is recognised.
type answered struct {
	decision, client     string
	said                 [sha256.Size]byte
	key                  string
	uses                 []string
	pane, session, agent string
	subagent             string
	counted, confirmed   bool
}

// same says whether req is a once more, and no other's answer.
func (a *answered) same(by By, req proto.DecisionAnswer) bool {
	return a.said == said(req) && (a.client == by.Client || a.key != "" && a.key == req.Key)
}

// consumed is the bounded history of answers.
type consumed struct {
	list []*answered
}

const (
	maxConsumed = 1024
	maxKey      = 64
)

func (c *consumed) add(a *answered) {
	if len(c.list) >= maxConsumed {
		c.list = slices.Delete(c.list, 0, 1)
	}
	c.list = append(c.list, a)
}

func (c *consumed) find(decision string) *answered {
	for _, a := range slices.Backward(c.list) {
		if a.decision == decision {
			return a
		}
	}
	return nil
}

// Answer answers a decision. Under one lock it checks that the decision is
// known and waits, that its pane is the one named and lives, that the option
// is one of its own, and that no answer came before: the first valid one
// consumes the decision. Then the audit row is written, then the verdict is
// released. It returns when the verdict is sent, or with an error that says
// why this answer does not count.
func (s *Store) Answer(ctx context.Context, by By, req proto.DecisionAnswer) (proto.DecisionAnswered, error) {
	out := proto.DecisionAnswered{Decision: req.Decision, Option: req.Option}
	var d *decision
	var err error
	var row ticket
	var mine *answered
	s.transition(func(t *change) {
		if d, err = s.answerable(req); err != nil {
			if a := s.consumed.find(req.Decision); a != nil && a.counted && a.same(by, req) {
				out.Repeat, err = true, nil
			}
			return
		}
		d.Phase, d.Chosen = proto.PhaseAnswering, req.Option
		d.interrupted = req.Interrupt && d.subagent == "" && !slices.ContainsFunc(d.Options, func(o proto.Option) bool { return o.Tells })
		mine = &answered{decision: d.ID, said: said(req), client: by.Client, key: req.Key, uses: slices.Clone(d.uses),
			pane: d.Pane, session: d.Session, agent: d.Agent, subagent: d.subagent}
		s.consumed.add(mine)
		s.answers.Add(1)
		t.event(proto.EventDecisionUpdated, d.Decision)
		t.record(Row{Kind: RowVerdict, Decision: d.ID, Pane: d.Pane, Agent: d.Agent, Session: d.Session, Tool: d.Tool, Option: req.Option,
			Client: by.Client, UID: by.UID, PID: by.PID, Body: answerRow(&d.Decision, by, req)})
		row = t.ticket
	})
	if err != nil || out.Repeat {
		return out, err
	}
	defer s.answers.Done()
	return out, s.release(ctx, d, mine, row, verdict(req))
}

// answerable finds the decision of an answer and says what is wrong with the
// answer, if anything is.
func (s *Store) answerable(req proto.DecisionAnswer) (*decision, error) {
	d := s.decision(req.Decision)
	switch {
	case len(req.Key) > maxKey:
		return nil, proto.Errorf(proto.CodeTooLarge, "the key of an answer has at most %d bytes", maxKey)
	case d == nil || d.Phase != proto.PhasePending:
		return nil, noSuchDecision(req.Decision)
	case req.Pane != "" && req.Pane != d.Pane:
		return nil, proto.Errorf(proto.CodeNoSuchDecision, "decision %q is not of pane %q", req.Decision, req.Pane)
	case d.Pane != "" && (s.panes[d.Pane] == nil || s.panes[d.Pane].Exit != nil):
		return nil, proto.Errorf(proto.CodeNoSuchDecision, "the pane of decision %q is gone", req.Decision)
	}
	i := slices.IndexFunc(d.Options, func(o proto.Option) bool { return o.ID == req.Option })
	switch {
	case i < 0 && !d.Answerable:
		return nil, proto.Errorf(proto.CodeNotAnswerable, "decision %q cannot be answered here: %s", req.Decision, d.Where)
	case i < 0:
		return nil, proto.Errorf(proto.CodeNoSuchOption, "decision %q has no option %q; it has %s", req.Decision, req.Option, optionIDs(d.Options))
	}
	if err := checkAnswer(&d.Decision, d.Options[i], req); err != nil {
		return nil, err
	}
	return d, nil
}

func noSuchDecision(id string) error {
	return proto.Errorf(proto.CodeNoSuchDecision, "decision %q does not wait (any more); `signaltty decisions` lists those that do", id)
}

func optionIDs(options []proto.Option) string {
	out := ""
	for i, o := range options {
		if i > 0 {
			out += ", "
		}
		out += o.ID
	}
	return out
}

// release writes the verdict's row, then sends it, then ends the decision. A
// decision that was retired meanwhile ends as that, without the verdict.
func (s *Store) release(ctx context.Context, d *decision, mine *answered, row ticket, v proto.Verdict) error {
	unwritten := s.audit.wait(ctx, row)
	s.mu.Lock()
	gone, cause := d.gone, d.cause
	s.mu.Unlock()

	end, option := proto.EndAnswered, v.Behavior
	if d.Chosen == proto.OptionHandBack {
		end = proto.EndHandedBack
	}
	switch {
	case gone != "":
		end, option = gone, proto.NoVerdict
	case unwritten != nil:
		end, cause, option = proto.EndUnavailable, "the audit could not be written", proto.NoVerdict
	}
	v.Behavior, v.End = option, end
	unsent := d.hold.Release(v)
	if unsent != nil && gone == "" && unwritten == nil {
		end, cause = proto.EndUnavailable, "the hook was gone"
	}
	s.transition(func(t *change) {
		if gone == "" && d.gone != "" && unsent != nil {
			end, cause = d.gone, d.cause
		}
		mine.counted = end == proto.EndAnswered || end == proto.EndHandedBack
		if cause == "" {
			cause = "client " + mine.client
		}
		s.end(t, d, end, cause)
		if mine.counted && d.gone == proto.EndMovedOn {
			// The agent was faster than this goroutine.
			mine.confirmed = true
			t.event(proto.EventDecisionConfirmed, proto.DecisionConfirmed{Decision: d.ID, Pane: d.Pane, Cause: d.cause})
		}
	})
	switch {
	case unwritten != nil:
		return proto.Errorf(proto.CodeUnavailable, "no verdict was sent, since its audit row could not be written: %v; the agent asks in its own terminal", unwritten)
	case !mine.counted:
		return proto.Errorf(proto.CodeUnavailable, "the answer came too late: decision %s ended as %s (%s)", d.ID, end, cause)
	}
	return nil
}

// confirm tells the clients that the agent took an answer: it went on.
func (s *Store) confirm(t *change, se *session, ev proto.HookEvent, cause string) {
	for _, a := range s.consumed.list {
		if !a.counted || a.confirmed || a.agent != se.key.agent || a.session != se.key.id {
			continue
		}
		if !confirms(a, ev) {
			continue
		}
		a.confirmed = true
		t.event(proto.EventDecisionConfirmed, proto.DecisionConfirmed{Decision: a.decision, Pane: a.pane, Cause: cause})
	}
}

// confirms says whether an event shows that the agent took the answer a. Of
// equal calls side by side all must have ended.
func confirms(a *answered, ev proto.HookEvent) bool {
	switch ev.Moment {
	case proto.MomentToolEnd, proto.MomentToolsEnd:
		n := len(a.uses)
		a.uses = slices.DeleteFunc(a.uses, func(use string) bool { return ends(ev, use) })
		return n > 0 && len(a.uses) == 0
	case proto.MomentTurnEnd, proto.MomentTurnFail, proto.MomentInterrupt, proto.MomentPrompt:
		return a.subagent == ""
	case proto.MomentSubagentEnd:
		return a.subagent != "" && a.subagent == ev.SubagentID
	case proto.MomentSessionEnd:
		return true
	}
	return false
}
