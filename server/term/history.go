package term

const (
	defaultHistoryLines = 10000
	defaultHistoryBytes = 16 << 20
	lineOverhead        = 24 // what a line costs besides its bytes
)

// A history is the scrollback: a ring of lines, bounded by their number and
// by their bytes.
type history struct {
	lines    []line
	start, n int
	bytes    int
	maxLines int
	maxBytes int
	total    uint64 // lines that ever came in
	spare    line   // the one that fell out last, to be written over
}

func newHistory(lines, bytes int) history {
	if lines == 0 {
		lines = defaultHistoryLines
	}
	if bytes <= 0 {
		bytes = defaultHistoryBytes
	}
	return history{maxLines: max(lines, 0), maxBytes: bytes}
}

// remember adds a row that leaves the screen.
func (t *Terminal) remember(r *row) {
	if t.history.maxLines == 0 {
		return
	}
	t.lineBuf = t.appendLine(t.lineBuf[:0], r, len(r.cells))
	t.history.push(t.lineBuf)
}

// push adds a copy of l.
func (h *history) push(l line) {
	h.total++
	cost := len(l) + lineOverhead
	for h.n > 0 && (h.n == h.maxLines || h.bytes+cost > h.maxBytes) {
		h.drop()
	}
	if h.n == len(h.lines) {
		h.expand()
	}
	own := h.spare[:0]
	h.spare = nil
	if cap(own) < len(l) || cap(own) > 2*len(l) {
		own = make(line, 0, len(l))
	}
	own = append(own, l...)
	h.lines[(h.start+h.n)%len(h.lines)] = own
	h.n++
	h.bytes += cap(own) + lineOverhead
}

// drop forgets the oldest line.
func (h *history) drop() {
	h.spare = h.lines[h.start]
	h.lines[h.start] = nil
	h.bytes -= cap(h.spare) + lineOverhead
	h.start = (h.start + 1) % len(h.lines)
	h.n--
}

func (h *history) expand() {
	lines := make([]line, min(max(64, 2*len(h.lines)), h.maxLines))
	for i := range h.n {
		lines[i] = h.at(i)
	}
	h.lines, h.start = lines, 0
}

// at returns line i, the oldest being 0.
func (h *history) at(i int) line { return h.lines[(h.start+i)%len(h.lines)] }

func (h *history) clear() {
	h.lines, h.spare = nil, nil
	h.start, h.n, h.bytes = 0, 0, 0
}
