package tui

import (
	"fmt"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"

	"signaltty/proto"
)

// inkRow is one row of what a person must read before answering.
type inkRow struct {
	spans []span
	style uv.Style
}

// inset is how far a text stands in from its label, so that none of its lines
// passes for a block of its own.
const inset = "  "

// ink is the whole of a decision's detail in rows of at most width columns.
func ink(d *proto.Decision, width int, t *theme) []inkRow {
	w := inkwell{width: width}
	blocks := d.Detail
	if len(blocks) == 0 && len(d.Questions) == 0 {
		blocks = []proto.Detail{{Form: "text", Text: d.Prompt}}
	}
	for _, b := range blocks {
		w.block(b, t)
	}
	for i, q := range d.Questions {
		if i > 0 {
			w.line("", t.text)
		}
		w.question(q, t)
	}
	if tr := d.Truncated; tr != nil {
		w.line(fmt.Sprintf("The input has %d bytes and is not shown here; sha256 %s", tr.Bytes, tr.SHA256), t.ask)
		if tr.Path != "" {
			w.line(tr.Path, t.ask)
		}
	}
	return w.rows
}

// inkwell gathers the rows.
type inkwell struct {
	width int
	rows  []inkRow
}

func (w *inkwell) block(b proto.Detail, t *theme) {
	one := b.Form == "path" || b.Form == "url"
	inline := b.Label != "" && (one || b.Form == "text" && !strings.Contains(b.Text, "\n"))
	text := b.Text
	switch {
	case inline:
		text = b.Label + ": " + text
	case b.Label != "":
		w.line(b.Label, t.caption)
	}
	switch {
	case one:
		w.line(text, t.strong)
	case b.Form == "markdown":
		w.markdown(text, t)
	case b.Form == "command":
		w.text("$ ", inset, text, t.strong)
	case b.Form == "add":
		w.text("+ ", "+ ", text, t.add)
	case b.Form == "delete":
		w.text("- ", "- ", text, t.del)
	case inline:
		w.line(text, t.text)
	case b.Label != "":
		w.text(inset, inset, text, t.text)
	default:
		w.text("", "", text, t.text)
	}
}

// question adds a question with its choices.
func (w *inkwell) question(q proto.Question, t *theme) {
	w.text("", "", q.Text, t.strong)
	for i, c := range q.Choices {
		w.wrapped(fmt.Sprintf("%2d ", i+1), revealLine(c.Label), t.text)
		if c.Description != "" {
			w.wrapped("   ", revealLine(c.Description), t.dim)
		}
	}
}

// line adds a text as one line, its line ends written out.
func (w *inkwell) line(text string, style uv.Style) {
	w.wrapped("", revealLine(text), style)
}

// text adds a text line by line: first stands before the first of them, then
// before the others.
func (w *inkwell) text(first, then, text string, style uv.Style) {
	lead := first
	for _, line := range reveal(text) {
		w.wrapped(lead, line, style)
		lead = then
	}
}

// wrapped adds a line in as many rows as it takes, the later ones set in.
func (w *inkwell) wrapped(lead string, line []span, style uv.Style) {
	under := strings.Repeat(" ", max(len(lead), len(inset)))
	for _, row := range wrap(line, w.width-len(under)) {
		w.rows = append(w.rows, inkRow{append([]span{{text: lead}}, row...), style})
		lead = under
	}
}
