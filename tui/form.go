package tui

import (
	"image"
	"slices"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// form answers the questions of a decision, one after the other, and then
// shows all answers before they are sent. A single question needs no such
// review: it has been in sight when it is answered.
type form struct {
	questions []proto.Question
	answers   []given
	at        int // the question; len(questions) is the review
	cursor    int // the choice; len(choices) is a text of one's own
	input     *textinput.Model
	top       int   // the first row in sight
	marks     []int // the choice of each row as last drawn, -1 for none
	area      image.Rectangle
}

// given is what was answered to one question.
type given struct {
	picked []bool
	typed  string
}

// startForm opens the questions. What was answered before it was left is still there.
func (m *model) startForm() {
	d, refusal := m.shownOpen()
	_, ok := optionOf(&d, proto.OptionAnswer)
	switch {
	case refusal != "":
	case !ok || len(d.Questions) == 0:
		refusal = noSuchAnswer(&d)
	case m.bar.painted != m.bar.id:
		refusal = tooSoon
	}
	if refusal != "" {
		m.say(refusal, notePlain)
		return
	}
	if m.bar.form == nil {
		f := &form{questions: d.Questions}
		for _, q := range d.Questions {
			f.answers = append(f.answers, given{picked: make([]bool, len(q.Choices))})
		}
		m.bar.form = f
		f.turn(0)
	}
	m.startDraft(m.bar.form, d)
}

func (f *form) line() *textinput.Model { return f.input }

func (f *form) review() bool { return f.at == len(f.questions) }

// turn goes to a question. One that takes only a text has its editor open.
func (f *form) turn(at int) {
	f.at, f.cursor, f.top, f.input = at, 0, 0, nil
	if f.review() {
		return
	}
	q := f.questions[at]
	if i := slices.Index(f.answers[at].picked, true); i >= 0 {
		f.cursor = i
	}
	if len(q.Choices) == 0 {
		f.write()
	}
}

// write opens the line editor for a text of one's own.
func (f *form) write() {
	f.cursor = len(f.questions[f.at].Choices)
	f.input = newInput(f.answers[f.at].typed)
}

// answered says whether the question has its answer, or needs none.
func (f *form) answered() bool {
	return f.questions[f.at].Optional || len(f.said(f.at)) > 0
}

// said is the answer to a question, as it is sent.
func (f *form) said(i int) []string {
	var list []string
	for j, c := range f.questions[i].Choices {
		if f.answers[i].picked[j] {
			list = append(list, c.Label)
		}
	}
	if f.answers[i].typed != "" {
		list = append(list, f.answers[i].typed)
	}
	return list
}

// next goes on to the next question, to the review, or sends what there is to
// send. The key that did it is not taken for the next one while it is held.
func (f *form) next(m *model) {
	if !f.answered() {
		m.say("answer it first, or press "+m.keys.label("hand-back")+" to hand it back", notePlain)
		return
	}
	if len(f.questions) == 1 {
		f.send(m)
		return
	}
	m.bar.answerKey, m.bar.answerAt = m.pressed, m.now()
	f.turn(f.at + 1)
}

func (f *form) send(m *model) {
	a := proto.DecisionAnswer{Option: proto.OptionAnswer}
	for i := range f.questions {
		a.Answers = append(a.Answers, f.said(i))
	}
	m.answer(a)
}

func (f *form) key(m *model, k tea.Key) {
	c := m.pressed
	if f.input != nil {
		f.typing(m, k)
		return
	}
	enter := c.Code == tea.KeyEnter && c.Mod == 0
	switch {
	case k.IsRepeat && c.Code != tea.KeyUp && c.Code != tea.KeyDown:
	case !m.events && m.bar.held(c, m.now()):
		m.say("this key was pressed just now: pause, then press it again", notePlain)
	case c.Code == tea.KeyEscape:
		m.leaveDraft()
	case c.Code == tea.KeyLeft || c == Chord{Code: tea.KeyTab, Mod: tea.ModShift}:
		f.turn(max(f.at-1, 0))
	case f.review():
		if enter || c == (Chord{Code: 'y'}) {
			f.send(m)
			return
		}
		f.elsewhere(m)
	case c.Code == tea.KeyRight || c == Chord{Code: tea.KeyTab}:
		if len(f.questions) > 1 {
			f.next(m)
		}
	case c.Code == tea.KeyUp:
		f.cursor = max(f.cursor-1, 0)
	case c.Code == tea.KeyDown:
		f.cursor = min(f.cursor+1, f.last())
	case c.Code >= '1' && c.Code <= '9' && c.Mod == 0:
		f.take(m, int(c.Code-'1'))
	case c.Code == ' ':
		f.take(m, f.cursor)
	case enter && f.questions[f.at].Multi && (f.cursor < len(f.questions[f.at].Choices) || f.answers[f.at].typed != ""):
		f.next(m)
	case enter:
		f.take(m, f.cursor)
	default:
		f.elsewhere(m)
	}
}

// elsewhere runs the commands that answer in another way.
func (*form) elsewhere(m *model) {
	cmd, ok := m.keys.find(m.pressed)
	if ok && slices.Contains([]string{"deny", cmdReason, cmdInterrupt, "hand-back"}, cmd.name) {
		m.leaveDraft()
		cmd.run(m)
	}
}

// last is the last choice that the cursor can stand on.
func (f *form) last() int {
	q := f.questions[f.at]
	if q.FreeText {
		return len(q.Choices)
	}
	return len(q.Choices) - 1
}

// take picks a choice; of several it can be taken back.
func (f *form) take(m *model, i int) {
	q, g := f.questions[f.at], &f.answers[f.at]
	switch {
	case i > f.last():
		return
	case i == len(q.Choices):
		f.write()
		return
	case q.Multi:
		f.cursor, g.picked[i] = i, !g.picked[i]
		return
	}
	clear(g.picked)
	f.cursor, g.picked[i], g.typed = i, true, ""
	f.next(m)
}

// typing handles a key while a text of one's own is written.
func (f *form) typing(m *model, k tea.Key) {
	only := len(f.questions[f.at].Choices) == 0
	switch {
	case m.pressed.Code == tea.KeyEscape:
		f.input = nil
		if only {
			m.leaveDraft()
		}
	case m.pressed.Code == tea.KeyEnter && m.pressed.Mod == 0:
		if k.IsRepeat {
			return
		}
		g := &f.answers[f.at]
		if g.typed = strings.TrimSpace(f.input.Value()); g.typed != "" && !f.questions[f.at].Multi {
			clear(g.picked)
		}
		if g.typed != "" || only {
			f.next(m)
		}
		if f.at < len(f.questions) && len(f.questions[f.at].Choices) > 0 {
			f.input = nil
		}
	case only && m.pressed == Chord{Code: tea.KeyTab, Mod: tea.ModShift}:
		f.answers[f.at].typed = strings.TrimSpace(f.input.Value())
		f.turn(max(f.at-1, 0))
	default:
		edit(f.input, k)
	}
}

func (f *form) click(m *model, at image.Point) {
	row := at.Y - f.area.Min.Y
	if f.input == nil && !m.settled() && at.In(f.area) && row < len(f.marks) && f.marks[row] >= 0 {
		f.take(m, f.marks[row])
	}
}
