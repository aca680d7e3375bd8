package tui

import uv "github.com/charmbracelet/ultraviolet"

// drawStatus draws the last line: what to press, what happened, what waits.
func (m *model) drawStatus() {
	r, t := m.plan.status, &m.theme
	y := r.Min.Y
	p := m.keys.label(prefixName)
	right := m.waitingHint()
	if m.prefixed {
		right = "" // the hint needs the room
	}
	end := r.Max.X - width([]rune(right))
	m.canvas.text(end, y, r.Max.X, right, t.ask)
	switch f := m.frozen; {
	case f != nil && f.search.input != nil:
		sign := "/"
		if f.search.back {
			sign = "?"
		}
		x := m.canvas.text(r.Min.X+1, y, end, sign, t.strong)
		m.drawInput(f.search.input, x, y, end)
	case m.prefixed:
		x := m.canvas.text(r.Min.X+1, y, end, p+" ", t.strong)
		m.canvas.fit(x, y, end, m.prefixHint(end-x), t.strong)
	case m.trouble != "":
		m.canvas.fit(r.Min.X+1, y, end, "! "+Visible(m.trouble), t.bad)
	case !m.online && m.note.text == "":
		m.canvas.fit(r.Min.X+1, y, end, m.enterHint()+" · q leaves", t.dim)
	case m.note.text != "":
		style := map[noteKind]uv.Style{noteGood: t.good, noteBad: t.bad}[m.note.kind]
		m.canvas.fit(r.Min.X+1, y, end, m.note.text, style)
	case f != nil && f.keys:
		m.canvas.fit(r.Min.X+1, y, end, fitting(scrollHints, " · ", end-r.Min.X-1), t.dim)
	default:
		m.canvas.fit(r.Min.X+1, y, end, m.chord(cmdHelp)+" help · "+m.chord(cmdNew)+" new pane · "+m.chord(cmdDetach)+" detach", t.dim)
	}
}

// scrollHints is what scroll mode's keys do, what matters most first.
var scrollHints = []string{
	"/ ? search", "n N next", "v V select", "y copy", "q leave", "[ ] prompts", "D decision", "ctrl+u ctrl+d half pages", "g G ends", "w b words",
}

// waitingHint says what waits, and why the bar does not show it.
func (m *model) waitingHint() string {
	if len(m.decisions) == 0 {
		return ""
	}
	s := " ! " + itoa(len(m.decisions)) + " waiting"
	switch {
	case m.bar.hidden:
		s += ", hidden · " + m.chord(cmdHide) + " shows it"
	case m.bar.id != "" && !m.barFits():
		s += ": window too small"
	}
	return s + " "
}

// prefixHint is what the prefix may be followed by just now: what matters most
// comes first, and what does not fit is left to the help.
func (m *model) prefixHint(room int) string {
	names := []string{cmdNew, "split-right", "split-down", "close", "zoom", cmdHelp, cmdDetach, "next-pane", "scroll"}
	if m.bar.id != "" {
		names = []string{"once", "deny", "deny-reason", "hand-back", cmdExpand, cmdFocusBar, cmdHelp, cmdNext, cmdHide, cmdDetach}
	}
	short := map[string]string{
		cmdNew: "new", "split-right": "right", "split-down": "below", "close": "close", "next-pane": "next", "zoom": "zoom", "scroll": "scroll",
		"once": "once", "deny": "deny", "deny-reason": "reason", "hand-back": "hand back",
		cmdExpand: "read", cmdNext: "next", cmdFocusBar: "focus", cmdHide: "hide", cmdHelp: "help", cmdDetach: "detach",
	}
	var parts []string
	for _, n := range names {
		parts = append(parts, m.keys.label(n)+" "+short[n])
	}
	return fitting(parts, "  ", room)
}
