package tui

import (
	"image"

	uv "github.com/charmbracelet/ultraviolet"

	"signaltty/proto"
)

const (
	// dialogRows is how many rows an agent's own dialog takes, about: Claude
	// Code 2.1.197 draws one of 9 to 14 rows where its text ends.
	dialogRows = 12
	// dialogWeight is how much more a cell of it counts than another one.
	dialogWeight = 50
)

// placeBar chooses the half of the panes where the bar covers least. It stays
// where it comes up, but for one move in its first moments: the agent's own
// dialog may be drawn just after its hook called. It says whether it moved.
func (m *model) placeBar(d *proto.Decision, height int) (moved bool) {
	b, now := &m.bar, m.now()
	switch {
	case b.painted != b.id:
		b.below, b.moved = m.placeBelow(d, height), false
	case !b.moved && b.draft == nil && now.Sub(b.since) < grace:
		if below := m.placeBelow(d, height); below != b.below {
			b.below, b.moved, b.since = below, true, now // in a new place it is new
			return true
		}
	}
	return false
}

// placeBelow says whether a bar of that height covers less at the bottom of
// the panes than at the top.
func (m *model) placeBelow(d *proto.Decision, height int) bool {
	r := m.plan.content
	top := image.Rect(r.Min.X, r.Min.Y+1, r.Max.X, r.Min.Y+1+height)
	bottom := image.Rect(r.Min.X, r.Max.Y-height, r.Max.X, r.Max.Y)
	return m.covered(d, bottom) < m.covered(d, top)
}

// covered weighs what of the panes lies in an area: the written cells, most of
// all those of the asking agent's dialog, and the row of the cursor.
func (m *model) covered(d *proto.Decision, area image.Rectangle) int {
	sum := 0
	for _, t := range m.plan.tiles {
		s := m.screens[t.pane]
		if s == nil {
			continue
		}
		ink := inked(s, t.body.Dx(), t.body.Dy())
		last := len(ink) - 1
		for last >= 0 && ink[last] == 0 {
			last--
		}
		for y, n := range ink {
			if !image.Pt(area.Min.X, t.body.Min.Y+y).In(area) {
				continue
			}
			if t.pane == d.Pane && y <= last && y > last-dialogRows {
				n *= dialogWeight
			}
			sum += n
			if t.pane == m.focus && s.cursor.Visible && s.cursor.Y == y {
				sum += t.body.Dx() * dialogWeight
			}
		}
	}
	return sum
}

// inked counts the cells in each row of a screen that are not blank.
func inked(s *screen, cols, lines int) []int {
	ink, row := make([]int, lines), make([]uv.Cell, cols)
	for y := range ink {
		s.read(y, row)
		for _, c := range row {
			if c.Content != "" && c.Content != " " {
				ink[y]++
			}
		}
	}
	return ink
}
