package tui

import (
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"signaltty/proto"
)

// choice is one thing to press on the bar.
type choice struct {
	key    string
	label  string
	option string // of the decision; "" for a deny that asks for words first
	off    bool
}

// optionKeys are the commands that answer with an option.
var optionKeys = map[string]string{
	proto.OptionOnce: "once", proto.OptionAlways: "always", proto.OptionDeny: "deny", proto.OptionHandBack: "hand-back",
}

func (m *model) choices(d *proto.Decision) []choice {
	var list []choice
	for i, o := range d.Options {
		c := choice{label: visible(o.Label), option: o.ID, off: allows(o.ID) && !m.bar.hasAll()}
		c.key = m.keys.label(optionKeys[o.ID])
		if c.key == "" {
			c.key = strconv.Itoa(i + 1)
		}
		list = append(list, c)
		if o.ID == proto.OptionDeny && o.Message {
			list = append(list, choice{key: m.keys.label("deny-reason"), label: "Deny with reason"})
		}
	}
	return list
}

// drawBar draws the decision bar over the panes.
func (m *model) drawBar() {
	d, i := m.shown()
	if i < 0 || m.plan.content.Dx() < 20 || m.plan.content.Dy() < 8 {
		m.bar.area = image.Rectangle{}
		return
	}
	r := m.plan.content
	rows := ink(&d, r.Dx()-4, &m.theme)
	if len(rows) != m.bar.rows { // another width: what was in sight is not known
		m.bar.seen = 0
	}
	m.bar.rows = len(rows)
	tail := m.tailRows(&d, r.Dx()-4)
	m.bar.page = m.pageSize(len(rows), r.Dy()-4-len(tail))
	m.bar.top = max(0, min(m.bar.top, len(rows)-m.bar.page))
	if m.bar.top <= m.bar.seen {
		m.bar.seen = max(m.bar.seen, m.bar.top+m.bar.page)
	}
	height := 3 + m.bar.page + len(tail)
	if m.bar.page < len(rows) {
		height++
	}
	r.Min.Y++ // the first title stays in sight
	if m.bar.below {
		r.Min.Y = r.Max.Y - height
	}
	r.Max.Y = r.Min.Y + height
	m.bar.area = r
	m.paintBar(&d, i, rows, r)
}

// pageSize is how many of the detail's rows are in sight.
func (m *model) pageSize(rows, room int) int {
	most := 4
	if m.canvas.Height() >= 40 {
		most = 10
	}
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
	m.canvas.text(r.Max.X-2-len(count), r.Min.Y, r.Max.X-1, count, t.strong)

	y := in.Min.Y
	m.canvas.fit(in.Min.X, y, in.Max.X, m.origin(d), t.dim)
	y++
	for _, row := range rows[m.bar.top : m.bar.top+m.bar.page] {
		m.drawInk(in.Min.X, y, in.Max.X, row)
		y++
	}
	if m.bar.page < len(rows) {
		m.canvas.fit(in.Min.X, y, in.Max.X, m.moreLine(len(rows)), t.ask)
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
	return visible(d.Agent + " " + what)
}

// origin says who asks and where.
func (m *model) origin(d *proto.Decision) string {
	s := "in no pane that is known"
	if p, ok := m.panes[d.Pane]; ok {
		s = visible(label(p))
		if n := slices.Index(m.order(), d.Pane); n >= 0 {
			s = fmt.Sprintf("pane %d %s", n+1, s)
		}
	}
	if d.Subagent != "" {
		s += " · subagent " + visible(d.Subagent)
	}
	if d.Cwd != "" {
		s += " · " + visible(filepath.Base(d.Cwd))
	}
	return s
}

func (m *model) drawInk(x, y, end int, row inkRow) {
	for _, p := range row.spans {
		style := row.style
		if p.odd {
			style = m.theme.odd
		}
		x = m.canvas.text(x, y, end, p.text, style)
	}
}

func (m *model) moreLine(rows int) string {
	above, under := m.bar.top, rows-m.bar.top-m.bar.page
	key := m.keys.label(cmdExpand)
	if !m.bar.focused {
		key = m.keys.label(prefixName) + " " + key
	}
	s := fmt.Sprintf("+%d lines above · the end", above)
	switch {
	case under > 0 && above > 0:
		s = fmt.Sprintf("+%d lines above, +%d below · %s reads on", above, under, key)
	case under > 0:
		s = fmt.Sprintf("+%d lines · %s reads on", under, key)
	}
	if !m.bar.hasAll() {
		s += " · needed to allow"
	}
	return s
}

// cellRow is the choices of one row of the bar.
type cellRow []choice

// tailRows is the choices in as many rows as they need, and one row more for
// what the bar says below them.
func (m *model) tailRows(d *proto.Decision, width int) []cellRow {
	if m.bar.reason != nil || m.bar.sending != "" || !d.Answerable {
		return make([]cellRow, 2)
	}
	rows := []cellRow{nil}
	x := displaywidth.String(m.lead())
	for _, c := range m.choices(d) {
		w := choiceWidth(c)
		if x+w > width && len(rows[len(rows)-1]) > 0 {
			rows = append(rows, nil)
			x = displaywidth.String(m.lead())
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], c)
		x += w
	}
	return append(rows, nil)
}

