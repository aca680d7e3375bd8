package tui

import (
	"strconv"
	"strings"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/clipperhouse/displaywidth"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// stress is how a piece of a rendered text stands out.
type stress byte

const (
	stressPlain stress = iota
	stressStrong
	stressEmphasis
	stressCode
	stressDim
)

// styled is a style with a stress over it.
func (t *theme) styled(base uv.Style, l stress) uv.Style {
	switch l {
	case stressStrong:
		base.Attrs |= uv.AttrBold
	case stressEmphasis:
		base.Attrs |= uv.AttrItalic
	case stressCode:
		return t.key
	case stressDim:
		return t.dim
	}
	return base
}

// page renders Markdown into an inkwell: the marks become stresses, everything
// else is shown, links with their address and HTML as it is written.
type page struct {
	w      *inkwell
	t      *theme
	source []byte
	shown  strings.Builder
}

// maxNesting is how deep blocks may lie in one another to be rendered.
const maxNesting = 10

// markdown adds a text as rendered Markdown. When a word of it would not be
// seen that way (a link's definition that nothing uses, an entity), it is
// added as it is written: who approves a plan has read all of it.
func (w *inkwell) markdown(source string, t *theme) {
	if tangled(source) {
		w.text("", "", source, t.text)
		return
	}
	own := inkwell{width: w.width}
	p := page{w: &own, t: t, source: []byte(source)}
	doc := goldmark.DefaultParser().Parse(text.NewReader(p.source))
	if p.blocks(doc, "", "", maxNesting) && p.complete() {
		w.rows = append(w.rows, own.rows...)
		return
	}
	w.text("", "", source, t.text)
}

// tangled says that a text would keep the parser busy for seconds: its time
// grows with the square of a line's nesting, and of the links.
func tangled(source string) bool {
	const maxLine, maxLinks = 4000, 500
	for line := range strings.SplitSeq(source, "\n") {
		if len(line) > maxLine {
			return true
		}
	}
	return strings.Count(source, "](") > maxLinks
}

// blocks adds the blocks of a node: first stands before the first row, then
// before the others. It reports false when they lie too deep.
func (p *page) blocks(parent ast.Node, first, then string, left int) bool {
	if left == 0 {
		return false
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if before := n.PreviousSibling(); before != nil && before.Kind() != ast.KindTextBlock {
			p.row(then, nil, p.t.text)
		}
		if !p.block(n, first, then, left) {
			return false
		}
		first = then
	}
	return true
}

func (p *page) block(n ast.Node, first, then string, left int) bool {
	switch n := n.(type) {
	case *ast.Heading:
		p.words(first, then, p.inline(n, stressStrong), p.t.caption)
	case *ast.Paragraph, *ast.TextBlock:
		if lines := p.lines(n); table(lines) {
			p.verbatim(first, then, lines, p.t.text)
			return true
		}
		p.words(first, then, p.inline(n, stressPlain), p.t.text)
	case *ast.List:
		return p.list(n, first, then, left-1)
	case *ast.Blockquote:
		return p.blocks(n, first+"▌ ", then+"▌ ", left-1)
	case *ast.FencedCodeBlock:
		if n.Info != nil {
			p.row(first, revealLine(string(n.Info.Value(p.source))), p.t.dim)
			first = then
		}
		p.verbatim(first+"│ ", then+"│ ", p.lines(n), p.t.strong)
	case *ast.CodeBlock:
		p.verbatim(first+"│ ", then+"│ ", p.lines(n), p.t.strong)
	case *ast.ThematicBreak:
		p.row(first, []span{{text: strings.Repeat("─", 8)}}, p.t.dim)
	case *ast.HTMLBlock:
		lines := p.lines(n)
		if n.HasClosure() {
			lines = append(lines, string(n.ClosureLine.Value(p.source)))
		}
		p.verbatim(first, then, lines, p.t.dim)
	default:
		return p.blocks(n, first, then, left-1)
	}
	return true
}

func (p *page) list(n *ast.List, first, then string, left int) bool {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		sign := "• "
		if n.IsOrdered() {
			sign = strconv.Itoa(number) + ". "
			number++
		}
		p.note([]span{{text: sign}})
		if !p.blocks(item, first+sign, then+strings.Repeat(" ", displaywidth.String(sign)), left) {
			return false
		}
		if item.FirstChild() == nil {
			p.row(first+sign, nil, p.t.text)
		}
		if !n.IsTight && item.NextSibling() != nil {
			p.row(then, nil, p.t.text)
		}
		first = then
	}
	return true
}

