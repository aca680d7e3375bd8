package tui

import (
	"image/color"
	"strconv"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/hinshun/vt10x"

	"signaltty/proto"
)

// read reads one row of the screen from the vt10x terminal into dst, as far as
// dst goes. The right half of a wide character is the zero cell.
func (s *screen) read(y int, dst []uv.Cell) {
	n := 0
	if y < s.lines {
		n = min(len(dst), s.cols)
	}
	for x := n; x < len(dst); x++ {
		dst[x] = uv.EmptyCell
	}
	for x := range n {
		g := s.term.Cell(x, y)
		if g.Char == filler && x > 0 && dst[x-1].Width == 1 {
			dst[x-1].Width, dst[x] = 2, uv.Cell{}
			continue
		}
		dst[x] = s.cell(g)
	}
	if n > 0 && n < s.cols && s.term.Cell(n, y).Char == filler { // cut in half by the edge
		dst[n-1].Content = " "
	}
}

// cell is one cell of the vt10x terminal as it is drawn.
func (s *screen) cell(g vt10x.Glyph) uv.Cell {
	if g.Char == filler {
		g.Char = ' '
	}
	c := uv.Cell{Content: s.text(g.Char), Width: 1}
	if id := styleOf(g); id != 0 {
		l := s.styles[id]
		c.Style, c.Link = l.style, l.link
	}
	if s.modes.ReverseScreen {
		c.Style.Attrs ^= uv.AttrReverse
	}
	return c
}

func (s *screen) text(r rune) string {
	if r >= clusterBase {
		if i := int(r - clusterBase); i < len(s.clusters) {
			return s.clusters[i]
		}
		return " "
	}
	return glyph(r)
}

// styleOf is the style id that a cell carries in place of a colour.
func styleOf(g vt10x.Glyph) int {
	if g.FG == vt10x.DefaultFG {
		return 0
	}
	return int(g.FG)
}

func lookOf(s proto.Style) look {
	l := look{style: uv.Style{Fg: colorOf(s.Fg), Bg: colorOf(s.Bg), UnderlineColor: colorOf(s.Ul)}}
	l.style.Underline = map[string]uv.Underline{
		"single": uv.UnderlineSingle, "double": uv.UnderlineDouble, "curly": uv.UnderlineCurly,
		"dotted": uv.UnderlineDotted, "dashed": uv.UnderlineDashed,
	}[s.Underline]
	for _, a := range []struct {
		on   bool
		attr uint8
	}{
		{s.Bold, uv.AttrBold}, {s.Faint, uv.AttrFaint}, {s.Italic, uv.AttrItalic}, {s.Blink, uv.AttrBlink},
		{s.Reverse, uv.AttrReverse}, {s.Conceal, uv.AttrConceal}, {s.Strike, uv.AttrStrikethrough},
	} {
		if a.on {
			l.style.Attrs |= a.attr
		}
	}
	if s.Link != "" {
		l.link = uv.NewLink(s.Link)
	}
	return l
}

// colorOf reads a colour of a proto.Style; nil is the terminal's default, and
// so is what cannot be read.
func colorOf(s string) color.Color {
	if len(s) == 7 && s[0] == '#' {
		v, err := strconv.ParseUint(s[1:], 16, 32)
		if err != nil {
			return nil
		}
		return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
	}
	n, err := strconv.Atoi(s)
	switch {
	case err != nil || n < 0 || n > 255:
		return nil
	case n < 16:
		return ansi.BasicColor(n)
	}
	return ansi.IndexedColor(n)
}
