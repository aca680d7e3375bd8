package term

import "encoding/binary"

// The parts of a style in a line.
const (
	partFg = 1 << iota
	partBg
	partUl
	partAttrs
	partLink
)

// appendStyle appends s as a line has it. The protection of cells from
// erasure is not a matter of lines.
func appendStyle(b []byte, s style, link string) []byte {
	at := len(b)
	b = append(b, 0)
	for i, c := range [3]color{s.fg, s.bg, s.ul} {
		if c != 0 {
			b[at] |= partFg << i
			b = appendColor(b, c)
		}
	}
	if a := s.attrs &^ protected; a != 0 {
		b[at] |= partAttrs
		b = binary.LittleEndian.AppendUint16(b, uint16(a))
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
