package paint

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// row appends what turns the front's row y into row, and reports whether
// there was anything to do. The pen is plain before and after.
func (p *Painter) row(y int, row []uv.Cell) bool {
	front := p.front[y]
	first, last := span(front, row)
	if first > last {
		return false
	}
	p.out = appendMove(p.out, first, y)
	pen := pen{p: p}
	end := last + 1
	if blank := max(first, blankFrom(row)); end-blank > len("\x1b[K") {
		end = blank // the rest is one erase
	}
	for x := first; x < end; {
		c := &row[x]
		pen.set(c)
		p.out = append(p.out, text(c)...)
		x += max(1, c.Width)
		if !simple(c.Content) {
			// Terminals do not agree on the width of such a cluster.
			p.out = appendMove(p.out, x, y)
		}
	}
	pen.plain()
	if end <= last {
		p.out = append(p.out, "\x1b[K"...)
	}
	copy(front[first:last+1], row[first:last+1])
	return true
}

// span is the first and the last column that differ, widened to whole
// characters. It is empty (first > last) when the rows are equal.
func span(front, row []uv.Cell) (first, last int) {
	first, last = 0, len(row)-1
	for first <= last && row[first] == front[first] {
		first++
	}
	for last > first && row[last] == front[last] {
		last--
	}
	if first > last {
		return first, last
	}
	for first > 0 && (row[first].Width == 0 || front[first].Width == 0) {
		first--
	}
	for last < len(row)-1 && (row[last+1].Width == 0 || front[last+1].Width == 0) {
		last++
	}
	return first, last
}

// blankFrom is the column from which a row holds nothing but plain blanks.
func blankFrom(row []uv.Cell) int {
	n := len(row)
	for n > 0 && row[n-1] == uv.EmptyCell {
		n--
	}
	return n
}

// text is what a cell prints. A cell without content stands for a blank; the
// right half of a wide character is never printed by itself.
func text(c *uv.Cell) string {
	if c.Content == "" {
		return " "
	}
	return c.Content
}

// simple says that every terminal gives s one column and joins it to nothing:
// one rune of Latin, Greek or Cyrillic, of punctuation, arrows and boxes, or
// of Braille.
func simple(s string) bool {
	for i, r := range s {
		latin := r < 0x300 || r >= 0x370 && r < 0x483
		if i > 0 || !latin && (r < 0x2010 || r >= 0x2600 && r < 0x2800 || r >= 0x2c00) {
			return false
		}
	}
	return true
}

// pen is the style and the link that the terminal writes with.
type pen struct {
	p     *Painter
	style uv.Style
	link  uv.Link
}

func (n *pen) set(c *uv.Cell) {
	if want := n.p.pen(c.Style); want != n.style {
		n.p.out = append(n.p.out, uv.StyleDiff(&n.style, &want)...)
		n.style = want
	}
	want := uv.ConvertLink(c.Link, n.p.profile)
	if !printable(want.URL) || !printable(want.Params) {
		want = uv.Link{}
	}
	if want != n.link {
		n.p.out = append(n.p.out, ansi.SetHyperlink(want.URL, want.Params)...)
		n.link = want
	}
}

func (n *pen) plain() {
	if !n.style.IsZero() {
		n.p.out = append(n.p.out, ansi.ResetStyle...)
	}
	if !n.link.IsZero() {
		n.p.out = append(n.p.out, ansi.ResetHyperlink()...)
	}
}

// printable keeps an application's link from breaking out of its sequence.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 })
}

// pen is the style as this terminal can show it.
func (p *Painter) pen(s uv.Style) uv.Style {
	if p.profile == colorprofile.TrueColor || s.IsZero() {
		return s
	}
	if have, ok := p.pens[s]; ok {
		return have
	}
	if len(p.pens) > 4096 { // an application may invent colours for ever
		clear(p.pens)
	}
	can := uv.ConvertStyle(s, p.profile)
	p.pens[s] = can
	return can
}

func appendMove(b []byte, x, y int) []byte {
	b = append(b, "\x1b["...)
	b = strconv.AppendInt(b, int64(y+1), 10)
	b = append(b, ';')
	b = strconv.AppendInt(b, int64(x+1), 10)
	return append(b, 'H')
}

func appendCursor(b []byte, c Cursor) []byte {
	if !c.Visible {
		return append(b, "\x1b[?25l"...)
	}
	b = appendMove(b, c.X, c.Y)
	b = append(b, "\x1b["...)
	b = strconv.AppendInt(b, int64(c.Shape), 10)
	return append(b, " q\x1b[?25h"...)
}
