package tui

import (
	"image"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// reason is the box for the words of a deny.
type reason struct {
	input *textinput.Model
	ask   string
}

// startReason asks for the words that go with a deny.
func (m *model) startReason() {
	d, refusal := m.canExplain()
	if refusal != "" {
		m.say(refusal, notePlain)
		m.stray.begin(m.now()) // the words are on their way
		return
	}
	ask := "Why not? "
	if d.Kind == proto.KindPlan {
		ask = "What to change? "
	}
	m.startDraft(&reason{newInput(""), ask}, d)
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

func (r *reason) line() *textinput.Model { return r.input }

func (r *reason) key(m *model, k tea.Key) {
	switch {
	case m.pressed.Code == tea.KeyEscape:
		m.leaveDraft()
	case m.pressed.Code == tea.KeyEnter && m.pressed.Mod == 0:
		if !k.IsRepeat {
			m.answer(proto.DecisionAnswer{Option: proto.OptionDeny, Message: r.input.Value()})
		}
	default:
		edit(r.input, k)
	}
}

func (*reason) rows(*model, int, int) int { return 2 }

func (r *reason) draw(m *model, in image.Rectangle) {
	x := m.canvas.text(in.Min.X, in.Min.Y, in.Max.X, r.ask, m.theme.strong)
	m.drawInput(r.input, x, in.Min.Y, in.Max.X)
	m.drawHint(in, in.Min.Y+1, "enter denies with these words · esc goes back")
}

func (*reason) click(*model, image.Point) {}
