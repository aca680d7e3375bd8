package store

import (
	"slices"
	"strings"

	"signaltty/proto"
)

// Hook takes a hook event in. When it is an ask that waits, the decision that
// was raised for it is returned and the hold will get its verdict by Release;
// else the decision is nil and the hook can go at once.
func (s *Store) Hook(ev proto.HookEvent, o Origin, hold Hold) *proto.Decision {
	var raised *proto.Decision
	s.transition(func(t *change) {
		if s.stopping {
			return
		}
		if ev.Moment == proto.MomentReady {
			s.ready(t, ev, o)
			return
		}
		se := s.bind(ev, o)
		if se == nil {
			// A process in one pane speaks for a session that lives in another:
			// it changes nothing there, and what it asks is shown as unbound.
			if ev.Moment != proto.MomentAsk {
				return
			}
			se = &session{key: sessionKey{ev.Agent, ev.Session}}
			ev.Session = "unbound " + ev.Session
			se.key.id = ev.Session
		}
		if ev.Installed && se.injected {
			return // its pane's own hooks tell the same
		}
		se.injected = se.injected || !ev.Installed
		s.tellSession(t, se)
		if ev.Moment == proto.MomentAsk && ev.Ask != nil && ev.Wait && !s.full() {
			d := s.raise(t, se, ev, hold)
			c := d.Decision
			raised = &c
			return
		}
		if ev.Moment == proto.MomentAsk && ev.Wait {
			s.turnAway(t, se, ev)
		}
		s.movedOn(t, se, ev)
		s.lifecycle(t, se, ev)
		s.recordHook(t, se, ev)
	})
	return raised
}

// ready notes that the agent of a pane runs and waits for its first prompt.
func (s *Store) ready(t *change, ev proto.HookEvent, o Origin) {
	p := s.panes[o.Pane]
	if p == nil || ev.Pane != "" && ev.Pane != o.Pane {
		return
	}
	t.pane(p, func(p *pane) {
		p.heard = true
		if p.base == proto.StateUnknown {
			p.set(proto.StateIdle, "hook "+ev.Event)
		}
	})
}

// turnAway notes an ask for which there is no room: the agent asks in its own
// terminal.
func (s *Store) turnAway(t *change, se *session, ev proto.HookEvent) {
	const cause = "too many decisions wait"
	if p := s.panes[se.pane]; p != nil {
		t.pane(p, func(p *pane) { p.set(proto.StateBlocked, "asks in the pane ("+cause+")") })
	}
	t.record(Row{Kind: RowEnd, Pane: se.pane, Agent: ev.Agent, Session: ev.Session, Tool: ev.Tool, End: proto.EndUnavailable,
		Body: map[string]any{"cause": cause}})
}

// tellSession writes the id of a pane's session into the pane.
func (s *Store) tellSession(t *change, se *session) {
	p := s.panes[se.pane]
	if p == nil {
		return
	}
	p.hooked = true
	if se.bound || p.Session == "" {
		t.pane(p, func(p *pane) {
			if p.Session != se.key.id {
				p.Session, p.kept.Talked = se.key.id, false
			}
		})
	}
}

// movedOn retires the decisions that an event shows to be over. An event
// that cannot be matched to one retires none.
func (s *Store) movedOn(t *change, se *session, ev proto.HookEvent) {
	cause := "hook " + ev.Event
	se.subagent(ev)
	switch ev.Moment {
	case proto.MomentToolStart:
		se.toolStarted(ev)
	case proto.MomentToolEnd:
		s.toolEnded(t, se, ev, cause)
	case proto.MomentToolsEnd:
		for _, use := range ev.ToolUses {
			s.useEnded(t, se, use, cause)
		}
	case proto.MomentTurnEnd, proto.MomentTurnFail, proto.MomentInterrupt, proto.MomentPrompt:
		// These speak of the main agent; background subagents go on.
		s.retireWhere(t, se, cause, func(d *decision) bool { return d.subagent == "" })
	case proto.MomentSubagentEnd:
		s.retireWhere(t, se, cause, func(d *decision) bool { return ev.SubagentID != "" && d.subagent == ev.SubagentID })
	case proto.MomentSessionEnd:
		s.retireWhere(t, se, cause, func(*decision) bool { return true })
		se.tools = nil
		se.bound = false // the pane is free for the next one
	}
	s.confirm(t, se, ev, cause)
}

func (s *Store) retireWhere(t *change, se *session, cause string, match func(*decision) bool) {
	for _, d := range slices.Clone(s.decisions) {
		if d.of(se) && match(d) {
			s.retire(t, d, proto.EndMovedOn, cause)
		}
	}
}

