package term

import (
	"iter"
	"strings"
)

const (
	defaultHistoryLines = 10000
	defaultHistoryBytes = 16 << 20
	lineOverhead        = 24 // what a line costs besides its bytes
	// maxJoined is the width at which a line ends even if the text goes on.
	maxJoined = 4096
)

// A history is the scrollback: a ring of lines, bounded by the rows that they
// take and by their bytes. Rows that wrap into each other are one line, so
// that another number of columns costs no more than counting rows anew.
type history struct {
	lines    []line
	start, n int
	bytes    int
	rows     int  // that the lines take
	first    int  // that the oldest of them takes, 0 if that is not counted
	cols     int  // of the screen
	open     line // the youngest line, when it goes on in the screen
	pad      int  // columns that its last row has left empty
	// recent is how many of the lines may come back to a screen that grows:
	// those that left since it was last erased as a whole.
	recent   int
	maxLines int
	maxBytes int
	total    uint64 // rows that ever came in
	spare    line   // the one that fell out last, to be written over
}

func newHistory(lines, bytes, cols int) history {
	if lines == 0 {
		lines = defaultHistoryLines
	}
	if bytes <= 0 {
		bytes = defaultHistoryBytes
	}
	return history{maxLines: max(lines, 0), maxBytes: bytes, cols: cols}
}

// remember adds a row that leaves the main screen.
func (t *Terminal) remember(r *row) {
	h := &t.history
	if h.maxLines == 0 {
		return
	}
	h.total++
	if n := len(r.text); n > 0 && r.text[n-1] == ' ' {
		r.spread() // there may be blanks to cut
	}
	if r.empty() {
		h.close()
	}
	if len(h.open) == 0 {
		h.open = newLine(h.open)
	} else {
		n := r.padding(h.pad)
		h.open = append(h.open, strings.Repeat(" ", n)...)
		h.open.widen(n)
	}
	before := h.open.width()
	h.open = t.appendRow(h.open, r)
	h.pad = len(r.cells) - (h.open.width() - before)
	if !r.wrapped || h.open.width() >= maxJoined {
		h.close()
	}
}

// openRows returns how many rows the open line takes.
func (h *history) openRows() int {
	if len(h.open) == 0 {
		return 0
	}
	return h.open.rows(h.cols)
}

// count returns how many rows there are to see.
func (h *history) count() int { return min(h.rows+h.openRows(), h.maxLines) }

// close ends the open line.
func (h *history) close() {
	l := h.open
	if len(l) == 0 {
		return
	}
	h.open = l[:0]
	if l.width() < maxJoined {
		l[0] &^= lineWrapped
	}
	rows, cost := l.rows(h.cols), len(l)+lineOverhead
	for h.n > 0 && (h.rows+rows-h.oldestRows() >= h.maxLines || h.bytes+cost > h.maxBytes) {
		h.drop()
	}
	if h.n == len(h.lines) {
		h.expand()
	}
	own := h.spare[:0]
	h.spare = nil
	if cap(own) < len(l) || cap(own) > 2*len(l) {
		own = nil
	}
	own = append(own, l...)
	*h.at(h.n) = own
	h.n++
	h.recent++
	h.rows += rows
	h.bytes += cap(own) + lineOverhead
}

// oldestRows returns how many rows the oldest line takes. Since every row that
// comes in asks, it is counted once.
func (h *history) oldestRows() int {
	if h.first == 0 {
		h.first = h.at(0).rows(h.cols)
	}
	return h.first
}

// drop forgets the oldest line.
func (h *history) drop() {
	h.rows -= h.oldestRows()
	h.first = 0
	h.spare = h.lines[h.start]
	h.lines[h.start] = nil
	h.bytes -= cap(h.spare) + lineOverhead
	if h.start++; h.start == len(h.lines) {
		h.start = 0
	}
	h.n--
	h.recent = min(h.recent, h.n)
}

func (h *history) expand() {
	lines := make([]line, min(max(64, len(h.lines)*3/2), h.maxLines+1))
	for i := range h.n {
		lines[i] = *h.at(i)
	}
	h.lines, h.start = lines, 0
}

// at returns line i, the oldest being 0.
func (h *history) at(i int) *line {
	if i += h.start; i >= len(h.lines) {
		i -= len(h.lines)
	}
	return &h.lines[i]
}

// pull takes the youngest line out, if it may come back.
func (h *history) pull() (line, bool) {
	if l := h.open; len(l) > 0 {
		h.open = l[:0]
		return l, true
	}
	if h.recent == 0 {
		return nil, false
	}
	h.n--
	h.recent--
	if h.n == 0 {
		h.first = 0
	}
	at := h.at(h.n)
	l := *at
	*at = nil
	h.rows -= l.rows(h.cols)
	h.bytes -= cap(l) + lineOverhead
	return l, true
}

// seal keeps what is there from ever coming back to the screen.
func (h *history) seal() {
	h.close()
	h.recent = 0
}

// resize counts the rows anew, for cols columns.
func (h *history) resize(cols int) {
	h.cols, h.rows, h.first = cols, 0, 0
	for i := range h.n {
		h.rows += h.at(i).rows(cols)
	}
}

// from returns the rows from row i on. A row is good until the next one.
func (h *history) from(i int) iter.Seq[line] {
	return func(yield func(line) bool) {
		skip := i + h.rows + h.openRows() - h.count()
		for k := 0; k <= h.n; k++ {
			l := h.open
			if k < h.n {
				l = *h.at(k)
			} else if len(l) == 0 {
				return
			}
			if rows := l.rows(h.cols); rows <= skip {
				skip -= rows
				continue
			}
			for part := range l.wrap(h.cols) {
				if skip > 0 {
					skip--
				} else if !yield(part) {
					return
				}
			}
		}
	}
}

func (h *history) clear() {
	h.lines, h.spare, h.open = nil, nil, nil
	h.start, h.n, h.bytes, h.rows, h.first, h.recent = 0, 0, 0, 0, 0, 0
}
