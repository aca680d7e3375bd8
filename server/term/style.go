package term

import (
	"strconv"

	"signaltty/proto"
)

// A color is 0 for the default, or palette or rgb with a value.
type color uint32

const (
	palette color = 1 << 24
	rgb     color = 2 << 24
)

// String is the colour as proto.Style has it.
func (c color) String() string {
	switch c & (palette | rgb) {
	case palette:
		return strconv.Itoa(int(c & 0xff))
	case rgb:
		return "#" + strconv.FormatUint(uint64(c&0xffffff|1<<24), 16)[1:]
	}
	return ""
}

// attrs are the attributes of a style. The lowest three bits are the kind of
// underline as in SGR 4:n.
type attrs uint32

const (
	underline attrs = 7
	bold      attrs = 1 << (iota + 2)
	faint
	italic
	blink
	reverse
	conceal
	strike
	overline
	protected // from selective erasure (DECSCA)
)

// A style is how a cell looks. It has no padding, which keeps its hash cheap.
type style struct {
	fg, bg, ul color
	attrs      attrs
	link       uint32 // its number in the table of links; 0 is none
}

var underlines = [8]string{"", "single", "double", "curly", "dotted", "dashed"}

// proto is the style as clients get it.
func (s style) proto(id uint16, link string) proto.Style {
	return proto.Style{
		ID: int(id), Fg: s.fg.String(), Bg: s.bg.String(), Ul: s.ul.String(),
		Underline: underlines[s.attrs&underline],
		Bold:      s.attrs&bold != 0,
		Faint:     s.attrs&faint != 0,
		Italic:    s.attrs&italic != 0,
		Blink:     s.attrs&blink != 0,
		Reverse:   s.attrs&reverse != 0,
		Conceal:   s.attrs&conceal != 0,
		Strike:    s.attrs&strike != 0,
		Overline:  s.attrs&overline != 0,
		Link:      link,
	}
}
