package tui

import (
	"fmt"
	"image"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"signaltty/proto"
)

// past shows what was decided in a pane, the latest first.
type past struct {
	title string
	list  []proto.PastDecision
	note  string // instead of the list: that it is being read, or why it is not
	top   int
}

func (m *model) openPast() {
	p, ok := m.panes[m.focus]
	if !ok {
		m.say("there is no pane whose decisions could be shown", notePlain)
		return
	}
	h := &past{title: " Decided in " + Visible(label(p)) + " ", note: "reading the audit"}
	m.dialog = h
	m.ask(proto.MethodDecisionPast, proto.DecisionPast{Pane: p.ID}, func(r proto.Message) {
		m.stale = true
		var got proto.PastDecisions
		switch {
		case r.Error != nil:
			h.note = Visible(r.Error.Message)
		case r.Decode(&got) != nil:
			h.note = "the server's answer cannot be read; is it of another version?"
		case len(got.Decisions) == 0:
			h.note = "nothing was decided here yet"
		default:
			h.list, h.note = got.Decisions, ""
		}
	})
}

func (h *past) key(m *model, _ tea.Key) tea.Cmd {
	switch m.pressed.Code {
	case tea.KeyDown, 'j':
		h.top++
	case tea.KeyUp, 'k':
		h.top--
	case tea.KeyPgDown, ' ':
		h.top += pastPage
	case tea.KeyPgUp:
		h.top -= pastPage
	default:
		m.dialog = nil
	}
	return nil
}

// pastPage is how many rows a page key moves.
const pastPage = 10

func (*past) click(m *model, _ image.Point) { m.dialog = nil }

func (h *past) draw(m *model) {
	t := &m.theme
	area := m.screenArea()
	in := m.canvas.box(centred(area, min(100, area.Dx()-4), area.Dy()-4), heavy, t.accent)
	m.canvas.fit(in.Min.X, in.Min.Y-1, in.Max.X, h.title, t.strong)
	rows := h.rows(m, in.Dx())
	h.top = max(0, min(h.top, len(rows)-in.Dy()))
	foot := " esc closes "
	if len(rows) > in.Dy() {
		foot = " esc closes · up and down scroll "
	}
	m.canvas.fit(in.Min.X, in.Max.Y, in.Max.X, foot, t.strong)
	for i, row := range rows[h.top:min(len(rows), h.top+in.Dy())] {
		x := in.Min.X
		for _, s := range row.spans {
			style := row.style
			if s.odd {
				style = t.odd
			}
			x = m.canvas.text(x, in.Min.Y+i, in.Max.X, s.text, style)
		}
	}
}

// rows are the list in rows of at most width columns.
func (h *past) rows(m *model, width int) []inkRow {
	t := &m.theme
	w := inkwell{width: width}
	if h.note != "" {
		w.line(h.note, t.dim)
		return w.rows
	}
	for i := range h.list {
		d := &h.list[i]
		if i > 0 {
			w.rows = append(w.rows, inkRow{})
		}
		head := span60(m.now().Sub(d.AskedAt)) + " ago  " + d.Agent + " " + d.Tool
		if d.Subagent != "" {
			head += " (" + d.Subagent + ")"
		}
		w.line(head, t.strong)
		if d.Prompt != "" {
			w.text(inset, inset, d.Prompt, t.text)
		}
		text, style := outcome(d, t)
		w.text("→ ", inset, text, style)
	}
	return w.rows
}

// outcome tells how a decision ended: what was answered, by whom or by which
// rule, and how long it took.
func outcome(d *proto.PastDecision, t *theme) (string, uv.Style) {
	what := optionLabel(proto.Option{ID: d.Option, Label: proto.OptionLabels[d.Option]})
	if what == "" {
		what = d.Option
	}
	style := t.text
	switch {
	case d.End == "":
		return "it waits", t.ask
	case d.End != proto.EndAnswered && d.End != proto.EndRule && d.End != proto.EndHandedBack:
		what = endings[d.End]
	case d.Rule != "":
		what += " by the rule " + d.Rule
	case d.ClientKind != "":
		what += fmt.Sprintf(" by %s (user %d, process %d)", d.ClientKind, d.UID, d.PID)
	}
	if d.Option == proto.OptionDeny {
		style = t.del
	}
	if d.Message != "" {
		what += ": " + strings.TrimSpace(d.Message)
	}
	if d.ID != "" {
		what += ", after " + (time.Duration(d.WaitedMS) * time.Millisecond).Round(100*time.Millisecond).String()
	}
	return what, style
}
