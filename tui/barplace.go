package tui

import (
	"image"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"signaltty/proto"
)

const (
	// dialogRows is how many rows an agent's own dialog takes, about, where it
	// was not seen to be drawn: Claude Code 2.1.197 draws one of 9 to 14 rows
	// where its text ends.
	dialogRows = 12
	// dialogLead is how much sooner than its hook's word a dialog may be drawn.
	dialogLead = 300 * time.Millisecond
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
	case !b.moved && b.reason == nil && now.Sub(b.since) < grace:
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
		off := s.crop(t)
		ink := inked(s, off, t.body.Dx(), t.body.Dy())
		from, to := s.dialog(ink, off.Y, d.ReceivedAt)
		for y, n := range ink {
			if !image.Pt(area.Min.X, t.body.Min.Y+y).In(area) {
				continue
			}
			if t.pane == d.Pane && from <= y && y <= to {
				n *= dialogWeight
			}
			sum += n
			if t.pane == m.focus && s.cursor.Visible && s.cursor.Y == y+off.Y {
				sum += t.body.Dx() * dialogWeight
			}
		}
	}
	return sum
}

// dialog is the first and the last of the written rows that an agent drew when
// it asked at that time, such as its own dialog: those that changed since. When
// all of them did, as after a repaint, or none, it is taken to be the last
// ones. ink is of the rows from off on.
func (s *screen) dialog(ink []int, off int, asked time.Time) (from, to int) {
	from, to = -1, -1
	first, last := -1, -1
	for y, n := range ink {
		if n == 0 {
			continue
		}
		if last = y; first < 0 {
			first = y
		}
		if line := y + off; line < s.lines && s.changed[line].After(asked.Add(-dialogLead)) {
			if to = y; from < 0 {
				from = y
			}
		}
	}
	if from < 0 || from == first && to == last {
		return last - dialogRows + 1, last
	}
	return from, to
}

// inked counts the cells that are not blank in each row of a screen from off on.
func inked(s *screen, off image.Point, cols, lines int) []int {
	ink, row := make([]int, lines), make([]uv.Cell, off.X+cols)
	for y := range ink {
		s.read(y+off.Y, row)
		for _, c := range row[off.X:] {
			if c.Content != "" && c.Content != " " {
				ink[y]++
			}
		}
	}
	return ink
}
