package tui

import (
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"time"

	"github.com/clipperhouse/displaywidth"

	"signaltty/proto"
)

// drawBar draws the decision bar over the panes.
func (m *model) drawBar() {
	d, i := m.shown()
	if m.settled() {
		d = m.bar.about
	}
	if m.bar.hidden || !m.barFits() {
		m.bar.area = image.Rectangle{}
		return
	}
	r := m.plan.content
	rows := m.layInk(&d, r.Dx()-4)
	tail := m.tailHeight(&d, r.Dx()-4, r.Dy()-6)
	m.bar.page = m.pageSize(len(rows), r.Dy()-4-tail)
	m.bar.top = max(0, min(m.bar.top, len(rows)-m.bar.page))
	if m.bar.top <= m.bar.seen {
		m.bar.seen = max(m.bar.seen, m.bar.top+m.bar.page)
	}
	height := 3 + m.bar.page + tail
	if m.bar.page < len(rows) {
		height++
	}
	if m.placeBar(&d, height) {
		m.drawAll() // what it covered so far
	}
	r.Min.Y++ // the first title stays in sight
	if m.bar.below {
		r.Min.Y = r.Max.Y - height
	}
	r.Max.Y = r.Min.Y + height
	m.bar.area = r
	m.paintBar(&d, i, rows, r)
}

// barFits says that there is room for a bar.
func (m *model) barFits() bool { return m.plan.content.Dx() >= 20 && m.plan.content.Dy() >= 8 }

// layInk lays the decision's detail out, once for a width: it may be long.
func (m *model) layInk(d *proto.Decision, width int) []inkRow {
	b := &m.bar
	if b.ink == nil || b.inkWidth != width {
		b.ink, b.inkWidth = m.inkOf(d, width), width
		b.rows, b.seen = len(b.ink), 0 // what was in sight at another width is not known
	}
	return b.ink
}

// inkOf is the detail laid out; what the open form shows is left to it.
func (m *model) inkOf(d *proto.Decision, width int) []inkRow {
	if m.bar.form == nil || m.bar.draft != draft(m.bar.form) {
		return ink(d, width, &m.theme)
	}
	if len(d.Detail) == 0 {
		return []inkRow{}
	}
	shown := *d
	shown.Questions = nil
	return ink(&shown, width, &m.theme)
}

// pageSize is how many of the detail's rows are in sight.
func (m *model) pageSize(rows, room int) int {
	if rows == 0 {
		return 0
	}
	most := max(4, m.plan.content.Dy()/3-2) // a glance is not to cover the pane
	if m.bar.expanded {
		most = room
	}
	if rows > most {
		most-- // for the row that tells how many more there are
	}
	return max(1, min(rows, most, room-1))
}

func (m *model) paintBar(d *proto.Decision, i int, rows []inkRow, r image.Rectangle) {
	t, lines := &m.theme, thin
	edge := t.ask
	edge.Attrs = 0
	if m.bar.focused {
		lines, edge = heavy, t.accent
	}
	in := m.canvas.box(r, lines, edge)
	m.canvas.fit(r.Min.X+2, r.Min.Y, r.Max.X-12, " ! "+headline(d)+" ", t.ask)
	count := fmt.Sprintf(" %d of %d ", i+1, len(m.decisions))
	if i < 0 {
		count = " settled "
	}
	m.canvas.text(r.Max.X-2-len(count), r.Min.Y, r.Max.X-1, count, t.strong)

	y := in.Min.Y
	m.canvas.fit(in.Min.X, y, in.Max.X, m.origin(d), t.dim)
	y++
	for _, row := range rows[m.bar.top : m.bar.top+m.bar.page] {
		m.drawInk(in.Min.X, y, in.Max.X, row)
		y++
	}
	if m.bar.page < len(rows) {
		m.canvas.fit(in.Min.X, y, in.Max.X, m.moreLine(d, len(rows), in.Dx()), t.ask)
		y++
	}
	m.drawTail(d, in, y)
}

func headline(d *proto.Decision) string {
	what := map[string]string{
		proto.KindPermission: "asks to use " + d.Tool,
		proto.KindQuestion:   "asks a question",
		proto.KindPlan:       "asks about its plan",
	}[d.Kind]
	if what == "" {
		what = "asks: " + d.Tool
	}
	return Visible(d.Agent + " " + what)
}

// origin says who asks and where.
func (m *model) origin(d *proto.Decision) string {
	s := "in no pane that is known"
	if p, ok := m.panes[d.Pane]; ok {
		s = Visible(label(p))
		if n := slices.Index(m.order(), d.Pane); n >= 0 {
			s = fmt.Sprintf("pane %d %s", n+1, s)
		}
	}
	if d.Subagent != "" {
		s += " · subagent " + Visible(d.Subagent)
	}
	if d.Cwd != "" {
		s += " · " + Visible(filepath.Base(d.Cwd))
	}
	return s
}

func (m *model) drawInk(x, y, end int, row inkRow) {
	for _, p := range row.spans {
		style := m.theme.styled(row.style, p.stress)
		if p.odd {
			style = m.theme.odd
		}
		x = m.canvas.text(x, y, end, p.text, style)
	}
}

// moreLine says how much is out of sight and how it is read.
func (m *model) moreLine(d *proto.Decision, rows, width int) string {
	above, under := m.bar.top, rows-m.bar.top-m.bar.page
	key := m.chord(cmdExpand)
	if m.bar.focused {
		key = m.keys.label(cmdExpand)
	}
	parts := []string{fmt.Sprintf("+%d lines above", above), "the end"}
	switch {
	case under > 0 && above > 0:
		parts = []string{fmt.Sprintf("+%d above, +%d below", above, under), key + " reads on"}
	case under > 0:
		parts = []string{fmt.Sprintf("+%d lines", under), key + " reads on"}
	}
	if !m.bar.hasAll() && slices.ContainsFunc(d.Options, func(o proto.Option) bool { return allows(o.ID) }) {
		parts = append(parts, "needed to allow")
	}
	return fitting(parts, " · ", width)
}

// timing says how long the decision may wait, where else it can be answered,
// and how long it has waited; in a narrow bar the last of that is left out.
func (m *model) timing(d *proto.Decision, width int) string {
	var parts []string
	if m.bar.focused {
		parts = append(parts, "esc leaves")
	}
	if !d.Deadline.IsZero() {
		parts = append(parts, span60(d.Deadline.Sub(m.now()))+" left")
	}
	switch d.Dialog {
	case proto.DialogBeside:
		parts = append(parts, "its own dialog is open too")
	case proto.DialogAfter:
		if d.Subagent != "" {
			parts = append(parts, "nothing else can answer this")
		}
		parts = append(parts, "its own dialog opens when handed back")
	case proto.DialogNone:
		parts = append(parts, "nothing else can answer this")
	}
	return fitting(append(parts, "waits "+span60(m.now().Sub(d.ReceivedAt))), " · ", width)
}

// fitting joins as many of the parts as fit, from the first on, none cut.
func fitting(parts []string, between string, width int) string {
	s := parts[0]
	for _, p := range parts[1:] {
		next := s + between + p
		if displaywidth.String(next) > width {
			break
		}
		s = next
	}
	return s
}

// span60 is a duration in a unit that leaves a number worth reading.
func span60(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d.Round(time.Minute)/time.Minute)
	}
	return fmt.Sprintf("%d h", d.Round(time.Hour)/time.Hour)
}
