package term

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// printASCII prints s, which is all printable ASCII.
func (t *Terminal) printASCII(s []byte) {
	if t.modes.has(modeInsert) || t.charsets.graphics() {
		for _, c := range s {
			t.printNarrow(t.charsets.translate(c))
		}
		return
	}
	base := styled(t.penID())
	for len(s) > 0 {
		t.wrapIfDue()
		edge := t.edge()
		n := min(len(s), edge-t.x)
		if r := t.mark(t.y); !r.print(t.x, s[:n], base) {
			r.cut(t.x, t.x+n)
			cells := r.cells[t.x : t.x+n]
			for i, c := range s[:n] {
				cells[i] = base | cell(c)
			}
			r.used = max(r.used, t.x+n)
		}
		t.lastOut = rune(s[n-1])
		t.advance(n, edge)
		if !t.wrapNext && t.x == edge-1 && n < len(s) { // no wrapping: the last column takes the rest
			s = s[len(s)-1:]
			continue
		}
		s = s[n:]
	}
}

// printNarrow prints a rune that takes one column and joins nothing.
func (t *Terminal) printNarrow(r rune) {
	t.lastOut = r
	t.put(cell(r), 1)
}

// print prints a rune that is not ASCII.
func (t *Terminal) print(r rune) {
	c := class(1)
	if r >= 0x300 {
		c = t.runes.class(r)
	} else if r < 0xa0 {
		return // C1 controls have no effect in UTF-8
	}
	if t.join(r, c) || c.width() == 0 {
		return
	}
	t.lastOut = r
	t.put(cell(r), c.width())
}

// put writes a cell's text at the cursor and moves on.
func (t *Terminal) put(text cell, width int) {
	t.wrapIfDue()
	edge := t.edge()
	if width == 2 && t.x == edge-1 {
		if !t.modes.has(modeWrap) {
			t.lastX = -1
			return
		}
		t.wrapNext = true
		t.wrapIfDue()
		if edge = t.edge(); t.x == edge-1 { // it has no room between such margins
			t.lastX = -1
			return
		}
	}
	r := t.touch(t.y)
	if t.modes.has(modeInsert) {
		r.insert(t.x, width, edge, t.blank())
	}
	t.place(r, t.x, text, width)
	t.advance(width, edge)
}

// place writes a cell's text into a row.
func (t *Terminal) place(r *row, x int, text cell, width int) {
	r.cut(x, x+width)
	text |= styled(t.penID())
	if width == 2 {
		r.cells[x+1] = text&^(textMask|cluster) | tail
		text |= wide
		r.halves = true
	}
	r.cells[x] = text
	r.used = max(r.used, x+width)
}

// advance moves the cursor over what was just printed, to edge at most.
func (t *Terminal) advance(n, edge int) {
	t.x += n
	t.lastX, t.lastY = t.x-1, t.y
	if t.x >= edge {
		t.x = edge - 1
		t.wrapNext = t.modes.has(modeWrap)
	}
}

func (t *Terminal) wrapIfDue() {
	if !t.wrapNext {
		return
	}
	t.mark(t.y).wrapped = !t.narrowed()
	t.x = t.lineStart()
	t.index()
}

// join adds r to the grapheme cluster that stands before the cursor, if
// Unicode says that it belongs to it (UAX 29).
func (t *Terminal) join(r rune, c class) bool {
	x, y := t.lastX, t.lastY
	if x < 0 {
		// After a movement only a mark can mean what it finds there.
		if c&classExtends == 0 || c.width() > 0 || t.x == 0 {
			return false
		}
		x, y = t.x-1, t.y
	}
	row := t.screen.row(y)
	if row.cells[x]&tail != 0 {
		x--
	}
	old := row.cells[x]
	if c&classExtends == 0 && !t.binds(old) {
		return false
	}
	s := utf8.AppendRune(t.appendText(t.textBuf[:0], old), r)
	t.textBuf = s
	if len(graphemes.FromBytes(s).First()) != len(s) {
		return false
	}
	if len(s) > maxCluster {
		return true
	}
	id, ok := t.clusterID(s)
	if !ok {
		return true
	}
	t.widen(row, x, y, old, id|cluster, displaywidth.Bytes(s))
	return true
}

// binds says that what follows may belong to the same cluster as c.
func (t *Terminal) binds(c cell) bool {
	r := rune(c & textMask)
	if c&cluster != 0 {
		r, _ = utf8.DecodeLastRuneInString(t.clusters.values[c&textMask])
	}
	return r >= 0x300 && t.runes.class(r)&classBinds != 0
}

// appendText appends the text that cell c shows.
func (t *Terminal) appendText(b []byte, c cell) []byte {
	switch {
	case c&cluster != 0:
		return append(b, t.clusters.values[c&textMask]...)
	case c&textMask == 0:
		return append(b, ' ')
	}
	return utf8.AppendRune(b, rune(c&textMask))
}

// widen replaces the text of the cell at x, y, which may come to take two
// columns.
func (t *Terminal) widen(r *row, x, y int, old, text cell, width int) {
	r.rev, t.dirty = t.tick, true
	r.used = max(r.used, x+1)
	text |= styled(old.style())
	switch {
	case old&wide != 0: // never back to one: the application has counted two
		r.cells[x] = text | wide
	case width == 2 && x+1 < t.cols && x != t.right:
		r.cut(x+1, x+2)
		r.cells[x] = text | wide
		r.cells[x+1] = styled(old.style()) | tail
		r.used, r.halves = max(r.used, x+2), true
		if t.lastX == x && y == t.y {
			t.x = x + 1
			t.advance(1, t.edge())
		}
	default:
		r.cells[x] = text
	}
}
