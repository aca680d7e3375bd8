package tui

import (
	"image"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// draft is an answer that takes more than a key: the words of a deny, the
// answers to questions, an edited command, the rule that always saves. It
// takes the bar's keys and the rows where the choices stand.
//
// It stays open when its decision ends meanwhile, until the person closes it:
// what is typed next would go to the pane otherwise.
type draft interface {
	key(*model, tea.Key)
	// rows is how many rows it takes of at most that many, and draw draws them.
	rows(m *model, width, most int) int
	draw(m *model, in image.Rectangle)
	// line is the open line editor, nil when there is none.
	line() *textinput.Model
	click(m *model, at image.Point)
}

// startDraft opens a draft for the decision on the screen. It may open in the
// decision's grace, since only a key after it answers.
func (m *model) startDraft(dr draft, d proto.Decision) {
	m.bar.draft, m.bar.about = dr, d
	m.relayInk()
	m.stale = true
}

// leaveDraft closes it. Nothing is sent.
func (m *model) leaveDraft() {
	m.bar.draft = nil
	m.relayInk()
	m.stale = true
}

// relayInk lays the detail out anew when a form takes the questions out of it,
// or gives them back.
func (m *model) relayInk() {
	if m.bar.form != nil {
		m.bar.ink = nil
	}
}

// settled says that the decision of the draft has ended without it.
func (m *model) settled() bool {
	_, i := m.shown()
	return m.bar.draft != nil && i < 0
}

// draftKey gives a key to the draft.
func (m *model) draftKey(k tea.Key) {
	c := m.pressed
	done := c.Code == tea.KeyEscape || c.Code == tea.KeyEnter && c.Mod == 0
	switch {
	case m.bar.sending != "":
	case m.settled() && done && !k.IsRepeat:
		m.leaveDraft()
		m.stray.begin(m.now()) // a second enter would answer the pane's dialog
		if c.Code == tea.KeyEnter {
			m.say("not sent: it was settled while you typed", noteBad)
		}
	case m.settled() && m.bar.draft.line() == nil:
	default:
		m.bar.draft.key(m, k)
	}
	m.stale = true
}

// drafting is the line editor that takes what is typed or pasted, nil when
// none does.
func (m *model) drafting() *textinput.Model {
	if m.bar.draft == nil || m.bar.sending != "" {
		return nil
	}
	return m.bar.draft.line()
}

// hurry is the time left from which on a draft tells it.
const hurry = 10 * time.Minute

// drawHint is the last row of a draft: what its keys do.
func (m *model) drawHint(in image.Rectangle, y int, hint string) {
	style := m.theme.dim
	if left := m.bar.about.Deadline.Sub(m.now()); left < hurry {
		hint = span60(left) + " left · " + hint
	}
	if m.settled() {
		hint, style = "settled meanwhile, nothing is sent; esc closes", m.theme.bad
	}
	m.canvas.fit(in.Min.X, y, in.Max.X, hint, style)
}
