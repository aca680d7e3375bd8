package tui

import (
	"image"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// standing shows the rule that always would save, before it is saved. Only a
// key of its own saves it, never the one that opened it, and never enter.
type standing struct{ proto.Standing }

// startStanding asks whether the rule is to be saved.
func (m *model) startStanding() {
	d, ok := m.open(proto.OptionAlways)
	if !ok {
		return
	}
	if d.Standing == nil {
		m.say("what it would save is not known, so it is not saved", notePlain)
		return
	}
	m.startDraft(&standing{*d.Standing}, d)
	m.bar.since = m.now() // the rule is to be looked at as a decision is
}

func (*standing) line() *textinput.Model { return nil }

func (*standing) key(m *model, k tea.Key) {
	switch {
	case k.IsRepeat:
	case m.pressed == Chord{Code: tea.KeyEscape}, m.pressed == Chord{Code: 'n'}:
		m.leaveDraft()
	case m.pressed == Chord{Code: 'y'}:
		m.answer(proto.DecisionAnswer{Option: proto.OptionAlways})
	}
}

func (s *standing) ink(m *model, width int) []inkRow {
	w := inkwell{width: width}
	w.line("This will be saved, and is not asked about again:", m.theme.ask)
	w.wrapped(inset, revealLine(s.Rule), m.theme.strong)
	w.line("in "+s.Destination, m.theme.text)
	w.line("To take it back: "+s.Undo, m.theme.text)
	return w.rows
}

func (s *standing) rows(m *model, width, most int) int { return min(len(s.ink(m, width))+1, most) }

func (s *standing) draw(m *model, in image.Rectangle) {
	rows := s.ink(m, in.Dx())
	if len(rows) >= in.Dy() { // no room for all of it: then it is not to be saved
		m.bar.since = m.now()
		m.drawHint(in, in.Min.Y, "the window is too small to show what would be saved; esc goes back")
		return
	}
	for i, row := range rows {
		m.drawInk(in.Min.X, in.Min.Y+i, in.Max.X, row)
	}
	y := in.Min.Y + len(rows)
	if m.settled() {
		m.drawHint(in, y, "")
		return
	}
	x := in.Min.X
	for _, part := range []struct{ key, text string }{{"y", "save it and allow"}, {"esc", "go back"}} {
		x = m.canvas.text(x, y, in.Max.X, "[", m.theme.dim)
		x = m.canvas.text(x, y, in.Max.X, part.key, m.theme.key)
		x = m.canvas.text(x, y, in.Max.X, "] ", m.theme.dim)
		x = m.canvas.text(x, y, in.Max.X, part.text+"  ", m.theme.text)
	}
}

func (*standing) click(*model, image.Point) {}
