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
	key     string
	label   string
	command string // that it runs; "" where no key stands for its option
	option  string // of the decision; "" for what is not an option by itself
	off     bool
}

// optionKeys are the commands that answer with an option. What lets the agent
// go on has the same key whatever is asked, and so has what lets it do more.
var optionKeys = map[string]string{
	proto.OptionOnce: cmdOnce, proto.OptionApprove: cmdOnce, proto.OptionAnswer: cmdOnce,
	proto.OptionAlways: cmdAlways, proto.OptionAcceptEdits: cmdAlways,
	proto.OptionDeny: "deny", proto.OptionHandBack: "hand-back",
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
	add := func(command, label string, off bool) {
		list = append(list, choice{key: m.keys.label(command), label: label, command: command, off: off})
	}
	unread := !m.bar.hasAll()
	for i, o := range d.Options {
		c := choice{label: optionLabel(o), command: optionKeys[o.ID], option: o.ID, off: allows(o.ID) && unread}
		c.key = m.keys.label(c.command)
		if c.key == "" {
			c.key = strconv.Itoa(i + 1)
		}
		list = append(list, c)
		switch {
		case o.ID == proto.OptionDeny && o.Message && d.Kind == proto.KindPlan:
			add(cmdReason, "Deny and say what to change", false)
		case o.ID == proto.OptionDeny && o.Message:
			add(cmdReason, "Deny with reason", false)
		case o.ID == proto.OptionOnce && d.Amendable != "":
			add(cmdAmend, "Edit first", unread)
		}
		if o.ID == proto.OptionDeny && o.Interrupt {
			add(cmdInterrupt, "Deny and stop", false)
		}
	}
	return list
}

// cellRow is the choices of one row of the bar.
type cellRow []choice

// tailHeight is how many rows the end of the bar takes, of at most that many:
// the choices, or the answer that is written, and what stands below them.
func (m *model) tailHeight(d *proto.Decision, width, most int) int {
	switch {
	case m.bar.sending != "" || !d.Answerable:
		return 2
	case m.bar.draft != nil:
		return max(m.bar.draft.rows(m, width, most), 1)
	}
	return len(m.choiceRows(d, width)) + 1
}

// choiceRows is the choices in as many rows as they need.
func (m *model) choiceRows(d *proto.Decision, width int) []cellRow {
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
	return rows
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
	case m.bar.sending != "":
		o, _ := optionOf(d, m.bar.sending)
		m.canvas.fit(in.Min.X, y, in.Max.X, "sending “"+optionLabel(o)+"” …", t.strong)
		y++
	case m.bar.draft != nil:
		m.bar.draft.draw(m, image.Rect(in.Min.X, y, in.Max.X, in.Max.Y))
		return
	case !d.Answerable:
		m.canvas.fit(in.Min.X, y, in.Max.X, "Read only here: "+answerElsewhere(d), t.strong)
		y++
	default:
		x := m.canvas.text(in.Min.X, y, in.Max.X, m.lead(), t.dim)
		for _, row := range m.choiceRows(d, in.Dx()) {
			m.drawChoices(row, x, y, in.Max.X)
			y++
		}
	}
	m.canvas.fit(in.Min.X, y, in.Max.X, m.timing(d, in.Dx()), t.dim)
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
		m.bar.buttons = append(m.bar.buttons, button{c, image.Rect(from, y, x, y+1)})
		x += 2
	}
}

// press does what a click on a choice asks for.
func (m *model) press(c choice) {
	if c.option != "" {
		m.choose(c.option)
		return
	}
	for _, cmd := range commands() {
		if cmd.name == c.command {
			cmd.run(m)
		}
	}
}
