package tui

import (
	"errors"
	"image"
	"io"

	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// goneKey handles a key while there is no server.
func (m *model) goneKey(c Chord) tea.Cmd {
	switch {
	case c.Code == tea.KeyEnter:
		m.link.retry()
		m.gone.err = nil
	case c.Code == 'q' || c.Code == tea.KeyEscape || c == Chord{'c', tea.ModCtrl}:
		return tea.Quit
	}
	return nil
}

// noServer says that nothing listens on the socket any more: the server is
// dead, not only out of reach.
func (m *model) noServer() bool { return errors.Is(m.gone.err, proto.ErrNoServer) }

// enterHint is what enter does while there is no server.
func (m *model) enterHint() string {
	if m.noServer() || m.gone.err != nil && !m.gone.waiting {
		return "enter starts a server"
	}
	return "enter tries again"
}

// drawGone draws what stands in place of the panes while there is no server.
func (m *model) drawGone() {
	head, lines := "Connecting …", []string{m.enterHint() + " · q leaves"}
	switch {
	case m.gone.err == nil && !m.ever:
	case !m.gone.waiting:
		head = "The server has stopped"
		lines = []string{"Its panes are closed. What was decided is in the audit.", "", "enter starts a server · q leaves"}
	case m.ever && m.noServer():
		head = "The server died"
		lines = []string{"Its panes ended with it; enter starts a new one · q leaves"}
	case m.ever:
		head = "The server is gone"
		lines = []string{"Trying again by itself. What waited for an answer is listed", "again once it is back; nothing was answered meanwhile.", "", "enter tries now, and starts a server if none runs · q leaves"}
	default:
		head = "No server answers"
	}
	if err := m.gone.err; err != nil && m.gone.waiting && !errors.Is(err, io.EOF) && !m.noServer() {
		lines = append(lines, "", ellipsis(Visible(err.Error()), 60))
	}
	m.card(m.screenArea(), head, lines)
}

// drawEmpty draws what stands in place of the panes when there are none.
func (m *model) drawEmpty() {
	p := m.keys.label(prefixName) + " "
	m.card(m.plan.content, "No panes yet", []string{
		p + m.keys.label(cmdNew) + "  new pane: an agent, the demo, a shell",
		p + m.keys.label(cmdHelp) + "  help",
		p + m.keys.label(cmdDetach) + "  detach",
	})
}

// card writes a heading and some lines into the middle of an area.
func (m *model) card(area image.Rectangle, head string, lines []string) {
	t := &m.theme
	widest := width([]rune(head))
	for _, l := range lines {
		widest = max(widest, width([]rune(l)))
	}
	r := centred(area, widest, len(lines)+2)
	m.canvas.fit(r.Min.X, r.Min.Y, r.Max.X, head, t.strong)
	for i, l := range lines {
		m.canvas.fit(r.Min.X, r.Min.Y+2+i, r.Max.X, l, t.dim)
	}
}
