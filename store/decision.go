package store

import (
	"fmt"
	"slices"
	"time"

	"signaltty/proto"
)

// Hold is the open hook connection that a decision answers into.
type Hold interface {
	// Release sends the verdict to the hook. It is called once, with no lock
	// held; its error says that the hook was gone.
	Release(v proto.Verdict) error
}

// decision is an ask that waits.
type decision struct {
	proto.Decision
	hold     Hold
	subagent string // the subagent's id
	key      string // hash of the tool's input
	// uses are the calls that it may be about: one when it is matched, more
	// when equal calls run side by side, none when no start was seen.
	uses  []string
	timer *time.Timer
	size  int // bytes on the wire
	// dismissed says that the person said No in the agent's own dialog,
	// interrupted that they denied here and ended the turn by it. Neither is
	// told by any event of this agent's.
	dismissed   bool
	interrupted bool
	// gone is set when it was to be retired while its answer was under way.
	gone  proto.End
	cause string
}

// raise turns an ask into a decision that waits.
func (s *Store) raise(t *change, se *session, ev proto.HookEvent, hold Hold) *decision {
	a := ev.Ask
	dialog := a.Dialog
	if a.Foreground != "" && se.foreground(ev.SubagentID) {
		dialog = a.Foreground
	}
	d := &decision{
		hold: hold, subagent: ev.SubagentID, key: ev.InputKey, uses: s.unclaimed(se, ev),
		Decision: proto.Decision{
			ID: s.id("d"), Pane: se.pane, Agent: ev.Agent, Session: ev.Session, Subagent: ev.Subagent,
			Kind: a.Kind, Tool: a.Tool, Prompt: a.Summary, Input: a.Input, Detail: a.Detail, Truncated: a.Truncated,
			Questions: a.Questions, Standing: a.Standing, Amendable: a.Amendable, Options: a.Options, Answerable: a.Answerable, Where: a.Where, Dialog: dialog,
			Phase: proto.PhasePending, ReceivedAt: now(), Cwd: ev.Cwd,
		},
	}
	if d.Options == nil {
		d.Options = []proto.Option{}
	}
	wait := s.wait(dialog, a.WaitSeconds)
	d.Deadline = d.ReceivedAt.Add(wait)
	d.timer = time.AfterFunc(wait, func() { s.Deadline(d.ID) })
	d.size = wireSize(d.Decision)
	s.held += d.size
	s.decisions = append(s.decisions, d)
	t.event(proto.EventDecisionAdded, d.Decision)
	t.record(Row{Kind: RowAsk, Decision: d.ID, Pane: d.Pane, Agent: d.Agent, Session: d.Session, Tool: d.Tool,
		Body: map[string]any{"kind": d.Kind, "prompt": bounded(d.Prompt), "subagent": d.Subagent, "input_key": d.key, "cwd": d.Cwd}})
	s.pendingChanged(t, d.Pane)
	return d
}

func (s *Store) wait(dialog proto.Dialog, seconds int) time.Duration {
	wait := s.opts.WaitOnly
	if dialog == proto.DialogBeside {
		wait = s.opts.WaitBeside
	}
	if asked := time.Duration(seconds) * time.Second; asked > 0 {
		wait = min(wait, asked)
	}
	return wait
}

// unclaimed are the calls that a new ask may be about, less those that a
// waiting decision is surely about.
func (s *Store) unclaimed(se *session, ev proto.HookEvent) []string {
	uses := se.candidates(ev)
	for _, d := range s.decisions {
		if d.of(se) && len(d.uses) == 1 {
			uses = slices.DeleteFunc(uses, func(u string) bool { return u == d.uses[0] })
		}
	}
	return uses
}

func (d *decision) of(se *session) bool { return d.Agent == se.key.agent && d.Session == se.key.id }

// end ends a decision. It is the only way out of the list.
func (s *Store) end(t *change, d *decision, end proto.End, cause string) {
	i := slices.Index(s.decisions, d)
	if i < 0 {
		return
	}
	s.decisions = slices.Delete(s.decisions, i, i+1)
	d.timer.Stop()
	s.held -= d.size
	option := ""
	if end == proto.EndAnswered {
		option = d.Chosen
	}
	t.event(proto.EventDecisionEnded, proto.DecisionEnded{Decision: d.ID, Pane: d.Pane, End: end, Option: option, Cause: cause})
	t.record(Row{Kind: RowEnd, Decision: d.ID, Pane: d.Pane, Agent: d.Agent, Session: d.Session, Tool: d.Tool, Option: option, End: end,
		Body: map[string]any{"cause": cause, "waited_ms": time.Since(d.ReceivedAt).Milliseconds()}})
	s.afterEnd(t, d, end)
}

