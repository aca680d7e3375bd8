package tui

import (
	"image"
	"slices"
	"strconv"

	"signaltty/proto"
)

// arrange brings the plan, the watched panes and their sizes in line with
// what is to be seen. It is the only place that resizes panes.
func (m *model) arrange() {
	m.keepFocus()
	var tree *proto.Split
	if m.zoomed && m.focus != "" {
		tree = &proto.Split{Pane: m.focus}
	} else if t, ok := m.tabOf(m.focus); ok {
		tree = t.Tree
	}
	m.plan = layout(m.cols, m.rows, !m.noSidebar, tree)
	m.plan.tiles = slices.DeleteFunc(m.plan.tiles, func(t tile) bool { _, ok := m.panes[t.pane]; return !ok })
	m.stale = true
	if !m.online || m.cols == 0 {
		return
	}
	for id := range m.screens {
		if _, ok := m.plan.tile(id); !ok {
			delete(m.screens, id)
			m.post(proto.MethodPaneUnwatch, proto.PaneRef{Pane: id})
		}
	}
	for _, t := range m.plan.tiles {
		size := proto.Size{Cols: t.body.Dx(), Lines: t.body.Dy()}
		if size != m.sized[t.pane] && size.Cols > 1 && size.Lines > 0 {
			m.sized[t.pane] = size
			m.post(proto.MethodPaneResize, proto.PaneResize{Pane: t.pane, Size: size})
		}
		if m.screens[t.pane] == nil {
			m.screens[t.pane] = newScreen()
			m.post(proto.MethodPaneWatch, proto.PaneWatch{Pane: t.pane})
		}
	}
}

// keepFocus moves the focus off a pane that is gone.
func (m *model) keepFocus() {
	if _, ok := m.panes[m.focus]; ok {
		return
	}
	m.focus = ""
	if ids := m.order(); len(ids) > 0 {
		m.setFocus(ids[0])
	}
}

// focusPane turns to a pane, whichever tab it is in. The bar turns to that
// pane's first decision, if it has one.
func (m *model) focusPane(id string) {
	if _, ok := m.panes[id]; !ok || id == m.focus {
		return
	}
	m.setFocus(id)
	for _, d := range m.decisions {
		if d.Pane == id {
			m.showDecision(d.ID)
			break
		}
	}
}

func (m *model) setFocus(id string) {
	m.tellFocus(m.focus, false)
	m.frozen, m.drag = nil, drag{}
	m.focus = id
	m.moved, m.stale = true, true
	m.tellFocus(id, !m.away)
	m.look()
}

// look tells the server that the person sees the focused pane, when that
// changes anything.
func (m *model) look() {
	m.lookedAt()
	p, ok := m.panes[m.focus]
	if ok && !m.away && (p.State == proto.StateDone || p.Attention == proto.AttentionNotice || p.Attention == proto.AttentionDone) {
		m.post(proto.MethodPaneSeen, proto.PaneRef{Pane: p.ID})
	}
}

func (m *model) terminalFocus(on bool) {
	m.away = !on
	m.tellFocus(m.focus, on)
	if on {
		m.look()
	}
}

// tellFocus reports the focus to an application that asked for it.
func (m *model) tellFocus(pane string, on bool) {
	s := m.screens[pane]
	if s == nil || !s.modes.FocusEvents {
		return
	}
	data := "\x1b[O"
	if on {
		data = "\x1b[I"
	}
	m.post(proto.MethodPaneInput, proto.PaneInput{Pane: pane, Data: []byte(data), Passive: true})
}

func (m *model) cyclePane(by int) {
	ids := m.order()
	if len(ids) == 0 {
		return
	}
	i := slices.Index(ids, m.focus)
	m.focusPane(ids[(i+by+len(ids))%len(ids)])
}

func (m *model) cycleTab(by int) {
	tabs := m.tabs()
	for i, t := range tabs {
		if slices.Contains(leaves(t.Tree), m.focus) {
			if ids := leaves(tabs[(i+by+len(tabs))%len(tabs)].Tree); len(ids) > 0 {
				m.focusPane(ids[0])
			}
			return
		}
	}
}

// focusTowards turns to the pane beside the focused one in that direction.
func (m *model) focusTowards(dx, dy int) {
	t, ok := m.plan.tile(m.focus)
	if !ok {
		return
	}
	r := t.title.Union(t.body)
	at := image.Pt((r.Min.X+r.Max.X)/2, (r.Min.Y+r.Max.Y)/2)
	switch {
	case dx < 0:
		at.X = r.Min.X - 2
	case dx > 0:
		at.X = r.Max.X + 1
	case dy < 0:
		at.Y = r.Min.Y - 1
	default:
		at.Y = r.Max.Y
	}
	if to, ok := m.plan.under(at); ok {
		m.focusPane(to.pane)
	}
}

func (m *model) toggleZoom() {
	m.zoomed = !m.zoomed && m.focus != ""
	m.moved = true
}

func (m *model) toggleSidebar() {
	m.noSidebar = !m.noSidebar
	m.moved = true
}

// moveSeam moves the nearest seam beside the focused pane by percent.
func (m *model) moveSeam(dir string, by int) {
	t, ok := m.tabOf(m.focus)
	if !ok {
		return
	}
	if tree, ok := reshare(t.Tree, m.focus, dir, by); ok {
		m.post(proto.MethodTabArrange, proto.TabArrange{Tab: t.ID, Tree: tree})
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
