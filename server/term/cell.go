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
	cells []cell // as many as the screen has columns
	// used is where the zero cells begin that go on to the end.
	used int
	// rev is the revision of the last change.
	rev uint64
	// wrapped says that the text goes on in the next row. A row whose last
	// column has been emptied does not.
	wrapped bool
	// prompt says that a shell began a prompt in it (OSC 133;A).
	prompt bool
	// halves says that there may be characters of two columns.
	halves bool
	// text is what the used columns show, while all of it is ASCII in the one
	// style of base and nobody has asked for cells: these are zero then. Lines
	// that only pass through the screen stay so from the application's write
	// to the scrollback.
	text []byte
	base cell
}

// print adds s, ASCII in the style of base, to the text, which has to end
// before column x. It returns false, with the text in the cells, when the
// row cannot be kept as text.
func (r *row) print(x int, s []byte, base cell) bool {
	if x != r.used || x != len(r.text) || x > 0 && base != r.base {
		r.spread()
		return false
	}
	if cap(r.text) < len(r.cells) {
		r.text = append(make([]byte, 0, len(r.cells)), r.text...)
	}
	r.text, r.base = append(r.text, s...), base
	r.used = len(r.text)
	return true
}

// spread puts the text into the cells.
func (r *row) spread() {
	cells := r.cells[:len(r.text)]
	for i, c := range r.text {
		cells[i] = r.base | cell(c)
	}
	r.text = r.text[:0]
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
	if b == len(r.cells) {
		r.wrapped = false
	}
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

// erase fills the columns from a on.
func (r *row) erase(a int, c cell) {
	if a == 0 {
		if len(r.text) > 0 {
			r.text, r.used = r.text[:0], 0
		}
		r.halves, r.prompt = false, false
	}
	r.fill(a, len(r.cells), c)
}

// insert moves the cells from x on n columns to the right; those that reach
// end are lost.
func (r *row) insert(x, n, end int, c cell) {
	if x < r.used {
		r.cut(x, end-n)
		r.cut(end, end)
		copy(r.cells[x+n:end], r.cells[x:end-n])
		r.used = max(r.used, end)
	}
	r.fill(x, x+n, c)
}

// remove takes n cells away at x; those up to end move left.
func (r *row) remove(x, n, end int, c cell) {
	r.cut(x, x+n)
	r.cut(end, end)
	if x < r.used {
		copy(r.cells[x:end-n], r.cells[x+n:end])
		clear(r.cells[end-n : end]) // no halves of what has moved
		r.used = max(r.used, end)
	}
	r.fill(end-n, end, c)
}

// take copies the columns from a up to b of another row.
func (r *row) take(from *row, a, b int) {
	r.cut(a, b)
	from.cut(a, b)
	copy(r.cells[a:b], from.cells[a:b])
	r.used = max(r.used, min(b, from.used))
	r.halves = r.halves || from.halves
	r.wrapped = r.wrapped && b < len(r.cells)
}

// empty says that nothing of the row would be kept.
func (r *row) empty() bool {
	if len(r.text) > 0 {
		return false
	}
	r.trim()
	return r.used == 0 || !r.wrapped && gap(r.cells[:r.used]) == r.used
}

// padding returns how many of the pad columns that the row before has left
// empty are blanks of the line. The last of them is none when r begins with a
// character of two columns, which had no room there.
func (r *row) padding(pad int) int {
	if pad > 0 && r.cells[0]&wide != 0 {
		return pad - 1
	}
	return pad
}

// resize gives the row another number of columns.
func (r *row) resize(cols int) {
	if n := cols - len(r.cells); n > 0 {
		r.cells = append(r.cells, make([]cell, n)...)
		r.wrapped = false
	} else if n < 0 {
		r.cut(cols, cols)
		r.cells = r.cells[:cols:cols]
		r.used = min(r.used, cols)
	}
}

// trim lowers used to where the zero cells really begin.
func (r *row) trim() {
	for r.used > 0 && r.cells[r.used-1] == 0 {
		r.used--
	}
}
