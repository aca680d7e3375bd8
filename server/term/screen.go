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
		s.rows[i].grow(cols)
	}
	return s
}

// row returns the row y lines below the top.
func (s *screen) row(y int) *row {
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
		t.scrollUp(1)
	case t.y < t.lines-1:
		t.y++
	}
}

// reverseIndex moves the cursor up a line, scrolling at the top margin.
func (t *Terminal) reverseIndex() {
	t.wrapNext = false
	switch {
	case t.y == t.top:
		t.scrollDown(t.top, 1)
	case t.y > 0:
		t.y--
	}
}

// scrollUp moves the rows between the margins up. What leaves the top of the
// main screen enters the history.
func (t *Terminal) scrollUp(n int) {
	n = min(n, t.bot-t.top+1)
	if t.top == 0 && !t.alt {
		for y := range n {
			t.remember(t.screen.row(y))
		}
	}
	if t.top > 0 || t.bot < t.lines-1 {
		t.removeLines(t.top, n)
		return
	}
	for range n {
		t.screen.row(0).erase(0, t.cols, t.blank())
		t.screen.roll(t.tick)
	}
	t.dirty = true
}

// scrollDown moves the rows from top to the bottom margin down.
func (t *Terminal) scrollDown(top, n int) {
	n = min(n, t.bot-top+1)
	t.screen.rotate(top, t.bot, -n, t.tick)
	for y := range n {
		t.touch(top+y).erase(0, t.cols, t.blank())
	}
}

// removeLines moves the rows below top up over n rows, without history.
func (t *Terminal) removeLines(top, n int) {
	n = min(n, t.bot-top+1)
	t.screen.rotate(top, t.bot, n, t.tick)
	for y := range n {
		t.touch(t.bot-y).erase(0, t.cols, t.blank())
	}
}

// touch returns row y and marks it as changed.
func (t *Terminal) touch(y int) *row {
	r := t.screen.row(y)
	r.rev = t.tick
	t.dirty = true
	return r
}

// eraseRows erases whole rows from a up to b.
func (t *Terminal) eraseRows(a, b int) {
	c := t.blank()
	for y := a; y < b; y++ {
		t.touch(y).erase(0, t.cols, c)
	}
}
