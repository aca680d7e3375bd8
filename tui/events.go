package tui

import (
	"signaltty/proto"
)

// replied takes the answer to a request.
func (m *model) replied(r reply) {
	if then := m.awaited[r.id]; then != nil {
		delete(m.awaited, r.id)
		then(r.msg)
	}
}

// arrived takes one event of the server.
func (m *model) arrived(e event) {
	if f, ok := e.data.(*proto.Frame); ok {
		m.frame(f)
		return
	}
	m.stale = true
	m.told(e)
}

func (m *model) frame(f *proto.Frame) {
	s := m.screens[f.Pane]
	if s == nil {
		return // it was on its way when the pane went out of sight
	}
	was := s.modes
	s.apply(f)
	for _, r := range f.Rows {
		if r.Y >= 0 && r.Y < s.lines {
			s.changed[r.Y] = m.now()
		}
	}
	if f.Pane == m.focus && was.FocusEvents != s.modes.FocusEvents && s.modes.FocusEvents {
		m.tellFocus(f.Pane, !m.away)
	}
}

// told takes an event of the state.
func (m *model) told(e event) {
	switch d := e.data.(type) {
	case *proto.Pane:
		m.callForPane(m.panes[d.ID], *d)
		m.panes[d.ID] = *d
		m.moved = true
		m.look()
	case *proto.PaneRef:
		m.notify.drop(func(c call) bool { return c.pane == d.Pane && !c.lasts })
		delete(m.panes, d.Pane)
		delete(m.screens, d.Pane)
		delete(m.sized, d.Pane)
		m.moved = true
	case *proto.Workspace:
		m.setWorkspace(*d)
		m.moved = true
	case *proto.WorkspaceRef:
		m.dropWorkspace(d.Workspace)
		m.moved = true
	case *proto.PaneNotice:
		m.notice(d)
	case *proto.PaneCopied:
		m.copied(d)
	case *proto.Decision:
		if _, i := m.world.decision(d.ID); i < 0 {
			m.bar.hidden = false // a new one is not to be missed
			m.callForDecision(d)
		}
		m.setDecision(*d)
	case *proto.DecisionEnded:
		m.ended(d)
	case *proto.DecisionConfirmed:
		if what, ok := m.sentTo[d.Decision]; ok {
			delete(m.sentTo, d.Decision)
			m.say("✓ "+what+" · the agent took it", noteGood)
		}
	case *proto.Trouble:
		m.trouble = d.Message
	}
}

// endings is what each ending is called.
var endings = map[proto.End]string{
	proto.EndRule: "answered by a rule", proto.EndMovedOn: "the agent moved on", proto.EndTurnedTo: "left to the pane: you typed there",
	proto.EndHandedBack: "handed back to its own dialog", proto.EndHoldClosed: "the agent's hook went away",
	proto.EndAgentDied: "the agent died", proto.EndDeadline: "its time was up", proto.EndPaneExited: "its pane exited",
	proto.EndPaneClosed: "its pane was closed", proto.EndServerStop: "the server stops",
	proto.EndServerLost: "the server was lost", proto.EndUnavailable: "the verdict could not be sent",
}

// sentCap bounds the answers whose confirmation is awaited.
const sentCap = 64

func (m *model) ended(e *proto.DecisionEnded) {
	m.notify.drop(func(c call) bool { return c.key == e.Decision })
	d, ok := m.dropDecision(e.Decision)
	if !ok {
		return
	}
	what := Visible(d.Agent + " " + d.Tool)
	if e.End != proto.EndAnswered {
		kind := notePlain
		if e.End == proto.EndUnavailable {
			kind = noteBad
		}
		m.say(what+": "+endings[e.End], kind)
		return
	}
	answer := e.Option
	if o, ok := optionOf(&d, e.Option); ok {
		answer = optionLabel(o)
	}
	what += ": " + answer
	if len(m.sentTo) >= sentCap {
		clear(m.sentTo)
	}
	m.sentTo[e.Decision] = what
	m.say("→ "+what+" · sent", notePlain)
}
