package term

import "signaltty/proto"

// Resize gives the screen another size, within its bounds. The main screen
// and the scrollback are wrapped anew, as if the application had written to a
// screen of that size, and the cursor stays on its character. Nothing of them
// is lost: rows that find no more room go to the scrollback, and when the
// screen grows they come back. The alternate screen is cut or filled up with
// blanks: what is on it draws itself anew.
func (t *Terminal) Resize(size proto.Size) {
	size = clip(size)
	if size == t.Size() {
		return
	}
	t.change(func() { t.resize(size) })
}

func (t *Terminal) resize(size proto.Size) {
	main, alt := &t.screens[0], &t.screens[1]
	rows, total := t.history.count(), t.history.total
	t.sweepBeforeResize()
	if t.alt {
		t.resizeMain(size, &main.saved)
		t.resizeAlt(size, &t.cursor, &alt.saved)
	} else {
		t.resizeMain(size, &t.cursor, &main.saved)
		t.resizeAlt(size, &alt.saved)
	}
	t.resizing = false
	// Rows that were wrapped anew have not come in again.
	t.history.total = total + uint64(max(0, t.history.count()-rows))
	t.cols, t.lines = size.Cols, size.Lines
	t.resetMargins()
	t.growTabs()
	x, wrap := t.x, t.wrapNext
	if wrap && x < t.cols-1 { // there is a column to go to now
		x, wrap = x+1, false
	}
	t.move(x, t.y)
	t.wrapNext = wrap
	t.dirty = true
}

// sweepBeforeResize makes room in the tables, since rows are on no screen
// while they are wrapped, and a sweep would not see them.
func (t *Terminal) sweepBeforeResize() {
	if t.styles.due() {
		t.sweepStyles()
	}
	if t.clusters.due() {
		t.sweepClusters()
	}
	t.resizing = true
}

// resizeMain resizes the main screen. The first of the cursors is the one
// that shows.
func (t *Terminal) resizeMain(size proto.Size, cursors ...*cursor) {
	s := &t.screens[0]
	rows := s.takeRows()
	if n := size.Lines - len(rows); n > 0 {
		rows = above(t.recall(n, t.cols), rows, cursors)
	}
	if size.Cols != t.cols {
		rows = t.reflow(rows, size, cursors)
	} else {
		rows = t.fewer(rows, size.Lines, true, cursors)
	}
	s.setRows(rows, size, t.tick)
}

func (t *Terminal) resizeAlt(size proto.Size, cursors ...*cursor) {
	s := &t.screens[1]
	rows := t.fewer(s.takeRows(), size.Lines, false, cursors)
	for i := range rows {
		rows[i].resize(size.Cols)
	}
	s.setRows(rows, size, t.tick)
}

// fewer takes rows away until at most lines are left: first blank ones below
// the cursor, and then those at the top, to the history if keep is set.
func (t *Terminal) fewer(rows []row, lines int, keep bool, cursors []*cursor) []row {
	n := len(rows)
	for n > lines && n-1 > cursors[0].y && rows[n-1].used == 0 {
		n--
	}
	gone := max(n-lines, 0)
	if keep {
		for i := range gone {
			t.remember(&rows[i])
		}
	}
	for _, c := range cursors {
		c.y = max(c.y-gone, 0)
	}
	return rows[gone:n]
}

// above puts rows above others, and the cursors with these.
func above(more, rows []row, cursors []*cursor) []row {
	for _, c := range cursors {
		c.y += len(more)
	}
	return append(more, rows...)
}

// recall takes the youngest n rows out of the history, or as many as may come
// back, for a screen of cols columns.
func (t *Terminal) recall(n, cols int) []row {
	var rows []row
	for len(rows) < n {
		l, ok := t.history.pull()
		if !ok {
			break
		}
		f := reflow{cols: cols, line: t.appendCells(nil, l), prompt: l.has(linePrompt)}
		f.end(l.has(lineWrapped))
		rows = append(f.rows, rows...)
	}
	over := max(len(rows)-n, 0)
	for i := range over {
		t.remember(&rows[i])
	}
	return rows[over:]
}

// takeRows returns the rows from the top down.
func (s *screen) takeRows() []row {
	rows := make([]row, 0, len(s.rows))
	for y := range s.rows {
		s.row(y).trim()
		rows = append(rows, *s.row(y))
	}
	return rows
}

// setRows sets the rows, filled up with blank ones at the bottom.
func (s *screen) setRows(rows []row, size proto.Size, rev uint64) {
	for len(rows) < size.Lines {
		rows = append(rows, row{cells: make([]cell, size.Cols)})
	}
	s.rows, s.start, s.moved = rows, 0, rev
}
