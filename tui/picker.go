package tui

import (
	"image"

	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// Launch is something that a new pane can run.
type Launch struct {
	Name  string // as shown, such as "Claude Code"
	Agent string // the adapter's name; "" for Argv, or the shell
	Argv  []string
	Note  string // a few words more, such as "built in"
	// Missing says that its program is not on PATH: it is shown, and cannot
	// be started.
	Missing bool
	// Decide says that decisions are made here only where the person chooses
	// so (proto.PaneNew.Decide).
	Decide bool
}

// picker asks what a new pane is to run.
type picker struct {
	list  []Launch
	at    int
	split string // "columns", "rows", or "" for a tab of its own
	// confine has the kernel limit what the pane writes.
	confine bool
	// decide has the decisions of an agent made here that gives them only so.
	decide bool
	rows   image.Rectangle
}

func (m *model) openPicker(split string) {
	list := m.opt.Launch
	if len(list) == 0 {
		list = []Launch{{Name: "Demo agent", Agent: "mock"}, {Name: "Shell"}}
	}
	if m.focus == "" {
		split = ""
	}
	m.dialog = &picker{list: list, split: split}
}

func (p *picker) key(m *model, k tea.Key) tea.Cmd {
	c := m.pressed
	switch {
	case c.Code == tea.KeyEscape || c.Code == 'q':
		m.dialog = nil
	case c.Code == tea.KeyUp || c.Code == 'k':
		p.at = (p.at + len(p.list) - 1) % len(p.list)
	case c.Code == tea.KeyDown || c.Code == 'j' || c.Code == tea.KeyTab:
		p.at = (p.at + 1) % len(p.list)
	case c.Code == 'c' && m.unconfined != "":
		m.say("no pane can be confined here: "+m.unconfined, noteBad)
	case c.Code == 'c':
		p.confine = !p.confine
	case c.Code == 'd' && !p.list[p.at].Decide:
		m.say("decisions of "+p.list[p.at].Name+" need no choice", notePlain)
	case c.Code == 'd':
		p.decide = !p.decide
	case c.Code == tea.KeyEnter && !k.IsRepeat:
		p.take(m)
	case c.Code >= '1' && c.Code <= '9' && int(c.Code-'1') < len(p.list) && !k.IsRepeat:
		p.at = int(c.Code - '1')
		p.take(m)
	}
	return nil
}

func (p *picker) take(m *model) {
	l := p.list[p.at]
	if l.Missing {
		m.say(l.Name+" is not on PATH: install it, or attach from a shell that finds it", notePlain)
		return
	}
	m.dialog = nil
	n := proto.PaneNew{Agent: l.Agent, Argv: l.Argv, Cwd: m.opt.Cwd, Env: m.opt.Env, Confine: p.confine, Decide: p.decide && l.Decide}
	n.Size = proto.Size{Cols: max(m.plan.content.Dx(), 2), Lines: max(m.plan.content.Dy()-1, 1)}
	if f, ok := m.panes[m.focus]; ok {
		n.Cwd = f.Cwd
		if p.split != "" {
			n.Beside, n.Dir = f.ID, p.split
		}
	}
	m.ask(proto.MethodPaneNew, n, func(r proto.Message) {
		if r.Error != nil {
			m.say(r.Error.Message, noteBad)
			return
		}
		var pane proto.Pane
		if r.Decode(&pane) == nil && pane.ID != "" {
			m.panes[pane.ID] = pane
			m.zoomed = false
			m.focusPane(pane.ID)
			m.moved = true
		}
	})
}

func (p *picker) draw(m *model) {
	t := &m.theme
	more := 0 // rows
	if p.list[p.at].Decide {
		more = 1
	}
	in := m.canvas.box(centred(m.screenArea(), 44, len(p.list)+4+more), heavy, t.accent)
	title := map[string]string{"columns": " New pane to the right ", "rows": " New pane below "}[p.split]
	if title == "" {
		title = " New pane "
	}
	m.canvas.fit(in.Min.X, in.Min.Y-1, in.Max.X, title, t.strong)
	for i, l := range p.list {
		y := in.Min.Y + i
		style, sign := t.text, "  "
		if l.Missing {
			style, l.Name = t.dim, l.Name+": not on PATH"
		}
		if i == p.at {
			style, sign = t.chosen, "▸ "
			m.canvas.across(in.Min.X, y, in.Max.X, " ", style)
		}
		x := m.canvas.text(in.Min.X, y, in.Max.X, sign+itoa(i+1)+" "+l.Name, style)
		if l.Note != "" {
			note := t.dim
			if i == p.at {
				note = style
			}
			m.canvas.fit(x+2, y, in.Max.X, l.Note, note)
		}
	}
	p.rows = image.Rect(in.Min.X, in.Min.Y, in.Max.X, in.Min.Y+len(p.list))
	limits := "c has the kernel limit what it writes"
	switch {
	case m.unconfined != "":
		limits = "this kernel limits no pane; c says why"
	case p.confine:
		limits = "✓ the kernel limits what it writes · c"
	}
	m.canvas.fit(in.Min.X, in.Max.Y-2, in.Max.X, limits, t.dim)
	if more > 0 {
		decides := "d has its decisions made here (yolo mode)"
		if p.decide {
			decides = "✓ its decisions are made here · d"
		}
		m.canvas.fit(in.Min.X, in.Max.Y-3, in.Max.X, decides, t.dim)
	}
	m.canvas.fit(in.Min.X, in.Max.Y-1, in.Max.X, "enter starts it · esc goes back", t.dim)
}

func (p *picker) click(m *model, at image.Point) {
	if at.In(p.rows) {
		p.at = at.Y - p.rows.Min.Y
		p.take(m)
	}
}
