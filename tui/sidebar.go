package tui

import (
	"slices"

	"signaltty/proto"
)

// drawSidebar draws the workspaces and their panes.
func (m *model) drawSidebar() {
	r, t := m.plan.sidebar, &m.theme
	m.sideRows = m.sideRows[:0]
	if r.Empty() {
		return
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		m.canvas.text(r.Max.X, y, r.Max.X+1, "│", t.line)
	}
	y, order := r.Min.Y, m.order()
	put := func(id string, draw func(y int)) {
		if y < r.Max.Y {
			draw(y)
			m.sideRows = append(m.sideRows, id)
			y++
		}
	}
	for i, ws := range m.workspaces {
		if i > 0 {
			put("", func(int) {})
		}
		put("", func(y int) { m.canvas.fit(r.Min.X+1, y, r.Max.X-1, Visible(ws.Name), t.caption) })
		for _, tab := range ws.Tabs {
			ids := leaves(tab.Tree)
			for j, id := range ids {
				p, ok := m.panes[id]
				if !ok {
					continue
				}
				branch := branchSign(j, len(ids))
				put(id, func(y int) { m.drawSidePane(p, slices.Index(order, id)+1, branch, y) })
			}
		}
	}
}

// branchSign ties the panes of one tab together.
func branchSign(i, n int) string {
	switch {
	case n == 1:
		return " "
	case i == 0:
		return "┌"
	case i == n-1:
		return "└"
	}
	return "│"
}

func (m *model) drawSidePane(p proto.Pane, n int, branch string, y int) {
	r, t := m.plan.sidebar, &m.theme
	name, bullet := t.text, " "
	if p.ID == m.focus {
		name, bullet = t.accent, "▶"
	}
	x := m.canvas.text(r.Min.X, y, r.Max.X, bullet, name)
	x = m.canvas.text(x, y, r.Max.X, branch, t.line)
	if n < 10 {
		x = m.canvas.text(x, y, r.Max.X, itoa(n), t.dim)
	} else {
		x++
	}
	x++
	sign, word := mark(p)
	if w := m.waiting(p.ID); w > 0 {
		sign, word = "!", "asks"
		if w > 1 {
			word += " " + itoa(w)
		}
	} else if p.Attention == proto.AttentionNotice {
		word = "calls"
		sign = "*"
	}
	x = m.canvas.text(x, y, r.Max.X, sign+" ", m.stateStyle(p))
	end := r.Max.X - 1 - width([]rune(word))
	m.canvas.text(end, y, r.Max.X, word, m.stateStyle(p))
	m.canvas.fit(x, y, end-1, Visible(label(p)), name)
}

// sidebarAt is the pane in a row of the sidebar.
func (m *model) sidebarAt(y int) string {
	if y < 0 || y >= len(m.sideRows) {
		return ""
	}
	return m.sideRows[y]
}
