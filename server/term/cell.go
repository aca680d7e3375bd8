package term

// A cell is one column of a row. Bits 0 to 20 are its rune or, with cluster
// set, its number in the cluster table; bits 32 to 47 are its style. The zero
// cell is blank in the default style, so clearing memory erases.
type cell uint64

const (
	cluster  cell = 1 << 21
	wide     cell = 1 << 22 // the left half of a character of two columns
	tail     cell = 1 << 23 // the right half of one
	textMask cell = 1<<21 - 1

	styleShift = 32
)

func styled(id uint16) cell { return cell(id) << styleShift }

func (c cell) style() uint16 { return uint16(c >> styleShift) }

// bare is the cell emptied, in the same style.
func (c cell) bare() cell { return styled(c.style()) }

// blank says that the cell shows nothing, in the default style.
func (c cell) blank() bool { return c == 0 || c == ' ' }

// A row is one line of a screen.
type row struct {
	// cells has at least as many as the screen has columns. Those past the
	// edge were there when the screen was wider; they show again when it is.
	cells []cell
	// used is where the zero cells begin that go on to the end.
	used int
	// rev is the revision of the last change.
	rev uint64
	// wrapped says that the text goes on in the next row.
	wrapped bool
	// halves says that there may be characters of two columns.
	halves bool
}

// cut blanks the characters of two columns that the columns from a up to b
// would split.
func (r *row) cut(a, b int) {
	if !r.halves {
		return
	}
	for _, x := range [2]int{a, b} {
		if x > 0 && x < len(r.cells) && r.cells[x]&tail != 0 {
			r.cells[x-1] = r.cells[x-1].bare()
			r.cells[x] = r.cells[x].bare()
		}
	}
}

// fill sets the columns from a up to b to c, an empty cell.
func (r *row) fill(a, b int, c cell) {
	r.cut(a, b)
	if c != 0 {
		s := r.cells[a:b]
		for i := range s {
			s[i] = c
		}
		r.used = max(r.used, b)
		return
	}
	if a < r.used {
		clear(r.cells[a:min(b, r.used)])
		if b >= r.used {
			r.used = a
		}
	}
}

// erase fills the columns from a to the edge at cols, and forgets what is
// past it.
func (r *row) erase(a, cols int, c cell) {
	r.fill(a, len(r.cells), 0)
	r.halves = r.halves && a > 0
	if c != 0 {
		r.fill(a, cols, c)
	}
	r.wrapped = false
}

// insert moves the cells from x on n columns to the right; those that pass
// the edge at cols are lost.
func (r *row) insert(x, n, cols int, c cell) {
	if x < r.used {
		r.cut(x, cols-n)
		r.cut(cols, cols)
		copy(r.cells[x+n:cols], r.cells[x:cols-n])
		r.used = max(r.used, cols)
	}
	r.fill(x, x+n, c)
}

// remove takes n cells away at x; those to the right move left.
func (r *row) remove(x, n, cols int, c cell) {
	r.cut(x, x+n)
	r.cut(cols, cols)
	if x < r.used {
		copy(r.cells[x:cols-n], r.cells[x+n:cols])
		r.used = max(r.used, cols)
	}
	r.fill(cols-n, cols, c)
}

// grow makes room for cols columns.
func (r *row) grow(cols int) {
	if n := cols - len(r.cells); n > 0 {
		r.cells = append(r.cells, make([]cell, n)...)
	}
}
