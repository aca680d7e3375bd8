package term

import (
	"iter"
	"strconv"
	"strings"

	"signaltty/proto"
)

// maxCapture is how many bytes of text one part of a capture holds, about.
const maxCapture = 1 << 20

// Capture returns the text of the screen, or of the scrollback from line
// req.Start, in parts of about a megabyte. Trailing blanks are cut. With
// req.ANSI each line has its attributes as escape sequences, beginning and
// ending in the default style.
func (t *Terminal) Capture(req proto.PaneCapture) proto.PaneCaptured {
	start := max(req.Start, 0)
	rows := t.rowsFrom(start)
	if req.Scrollback {
		rows = t.history.from(start)
	}
	out := proto.PaneCaptured{Lines: []string{}, Cursor: t.Cursor()}
	size := 0
	for l := range rows {
		if size > maxCapture {
			out.Next = start + len(out.Lines)
			break
		}
		s := l.plainText()
		if req.ANSI {
			s = l.ansi()
		}
		size += len(s)
		out.Lines = append(out.Lines, s)
	}
	return out
}

// Lines returns the lines of text from start up to start+count, without
// trailing blanks. Line 0 is the top of the screen; below 0 is the scrollback,
// -1 the youngest. There are fewer where there are no more.
func (t *Terminal) Lines(start, count int) []string {
	end := start + count
	start = max(start, -t.history.count())
	var lines []string
	for l := range t.linesFrom(start) {
		if start+len(lines) >= end {
			break
		}
		lines = append(lines, l.plainText())
	}
	return lines
}

// Prompts returns the lines in which a shell began a prompt (OSC 133;A), from
// the oldest on, as Lines counts them.
func (t *Terminal) Prompts() []int {
	var at []int
	y := -t.history.count()
	for l := range t.linesFrom(y) {
		if l.has(linePrompt) {
			at = append(at, y)
		}
		y++
	}
	return at
}

// linesFrom returns the lines of the scrollback and the screen from start on.
func (t *Terminal) linesFrom(start int) iter.Seq[line] {
	return func(yield func(line) bool) {
		if start < 0 {
			for l := range t.history.from(t.history.count() + start) {
				if !yield(l) {
					return
				}
			}
		}
		for l := range t.rowsFrom(max(start, 0)) {
			if !yield(l) {
				return
			}
		}
	}
}

// rowsFrom returns the rows of the screen from row y on. A row is good until
// the next one.
func (t *Terminal) rowsFrom(y int) iter.Seq[line] {
	return func(yield func(line) bool) {
		for ; y < t.lines; y++ {
			t.lineBuf = t.appendRow(newLine(t.lineBuf[:0]), t.screen.row(y))
			if !yield(t.lineBuf) {
				return
			}
		}
	}
}

func (l line) plainText() string {
	return strings.TrimRight(string(l.text(make([]byte, 0, len(l)))), " ")
}

// ansi returns the line's text with its attributes.
func (l line) ansi() string {
	var pen style
	var open string
	to := func(b []byte, s style, link string) []byte {
		if link != open {
			open = link
			b = append(append(append(b, "\x1b]8;;"...), link...), "\x1b\\"...)
		}
		if s != pen {
			pen = s
			b = appendSGR(b, s, ";")
		}
		return b
	}
	b := l.render(make([]byte, 0, 2*len(l)), to)
	if pen == (style{}) && open == "" { // a row that wraps has its blanks to the end
		return strings.TrimRight(string(b), " ")
	}
	return string(to(b, style{}, ""))
}

// sgrOf are the numbers that set the attributes from bold on.
var sgrOf = [...]string{"1", "2", "3", "5", "7", "8", "9", "53"}

// appendSGR appends what makes the pen s, whatever it was. The parts of a
// colour have sep between, a semicolon or a colon.
func appendSGR(b []byte, s style, sep string) []byte {
	b = append(b, "\x1b["...)
	if s == (style{}) {
		return append(b, 'm')
	}
	b = append(b, '0')
	for i, n := range sgrOf {
		if s.attrs&(bold<<i) != 0 {
			b = append(append(b, ';'), n...)
		}
	}
	switch u := s.attrs & underline; u {
	case 0:
	case 1:
		b = append(b, ";4"...)
	default:
		b = append(b, ";4:"...)
		b = strconv.AppendUint(b, uint64(u), 10)
	}
	b = appendSGRColor(b, "38", sep, s.fg)
	b = appendSGRColor(b, "48", sep, s.bg)
	b = appendSGRColor(b, "58", ":", s.ul)
	return append(b, 'm')
}

// appendSGRColor appends a colour. The underline's takes colons: a terminal
// that does not know it then passes over all of it.
func appendSGRColor(b []byte, what, sep string, c color) []byte {
	if c == 0 {
		return b
	}
	b = append(append(append(b, ';'), what...), sep...)
	if c&palette != 0 {
		b = append(append(b, '5'), sep...)
		return strconv.AppendUint(b, uint64(c&0xff), 10)
	}
	b = append(b, '2')
	if sep == ":" {
		b = append(b, ':') // the colour space
	}
	for shift := 16; shift >= 0; shift -= 8 {
		b = append(b, sep...)
		b = strconv.AppendUint(b, uint64(c>>shift&0xff), 10)
	}
	return b
}