// lines are a block's lines as they are written.
func (p *page) lines(n ast.Node) []string {
	var list []string
	for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
		list = append(list, strings.TrimSuffix(string(s.Value(p.source)), "\n"))
	}
	return list
}

// table says that lines are those of a table, which stands best as it is written.
func table(lines []string) bool {
	for _, l := range lines {
		if !strings.Contains(l, "|") {
			return false
		}
	}
	return len(lines) > 1
}

// inline is the text below a block, in the lines that are meant as such.
func (p *page) inline(parent ast.Node, l stress) [][]span {
	lines := [][]span{nil}
	add := func(s string, l stress) {
		for _, piece := range revealLine(s) {
			piece.stress = l
			lines[len(lines)-1] = append(lines[len(lines)-1], piece)
		}
	}
	var walk func(ast.Node, stress)
	walk = func(parent ast.Node, l stress) {
		for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
			switch n := n.(type) {
			case *ast.Text:
				add(string(n.Segment.Value(p.source)), l)
				if n.HardLineBreak() {
					lines = append(lines, nil)
				} else if n.SoftLineBreak() {
					add(" ", l)
				}
			case *ast.String:
				add(string(n.Value), l)
			case *ast.CodeSpan:
				walk(n, stressCode)
			case *ast.Emphasis:
				next := stressStrong
				if n.Level == 1 {
					next = stressEmphasis
				}
				walk(n, next)
			case *ast.RawHTML:
				for _, s := range n.Segments.Sliced(0, n.Segments.Len()) {
					add(string(s.Value(p.source)), stressDim)
				}
			case *ast.AutoLink:
				add(string(n.URL(p.source)), stressEmphasis)
			case *ast.Link:
				walk(n, stressEmphasis)
				add(" ("+target(n.Destination, n.Title)+")", stressDim)
			case *ast.Image:
				add("image: ", stressDim)
				walk(n, stressEmphasis)
				add(" ("+target(n.Destination, n.Title)+")", stressDim)
			default:
				walk(n, l)
			}
		}
	}
	walk(parent, l)
	return lines
}

func target(destination, title []byte) string {
	if len(title) == 0 {
		return string(destination)
	}
	return string(destination) + " " + strconv.Quote(string(title))
}

// row adds one row, wrapped anywhere.
func (p *page) row(lead string, line []span, style uv.Style) {
	p.note(line)
	p.put(lead, lead, wrap(line, p.room(lead)), style)
}

func (p *page) room(lead string) int { return max(p.w.width-displaywidth.String(lead), 8) }

// verbatim adds lines as they are written, with nothing in them hidden.
func (p *page) verbatim(first, then string, lines []string, style uv.Style) {
	for _, line := range lines {
		spans := revealLine(line)
		p.note(spans)
		p.put(first, then, wrap(spans, p.room(then)), style)
		first = then
	}
}

// words adds lines that are broken between words.
func (p *page) words(first, then string, lines [][]span, style uv.Style) {
	for _, line := range lines {
		p.note(line)
		p.put(first, then, wrapWords(line, p.room(then)), style)
		first = then
	}
}

func (p *page) put(first, then string, rows [][]span, style uv.Style) {
	for _, row := range rows {
		p.w.rows = append(p.w.rows, inkRow{append([]span{{text: first, stress: stressDim}}, row...), style})
		first = then
	}
}

// note keeps what was shown.
func (p *page) note(line []span) {
	for _, s := range line {
		p.shown.WriteString(s.text)
	}
	p.shown.WriteByte('\n')
}

// complete says whether every word of the source was shown, as often as it is there.
func (p *page) complete() bool {
	seen := map[string]int{}
	for _, w := range wordsOf(p.shown.String()) {
		seen[w]++
	}
	for line := range strings.SplitSeq(string(p.source), "\n") {
		for _, w := range wordsOf(Visible(line)) {
			if seen[w]--; seen[w] < 0 {
				return false
			}
		}
	}
	return true
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// wrapWords is wrap that breaks a line between words where it can.
func wrapWords(line []span, width int) [][]span {
	var rows [][]span
	var row []span
	col := 0
	for _, s := range line {
		for _, word := range strings.SplitAfter(s.text, " ") {
			w := displaywidth.String(strings.TrimRight(word, " "))
			if col > 0 && col+w > width {
				rows, row, col = append(rows, row), nil, 0
			}
			piece := s
			piece.text = word
			row = append(row, piece)
			col += displaywidth.String(word)
		}
	}
	var out [][]span
	for _, row := range append(rows, row) {
		out = append(out, wrap(row, max(width, 1))...)
	}
	return out
}