// retire ends a decision without a person's answer and lets its hold go with
// no verdict. While an answer is under way it only notes that it is too late.
func (s *Store) retire(t *change, d *decision, end proto.End, cause string) {
	if d.Phase == proto.PhaseAnswering {
		if d.gone == "" {
			d.gone, d.cause = end, cause
		}
		return
	}
	s.end(t, d, end, cause)
	t.releases = append(t.releases, release{d.hold, proto.Verdict{Behavior: proto.NoVerdict, Decision: d.ID, End: end}})
}

// afterEnd says what the end of a decision tells of its pane.
func (s *Store) afterEnd(t *change, d *decision, end proto.End) {
	p := s.panes[d.Pane]
	if p == nil {
		return
	}
	t.pane(p, func(p *pane) {
		p.pending = s.countPending(p.ID)
		switch {
		case d.dismissed && (end == proto.EndHoldClosed || end == proto.EndTurnedTo):
			p.set(proto.StateIdle, "the ask was dismissed in the pane")
			return
		case d.interrupted && end == proto.EndAnswered:
			p.set(proto.StateIdle, "denied, and the turn ended by it")
			return
		}
		switch end {
		case proto.EndAnswered, proto.EndRule:
			p.set(proto.StateWorking, "decision answered")
		case proto.EndTurnedTo, proto.EndHandedBack, proto.EndDeadline, proto.EndUnavailable, proto.EndHoldClosed:
			// The agent's own dialog stands in the pane now.
			p.set(proto.StateBlocked, fmt.Sprintf("asks in the pane (%s)", end))
			p.dialog = append(p.dialog, d.uses...)
		case proto.EndAgentDied:
			p.set(proto.StateUnknown, "the agent's process ended")
		}
	})
}

func (s *Store) pendingChanged(t *change, id string) {
	if p := s.panes[id]; p != nil {
		t.pane(p, func(p *pane) {
			p.pending = s.countPending(id)
			p.signals.add("a decision", proto.StateBlocked, "")
		})
	}
}

func (s *Store) countPending(pane string) int {
	n := 0
	for _, d := range s.decisions {
		if d.Pane == pane {
			n++
		}
	}
	return n
}

func (s *Store) decision(id string) *decision {
	for _, d := range s.decisions {
		if d.ID == id {
			return d
		}
	}
	return nil
}

// Decisions are those that wait.
func (s *Store) Decisions() proto.DecisionList {
	s.mu.Lock()
	defer s.mu.Unlock()
	return proto.DecisionList{Seq: s.seq, Decisions: s.listed()}
}

// Decision finds one that waits.
func (s *Store) Decision(id string) (proto.Decision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.decision(id); d != nil {
		return d.Decision, nil
	}
	return proto.Decision{}, noSuchDecision(id)
}

// Retire ends one decision: its hold closed, the agent behind it died, its
// deadline came. It does nothing when the decision has ended already, so an
// old connection cannot end a new decision.
func (s *Store) Retire(id string, end proto.End, cause string) {
	s.transition(func(t *change) {
		if d := s.decision(id); d != nil {
			s.retire(t, d, end, cause)
		}
	})
}

// Abort ends a decision whose hook the agent itself ended: the person
// dismissed the agent's own dialog, and the turn is over.
func (s *Store) Abort(id string) {
	s.transition(func(t *change) {
		d := s.decision(id)
		if d == nil {
			return
		}
		d.dismissed = d.subagent == ""
		s.retire(t, d, proto.EndHoldClosed, "the agent withdrew the ask")
	})
}

// Deadline ends a decision whose time is over.
func (s *Store) Deadline(id string) { s.Retire(id, proto.EndDeadline, "nobody answered in time") }

// TurnedTo ends, before the person's input reaches the pane, the decisions
// whose own dialog is on the pane's screen.
func (s *Store) TurnedTo(pane, cause string) {
	s.transition(func(t *change) {
		for _, d := range slices.Clone(s.decisions) {
			if d.Pane == pane && d.Dialog == proto.DialogBeside {
				s.retire(t, d, proto.EndTurnedTo, cause)
			}
		}
	})
}

// Interrupted ends, before the key reaches the pane, what an agent asks there:
// by that key the person ends its turn, and the agent tells nothing of it.
func (s *Store) Interrupted(pane string) {
	s.transition(func(t *change) {
		for _, d := range slices.Clone(s.decisions) {
			if d.Pane == pane {
				d.dismissed = true
				s.retire(t, d, proto.EndTurnedTo, "interrupted in the pane")
			}
		}
	})
}

// bounded keeps an agent's text in the audit to a size.
func bounded(s string) string { return cutText(s, maxRedact) }
