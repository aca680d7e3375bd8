package term

import (
	"encoding/binary"
	"iter"
	"slices"
	"unicode/utf8"
)

// A line is text by value, as the history keeps it and a capture reads it: a
// row of the screen, or what was one line before it was wrapped. It has a head
// of flags and of its width in columns, and then UTF-8 in which control
// characters, that no cell ever holds, mark what is not plain narrow text in
// one style. The text begins in the default style, in narrow runes.
type line []byte

// The flags.
const (
	lineWrapped = 1 << iota // it goes on in the next one
	lineHalves              // it has characters of two columns
	linePrompt              // a prompt begins in it
)

const lineHead = 3

const (
	markStyle   = 0x01 // a style follows
	markWide    = 0x02 // the runes from here on take two columns
	markNarrow  = 0x03 // they take one again
	markCluster = 0x04 // width, length and text of a cluster follow
)

// newLine begins a line in b.
func newLine(b []byte) line { return append(b, 0, 0, 0) }

func (l line) width() int { return int(l[1]) | int(l[2])<<8 }

func (l line) has(flag byte) bool { return l[0]&flag != 0 }

func (l line) body() []byte { return l[lineHead:] }

// widen notes that the line has n columns more.
func (l line) widen(n int) {
	binary.LittleEndian.PutUint16(l[1:], uint16(l.width()+n))
}

// flag sets the flags that r asks for.
func (l line) flag(r *row) {
	l[0] &^= lineWrapped
	if r.wrapped {
		l[0] |= lineWrapped
	}
	if r.halves {
		l[0] |= lineHalves
	}
	if r.prompt {
		l[0] |= linePrompt
	}
}

// appendRow appends row r to line b: all of it when it is wrapped, but for
// zero cells at its end, else without trailing blanks. The text ends as it has
// begun, in the default style and narrow, so that more can follow.
func (t *Terminal) appendRow(b line, r *row) line {
	width, prev, runs := len(r.text), r.base.style(), byte(markNarrow)
	if width > 0 {
		if prev != 0 {
			b = t.appendMark(b, prev)
		}
		b = append(b, r.text...)
	} else {
		cells := r.cells[:r.used]
		for n := len(cells); n > 0 && (cells[n-1] == 0 || !r.wrapped && cells[n-1].blank()); n-- {
			cells = cells[:n-1]
		}
		width = len(cells)
		b, prev, runs = t.appendRunes(slices.Grow(b, width+lineHead), cells)
	}
	if r.wrapped && prev != 0 {
		b = appendStyle(append(b, markStyle), style{}, "")
	}
	if r.wrapped && runs != markNarrow {
		b = append(b, markNarrow)
	}
	b.widen(width)
	b.flag(r)
	return b
}

// appendMark marks that style id begins.
func (t *Terminal) appendMark(b line, id uint16) line {
	s := t.styles.values[id]
	return appendStyle(append(b, markStyle), s, t.links.values[s.link])
}

// appendRunes appends the text of cells, and tells what it ends in.
func (t *Terminal) appendRunes(b line, cells []cell) (_ line, prev uint16, runs byte) {
	runs = markNarrow
	for x := 0; x < len(cells); x++ {
		c := cells[x]
		if runs == markNarrow { // most of what there is: ASCII in one style
			n := len(b)
			if b = appendASCII(b, cells[x:], styled(prev)); len(b) > n {
				x += len(b) - n - 1
				continue
			}
		}
		if c&tail != 0 {
			continue
		}
		if id := c.style(); id != prev {
			prev = id
			b = t.appendMark(b, id)
		}
		if c&cluster != 0 {
			s := t.clusters.values[c&textMask]
			b = append(b, markCluster, byte(c.width()), byte(len(s)))
			b = append(b, s...)
			continue
		}
		if k := runMark(c); k != runs {
			runs = k
			b = append(b, k)
		}
		b = t.appendText(b, c)
	}
	return b, prev, runs
}

