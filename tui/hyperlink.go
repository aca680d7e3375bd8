package tui

import (
	"image"
	"regexp"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// address is what looks like an address in plain text. Marks that end a
// sentence, and a closing bracket that nothing opens, are no part of it.
var address = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:https?|ftp)://[^\s<>"'` + "`" + `│┃╎|]+|\bmailto:[^\s<>"'│┃|]+@[^\s<>"'│┃|]+`)
})

// linkAt is the target of the link at a cell: of OSC 8, else an address that
// stands there in plain text, also over the end of a row that wraps.
func (f *frozen) linkAt(p image.Point) string {
	row := f.read(p.Y)
	if p.X < len(row) && row[p.X].Link.URL != "" {
		return row[p.X].Link.URL
	}
	from, to := f.unit(p, 3)
	var line strings.Builder
	var starts []int
	for y := from.Y; y <= to.Y; y++ {
		starts = append(starts, line.Len())
		line.WriteString(f.row(y).text())
	}
	for _, m := range address().FindAllStringIndex(line.String(), -1) {
		text := trimAddress(line.String()[m[0]:m[1]])
		h := hit{cellOf(line.String(), from.Y, starts, m[0], false), cellOf(line.String(), from.Y, starts, m[0]+len(text), true)}
		if !before(p, h.from) && !before(h.to, p) {
			return text
		}
	}
	return ""
}

func trimAddress(s string) string {
	for {
		cut := strings.TrimRight(s, ".,;:!?*")
		for _, pair := range []string{"()", "[]", "{}"} {
			if strings.HasSuffix(cut, pair[1:]) && strings.Count(cut, pair[1:]) > strings.Count(cut, pair[:1]) {
				cut = cut[:len(cut)-1]
			}
		}
		if cut == s {
			return s
		}
		s = cut
	}
}

// openLink shows the target of the link at a cell of the frozen pane, and asks
// what to do with it.
func (m *model) openLink(f *frozen, p image.Point) {
	if target := f.linkAt(p); target != "" {
		m.dialog = &hyperlink{target: target}
	}
}

// hyperlink shows where a link leads before anything is opened: its text may
// say something else.
type hyperlink struct {
	target string
	top    int
}

// linkRows is how many rows of a target are in sight.
const linkRows = 8

func (h *hyperlink) key(m *model, k tea.Key) tea.Cmd {
	switch c := m.pressed; {
	case k.IsRepeat:
	case c.Code == tea.KeyDown:
		h.top++
	case c.Code == tea.KeyUp:
		h.top = max(0, h.top-1)
	case c == Chord{Code: 'y'}:
		m.dialog = nil
		m.clip(h.target)
		m.say("copied the address, "+counted(h.target), notePlain)
	case c == Chord{Code: 'o'}:
		m.dialog = nil
		return h.open(m)
	case c.Code == tea.KeyEscape || c == Chord{Code: 'q'}:
		m.dialog = nil
	}
	return nil
}

// opened is how the opening of an address ended.
type opened struct{ err error }

func (h *hyperlink) open(m *model) tea.Cmd {
	if !h.safe() || m.opt.Open == nil {
		m.say("only addresses of the web and of mail are opened from here; y copies this one", notePlain)
		return nil
	}
	open, target := m.opt.Open, h.target
	return func() tea.Msg { return opened{open(target)} }
}

// safe says that a target is of a kind that a browser takes, and hides nothing.
func (h *hyperlink) safe() bool {
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if strings.HasPrefix(strings.ToLower(h.target), scheme) {
			return Visible(h.target) == h.target
		}
	}
	return false
}

func (h *hyperlink) draw(m *model) {
	t := &m.theme
	area := centred(m.screenArea(), 72, linkRows+4)
	rows := wrap(revealLine(h.target), area.Dx()-4)
	seen := min(len(rows), linkRows)
	h.top = max(0, min(h.top, len(rows)-seen))
	in := m.canvas.box(centred(m.screenArea(), 72, seen+4), heavy, t.accent)
	m.canvas.fit(in.Min.X, in.Min.Y-1, in.Max.X, " This link leads to ", t.strong)
	for i, row := range rows[h.top : h.top+seen] {
		x := in.Min.X
		for _, p := range row {
			style := t.text
			if p.odd {
				style = t.odd
			}
			x = m.canvas.text(x, in.Min.Y+i, in.Max.X, p.text, style)
		}
	}
	keys := "[y] copies it · esc goes back"
	if h.safe() && m.opt.Open != nil {
		keys = "[o] opens it · " + keys
	}
	if len(rows) > seen {
		keys += " · down shows more"
	}
	m.canvas.fit(in.Min.X, in.Max.Y-1, in.Max.X, keys, t.dim)
}

func (*hyperlink) click(m *model, _ image.Point) { m.dialog = nil }
