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

// ink is the whole of a decision's detail in rows of at most width columns.
func ink(d *proto.Decision, width int, t *theme) []inkRow {
	var rows []inkRow
	add := func(lead, text string, style uv.Style) {
		for n, line := range reveal(text) {
			for i, row := range wrap(line, width-len(lead)) {
				l := lead
				if i > 0 || n > 0 && lead == "$ " {
					l = strings.Repeat(" ", len(lead))
				}
				rows = append(rows, inkRow{append([]span{{l, false}}, row...), style})
			}
		}
	}
	blocks := d.Detail
	if len(blocks) == 0 {
		blocks = []proto.Detail{{Form: "text", Text: d.Prompt}}
	}
	for _, b := range blocks {
		short := b.Form == "text" || b.Form == "path" || b.Form == "url"
		inline := b.Label != "" && short && !strings.Contains(b.Text, "\n")
		if b.Label != "" && !inline {
			add("", b.Label, t.caption)
		}
		text := b.Text
		if inline {
			text = b.Label + ": " + text
		}
		switch b.Form {
		case "command":
			add("$ ", b.Text, t.strong)
		case "add":
			add("+ ", b.Text, t.add)
		case "delete":
			add("- ", b.Text, t.del)
		case "path", "url":
			add("", text, t.strong)
		default:
			add("", text, t.text)
		}
	}
	if tr := d.Truncated; tr != nil {
		add("", fmt.Sprintf("The input has %d bytes and is not shown here; sha256 %s", tr.Bytes, tr.SHA256), t.ask)
		if tr.Path != "" {
			add("", tr.Path, t.ask)
		}
	}
	return rows
}