// toolEnded takes the end of one call. A call whose start was seen is known
// by its id alone. One whose start was not seen is matched by its input, when
// just one waiting decision has it.
func (s *Store) toolEnded(t *change, se *session, ev proto.HookEvent, cause string) {
	if ev.ToolUse != "" && s.useEnded(t, se, ev.ToolUse, cause) {
		return
	}
	var same []*decision
	for _, d := range s.decisions {
		if d.of(se) && len(d.uses) == 0 && d.subagent == ev.SubagentID && d.Tool == ev.Tool && d.key == ev.InputKey {
			same = append(same, d)
		}
	}
	if len(same) == 1 {
		s.retire(t, same[0], proto.EndMovedOn, cause)
	}
}

// useEnded takes the end of a call by its id and says whether the call was
// known. Of equal calls side by side, none is retired before all have ended:
// which decision was about which call cannot be told.
func (s *Store) useEnded(t *change, se *session, use, cause string) bool {
	known := se.toolEnded(use)
	for _, d := range slices.Clone(s.decisions) {
		i := slices.Index(d.uses, use)
		if !d.of(se) || i < 0 {
			continue
		}
		known = true
		d.uses = slices.Delete(d.uses, i, i+1)
		if len(d.uses) == 0 {
			s.retire(t, d, proto.EndMovedOn, cause)
		}
	}
	return known
}

// lifecycle says what an event tells of the pane's state. Events of
// subagents never change that of the parent.
func (s *Store) lifecycle(t *change, se *session, ev proto.HookEvent) {
	p := s.panes[se.pane]
	if p == nil {
		return
	}
	reason := "hook " + ev.Event
	t.pane(p, func(p *pane) {
		p.heard = true
		switch ev.Moment {
		case proto.MomentNotice:
			p.notice = true
			p.signals.add(strings.TrimSpace(reason+" "+ev.Source), p.base, "a notification is a hint only")
		case proto.MomentSessionEnd:
			p.set(proto.StateIdle, reason)
			p.hooked = false
		}
		if ev.SubagentID != "" {
			p.signals.add(reason+" of a subagent", p.base, "a subagent says nothing of the pane's own turn")
			return
		}
		switch ev.Moment {
		case proto.MomentSessionStart:
			if p.base == proto.StateUnknown || p.base == proto.StateFailed {
				p.set(proto.StateIdle, reason)
			} else {
				p.signals.add(reason, proto.StateIdle, "the pane is "+string(p.base)+" already")
			}
			p.kept.Talked = p.kept.Talked || ev.Source == "resume"
		case proto.MomentPrompt:
			p.set(proto.StateWorking, reason)
			p.kept.Talked = true
		case proto.MomentToolStart, proto.MomentToolEnd, proto.MomentToolsEnd:
			if p.dialogStands(ev) {
				p.signals.add(reason, proto.StateWorking, "the agent's own dialog still asks about another call")
			} else {
				p.set(proto.StateWorking, reason)
			}
		case proto.MomentTurnEnd:
			p.set(proto.StateDone, reason)
		case proto.MomentTurnFail:
			p.set(proto.StateFailed, reason)
		case proto.MomentInterrupt:
			p.set(proto.StateIdle, reason)
		}
	})
}

// dialogStands says that the agent's own dialog still asks about a call: what
// else runs beside it does not end the wait.
func (p *pane) dialogStands(ev proto.HookEvent) bool {
	if p.base != proto.StateBlocked {
		return false
	}
	p.dialog = slices.DeleteFunc(p.dialog, func(use string) bool { return ends(ev, use) })
	return len(p.dialog) > 0
}

// ends says whether an event tells of the end of a call.
func ends(ev proto.HookEvent, use string) bool {
	switch ev.Moment {
	case proto.MomentToolEnd:
		return ev.ToolUse == use
	case proto.MomentToolsEnd:
		return slices.Contains(ev.ToolUses, use)
	}
	return false
}

// recordHook keeps the events that say what happened; the rest would only
// repeat them.
func (s *Store) recordHook(t *change, se *session, ev proto.HookEvent) {
	switch ev.Moment {
	case proto.MomentToolStart, proto.MomentToolEnd, proto.MomentTurnEnd, proto.MomentTurnFail, proto.MomentInterrupt, proto.MomentSessionStart, proto.MomentSessionEnd:
		t.record(Row{Kind: RowHook, Pane: se.pane, Agent: ev.Agent, Session: ev.Session, Tool: ev.Tool, Fact: ToolFact(ev),
			Body: map[string]any{"event": ev.Event, "moment": ev.Moment, "tool_use": ev.ToolUse, "input_key": ev.InputKey,
				"source": ev.Source, "subagent": ev.Subagent}})
	}
}

// ToolFact names what a hook and a stream both tell of a tool call: that it
// starts, that it ended. It is "" for an event without a call's id.
func ToolFact(ev proto.HookEvent) string {
	if ev.ToolUse == "" || ev.Moment != proto.MomentToolStart && ev.Moment != proto.MomentToolEnd {
		return ""
	}
	return toolFact(ev.Moment, ev.Agent, ev.Session, ev.ToolUse)
}

func toolFact(m proto.Moment, agent, session, call string) string {
	return strings.Join([]string{string(m), agent, session, call}, " ")
}
