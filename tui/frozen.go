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

// frozen is a pane's picture held still, to look back in and to select from
// while output goes on behind it. Its rows are counted from the top of the
// screen as it was: below 0 is what had scrolled off, -1 the youngest of it.
type frozen struct {
	pane   string
	cols   int
	screen []heldRow
	past   []heldRow // what scrolled off, the youngest first
	start  uint64    // the number of the screen's first row (proto.PaneHistory)
	side   int       // the first column in sight
	height int       // rows in sight
	top    int       // the first of them
	live   int       // what top is at the end, where the pane goes on

	asked   bool // for what scrolled off
	whole   bool // all of it is here
	wanted  int  // rows to scroll back once more of it is here
	prompts []int
	decided *int // the row in which the pane's last decision arrived

	keys   bool        // scroll mode: the keys are its own
	at     image.Point // its cursor
	count  int         // typed before a key; 0 when there is none
	search search

	marked       bool // anchor and head are a selection
	selecting    bool // the keys make it: its head follows the cursor
	lines        bool // of whole lines
	anchor, head image.Point
}

// heldRow is one row, as cells or as text with escape sequences.
type heldRow struct {
	cells  []uv.Cell
	ansi   string
	joined bool // it goes on in the next one
}

// pastMost is how many rows are fetched to look back at.
const pastMost = 100_000

func freeze(id string, s *screen, t tile) *frozen {
	f := &frozen{pane: id, cols: s.cols, start: s.scrolled, height: min(t.body.Dy(), s.lines)}
	for y := range s.lines {
		row := make([]uv.Cell, s.cols)
		s.read(y, row)
		f.screen = append(f.screen, heldRow{cells: row, joined: s.wrapped[y]})
	}
	f.side, f.live = s.crop(t).X, s.crop(t).Y
	f.top = f.live
	f.at = image.Pt(s.cursor.X, s.cursor.Y)
	f.at = f.clamp(f.at)
	return f
}

// hold freezes the focused pane, if it is not yet.
func (m *model) hold() (*frozen, bool) {
	s, t, ok := m.focused()
	if !ok {
		m.say("there is no pane to look back in", notePlain)
		return nil, false
	}
	if m.frozen == nil || m.frozen.pane != m.focus {
		m.frozen = freeze(m.focus, s, t)
	}
	m.stale = true
	if f := m.frozen; !f.asked {
		f.asked = true
		m.fetch(f)
	}
	return m.frozen, true
}

// fetch gets what scrolled off in parts, the youngest first.
func (m *model) fetch(f *frozen) {
	before := f.start - uint64(len(f.past))
	q := proto.PaneHistory{Pane: f.pane, Before: before, Places: len(f.past) == 0}
	m.ask(proto.MethodPaneHistory, q, func(r proto.Message) {
		var part proto.PaneHistoryPart
		if r.Error != nil || r.Decode(&part) != nil {
			f.whole = true
			return
		}
		if q.Places {
			f.places(&part)
		}
		f.add(&part, before)
		f.whole = !part.More || len(part.Rows) == 0 || part.Cols != f.cols || len(f.past) >= pastMost
		if m.frozen != f {
			return // it lives again
		}
		m.stale = true
		f.scroll(f.wanted)
		if f.wanted = 0; !f.whole {
			m.fetch(f)
		} else if f.search.pattern != "" {
			m.again(f)
		}
	})
}

// places takes the rows of prompts and of the last decision.
func (f *frozen) places(part *proto.PaneHistoryPart) {
	for _, n := range part.Prompts {
		f.prompts = append(f.prompts, int(n)-int(f.start))
	}
	if part.Asked != nil {
		y := int(*part.Asked) - int(f.start)
		f.decided = &y
	}
}

// add takes rows that end before the one with that number. A pane that has
// another width by now has other rows: they are left out.
func (f *frozen) add(part *proto.PaneHistoryPart, before uint64) {
	rows := part.Rows
	if over := int(part.First) + len(rows) - int(before); over > 0 {
		rows = rows[:max(0, len(rows)-over)] // they scrolled off since
	} else if over < 0 {
		return
	}
	if part.Cols != f.cols {
		return
	}
	for _, r := range slices.Backward(rows) {
		f.past = append(f.past, heldRow{ansi: r.Text, joined: r.Wrapped})
	}
}

// first and last are the bounds of its rows.
func (f *frozen) first() int { return -len(f.past) }
func (f *frozen) last() int  { return len(f.screen) - 1 }