// appendASCII appends the characters that cells begins with, as far as they
// are ASCII in the style of base. It takes eight at once where it can: this is
// most of what a pane's output costs.
func appendASCII(b []byte, cells []cell, base cell) []byte {
	for ; len(cells) >= 8; cells = cells[8:] {
		c := (*[8]cell)(cells)
		c0, c1, c2, c3 := c[0]^base, c[1]^base, c[2]^base, c[3]^base
		c4, c5, c6, c7 := c[4]^base, c[5]^base, c[6]^base, c[7]^base
		w := uint64(c0 | c1<<8 | c2<<16 | c3<<24 | c4<<32 | c5<<40 | c6<<48 | c7<<56)
		if c0|c1|c2|c3|c4|c5|c6|c7 >= utf8.RuneSelf || (w-ones)&(0x80*ones) != 0 {
			break // one is not ASCII, or empty
		}
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	for _, c := range cells {
		if c == base || c^base >= utf8.RuneSelf {
			break
		}
		b = append(b, byte(c))
	}
	return b
}

func runMark(c cell) byte {
	if c&wide != 0 {
		return markWide
	}
	return markNarrow
}

// text appends the line's text.
func (l line) text(b []byte) []byte { return l.render(b, nil) }

// render appends the line's text, and calls restyle, if there is one, where
// the style changes, to append what does that.
func (l line) render(b []byte, restyle func(b []byte, s style, link string) []byte) []byte {
	for rest := l.body(); len(rest) > 0; {
		switch rest[0] {
		case markStyle:
			var s style
			var link string
			s, link, rest = cutStyle(rest[1:])
			if restyle != nil {
				b = restyle(b, s, link)
			}
		case markWide, markNarrow:
			rest = rest[1:]
		case markCluster:
			n := 3 + int(rest[2])
			b, rest = append(b, rest[3:n]...), rest[n:]
		default:
			n := plain(rest)
			b, rest = append(b, rest[:n]...), rest[n:]
		}
	}
	return b
}

// plain returns how many bytes of text come before the next mark.
func plain(b []byte) int {
	for i, c := range b {
		if c <= markCluster {
			return i
		}
	}
	return len(b)
}

// A reader reads the characters of a line one by one.
type reader struct {
	rest []byte
	// What the character before the rest was, and how many columns it took.
	text  []byte
	width int
	whole bool   // it is a cluster
	mark  []byte // the style that it is in, as it was marked
	wide  bool   // the runes take two columns
}

// next reads a character.
func (r *reader) next() bool {
	for len(r.rest) > 0 {
		switch b := r.rest; b[0] {
		case markStyle:
			_, _, r.rest = cutStyle(b[1:])
			r.mark = b[:len(b)-len(r.rest)]
		case markWide, markNarrow:
			r.wide, r.rest = b[0] == markWide, b[1:]
		case markCluster:
			n := 3 + int(b[2])
			r.text, r.width, r.whole, r.rest = b[3:n], int(b[1]), true, b[n:]
			return true
		default:
			_, n := utf8.DecodeRune(b)
			r.text, r.width, r.whole, r.rest = b[:n], 1, false, b[n:]
			if r.wide {
				r.width = 2
			}
			return true
		}
	}
	return false
}

// rows returns how many rows the line takes on a screen of cols columns.
func (l line) rows(cols int) int {
	switch width := l.width(); {
	case width <= cols:
		return 1
	case !l.has(lineHalves):
		return (width + cols - 1) / cols
	}
	n, x := 1, 0
	for r := (reader{rest: l.body()}); r.next(); {
		if x += r.width; x > cols {
			n, x = n+1, r.width
		}
	}
	return n
}

// wrap cuts the line into the rows that it takes on a screen of cols columns.
// The parts of a line that was cut are good until the next one.
func (l line) wrap(cols int) iter.Seq[line] {
	return func(yield func(line) bool) {
		if l.width() <= cols {
			yield(l)
			return
		}
		r := reader{rest: l.body()}
		from, x := r, 0
		part := make(line, 0, lineHead+len(l))
		flags := l[0]
		for before := r; r.next(); before = r {
			if x+r.width > cols {
				if !yield(from.part(part, before.rest, x, flags|lineWrapped)) {
					return
				}
				from, x, flags = before, 0, flags&^linePrompt
			}
			x += r.width
		}
		yield(from.part(part, nil, x, flags))
	}
}

// part makes a line of its own of what follows r up to end.
func (r *reader) part(b line, end []byte, width int, flags byte) line {
	b = newLine(b[:0])
	b[0] = flags
	b.widen(width)
	b = append(b, r.mark...)
	if r.wide {
		b = append(b, markWide)
	}
	return append(b, r.rest[:len(r.rest)-len(end)]...)
}

func (c cell) width() int {
	if c&wide != 0 {
		return 2
	}
	return 1
}
