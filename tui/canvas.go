package tui

import (
	"image"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/clipperhouse/displaywidth"
)

// canvas is the picture: one buffer of cells, and which of its rows changed.
type canvas struct {
	*uv.Buffer
	damage []bool
}

func newCanvas(cols, lines int) *canvas {
	return &canvas{uv.NewBuffer(cols, lines), make([]bool, lines)}
}

// set puts one cell; outside of the picture it does nothing.
func (c *canvas) set(x, y int, cell uv.Cell) {
	if y < 0 || y >= len(c.damage) {
		return
	}
	c.damage[y] = true
	c.Lines[y].Set(x, &cell)
}

// text writes s from x, at most to the column before end, and returns the
// column after it. What has no width is left out.
func (c *canvas) text(x, y, end int, s string, style uv.Style) int {
	g := displaywidth.StringGraphemes(s)
	for g.Next() {
		w := g.Width()
		if w == 0 {
			continue
		}
		if x+w > end {
			break
		}
		c.set(x, y, uv.Cell{Content: g.Value(), Style: style, Width: w})
		x += w
	}
	return x
}

// fit writes s like text, with an ellipsis in place of what does not fit.
func (c *canvas) fit(x, y, end int, s string, style uv.Style) int {
	return c.text(x, y, end, ellipsis(s, end-x), style)
}

// ellipsis is s in at most width columns.
func ellipsis(s string, width int) string {
	if displaywidth.String(s) <= width {
		return s
	}
	return displaywidth.TruncateString(s, max(width, 0), "…")
}

// fill makes a rectangle blank.
func (c *canvas) fill(r image.Rectangle, style uv.Style) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c.set(x, y, uv.Cell{Content: " ", Style: style, Width: 1})
		}
	}
}

// across draws a line of one character from x to before end.
func (c *canvas) across(x, y, end int, ch string, style uv.Style) {
	for ; x < end; x++ {
		c.set(x, y, uv.Cell{Content: ch, Style: style, Width: 1})
	}
}

// border is the characters of a box, from the top left clockwise by corners,
// then the horizontal and the vertical line.
type border [6]string

var (
	thin  = border{"╭", "╮", "╯", "╰", "─", "│"}
	heavy = border{"┏", "┓", "┛", "┗", "━", "┃"}
)

// box draws a box with a blank inside and returns the inside.
func (c *canvas) box(r image.Rectangle, b border, style uv.Style) image.Rectangle {
	c.fill(r, uv.Style{})
	right, bottom := r.Max.X-1, r.Max.Y-1
	c.across(r.Min.X, r.Min.Y, r.Max.X, b[4], style)
	c.across(r.Min.X, bottom, r.Max.X, b[4], style)
	for y := r.Min.Y; y <= bottom; y++ {
		c.text(r.Min.X, y, r.Max.X, b[5], style)
		c.text(right, y, r.Max.X, b[5], style)
	}
	c.text(r.Min.X, r.Min.Y, r.Max.X, b[0], style)
	c.text(right, r.Min.Y, r.Max.X, b[1], style)
	c.text(right, bottom, r.Max.X, b[2], style)
	c.text(r.Min.X, bottom, r.Max.X, b[3], style)
	return image.Rect(r.Min.X+2, r.Min.Y+1, r.Max.X-2, bottom)
}

// centred is a rectangle of that size in the middle of r, cut to it.
func centred(r image.Rectangle, cols, lines int) image.Rectangle {
	cols, lines = min(cols, r.Dx()), min(lines, r.Dy())
	at := image.Pt(r.Min.X+(r.Dx()-cols)/2, r.Min.Y+(r.Dy()-lines)/3)
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(cols, lines))}
}
