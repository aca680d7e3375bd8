package tui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// reason is the box for the words of a deny. It stays open when its decision
// ends meanwhile, until the person closes it: the next words would go to the
// pane otherwise.
type reason struct {
	input *textinput.Model
	about proto.Decision // as it was when the box opened
}

// startReason asks for the words that go with a deny. It may open in the
// decision's grace, since only the enter after it answers.
func (m *model) startReason() {
	d, refusal := m.canExplain()
	if refusal != "" {
		m.say(refusal, notePlain)
		m.stray.begin(m.now()) // the words are on their way
		return
	}
	m.bar.reason = &reason{newInput(""), d}
	m.stale = true
}

// canExplain is the decision that words can be written for, or why there is
// none.
func (m *model) canExplain() (proto.Decision, string) {
	d, refusal := m.shownOpen()
	if refusal != "" {
		return d, refusal
	}
	o, ok := optionOf(&d, proto.OptionDeny)
	switch {
	case m.bar.painted != m.bar.id:
		return d, tooSoon
	case !ok:
		return d, noSuchAnswer(&d)
	case !o.Message:
		return d, Visible(d.Agent) + " takes no reason with a deny"
	}
	return d, ""
}

// settled says that the decision whose deny is being explained has ended.
func (m *model) settled() bool {
	_, i := m.shown()
	return m.bar.reason != nil && i < 0
}

// reasonKey handles a key while the words of a deny are typed.
func (m *model) reasonKey(k tea.Key) {
	switch {
	case m.pressed.Code == tea.KeyEscape:
		m.bar.reason = nil
	case m.pressed.Code == tea.KeyEnter && m.pressed.Mod == 0:
		switch {
		case k.IsRepeat:
		case m.settled():
			m.bar.reason = nil
			m.stray.begin(m.now()) // a second enter would answer the pane's dialog
			m.say("not sent: it was settled while you typed", noteBad)
		default:
			m.answer(proto.OptionDeny, m.bar.reason.input.Value())
		}
	default:
		edit(m.bar.reason.input, k)
	}
}
