package tui

import uv "github.com/charmbracelet/ultraviolet"

// drawStatus draws the last line: what to press, what happened, what waits.
func (m *model) drawStatus() {
	r, t := m.plan.status, &m.theme
	y := r.Min.Y
	p := m.keys.label(prefixName)
	right := ""
	if n := len(m.decisions); n > 0 {
		right = " ! " + itoa(n) + " waiting "
	}
	end := r.Max.X - len(right)
	m.canvas.text(end, y, r.Max.X, right, t.ask)
	switch {
	case m.prefixed:
		m.canvas.fit(r.Min.X+1, y, end, p+" …  "+m.prefixHint(), t.strong)
	case m.trouble != "":
		m.canvas.fit(r.Min.X+1, y, end, "! "+visible(m.trouble), t.bad)
	case !m.online:
		m.canvas.fit(r.Min.X+1, y, end, "enter tries again · q leaves", t.dim)
	case m.note.text != "":
		style := map[noteKind]uv.Style{noteGood: t.good, noteBad: t.bad}[m.note.kind]
		m.canvas.fit(r.Min.X+1, y, end, m.note.text, style)
	default:
		m.canvas.fit(r.Min.X+1, y, end, p+" "+m.keys.label(cmdHelp)+" help · "+p+" "+m.keys.label(cmdNew)+" new pane · "+p+" "+m.keys.label(cmdDetach)+" detach", t.dim)
	}
}

// prefixHint is what the prefix may be followed by just now.
func (m *model) prefixHint() string {
	names := []string{cmdNew, "split-right", "split-down", "close", "next-pane", "zoom", "scroll", cmdHelp, cmdDetach}
	if m.bar.id != "" {
		names = []string{"once", "deny", "deny-reason", "hand-back", cmdExpand, cmdNext, cmdFocusBar, cmdHelp}
	}
	short := map[string]string{
		cmdNew: "new", "split-right": "right", "split-down": "below", "close": "close", "next-pane": "next", "zoom": "zoom", "scroll": "scroll",
		"once": "once", "deny": "deny", "deny-reason": "reason", "hand-back": "hand back",
		cmdExpand: "read", cmdNext: "next", cmdFocusBar: "focus", cmdHelp: "help", cmdDetach: "detach",
	}
	s := ""
	for _, n := range names {
		s += m.keys.label(n) + " " + short[n] + "  "
	}
	return s
}
