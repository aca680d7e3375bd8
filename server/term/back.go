package term

import "signaltty/proto"

// The bounds of one part of the history.
const (
	maxPartRows  = 2000
	maxPartCells = 160_000
	maxPrompts   = 2000 // the youngest of them
)

// History returns at most count rows of the scrollback before the row with
// that number, or the youngest when before is 0. Rows are numbered as in
// proto.PaneHistory. Where rows of that number are no more, there are none.
func (t *Terminal) History(before uint64, count int) proto.PaneHistoryPart {
	h := &t.history
	if most := min(maxPartRows, maxPartCells/t.cols); count <= 0 || count > most {
		count = most
	}
	oldest := h.total - min(h.total, uint64(h.count()))
	out := proto.PaneHistoryPart{Rows: []proto.HistoryRow{}, Cols: t.cols}
	end := h.total
	if before != 0 {
		end = max(min(before, h.total), oldest)
	}
	start := end - min(uint64(count), end-oldest)
	size := 0
	for l := range h.from(int(start - oldest)) {
		if len(out.Rows) == int(end-start) {
			break
		}
		s := l.ansi()
		size += len(s)
		out.Rows = append(out.Rows, proto.HistoryRow{Text: s, Wrapped: l.has(lineWrapped)})
	}
	// What does not fit is left to the next part: the youngest rows count.
	drop := 0
	for ; size > maxCapture && drop < len(out.Rows)-1; drop++ {
		size -= len(out.Rows[drop].Text)
	}
	out.Rows = out.Rows[drop:]
	out.First = end - uint64(len(out.Rows))
	out.More = out.First > oldest
	return out
}

// PromptRows returns the numbers of the rows in which a prompt begins.
func (t *Terminal) PromptRows() []uint64 {
	at := t.Prompts()
	var rows []uint64
	for _, y := range at[max(0, len(at)-maxPrompts):] {
		rows = append(rows, uint64(int(t.history.total)+y))
	}
	return rows
}

// CursorRow returns the number of the row that the cursor is in.
func (t *Terminal) CursorRow() uint64 { return t.history.total + uint64(t.y) }
