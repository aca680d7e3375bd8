package term

import (
	"encoding/binary"
)

// A line is a row by value, as the history keeps it and a capture reads it:
// a byte of flags, then UTF-8 in which control characters, that no cell ever
// holds, mark what is not plain narrow text in one style.
type line []byte

const lineWrapped = 1 // the flag

const (
	markStyle   = 0x01 // a style follows
	markWide    = 0x02 // the runes from here on take two columns
	markNarrow  = 0x03 // they take one again
	markCluster = 0x04 // width, length and text of a cluster follow
)

// appendLine appends the columns of r up to end, without trailing blanks.
func (t *Terminal) appendLine(b line, r *row, end int) line {
	cells := r.cells[:min(end, r.used)]
	for len(cells) > 0 && cells[len(cells)-1].blank() {
		cells = cells[:len(cells)-1]
	}
	var flags byte
	if r.wrapped {
		flags = lineWrapped
	}
	b = append(b, flags)
	prev, runs := uint16(0), byte(markNarrow)
	for x, c := range cells {
		if c&tail != 0 {
			continue
		}
		if id := c.style(); id != prev {
			prev = id
			s := t.styles.values[id]
			b = appendStyle(append(b, markStyle), s, t.links.values[s.link])
		}
		if c&wide != 0 && x+1 == end {
			c = c.bare() // its right half is past the edge
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
	return b
}

func runMark(c cell) byte {
	if c&wide != 0 {
		return markWide
	}
	return markNarrow
}

// The parts of a style in a line.
const (
	partFg = 1 << iota
	partBg
	partUl
	partAttrs
	partLink
)

func appendStyle(b []byte, s style, link string) []byte {
	at := len(b)
	b = append(b, 0)
	for i, c := range [3]color{s.fg, s.bg, s.ul} {
		if c != 0 {
			b[at] |= partFg << i
			b = appendColor(b, c)
		}
	}
	if s.attrs != 0 {
		b[at] |= partAttrs
		b = binary.LittleEndian.AppendUint16(b, uint16(s.attrs))
	}
	if link != "" {
		b[at] |= partLink
		b = append(binary.AppendUvarint(b, uint64(len(link))), link...)
	}
	return b
}

func appendColor(b []byte, c color) []byte {
	if c&palette != 0 {
		return append(b, 1, byte(c))
	}
	return append(b, 3, byte(c>>16), byte(c>>8), byte(c))
}

// cutStyle reads what appendStyle wrote. The style's link is returned by itself.
func cutStyle(b []byte) (s style, link string, rest []byte) {
	parts := b[0]
	b = b[1:]
	for i, c := range [3]*color{&s.fg, &s.bg, &s.ul} {
		if parts&(partFg<<i) != 0 {
			*c, b = cutColor(b)
		}
	}
	if parts&partAttrs != 0 {
		s.attrs = attrs(binary.LittleEndian.Uint16(b))
		b = b[2:]
	}
	if parts&partLink != 0 {
		n, k := binary.Uvarint(b)
		link = string(b[k : k+int(n)])
		b = b[k+int(n):]
	}
	return s, link, b
}

func cutColor(b []byte) (color, []byte) {
	if b[0] == 1 {
		return palette | color(b[1]), b[2:]
	}
	return rgb | color(b[1])<<16 | color(b[2])<<8 | color(b[3]), b[4:]
}

// text appends the line's text.
func (l line) text(b []byte) []byte { return l.render(b, nil) }

// render appends the line's text, and calls restyle, if there is one, where
// the style changes, to append what does that.
func (l line) render(b []byte, restyle func(b []byte, s style, link string) []byte) []byte {
	for l = l[1:]; len(l) > 0; {
		switch l[0] {
		case markStyle:
			var s style
			var link string
			s, link, l = cutStyle(l[1:])
			if restyle != nil {
				b = restyle(b, s, link)
			}
		case markWide, markNarrow:
			l = l[1:]
		case markCluster:
			n := 3 + int(l[2])
			b, l = append(b, l[3:n]...), l[n:]
		default:
			n := l.plain()
			b, l = append(b, l[:n]...), l[n:]
		}
	}
	return b
}

// plain returns how many bytes of text come before the next mark.
func (l line) plain() int {
	for i, c := range l {
		if c <= markCluster {
			return i
		}
	}
	return len(l)
}

func (c cell) width() int {
	if c&wide != 0 {
		return 2
	}
	return 1
}
