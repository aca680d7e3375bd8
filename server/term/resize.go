package term

import "signaltty/proto"

// Resize gives the screen another size, within MaxCols and MaxLines. Nothing
// of the main screen is lost: rows that find no more room go into the
// scrollback, and columns come back when there is room again.
func (t *Terminal) Resize(size proto.Size) {
	size = clip(size)
	if size == t.Size() {
		return
	}
	t.change(func() { t.resize(size) })
}

func (t *Terminal) resize(size proto.Size) {
	for i := range t.screens {
		s := &t.screens[i]
		c := &t.cursor
		if s != t.screen {
			c = &s.saved
		}
		n := t.shrink(s, min(c.y, t.lines-1), size.Lines)
		c.y = max(c.y-n, 0)
		if c != &s.saved {
			s.saved.y = max(s.saved.y-n, 0)
		}
		s.setSize(size)
		s.moved = t.tick
	}
	t.cols, t.lines = size.Cols, size.Lines
	t.top, t.bot = 0, t.lines-1
	t.growTabs()
	wrap := t.wrapNext && t.x == t.cols-1
	t.move(t.x, t.y)
	t.wrapNext = wrap
	t.dirty = true
}

// shrink takes rows away until at most lines are left, and returns how many
// of them went from the top: first the blank ones below the cursor at y go,
// then those at the top, which the main screen keeps in the history.
func (t *Terminal) shrink(s *screen, y, lines int) int {
	n := len(s.rows)
	for n > lines && n-1 > y && s.row(n-1).used == 0 {
		n--
	}
	gone := max(n-lines, 0)
	if s == &t.screens[0] {
		for i := range gone {
			t.remember(s.row(i))
		}
	}
	rows := make([]row, 0, lines)
	for i := gone; i < n; i++ {
		rows = append(rows, *s.row(i))
	}
	s.rows, s.start = rows, 0
	return gone
}

// setSize adds blank rows at the bottom and blank columns at the right.
func (s *screen) setSize(size proto.Size) {
	for len(s.rows) < size.Lines {
		s.rows = append(s.rows, row{})
	}
	for i := range s.rows {
		s.rows[i].grow(size.Cols)
	}
}
