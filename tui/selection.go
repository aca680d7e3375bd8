package tui

import (
	"image"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// drag is a selection that the mouse is making, and the clicks before it.
type drag struct {
	on     bool
	pane   string
	unit   int // 1 by cells, 2 by words, 3 by lines
	from   [2]image.Point
	clicks int
	last   time.Time
	where  image.Point
}

// clickGap is the most time between the clicks of a double one.
const clickGap = 400 * time.Millisecond

// startDrag begins a selection at a point of the screen: by cells, at the
// second click by words, at the third by lines.
func (m *model) startDrag(t tile, at image.Point) {
	d := &m.drag
	now := m.now()
	again := d.pane == t.pane && d.where == at && now.Sub(d.last) < clickGap
	if !again || d.clicks == 3 {
		d.clicks = 0
	}
	d.clicks++
	d.on, d.pane, d.unit, d.last, d.where = true, t.pane, d.clicks, now, at
	if m.frozen == nil {
		m.frozen = freeze(t.pane, m.screens[t.pane], t)
	}
	f := m.frozen
	f.marked, f.lines = false, false
	p := f.point(t, at)
	d.from = [2]image.Point{p, p}
	if d.unit > 1 {
		d.from[0], d.from[1] = f.unit(p, d.unit)
		f.marked = true
	}
	f.anchor, f.head = d.from[0], d.from[1]
	m.stale = true
}

// point is the row and column of the frozen picture at a point of the screen.
func (f *frozen) point(t tile, at image.Point) image.Point {
	x := max(0, min(at.X-t.body.Min.X, t.body.Dx()-1))
	y := max(0, min(at.Y-t.body.Min.Y, t.body.Dy()-1))
	return f.clamp(image.Pt(x+f.side, f.top+y))
}

// dragging follows the mouse until its button is released, and copies then.
func (m *model) dragging(msg tea.MouseMsg, at image.Point) {
	t, ok := m.plan.tile(m.drag.pane)
	f := m.frozen
	if !ok || f == nil {
		m.drag = drag{}
		return
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
		m.dragTo(f, f.point(t, at))
	case tea.MouseReleaseMsg:
		m.drag.on = false
		if f.marked {
			m.copySelection(f)
			return
		}
		f.at = f.head
		if f.back() == 0 && !f.keys {
			m.frozen = nil // a click selects nothing
		}
		m.openLink(f, f.head)
	}
}

// dragTo has the selection go from where it began to p, in whole units.
func (m *model) dragTo(f *frozen, p image.Point) {
	d := &m.drag
	from, to := p, p
	if d.unit > 1 {
		from, to = f.unit(p, d.unit)
	}
	if before(from, d.from[0]) {
		f.anchor, f.head = d.from[1], from
	} else {
		f.anchor, f.head = d.from[0], to
	}
	f.marked = f.marked || f.head != f.anchor
}

func (m *model) copySelection(f *frozen) {
	text := f.selected()
	m.clip(text)
	s := "copied " + counted(text)
	if !f.keys {
		s += " · any key goes on"
	}
	m.say(s, notePlain)
}

func before(a, b image.Point) bool { return a.Y < b.Y || a.Y == b.Y && a.X < b.X }

// ends is the selection from its first to its last cell.
func (f *frozen) ends() (from, to image.Point) {
	from, to = f.anchor, f.head
	if before(to, from) {
		from, to = to, from
	}
	if f.lines {
		from.X, to.X = 0, f.cols-1
	}
	return from, to
}

// covers says whether a cell is selected.
func (f *frozen) covers(x, y int) bool {
	if !f.marked {
		return false
	}
	from, to := f.ends()
	p := image.Pt(x, y)
	return !before(p, from) && !before(to, p)
}

// selected is the selected text; lines that only wrapped are joined.
func (f *frozen) selected() string {
	from, to := f.ends()
	var b strings.Builder
	for y := from.Y; y <= to.Y; y++ {
		var line strings.Builder
		for x, c := range f.read(y) {
			if f.covers(x, y) && c.Width > 0 {
				line.WriteString(c.Content)
			}
		}
		if y < to.Y && f.row(y).joined {
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

// unit is the word or the line around a point: 2 or 3.
func (f *frozen) unit(p image.Point, unit int) (from, to image.Point) {
	if unit == 3 {
		from, to = image.Pt(0, p.Y), image.Pt(f.cols-1, p.Y)
		for from.Y > f.first() && f.row(from.Y-1).joined {
			from.Y--
		}
		for to.Y < f.last() && f.row(to.Y).joined {
			to.Y++
		}
		return from, to
	}
	kind := f.kind(p)
	from, to = p, p
	for {
		next, ok := f.left(from)
		if !ok || f.kind(next) != kind {
			break
		}
		from = next
	}
	for {
		next, ok := f.right(to)
		if !ok || f.kind(next) != kind {
			break
		}
		to = next
	}
	return from, to
}

// left and right are the cells beside one in the same line, also where it
// wraps.
func (f *frozen) left(p image.Point) (image.Point, bool) {
	if p.X > 0 {
		return image.Pt(p.X-1, p.Y), true
	}
	return image.Pt(f.cols-1, p.Y-1), p.Y > f.first() && f.row(p.Y-1).joined
}

func (f *frozen) right(p image.Point) (image.Point, bool) {
	if p.X < f.cols-1 {
		return image.Pt(p.X+1, p.Y), true
	}
	return image.Pt(0, p.Y+1), p.Y < f.last() && f.row(p.Y).joined
}

// The kinds of cells that words are told apart by.
const (
	kindBlank = iota
	kindWord
	kindOther
)

// wordRunes are those that belong to a word besides letters and digits: what
// paths and addresses are made of.
const wordRunes = "_-./~:@%+#?=&"

func (f *frozen) kind(p image.Point) int {
	row := f.read(p.Y)
	if p.X >= len(row) {
		return kindBlank
	}
	c := row[p.X]
	if c.Width == 0 && p.X > 0 {
		c = row[p.X-1] // the right half of a wide character
	}
	return kindOf(c)
}

func kindOf(c uv.Cell) int {
	r, n := utf8.DecodeRuneInString(c.Content)
	switch {
	case n == 0 || unicode.IsSpace(r):
		return kindBlank
	case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune(wordRunes, r):
		return kindWord
	}
	return kindOther
}
