package term

import "signaltty/proto"

// maxFrame is how big a frame gets in JSON, in bytes, about. What is more
// goes into the next one.
const maxFrame = 512 << 10

// maxGap is how many blank cells a run may hold before it is cheaper to begin
// another one after them.
const maxGap = 8

// A View is what one client has of one terminal. The zero View has nothing.
type View struct {
	rev   uint64
	goal  uint64   // the revision of the frame that is being sent in parts
	next  int      // the row that it goes on with
	rows  []uint64 // the revision of each row that the client has; 0 is blank
	epoch uint64
	known bitset // the styles that the client has
	size  proto.Size
}

// Frame fills dst with what is newer than v, and advances v. It returns false
// when nothing is. The slices of dst are used again. When dst.More is set, the
// next call goes on with the rest.
func (t *Terminal) Frame(v *View, dst *proto.Frame) bool {
	full := v.rows == nil || v.epoch != t.epoch || v.size != t.Size()
	if full {
		*v = View{rows: make([]uint64, t.lines), epoch: t.epoch, size: t.Size()}
	} else if v.rev == t.rev {
		return false
	}
	if v.next == 0 {
		v.goal = t.rev
	}
	*dst = proto.Frame{
		Pane: dst.Pane, Rev: v.goal, Cols: t.cols, Lines: t.lines, Full: full,
		Rows: dst.Rows[:0], Styles: dst.Styles[:0], Cursor: t.Cursor(), Modes: t.Modes(),
		History: t.history.count(), Scrolled: t.history.total,
	}
	for size := 0; v.next < t.lines; v.next++ {
		if size > maxFrame {
			dst.More = true
			return true
		}
		size += t.frameRow(v, dst, v.next)
	}
	v.rev, v.next = v.goal, 0
	return true
}

// frameRow adds row y to dst if the client does not have it, and returns
// about how many bytes it took.
func (t *Terminal) frameRow(v *View, dst *proto.Frame, y int) int {
	r := t.screen.row(y)
	blank := r.used == 0 && !r.wrapped
	has := v.rows[y]
	if has != 0 && t.screen.changed(y) <= has || has == 0 && blank {
		return 0
	}
	v.rows[y] = t.rev
	n := len(dst.Rows)
	if n < cap(dst.Rows) {
		dst.Rows = dst.Rows[:n+1]
	} else {
		dst.Rows = append(dst.Rows, proto.Row{})
	}
	row := &dst.Rows[n]
	row.Y, row.Wrapped = y, r.wrapped
	row.Runs = t.appendRuns(row.Runs[:0], r)
	size := 24
	for _, run := range row.Runs {
		size += len(run.Text) + 48
		if id := run.Style; id != 0 && !v.known.has(id) {
			v.learn(id)
			s := t.styles.values[id]
			dst.Styles = append(dst.Styles, t.shown(s).proto(uint16(id), t.links.values[s.link]))
			size += 100 + len(t.links.values[s.link])
		}
	}
	return size
}

func (v *View) learn(id int) {
	if n := id/64 + 1; n > len(v.known) {
		v.known = append(v.known, make(bitset, n-len(v.known))...)
	}
	v.known.set(id)
}

// appendRuns appends the runs of r. All of their texts are parts of one string.
func (t *Terminal) appendRuns(runs []proto.Run, r *row) []proto.Run {
	cells := r.cells[:r.used]
	text, ends := t.textBuf[:0], t.ends[:0]
	open := false // the last run may go on
	for x := 0; x < len(cells); {
		c := cells[x]
		if c.blank() {
			n := max(gap(cells[x:]), 1)
			if open = open && n <= maxGap && x+n < len(cells) && continues(runs[len(runs)-1], 0); open {
				text = append(text, "        "[:n]...)
				ends[len(ends)-1] = len(text)
			}
			x += n
			continue
		}
		text = t.appendText(text, c)
		if open && continues(runs[len(runs)-1], c) {
			ends[len(ends)-1] = len(text)
		} else {
			runs = append(runs, newRun(x, c))
			ends = append(ends, len(text))
		}
		open = c&cluster == 0
		x += c.width()
	}
	all, from := string(text), 0
	for i, end := range ends {
		runs[i].Text = all[from:end]
		from = end
	}
	t.textBuf, t.ends = text, ends
	return runs
}

// gap counts the blank cells at the beginning.
func gap(cells []cell) int {
	n := 0
	for n < len(cells) && cells[n].blank() {
		n++
	}
	return n
}

func newRun(x int, c cell) proto.Run {
	r := proto.Run{Col: x, Style: int(c.style()), Cluster: c&cluster != 0}
	if c&wide != 0 {
		r.Width = 2
	}
	return r
}

// continues says that cell c can be part of r, which ends before it.
func continues(r proto.Run, c cell) bool {
	return c&cluster == 0 && int(c.style()) == r.Style && (r.Width == 2) == (c&wide != 0)
}
