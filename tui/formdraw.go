package tui

import (
	"fmt"
	"image"
	"strconv"
	"strings"
)

// page is the question or the review, laid out: the rows, and for each the
// choice that it belongs to, -1 for none.
func (f *form) page(m *model, width int) (rows []inkRow, marks []int) {
	w := inkwell{width: width}
	add := func(mark int) {
		for len(marks) < len(w.rows) {
			marks = append(marks, mark)
		}
	}
	if f.review() {
		w.line("Review: what will be answered", m.theme.caption)
		for i, q := range f.questions {
			w.wrapped("", revealLine(q.Text), m.theme.text)
			said := strings.Join(f.said(i), ", ")
			if said == "" {
				said = "(nothing)"
			}
			w.wrapped(inset+"→ ", revealLine(said), m.theme.strong)
		}
		add(-1)
		return w.rows, marks
	}
	q, g := f.questions[f.at], f.answers[f.at]
	if head := f.head(); head != "" {
		w.line(head, m.theme.caption)
	}
	w.text("", "", q.Text, m.theme.strong)
	add(-1)
	for i, c := range q.Choices {
		style := m.theme.text
		if g.picked[i] {
			style = m.theme.strong
		}
		w.wrapped(f.lead(i, g.picked[i]), revealLine(c.Label), style)
		if c.Description != "" {
			w.wrapped(strings.Repeat(" ", len(f.lead(i, false))), revealLine(c.Description), m.theme.dim)
		}
		add(i)
	}
	if q.FreeText {
		text := "a text of your own"
		if g.typed != "" {
			text = "your own: " + g.typed
		}
		if f.input != nil {
			text = "" // the editor is drawn there
		}
		w.wrapped(f.lead(len(q.Choices), g.typed != ""), revealLine(text), m.theme.text)
		add(len(q.Choices))
	}
	return w.rows, marks
}

// head says which question it is and what it takes.
func (f *form) head() string {
	q := f.questions[f.at]
	var parts []string
	if n := len(f.questions); n > 1 {
		parts = append(parts, fmt.Sprintf("Question %d of %d", f.at+1, n))
	}
	if q.Header != "" && q.Header != q.Text {
		parts = append(parts, Visible(q.Header))
	}
	if q.Multi {
		parts = append(parts, "any number")
	}
	if q.Optional {
		parts = append(parts, "may be left out")
	}
	if q.Form != "" {
		parts = append(parts, q.Form)
	}
	return strings.Join(parts, " · ")
}

// lead is what stands before a choice: the cursor, its number, its box. Each
// is told by a sign, not by colour alone. It is of ASCII, one column a byte.
func (f *form) lead(i int, picked bool) string {
	sign, number, box := "  ", "  ", "( ) "
	if i == f.cursor {
		sign = "> "
	}
	if i < 9 {
		number = strconv.Itoa(i+1) + " "
	}
	q := f.questions[f.at]
	switch {
	case q.Multi && picked:
		box = "[x] "
	case q.Multi:
		box = "[ ] "
	case picked:
		box = "(x) "
	}
	if len(q.Choices) == 0 {
		number, box = "", ""
	}
	return sign + number + box
}

func (f *form) rows(m *model, width, most int) int {
	rows, _ := f.page(m, width)
	return min(len(rows)+1, most)
}

func (f *form) draw(m *model, in image.Rectangle) {
	rows, marks := f.page(m, in.Dx())
	room := max(in.Dy()-1, 1)
	f.scroll(marks, room)
	f.marks = marks[f.top:min(f.top+room, len(marks))]
	f.area = image.Rect(in.Min.X, in.Min.Y, in.Max.X, in.Min.Y+len(f.marks))
	for i := range f.marks {
		y := in.Min.Y + i
		m.drawInk(in.Min.X, y, in.Max.X, rows[f.top+i])
		own := f.input != nil && f.marks[i] == len(f.questions[f.at].Choices)
		if own && (i == 0 || f.marks[i-1] != f.marks[i]) {
			m.drawInput(f.input, in.Min.X+len(f.lead(f.marks[i], false)), y, in.Max.X)
		}
	}
	m.drawHint(in, in.Min.Y+len(f.marks), f.hint(m, len(rows) > room, in.Dx()))
}

// scroll keeps the cursor's choice in sight, and the question above the first.
func (f *form) scroll(marks []int, room int) {
	first, last := 0, 0
	for i, mark := range marks {
		if mark == f.cursor {
			if first == 0 {
				first = i
			}
			last = i
		}
	}
	if f.cursor == 0 || f.review() {
		first = 0
	}
	f.top = min(f.top, first)
	f.top = max(f.top, last-room+1)
	f.top = max(0, min(f.top, len(marks)-room))
}

// hint is what the keys do just now.
func (f *form) hint(m *model, more bool, width int) string {
	var parts []string
	switch {
	case f.input != nil:
		parts = []string{"enter takes it", "esc goes back"}
	case f.review():
		parts = []string{"enter sends this", "left goes back", "esc leaves"}
	default:
		q := f.questions[f.at]
		parts = []string{"a number picks"}
		if q.Multi {
			parts = []string{"a number picks or takes back", "enter goes on"}
			if len(f.questions) == 1 {
				parts[1] = "enter answers"
			}
		}
		if more {
			parts = append(parts, "up and down show more")
		}
		parts = append(parts, "esc leaves", m.keys.label("deny")+" denies", m.keys.label("hand-back")+" hands back")
	}
	return fitting(parts, " · ", width)
}
