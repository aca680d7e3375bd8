package tui

import (
	"image"

	tea "charm.land/bubbletea/v2"
)

// help lists the keys, from the table of commands.
type help struct{ top int }

func (m *model) openHelp() { m.dialog = &help{} }

func (h *help) key(m *model, _ tea.Key) tea.Cmd {
	switch m.pressed.Code {
	case tea.KeyDown, tea.KeyPgDown:
		h.top++
	case tea.KeyUp, tea.KeyPgUp:
		h.top = max(0, h.top-1)
	default:
		m.dialog = nil
	}
	return nil
}

// helpRow is one row: a heading when it has no keys.
type helpRow struct{ keys, text string }

func (m *model) helpRows(groups ...string) []helpRow {
	var rows []helpRow
	for i, g := range groups {
		if i > 0 {
			rows = append(rows, helpRow{})
		}
		rows = append(rows, helpRow{text: g})
		for _, c := range commands() {
			if c.group == g {
				rows = append(rows, helpRow{joinChords(m.keys[c.name]), c.help})
			}
		}
		if g == groupPane {
			rows = append(rows, helpRow{"1 … 9", "pane by its number"})
		}
	}
	return rows
}

func (h *help) draw(m *model) {
	t := &m.theme
	columns := [][]helpRow{m.helpRows(groupPane), m.helpRows(groupDecision, groupGeneral)}
	columns[1] = append(columns[1], helpRow{}, helpRow{text: "Mouse"},
		helpRow{"click", "focus, options, links"}, helpRow{"wheel", "look back; typing goes on"},
		helpRow{"drag", "select; shift: always ours"}, helpRow{}, helpRow{text: "While you scroll"},
		helpRow{"hjkl wbe", "move, also by emacs keys"}, helpRow{"ctrl+u d", "half a page; g G the ends"},
		helpRow{"/ ? n N", "search by a pattern, next"}, helpRow{"[ ] D", "prompts, last decision"},
		helpRow{"v V y", "select, lines, copy"}, helpRow{"q esc", "back to the pane"})
	if m.cols < 76 {
		columns = [][]helpRow{append(columns[1], append([]helpRow{{}}, columns[0]...)...)}
	}
	height := 0
	for _, c := range columns {
		height = max(height, len(c))
	}
	in := m.canvas.box(centred(m.screenArea(), 78, height+2), heavy, t.accent)
	head := " After " + joinChords(m.keys[prefixName]) + " (twice sends it to the pane) "
	m.canvas.fit(in.Min.X, in.Min.Y-1, in.Max.X, head, t.strong)
	h.top = max(0, min(h.top, height-in.Dy()))
	foot := " esc closes "
	if height > in.Dy() {
		foot = " esc closes · up and down scroll "
	}
	m.canvas.fit(in.Min.X, in.Max.Y, in.Max.X, foot, t.strong)
	width := (in.Dx() - 2*(len(columns)-1)) / len(columns)
	for i, rows := range columns {
		x := in.Min.X + i*(width+2)
		h.column(m, rows, image.Rect(x, in.Min.Y, x+width, in.Max.Y))
	}
}

func (h *help) column(m *model, rows []helpRow, r image.Rectangle) {
	t := &m.theme
	for i := range r.Dy() {
		if i+h.top >= len(rows) {
			return
		}
		row, y := rows[i+h.top], r.Min.Y+i
		if row.keys == "" {
			m.canvas.fit(r.Min.X, y, r.Max.X, row.text, t.caption)
			continue
		}
		m.canvas.fit(r.Min.X, y, r.Min.X+10, row.keys, t.key)
		m.canvas.fit(r.Min.X+11, y, r.Max.X, row.text, t.text)
	}
}

func (*help) click(m *model, _ image.Point) { m.dialog = nil }
