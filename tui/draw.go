package tui

import (
	"image"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/clipperhouse/displaywidth"

	"signaltty/proto"
	"signaltty/tui/paint"
)

// draw brings the picture up to date and says whether that changed anything.
// Most pictures differ from the last in a few rows of one pane; only those
// are read from the pane's screen then.
func (m *model) draw() bool {
	if !m.changed() {
		return false
	}
	if m.stale {
		m.drawAll()
	} else {
		m.drawDamage()
	}
	m.stale = false
	m.bar.area = image.Rectangle{}
	if m.bar.id != "" {
		m.drawBar()
	}
	if m.dialog != nil {
		m.dialog.draw(m)
	}
	return true
}

func (m *model) drawAll() {
	m.canvas.fill(m.screenArea(), m.theme.text)
	m.drawStatus()
	switch {
	case !m.online:
		m.drawGone()
		return
	case len(m.panes) == 0:
		m.drawEmpty()
	}
	m.drawSidebar()
	for _, s := range m.plan.seams {
		for y := s.Min.Y; y < s.Max.Y; y++ {
			m.canvas.text(s.Min.X, y, s.Max.X, "│", m.theme.line)
		}
	}
	for _, t := range m.plan.tiles {
		m.drawTitle(t)
		m.drawBody(t, true)
	}
}

func (m *model) drawDamage() {
	for _, t := range m.plan.tiles {
		m.drawBody(t, false)
	}
}

// drawBody draws a pane's rows, all of them or those that changed.
func (m *model) drawBody(t tile, all bool) {
	s := m.screens[t.pane]
	if s == nil || s.partial && !all {
		return
	}
	defer clear(s.damage)
	if m.frozen != nil && m.frozen.pane == t.pane {
		if all {
			m.frozen.draw(m, t)
		}
		return
	}
	off := s.crop(t)
	all = all || off != s.shown
	s.shown = off
	row := make([]uv.Cell, off.X+t.body.Dx())
	for y := range t.body.Dy() {
		line := y + off.Y
		if !all && (line >= s.lines || !s.damage[line]) {
			continue
		}
		s.read(line, row)
		m.canvas.row(t.body.Min.X, t.body.Min.Y+y, cropped(row, off.X))
	}
}

// cropped is a row from a column on. Half a character is none.
func cropped(row []uv.Cell, x int) []uv.Cell {
	x = min(x, len(row))
	row = row[x:]
	if x > 0 && len(row) > 0 && row[0].Width == 0 {
		row[0] = uv.EmptyCell
	}
	return row
}

// row copies cells into the picture.
func (c *canvas) row(x, y int, cells []uv.Cell) {
	if y < 0 || y >= len(c.damage) || x >= c.Width() {
		return
	}
	copy(c.Lines[y][x:], cells)
	c.damage[y] = true
}

// drawTitle draws the line above a pane. The focused one's is heavy.
func (m *model) drawTitle(t tile) {
	th, p := &m.theme, m.panes[t.pane]
	r := t.title
	line, edge, name := "─", th.line, th.dim
	if t.pane == m.focus {
		line, edge, name = "━", th.accent, th.accent
	}
	m.canvas.across(r.Min.X, r.Min.Y, r.Max.X, line, edge)
	sign, word := mark(p)
	state := " " + sign + " " + word + " "
	if word == "" {
		state = ""
	}
	switch n := m.waiting(p.ID); {
	case m.frozen != nil && m.frozen.pane == p.ID:
		state = m.frozen.words()
	case n > 0:
		state = " ! " + itoa(n) + " waiting "
	case p.Exit != nil:
		var long string
		if state, long = m.exitState(p); r.Dx() > width([]rune(long))+12 {
			state = long
		}
	}
	end := r.Max.X - 1 - width([]rune(state))
	if end > r.Min.X+8 {
		m.canvas.text(end, r.Min.Y, r.Max.X-1, state, m.stateStyle(p))
	} else {
		end = r.Max.X
	}
	title := " " + Visible(label(p)) + " "
	x := m.canvas.fit(r.Min.X+1, r.Min.Y, end, title, name)
	if p.Confined && end-x > 12 {
		x = m.canvas.fit(x, r.Min.Y, end-1, "confined ", th.dim)
	}
	if p.Title != "" && p.Title != label(p) && end-x > 8 {
		m.canvas.fit(x, r.Min.Y, end-1, Visible(p.Title)+" ", th.dim)
	}
	if m.zoomed {
		m.canvas.text(r.Min.X, r.Min.Y, r.Max.X, "Z", name)
	}
}

func exitWord(e *proto.Exit) string {
	if e.Signal != "" {
		return e.Signal
	}
	return itoa(e.Code)
}

func (m *model) stateStyle(p proto.Pane) uv.Style {
	switch {
	case m.waiting(p.ID) > 0 || p.State == proto.StateBlocked:
		return m.theme.ask
	case p.State == proto.StateFailed:
		return m.theme.bad
	case p.State == proto.StateWorking || p.State == proto.StateDone:
		return m.theme.good
	}
	return m.theme.dim
}

// cursor is where the terminal's cursor belongs: in an open text input, else
// where the focused pane has it, unless something lies over it.
func (m *model) cursor() paint.Cursor {
	_, asking := m.dialog.(*prompt)
	if asking || m.dialog == nil && m.drafting() != nil {
		return paint.Cursor{X: m.caret.X, Y: m.caret.Y, Visible: true, Shape: 6}
	}
	if f := m.frozen; f != nil && f.keys && m.dialog == nil && !m.bar.focused {
		return m.scrollCursor(f)
	}
	s, t, ok := m.focused()
	if !ok || m.dialog != nil || m.frozen != nil || m.bar.focused || !s.cursor.Visible {
		return paint.Cursor{}
	}
	at := t.body.Min.Add(image.Pt(s.cursor.X, s.cursor.Y)).Sub(s.crop(t))
	if !at.In(t.body) || at.In(m.bar.area) {
		return paint.Cursor{}
	}
	return paint.Cursor{X: at.X, Y: at.Y, Visible: true, Shape: s.cursor.Shape}
}

// scrollCursor is where scroll mode has its cursor: in the pattern while that
// is typed.
func (m *model) scrollCursor(f *frozen) paint.Cursor {
	if f.search.input != nil {
		return paint.Cursor{X: m.caret.X, Y: m.caret.Y, Visible: true, Shape: 6}
	}
	t, _ := m.plan.tile(f.pane)
	at := t.body.Min.Add(image.Pt(f.at.X-f.side, f.at.Y-f.top))
	if !at.In(t.body) || at.In(m.bar.area) {
		return paint.Cursor{}
	}
	return paint.Cursor{X: at.X, Y: at.Y, Visible: true, Shape: 2}
}

// width is the columns that text takes.
func width(text []rune) int { return displaywidth.String(string(text)) }
