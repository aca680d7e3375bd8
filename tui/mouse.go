package tui

import (
	"image"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"signaltty/proto"
)

// mouse takes a mouse event: what lies on top gets it first, then the
// application if it asked for the mouse and shift is not held, then we.
func (m *model) mouse(msg tea.MouseMsg) tea.Cmd {
	e := msg.Mouse()
	at := image.Pt(e.X, e.Y)
	switch {
	case !m.online:
		return nil
	case m.drag.on:
		m.dragging(msg, at)
		return nil
	case m.dialog != nil:
		if _, ok := msg.(tea.MouseClickMsg); ok {
			m.dialog.click(m, at)
			m.stale = true
		}
		return nil
	case at.In(m.bar.area) && m.bar.id != "":
		m.barMouse(msg, at)
		return nil
	case at.In(m.plan.sidebar):
		if _, ok := msg.(tea.MouseClickMsg); ok {
			if id := m.sidebarAt(at.Y); id != "" {
				m.focusPane(id)
			}
		}
		return nil
	}
	t, ok := m.plan.under(at)
	if !ok {
		return nil
	}
	if _, click := msg.(tea.MouseClickMsg); click && t.pane != m.focus {
		m.focusPane(t.pane) // the click that turns to a pane does nothing there
		return nil
	}
	if at.In(t.body) {
		m.bodyMouse(msg, t, at)
	}
	return nil
}

func (m *model) barMouse(msg tea.MouseMsg, at image.Point) {
	switch e := msg.(type) {
	case tea.MouseWheelMsg:
		by := 3
		if e.Button == tea.MouseWheelUp {
			by = -3
		}
		m.scrollBar(by)
	case tea.MouseClickMsg:
		if e.Button != tea.MouseLeft {
			return
		}
		m.stale = true
		for _, b := range m.bar.buttons {
			if at.In(b.area) {
				if b.option == "" {
					m.startReason()
				} else {
					m.answer(b.option, "")
				}
				return
			}
		}
		m.focusBar()
	}
}

// bodyMouse handles the mouse over a pane's own cells.
func (m *model) bodyMouse(msg tea.MouseMsg, t tile, at image.Point) {
	s := m.screens[t.pane]
	if s == nil {
		return
	}
	e := msg.Mouse()
	here := m.frozen != nil && m.frozen.pane == t.pane
	if s.modes.Mouse != 0 && e.Mod&tea.ModShift == 0 && !here {
		if data, passive := encodeMouse(msg, at.Sub(t.body.Min).Add(s.crop(t)), s.modes); data != nil {
			m.post(proto.MethodPaneInput, proto.PaneInput{Pane: t.pane, Data: data, Passive: passive})
		}
		return
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		m.wheel(t, s, e.Button)
	case tea.MouseClickMsg:
		if e.Button != tea.MouseLeft {
			return
		}
		if !here {
			m.frozen = nil
		}
		m.startDrag(t, at)
	}
}

// wheelRows is how many rows a notch of the wheel moves.
const wheelRows = 3

func (m *model) wheel(t tile, s *screen, b tea.MouseButton) {
	up := b == tea.MouseWheelUp
	if !up && b != tea.MouseWheelDown {
		return
	}
	if s.modes.AltScreen && m.frozen == nil {
		// A full-screen application without the mouse: the wheel is arrow keys
		// there (xterm's alternateScroll).
		key := tea.Key{Code: tea.KeyDown}
		if up {
			key.Code = tea.KeyUp
		}
		for range wheelRows {
			m.post(proto.MethodPaneInput, proto.PaneInput{Pane: t.pane, Data: encode(stroke{key: key}, s.modes), Passive: true})
		}
		return
	}
	if m.frozen == nil || m.frozen.pane != t.pane {
		if !up || s.history == 0 {
			return
		}
		if t.pane != m.focus {
			m.focusPane(t.pane)
		}
		m.startLook()
	}
	if up {
		m.scrollBack(wheelRows)
	} else {
		m.scrollBack(-wheelRows)
	}
}

// encodeMouse is a mouse event as the application asked for it; nil when it
// did not. passive is everything but the press of a button.
func encodeMouse(msg tea.MouseMsg, at image.Point, m proto.Modes) (data []byte, passive bool) {
	e := msg.Mouse()
	motion, release := false, false
	switch msg.(type) {
	case tea.MouseMotionMsg:
		if m.Mouse < 1002 || m.Mouse == 1002 && e.Button == tea.MouseNone {
			return nil, true
		}
		motion, passive = true, true
	case tea.MouseReleaseMsg:
		if m.Mouse == 9 {
			return nil, true
		}
		release, passive = true, true
	case tea.MouseWheelMsg:
		passive = true
	}
	if release && !m.MouseSGR {
		e.Button = tea.MouseNone // the legacy form does not tell which
	}
	b := ansi.EncodeMouseButton(e.Button, motion, e.Mod&tea.ModShift != 0, e.Mod&tea.ModAlt != 0, e.Mod&tea.ModCtrl != 0)
	if m.MouseSGR {
		return []byte(ansi.MouseSgr(b, at.X, at.Y, release)), passive
	}
	if at.X > 222 || at.Y > 222 {
		return nil, passive // the legacy form cannot say it
	}
	return []byte(ansi.MouseX10(b, at.X, at.Y)), passive
}
