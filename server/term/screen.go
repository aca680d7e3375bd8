package term

// A screen is a ring of rows, so that scrolling all of it moves nothing.
type screen struct {
	rows  []row
	start int // where the top row is in rows
	// moved is the revision at which all rows changed places.
	moved uint64
	// saved is what DECSC keeps; each screen has its own, as in xterm.
	saved saved
	kitty kittyStack
}

func newScreen(cols, lines int) screen {
	s := screen{rows: make([]row, lines)}
	for i := range s.rows {
		s.rows[i].cells = make([]cell, cols)
	}
	return s
}

// row returns the row y lines below the top, with all of it in cells.
func (s *screen) row(y int) *row {
	r := s.at(y)
	if len(r.text) > 0 {
		r.spread()
	}
	return r
}

// at is row for who knows that a row may be text.
func (s *screen) at(y int) *row {
	y += s.start
	if y >= len(s.rows) {
		y -= len(s.rows)
	}
	return &s.rows[y]
}

// roll moves all rows up by one; the top row becomes the bottom one.
func (s *screen) roll(rev uint64) {
	if s.start++; s.start == len(s.rows) {
		s.start = 0
	}
	s.moved = rev
}

// rotate moves the rows from top to bot, both included, up by n, or down by
// -n. The rows that leave come in again at the other end.
func (s *screen) rotate(top, bot, n int, rev uint64) {
	if n > 0 {
		for y := top; y+n <= bot; y++ {
			a, b := s.row(y), s.row(y+n)
			*a, *b = *b, *a
		}
	} else {
		for y := bot; y+n >= top; y-- {
			a, b := s.row(y), s.row(y+n)
			*a, *b = *b, *a
		}
	}
	for y := top; y <= bot; y++ {
		s.row(y).rev = rev
	}
}

// changed returns the revision at which row y last changed.
func (s *screen) changed(y int) uint64 { return max(s.row(y).rev, s.moved) }

// index moves the cursor down a line, scrolling at the bottom margin.
func (t *Terminal) index() {
	t.wrapNext = false
	switch {
	case t.y == t.bot:
		if t.x >= t.left && t.x <= t.right {
			t.scrollUp(1)
		}
	case t.y < t.lines-1:
		t.y++
	}
}

// reverseIndex moves the cursor up a line, scrolling at the top margin.
func (t *Terminal) reverseIndex() {
	t.wrapNext = false
	switch {
	case t.y == t.top:
		if t.x >= t.left && t.x <= t.right {
			t.scrollDown(t.top, 1)
		}
	case t.y > 0:
		t.y--
	}
}

// scrollUp moves the rows between the margins up. What leaves the top of the
// main screen enters the history.
func (t *Terminal) scrollUp(n int) {
	n = min(n, t.bot-t.top+1)
	if t.narrowed() {
		t.removeLines(t.top, n)
		return
	}
	if t.top == 0 && !t.alt {
		for y := range n {
			t.remember(t.screen.at(y))
		}
	}
	if t.top > 0 || t.bot < t.lines-1 {
		t.removeLines(t.top, n)
		return
	}
	c := t.blank()
	for range n {
		t.screen.at(0).erase(0, c)
		t.screen.roll(t.tick)
	}
	t.dirty = true
}

// resetMargins puts the margins at the edges of the screen.
func (t *Terminal) resetMargins() {
	t.top, t.bot = 0, t.lines-1
	t.left, t.right = 0, t.cols-1
}

// narrowed says that the margins leave out columns.
func (t *Terminal) narrowed() bool { return t.left > 0 || t.right < t.cols-1 }

// inMargins says that the cursor is within all margins.
func (t *Terminal) inMargins() bool {
	return t.y >= t.top && t.y <= t.bot && t.x >= t.left && t.x <= t.right
}

// edge is the column after which the cursor's line ends.
func (t *Terminal) edge() int {
	if t.x <= t.right {
		return t.right + 1
	}
	return t.cols
}

// scrollDown moves the rows from top to the bottom margin down.
func (t *Terminal) scrollDown(top, n int) {
	n = min(n, t.bot-top+1)
	t.rotate(top, -n)
	t.eraseWithin(top, top+n)
}

// removeLines moves the rows below top up over n rows, without history.
func (t *Terminal) removeLines(top, n int) {
	n = min(n, t.bot-top+1)
	t.rotate(top, n)
	t.eraseWithin(t.bot-n+1, t.bot+1)
}

// rotate moves the rows from top to the bottom margin up by n, or down by -n.
func (t *Terminal) rotate(top, n int) {
	if !t.narrowed() {
		t.screen.rotate(top, t.bot, n, t.tick)
		t.dirty = true
		return
	}
	if n > 0 {
		for y := top; y+n <= t.bot; y++ {
			t.touch(y).take(t.screen.row(y+n), t.left, t.right+1)
		}
		return
	}
	for y := t.bot; y+n >= top; y-- {
		t.touch(y).take(t.screen.row(y+n), t.left, t.right+1)
	}
}

// eraseWithin erases the rows from a up to b between the margins.
func (t *Terminal) eraseWithin(a, b int) {
	if !t.narrowed() {
		t.eraseRows(a, b)
		return
	}
	c := t.blank()
	for y := a; y < b; y++ {
		t.touch(y).fill(t.left, t.right+1, c)
	}
}

// touch returns row y and marks it as changed.
func (t *Terminal) touch(y int) *row {
	r := t.mark(y)
	if len(r.text) > 0 {
		r.spread()
	}
	return r
}

// mark is touch for who knows that a row may be text.
func (t *Terminal) mark(y int) *row {
	r := t.screen.at(y)
	r.rev = t.tick
	t.dirty = true
	return r
}

// eraseRows erases whole rows from a up to b.
func (t *Terminal) eraseRows(a, b int) {
	c := t.blank()
	for y := a; y < b; y++ {
		t.mark(y).erase(0, c)
	}
}
