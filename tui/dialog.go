package tui

import (
	"image"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// dialog is what lies over everything and takes all keys.
type dialog interface {
	key(*model, tea.Key) tea.Cmd
	draw(*model)
	click(*model, image.Point)
}

// prompt asks for a line of text.
type prompt struct {
	title string
	input *textinput.Model
	done  func(string)
}

func (p *prompt) key(m *model, k tea.Key) tea.Cmd {
	switch m.pressed.Code {
	case tea.KeyEscape:
		m.dialog = nil
	case tea.KeyEnter:
		m.dialog = nil
		p.done(p.input.Value())
	default:
		edit(p.input, k)
	}
	return nil
}

func (p *prompt) draw(m *model) {
	in := m.canvas.box(centred(m.screenArea(), 56, 4), heavy, m.theme.accent)
	m.canvas.fit(in.Min.X, in.Min.Y-1, in.Max.X, " "+p.title+" ", m.theme.strong)
	m.drawInput(p.input, in.Min.X, in.Min.Y, in.Max.X)
	m.canvas.fit(in.Min.X, in.Min.Y+1, in.Max.X, "enter takes it · esc goes back", m.theme.dim)
}

func (*prompt) click(*model, image.Point) {}

// confirm asks before something that cannot be undone.
type confirm struct {
	title string
	lines []string
	done  func()
}

func (c *confirm) key(m *model, k tea.Key) tea.Cmd {
	switch m.pressed {
	case Chord{Code: 'y'}:
		if k.IsRepeat {
			return nil
		}
		m.dialog = nil
		c.done()
	case Chord{Code: 'n'}, Chord{Code: tea.KeyEscape}:
		m.dialog = nil
	}
	return nil
}

func (c *confirm) draw(m *model) {
	in := m.canvas.box(centred(m.screenArea(), 56, len(c.lines)+3), heavy, m.theme.ask)
	m.canvas.fit(in.Min.X, in.Min.Y-1, in.Max.X, " "+c.title+" ", m.theme.strong)
	for i, l := range c.lines {
		m.canvas.fit(in.Min.X, in.Min.Y+i, in.Max.X, l, m.theme.text)
	}
	x := m.canvas.text(in.Min.X, in.Max.Y-1, in.Max.X, "[y] ", m.theme.key)
	x = m.canvas.text(x, in.Max.Y-1, in.Max.X, "yes   ", m.theme.text)
	x = m.canvas.text(x, in.Max.Y-1, in.Max.X, "[n] ", m.theme.key)
	m.canvas.text(x, in.Max.Y-1, in.Max.X, "no", m.theme.text)
}

func (*confirm) click(*model, image.Point) {}

func (m *model) confirmClose() {
	p, ok := m.panes[m.focus]
	if !ok {
		m.say("there is no pane to close", notePlain)
		return
	}
	lines := []string{"Its processes are ended."}
	if p.Exit != nil {
		lines = []string{"It has exited already."}
	}
	if n := m.waiting(p.ID); n > 0 {
		lines = append(lines, itoa(n)+" waiting in it end unanswered.")
	}
	m.dialog = &confirm{"Close " + Visible(label(p)) + "?", lines, func() {
		m.post(proto.MethodPaneClose, proto.PaneRef{Pane: p.ID})
	}}
}

func (m *model) startRename() {
	p, ok := m.panes[m.focus]
	if !ok {
		m.say("there is no pane to rename", notePlain)
		return
	}
	m.dialog = &prompt{"Name of the pane", newInput(p.Name), func(name string) {
		m.post(proto.MethodPaneRename, proto.PaneRename{Pane: p.ID, Name: name})
	}}
}

// drawInput draws a text input from x to before end, and has the terminal's
// cursor stand in it.
func (m *model) drawInput(in *textinput.Model, x, y, end int) {
	value := []rune(in.Value())
	from := 0
	for width(value[from:in.Position()]) >= end-x {
		from++
	}
	m.canvas.fill(image.Rect(x, y, end, y+1), m.theme.text)
	m.canvas.text(x, y, end, string(value[from:]), m.theme.text)
	m.caret = image.Pt(x+width(value[from:in.Position()]), y)
}

func (m *model) screenArea() image.Rectangle { return image.Rect(0, 0, m.cols, m.rows) }
