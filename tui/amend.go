package tui

import (
	"encoding/json"
	"image"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// amend edits what is asked for, before it is allowed.
type amend struct {
	input *textinput.Model
	was   string
}

// lineEnds and tabs have a sign of their own while a text is edited in a line.
var (
	toLine   = strings.NewReplacer("\n", "↵", "\t", "⇥")
	fromLine = strings.NewReplacer("↵", "\n", "⇥", "\t")
)

// maxAmend is the longest text that is edited in a line, in bytes.
const maxAmend = 8 << 10

// startAmend opens the command of a permission for editing.
func (m *model) startAmend() {
	d, refusal := m.shownOpen()
	text, editable := amendable(&d)
	_, once := optionOf(&d, proto.OptionOnce)
	switch {
	case refusal != "":
	case m.bar.painted != m.bar.id:
		refusal = tooSoon
	case d.Amendable == "" || !once:
		refusal = Visible(d.Agent) + " takes no other input here"
	case !m.bar.hasAll():
		refusal = "read all of it first: " + m.chord(cmdExpand)
	case !editable:
		refusal = "it has characters that a line cannot show, or is too long to be edited here"
	}
	if refusal != "" {
		m.say(refusal, notePlain)
		m.stray.begin(m.now())
		return
	}
	in := newInput("")
	in.CharLimit = maxAmend
	in.SetValue(toLine.Replace(text))
	in.CursorEnd()
	m.startDraft(&amend{in, text}, d)
}

// amendable is the text that can be edited, and whether a line can show all of it.
func amendable(d *proto.Decision) (string, bool) {
	var input map[string]json.RawMessage
	var text string
	if json.Unmarshal(d.Input, &input) != nil || json.Unmarshal(input[d.Amendable], &text) != nil || len(text) > maxAmend {
		return "", false
	}
	for _, p := range revealLine(strings.NewReplacer("\n", "", "\t", "").Replace(text)) {
		if p.odd {
			return text, false
		}
	}
	return text, fromLine.Replace(toLine.Replace(text)) == text
}

func (a *amend) line() *textinput.Model { return a.input }

func (a *amend) key(m *model, k tea.Key) {
	switch {
	case m.pressed.Code == tea.KeyEscape:
		m.leaveDraft()
	case m.pressed.Code == tea.KeyEnter && m.pressed.Mod == 0:
		if !k.IsRepeat {
			a.send(m)
		}
	default:
		edit(a.input, k)
	}
}

func (a *amend) send(m *model) {
	text := fromLine.Replace(a.input.Value())
	switch {
	case strings.TrimSpace(text) == "":
		m.say("nothing is left to allow; esc goes back", notePlain)
	case text == a.was:
		m.answer(proto.DecisionAnswer{Option: proto.OptionOnce})
	default:
		m.answer(proto.DecisionAnswer{Option: proto.OptionOnce, Amended: text})
	}
}

func (*amend) rows(*model, int, int) int { return 2 }

func (a *amend) draw(m *model, in image.Rectangle) {
	x := m.canvas.text(in.Min.X, in.Min.Y, in.Max.X, "Instead: ", m.theme.strong)
	m.drawInput(a.input, x, in.Min.Y, in.Max.X)
	m.drawHint(in, in.Min.Y+1, "enter allows exactly this, once · esc goes back")
}

func (*amend) click(*model, image.Point) {}
