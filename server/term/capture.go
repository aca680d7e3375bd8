package term

import (
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
	n, at := t.lines, t.line
	if req.Scrollback {
		n, at = t.history.n, t.history.at
	}
	out := proto.PaneCaptured{Lines: []string{}, Cursor: t.Cursor()}
	size := 0
	for i := max(req.Start, 0); i < n; i++ {
		if size > maxCapture {
			out.Next = i
			break
		}
		s := at(i).plainText()
		if req.ANSI {
			s = at(i).ansi()
		}
		size += len(s)
		out.Lines = append(out.Lines, s)
	}
	return out
}

// Lines returns count lines of text from start on, without trailing blanks.
// Line 0 is the top of the screen; below 0 is the scrollback, -1 the youngest.
// Fewer are returned where there are no more.
func (t *Terminal) Lines(start, count int) []string {
	end := min(start+count, t.lines)
	start = max(start, -t.history.n)
	var lines []string
	for y := start; y < end; y++ {
		l := line(nil)
		if y < 0 {
			l = t.history.at(t.history.n + y)
		} else {
			l = t.line(y)
		}
		lines = append(lines, l.plainText())
	}
	return lines
}

// line returns row y of the screen by value.
func (t *Terminal) line(y int) line {
	return t.appendLine(nil, t.screen.row(y), t.cols)
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
			b = appendSGR(b, s)
		}
		return b
	}
	b := l.render(make([]byte, 0, 2*len(l)), to)
	return string(to(b, style{}, ""))
}

// sgrOf are the numbers that set the attributes from bold on.
var sgrOf = [...]string{"1", "2", "3", "5", "7", "8", "9", "53"}

// appendSGR appends what makes the pen s, whatever it was.
func appendSGR(b []byte, s style) []byte {
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
	b = appendSGRColor(b, "38", ";", s.fg)
	b = appendSGRColor(b, "48", ";", s.bg)
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