// row is the row y, which is within the bounds.
func (f *frozen) row(y int) heldRow {
	if y < 0 {
		return f.past[-1-y]
	}
	return f.screen[y]
}

// read is the cells of row y.
func (f *frozen) read(y int) []uv.Cell {
	r := f.row(y)
	if r.cells != nil {
		return r.cells
	}
	b := uv.NewScreenBuffer(f.cols, 1)
	b.Method = ansi.GraphemeWidth
	uv.NewStyledString(r.ansi).Draw(b, b.Bounds())
	return b.Lines[0]
}

// text is the text of a row, with its trailing blanks when it goes on.
func (r heldRow) text() string {
	if r.cells == nil {
		return unstyled(r.ansi)
	}
	var b strings.Builder
	for _, c := range r.cells {
		switch {
		case c.Width == 0:
		case c.Content == "":
			b.WriteByte(' ')
		default:
			b.WriteString(c.Content)
		}
	}
	if r.joined {
		return b.String()
	}
	return strings.TrimRight(b.String(), " ")
}

// unstyled is a row of the history without its attributes and links, the only
// sequences in one: ten times as fast as what reads all that a terminal may.
func unstyled(s string) string {
	before, rest, found := strings.Cut(s, "\x1b")
	if !found {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for ; found; before, rest, found = strings.Cut(rest, "\x1b") {
		b.WriteString(before)
		end := "m"
		if strings.HasPrefix(rest, "]") {
			end = "\x1b\\"
		}
		_, rest, _ = strings.Cut(rest, end)
	}
	b.WriteString(before)
	return b.String()
}

func (f *frozen) clamp(p image.Point) image.Point {
	return image.Pt(max(0, min(p.X, f.cols-1)), max(f.first(), min(p.Y, f.last())))
}

// back is how many rows it is scrolled back.
func (f *frozen) back() int { return f.live - f.top }

// scroll moves by rows, back when by is positive. The cursor stays in sight.
func (f *frozen) scroll(by int) {
	f.top = max(f.first(), min(f.top-by, f.live))
	f.at.Y = max(f.top, min(f.at.Y, f.top+f.height-1))
	f.follow()
}

// scrollBack scrolls the frozen pane; forward past the end it lives again,
// unless something there is the keys' or marked.
func (m *model) scrollBack(by int) {
	f := m.frozen
	m.stale = true
	if by < 0 && f.back() == 0 && !f.marked && !f.keys {
		m.frozen = nil
		return
	}
	if over := by - (f.top - f.first()); over > 0 && !f.whole {
		f.wanted = max(f.wanted, 0) + over // what scrolled off is on the way
	}
	f.scroll(by)
}

// startLook begins to look back, by the wheel. What is typed goes to the pane.
func (m *model) startLook() { m.hold() }

// lookKey handles a key while a pane is frozen and its keys are the pane's,
// but for those that move; it says whether it was one of them.
func (f *frozen) lookKey(m *model) bool {
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
		m.scrollBack(len(f.past) + f.live)
	case tea.KeyEnd, tea.KeyEscape:
		m.frozen = nil
	default:
		return false
	}
	m.stale = true
	return true
}

// draw draws the frozen picture into a tile.
func (f *frozen) draw(m *model, t tile) {
	c := m.canvas
	for y := range t.body.Dy() {
		c.fill(image.Rect(t.body.Min.X, t.body.Min.Y+y, t.body.Max.X, t.body.Min.Y+y+1), uv.Style{})
		line := f.top + y
		if line > f.last() {
			continue
		}
		row := slices.Clone(f.read(line))
		f.search.paint(&m.theme, line, row)
		for x := range row {
			if f.covers(x, line) {
				row[x].Style.Attrs ^= uv.AttrReverse
			}
		}
		row = cropped(row, f.side)
		c.row(t.body.Min.X, t.body.Min.Y+y, row[:min(len(row), t.body.Dx())])
	}
}

// words says in the title of its pane where it is and how it ends.
func (f *frozen) words() string {
	where := itoa(f.back()) + "/" + itoa(len(f.past)+f.live)
	if !f.whole && f.asked {
		where += "+"
	}
	switch {
	case f.keys:
		if f.search.pattern != "" {
			where += " · " + f.search.words()
		}
		return " scroll " + where + " · q leaves "
	case f.back() > 0:
		return " back " + where + " · esc goes on "
	}
	return " held still · esc goes on "
}