func choiceWidth(c choice) int { return displaywidth.String(c.key+c.label) + 5 }

// lead is what stands before the choices: how they are pressed.
func (m *model) lead() string {
	if m.bar.focused {
		return ""
	}
	return m.keys.label(prefixName) + " "
}

func (m *model) drawTail(d *proto.Decision, in image.Rectangle, y int) {
	t := &m.theme
	m.bar.buttons = m.bar.buttons[:0]
	switch {
	case m.bar.reason != nil:
		x := m.canvas.text(in.Min.X, y, in.Max.X, "Why not? ", t.strong)
		m.drawInput(m.bar.reason, x, y, in.Max.X)
		m.canvas.fit(in.Min.X, y+1, in.Max.X, "enter denies with these words · esc goes back", t.dim)
		return
	case m.bar.sending != "":
		o, _ := optionOf(d, m.bar.sending)
		m.canvas.fit(in.Min.X, y, in.Max.X, "sending “"+visible(o.Label)+"” …", t.strong)
		y++
	case !d.Answerable:
		m.canvas.fit(in.Min.X, y, in.Max.X, "Read only here: "+answerElsewhere(d), t.strong)
		y++
	default:
		rows := m.tailRows(d, in.Dx())
		x := m.canvas.text(in.Min.X, y, in.Max.X, m.lead(), t.dim)
		for _, row := range rows[:len(rows)-1] {
			m.drawChoices(row, x, y, in.Max.X)
			y++
		}
	}
	m.canvas.fit(in.Min.X, y, in.Max.X, m.timing(d), t.dim)
}

func (m *model) drawChoices(row cellRow, x, y, end int) {
	t := &m.theme
	for _, c := range row {
		key, word := t.key, t.text
		if c.off {
			key, word = t.off, t.off
			c.key = strings.Repeat("-", displaywidth.String(c.key)) // not told by colour alone
		}
		from := x
		x = m.canvas.text(x, y, end, "[", t.dim)
		x = m.canvas.text(x, y, end, c.key, key)
		x = m.canvas.text(x, y, end, "] ", t.dim)
		x = m.canvas.text(x, y, end, c.label, word)
		m.bar.buttons = append(m.bar.buttons, button{c.option, image.Rect(from, y, x, y+1)})
		x += 2
	}
}

// timing says how long the decision has waited, how long it may, and where
// else it can be answered.
func (m *model) timing(d *proto.Decision) string {
	s := "waits " + span60(m.now().Sub(d.ReceivedAt))
	if !d.Deadline.IsZero() {
		s += " · " + span60(d.Deadline.Sub(m.now())) + " left"
	}
	switch d.Dialog {
	case proto.DialogBeside:
		s += " · its own dialog is open too"
	case proto.DialogAfter:
		s += " · its own dialog opens when handed back"
	case proto.DialogNone:
		s += " · only here"
	}
	if m.bar.focused {
		s += " · esc leaves the bar"
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

// coversCursor says whether a bar at the top would stand on the cursor of the
// focused pane, as it does in a shell that has just begun.
func (m *model) coversCursor() bool {
	s, t, ok := m.focused()
	if !ok || !s.cursor.Visible {
		return false
	}
	const usual = 10
	y := t.body.Min.Y + s.cursor.Y
	return y < m.plan.content.Min.Y+usual && y < m.plan.content.Min.Y+m.plan.content.Dy()/2
}
