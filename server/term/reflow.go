package term

import (
	"unicode/utf8"

	"signaltty/proto"
)

// A reflow wraps lines to another number of columns.
type reflow struct {
	cols    int
	rows    []row     // what is wrapped already
	line    []cell    // the line that is being joined
	pad     int       // columns that its last row has left empty
	prompt  bool      // a prompt begins in it
	marks   []mark    // the cursors in it
	cursors []*cursor // all that are followed
	ys      []int     // and the rows that they were on
}

// A mark is a cursor, by the number of its cell in the line.
type mark struct {
	c   *cursor
	off int
}

// reflow wraps the rows of the main screen, and the line of the history that
// goes on in them, for a screen of another size.
func (t *Terminal) reflow(rows []row, size proto.Size, cursors []*cursor) []row {
	f := reflow{cols: size.Cols, cursors: cursors}
	for _, c := range cursors {
		f.ys = append(f.ys, c.y)
	}
	h := &t.history
	if len(h.open) > 0 {
		l, _ := h.pull()
		f.line, f.pad, f.prompt = t.appendCells(nil, l), h.pad, l.has(linePrompt)
		if rows[0].empty() {
			f.end(false)
		}
	}
	h.resize(size.Cols)
	n := len(rows)
	for n-1 > cursors[0].y && rows[n-1].used == 0 {
		n--
	}
	for y := range n {
		f.join(&rows[y], y)
		if next := y + 1; !rows[y].wrapped || next == n || rows[next].empty() {
			f.end(false)
		}
	}
	for i, c := range cursors {
		if f.ys[i] >= n { // below all text
			c.y = min(len(f.rows)+f.ys[i]-n, size.Lines-1)
		}
	}
	switch over := len(f.rows) - size.Lines; {
	case over > 0:
		return t.fewer(f.rows, size.Lines, true, cursors)
	case n == len(rows):
		return above(t.recall(-over, size.Cols), f.rows, cursors)
	}
	return f.rows
}

// join adds row y to the line.
func (f *reflow) join(r *row, y int) {
	f.line = append(f.line, make([]cell, r.padding(f.pad))...)
	for i, c := range f.cursors {
		if f.ys[i] == y {
			f.marks = append(f.marks, mark{c, len(f.line) + min(c.x, len(r.cells)-1)})
		}
	}
	f.line = append(f.line, r.cells[:r.used]...)
	f.pad = len(r.cells) - r.used
	f.prompt = f.prompt || r.prompt
}

// end wraps the line, which goes on below what is there if open is set.
func (f *reflow) end(open bool) {
	for n := len(f.line); !open && n > 0 && f.line[n-1].blank(); n-- {
		f.line = f.line[:n-1] // or the blanks could come to be a row
	}
	for from, more := 0, true; more; {
		to := min(from+f.cols, len(f.line))
		if more = to < len(f.line); more && f.line[to]&tail != 0 {
			to--
		}
		r := row{cells: make([]cell, f.cols), wrapped: more || open, prompt: f.prompt && from == 0}
		r.used = copy(r.cells, f.line[from:to])
		if n := r.used; more && n > 0 && r.cells[n-1] == 0 {
			r.cells[n-1] = ' ' // it is part of the line, which padding and blank rows are not
		}
		for _, c := range r.cells[:r.used] {
			r.halves = r.halves || c&wide != 0
		}
		for _, m := range f.marks {
			if m.off >= from && (m.off < to || !more) {
				m.put(len(f.rows), m.off-from, to-from, f.cols)
			}
		}
		f.rows = append(f.rows, r)
		from = to
	}
	f.line, f.marks, f.pad, f.prompt = f.line[:0], f.marks[:0], 0, false
}

// put sets the cursor to column x of row y, of which used columns have text.
// Just behind the last column it waits to wrap.
func (m mark) put(y, x, used, cols int) {
	m.c.y = y
	if m.c.wrapNext && x < used {
		x++
	}
	m.c.wrapNext = x == cols && x == used
	m.c.x = min(x, cols-1)
}

// appendCells appends the characters of l as cells.
func (t *Terminal) appendCells(cells []cell, l line) []cell {
	r := reader{rest: l.body()}
	var base cell
	var mark *byte
	for r.next() {
		if len(r.mark) > 0 && &r.mark[0] != mark {
			mark = &r.mark[0]
			s, link, _ := cutStyle(r.mark[1:])
			s.link = t.linkID(link)
			base = styled(t.styleID(s))
		}
		c, _ := utf8.DecodeRune(r.text)
		text := cell(c)
		if r.whole {
			if id, ok := t.clusterID(r.text); ok {
				text = id | cluster
			}
		}
		if r.width < 2 {
			cells = append(cells, base|text)
		} else {
			cells = append(cells, base|text|wide, base|tail)
		}
	}
	return cells
}
