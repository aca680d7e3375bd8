package tui

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"signaltty/proto"
)

// frozen is a pane's picture held still, to scroll in and to select from
// while output goes on behind it.
type frozen struct {
	pane   string
	rows   [][]uv.Cell // what scrolled off, if it was asked for, then the screen
	joined []bool      // the row goes on in the next
	height int         // of the screen at that time
	up     int         // how many rows it is scrolled back
	asked  bool        // for what scrolled off
	wanted int         // rows to scroll back once that is here

	marked       bool // anchor and head are a selection
	anchor, head image.Point
}

// historyMost is how many lines of history are fetched to look back at.
const historyMost = 5000

func freeze(id string, s *screen, cols int) *frozen {
	f := &frozen{pane: id, height: s.lines}
	for y := range s.lines {
		row := make([]uv.Cell, cols)
		s.read(y, row)
		f.rows = append(f.rows, row)
		f.joined = append(f.joined, s.wrapped[y])
	}
	return f
}

// startScroll holds the focused pane still and fetches what scrolled off.
func (m *model) startScroll() {
	s, t, ok := m.focused()
	if !ok {
		return
	}
	if m.frozen == nil || m.frozen.pane != m.focus {
		m.frozen = freeze(m.focus, s, t.body.Dx())
	}
	m.stale = true
	if f := m.frozen; !f.asked {
		f.asked = true
		m.fetch(f, max(0, s.history-historyMost), nil, t.body.Dx())
	}
}

// fetch gets the scrollback in parts and puts it before the screen's rows.
func (m *model) fetch(f *frozen, start int, got []string, cols int) {
	c := proto.PaneCapture{Pane: f.pane, ANSI: true, Scrollback: true, Start: start}
	m.ask(proto.MethodPaneCapture, c, func(r proto.Message) {
		var part proto.PaneCaptured
		if r.Error == nil {
			r.Decode(&part) //nolint:errcheck // no lines, then
		}
		got = append(got, part.Lines...)
		if part.Next > start && len(got) < 2*historyMost {
			m.fetch(f, part.Next, got, cols)
			return
		}
		f.prepend(got, cols)
		m.stale = true
	})
}

func (f *frozen) prepend(lines []string, cols int) {
	var rows [][]uv.Cell
	for _, l := range lines {
		b := uv.NewScreenBuffer(cols, 1)
		uv.NewStyledString(l).Draw(b, b.Bounds())
		rows = append(rows, b.Lines[0])
	}
	f.rows = append(rows, f.rows...)
	f.joined = append(make([]bool, len(rows)), f.joined...)
	f.anchor.Y += len(rows)
	f.head.Y += len(rows)
	f.scroll(f.wanted)
	f.wanted = 0
}

// scroll moves by rows, back when by is positive.
func (f *frozen) scroll(by int) {
	f.up = max(0, min(f.up+by, len(f.rows)-f.height))
}

// scrollBack scrolls the frozen pane; forward past the end it lives again.
func (m *model) scrollBack(by int) {
	f := m.frozen
	m.stale = true
	if f.asked && len(f.rows) == f.height && by > 0 {
		f.wanted += by // its history is on the way
		return
	}
	if by < 0 && f.up == 0 && !f.marked {
		m.frozen = nil
		return
	}
	f.scroll(by)
}

// top is the row that is first in sight.
func (f *frozen) top() int { return max(0, len(f.rows)-f.height-f.up) }

// key handles a key over a frozen pane, and says whether it was for that.
// Letters are not: they go to the pane, which lives again.
func (f *frozen) key(m *model) bool {
	switch m.pressed.Code {
	case tea.KeyUp:
		m.scrollBack(1)
	case tea.KeyDown:
		m.scrollBack(-1)
	case tea.KeyPgUp:
		m.scrollBack(f.height - 1)
	case tea.KeyPgDown:
		m.scrollBack(1 - f.height)
	case tea.KeyHome:
		m.scrollBack(len(f.rows))
	case tea.KeyEnd, tea.KeyEscape:
		m.frozen = nil
	default:
		return false
	}
	m.stale = true
	return true
}

// startDrag begins a selection at a point of the screen.
func (m *model) startDrag(t tile, at image.Point) {
	m.drag = drag{true, t.pane}
	if m.frozen == nil {
		m.frozen = freeze(t.pane, m.screens[t.pane], t.body.Dx())
	}
	f := m.frozen
	f.marked = false
	f.anchor = f.point(t, at)
	f.head = f.anchor
	m.stale = true
}

// point is the row and column of the frozen picture at a point of the screen.
func (f *frozen) point(t tile, at image.Point) image.Point {
	x := max(0, min(at.X-t.body.Min.X, t.body.Dx()-1))
	y := max(0, min(at.Y-t.body.Min.Y, t.body.Dy()-1))
	return image.Pt(x, min(f.top()+y, len(f.rows)-1))
}

// dragging follows the mouse until its button is released, and copies then.
func (m *model) dragging(msg tea.MouseMsg, at image.Point) tea.Cmd {
	t, ok := m.plan.tile(m.drag.pane)
	f := m.frozen
	if !ok || f == nil {
		m.drag = drag{}
		return nil
	}
	m.stale = true
	switch msg.(type) {
	case tea.MouseMotionMsg:
		switch {
		case at.Y < t.body.Min.Y:
			f.scroll(1)
		case at.Y >= t.body.Max.Y:
			f.scroll(-1)
		}
		f.head = f.point(t, at)
		f.marked = f.marked || f.head != f.anchor
	case tea.MouseReleaseMsg:
		m.drag = drag{}
		if !f.marked {
			if f.up == 0 {
				m.frozen = nil // a click selects nothing
			}
			return nil
		}
		text := f.selected()
		m.say("copied "+itoa(len([]rune(text)))+" characters · any key goes on", notePlain)
		m.glass.Tell(ansi.SetSystemClipboard(text))
	}
	return nil
}

// ends is the selection from its first to its last cell.
func (f *frozen) ends() (from, to image.Point) {
	from, to = f.anchor, f.head
	if to.Y < from.Y || to.Y == from.Y && to.X < from.X {
		from, to = to, from
	}
	return from, to
}

// covers says whether a cell is selected.
func (f *frozen) covers(x, y int) bool {
	if !f.marked {
		return false
	}
	from, to := f.ends()
	return y >= from.Y && y <= to.Y && (y > from.Y || x >= from.X) && (y < to.Y || x <= to.X)
}

// selected is the selected text; lines that only wrapped are joined.
func (f *frozen) selected() string {
	from, to := f.ends()
	var b strings.Builder
	for y := from.Y; y <= to.Y && y < len(f.rows); y++ {
		var line strings.Builder
		for x, c := range f.rows[y] {
			if f.covers(x, y) && c.Width > 0 {
				line.WriteString(c.Content)
			}
		}
		if y < to.Y && f.joined[y] {
			b.WriteString(line.String())
			continue
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		if y < to.Y {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// draw draws the frozen picture into a tile.
func (f *frozen) draw(c *canvas, t tile) {
	top := f.top()
	for y := range t.body.Dy() {
		c.fill(image.Rect(t.body.Min.X, t.body.Min.Y+y, t.body.Max.X, t.body.Min.Y+y+1), uv.Style{})
		if top+y >= len(f.rows) {
			continue
		}
		row := slices.Clone(f.rows[top+y])
		row = row[:min(len(row), t.body.Dx())]
		for x := range row {
			if f.covers(x, top+y) {
				row[x].Style.Attrs ^= uv.AttrReverse
			}
		}
		c.row(t.body.Min.X, t.body.Min.Y+y, row)
	}
}
