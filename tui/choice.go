package tui

import (
	"image"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"signaltty/proto"
)

// choice is one thing to press on the bar.
type choice struct {
	key    string
	label  string
	option string // of the decision; "" for a deny that asks for words first
	off    bool
}

// optionKeys are the commands that answer with an option.
var optionKeys = map[string]string{
	proto.OptionOnce: "once", proto.OptionAlways: "always", proto.OptionDeny: "deny", proto.OptionHandBack: "hand-back",
}

// optionLabel is what an option is called on the screen. Handing back has one
// name there, which the help explains, whatever the adapter calls it.
func optionLabel(o proto.Option) string {
	if o.ID == proto.OptionHandBack {
		return "Hand back"
	}
	return Visible(o.Label)
}

func (m *model) choices(d *proto.Decision) []choice {
	var list []choice
	for i, o := range d.Options {
		c := choice{label: optionLabel(o), option: o.ID, off: allows(o.ID) && !m.bar.hasAll()}
		c.key = m.keys.label(optionKeys[o.ID])
		if c.key == "" {
			c.key = strconv.Itoa(i + 1)
		}
		list = append(list, c)
		if o.ID == proto.OptionDeny && o.Message {
			list = append(list, choice{key: m.keys.label("deny-reason"), label: "Deny with reason"})
		}
	}
	return list
}

// cellRow is the choices of one row of the bar.
type cellRow []choice

// tailRows is the choices in as many rows as they need, and one row more for
// what the bar says below them.
func (m *model) tailRows(d *proto.Decision, width int) []cellRow {
	if m.bar.reason != nil || m.bar.sending != "" || !d.Answerable {
		return make([]cellRow, 2)
	}
	rows := []cellRow{nil}
	x := displaywidth.String(m.lead())
	for _, c := range m.choices(d) {
		w := choiceWidth(c)
		if x+w > width && len(rows[len(rows)-1]) > 0 {
			rows = append(rows, nil)
			x = displaywidth.String(m.lead())
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], c)
		x += w
	}
	return append(rows, nil)
}

func choiceWidth(c choice) int { return displaywidth.String(c.key+c.label) + 5 }

// lead is what stands before the choices: how they are pressed.
func (m *model) lead() string {
	if m.bar.focused {
		return ""
	}
	return m.keys.label(prefixName) + " "
}

func (m *model) drawTail(d *proto.Decision, in image.Rectangle, y int) {
	t := &m.theme
	m.bar.buttons = m.bar.buttons[:0]
	switch {
	case m.bar.reason != nil:
		m.drawReason(in, y)
		return
	case m.bar.sending != "":
		o, _ := optionOf(d, m.bar.sending)
		m.canvas.fit(in.Min.X, y, in.Max.X, "sending “"+optionLabel(o)+"” …", t.strong)
		y++
	case !d.Answerable:
		m.canvas.fit(in.Min.X, y, in.Max.X, "Read only here: "+answerElsewhere(d), t.strong)
		y++
	default:
		rows := m.tailRows(d, in.Dx())
		x := m.canvas.text(in.Min.X, y, in.Max.X, m.lead(), t.dim)
		for _, row := range rows[:len(rows)-1] {
			m.drawChoices(row, x, y, in.Max.X)
			y++
		}
	}
	m.canvas.fit(in.Min.X, y, in.Max.X, m.timing(d, in.Dx()), t.dim)
}

func (m *model) drawReason(in image.Rectangle, y int) {
	t := &m.theme
	x := m.canvas.text(in.Min.X, y, in.Max.X, "Why not? ", t.strong)
	m.drawInput(m.bar.reason.input, x, y, in.Max.X)
	hint, style := "enter denies with these words · esc goes back", t.dim
	if m.settled() {
		hint, style = "settled meanwhile, nothing is sent; esc closes", t.bad
	}
	m.canvas.fit(in.Min.X, y+1, in.Max.X, hint, style)
}

func (m *model) drawChoices(row cellRow, x, y, end int) {
	t := &m.theme
	for _, c := range row {
		key, word := t.key, t.text
		if c.off {
			key, word = t.off, t.off
			c.key = strings.Repeat("-", displaywidth.String(c.key)) // not told by colour alone
		}
		from := x
		x = m.canvas.text(x, y, end, "[", t.dim)
		x = m.canvas.text(x, y, end, c.key, key)
		x = m.canvas.text(x, y, end, "] ", t.dim)
		x = m.canvas.text(x, y, end, c.label, word)
		m.bar.buttons = append(m.bar.buttons, button{c.option, image.Rect(from, y, x, y+1)})
		x += 2
	}
}
