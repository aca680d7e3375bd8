package server

import (
	"time"

	"signaltty/proto"
	"signaltty/server/term"
)

// screen is what one client has of one pane's screen.
type screen struct {
	// The client's lock guards these.
	dirty  bool
	copied string // for the client's clipboard; "" when there is nothing

	// The pane's lock guards the rest, but for a frame that is busy.
	view  term.View
	frame proto.Frame // reused
	kept  bool        // frame is a picture to be sent before a newer one
	busy  bool        // frame is being sent
	old   bool        // frame was kept: the screen may be newer
}

// keep fills the frame with what is on the screen now, unless it is in use.
func (sc *screen) keep(t *term.Terminal) {
	if !sc.kept && !sc.busy {
		sc.kept = t.Frame(&sc.view, &sc.frame)
	}
}

// watchPane begins to send a pane's frames, from the whole screen on.
func (c *client) watchPane(p *pane) {
	c.mu.Lock()
	sc := &screen{dirty: true}
	c.screens[p] = sc
	c.mu.Unlock()
	p.addWatcher(c, sc)
	c.signal()
}

func (c *client) unwatchPane(p *pane) {
	p.removeWatcher(c)
	c.mu.Lock()
	delete(c.screens, p)
	c.mu.Unlock()
}

func (c *client) unwatchAll() {
	c.mu.Lock()
	panes := make([]*pane, 0, len(c.screens))
	for p := range c.screens {
		panes = append(panes, p)
	}
	c.mu.Unlock()
	for _, p := range panes {
		c.unwatchPane(p)
	}
}

// changed notes that a watched pane has something new. It never blocks.
func (c *client) changed(p *pane) {
	c.mu.Lock()
	sc := c.screens[p]
	if sc != nil {
		sc.dirty = true
	}
	c.mu.Unlock()
	if sc != nil {
		c.signal()
	}
}

// copied hands what a program wrote to the clipboard to the client that was
// active last, when that shows the pane. The newest counts, as in a clipboard.
func (s *Server) copied(p *pane, text string) {
	s.mu.Lock()
	c := s.active
	s.mu.Unlock()
	if c == nil {
		return
	}
	c.mu.Lock()
	sc := c.screens[p]
	if sc != nil {
		sc.copied, sc.dirty = text, true
	}
	c.mu.Unlock()
	if sc != nil {
		c.signal()
	}
}

func (c *client) signal() {
	select {
	case c.dirty <- struct{}{}:
	default:
	}
}

// creditKey lets frames go out at once for a while: the person typed.
func (c *client) creditKey() {
	c.mu.Lock()
	c.keyUntil = time.Now().Add(keyCredit)
	c.mu.Unlock()
}

func (c *client) hasKeyCredit() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Before(c.keyUntil)
}

// sendFrames sends what is new on every watched pane.
func (c *client) sendFrames(p *pace) error {
	p.sent()
	c.mu.Lock()
	var due []*pane
	for pane, sc := range c.screens {
		if sc.dirty {
			due = append(due, pane)
		}
	}
	c.mu.Unlock()
	for _, pane := range due {
		if err := c.sendPane(pane, p); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) sendPane(pane *pane, p *pace) error {
	for {
		c.mu.Lock()
		sc := c.screens[pane]
		copied := ""
		if sc != nil {
			sc.dirty = false
			copied, sc.copied = sc.copied, ""
		}
		c.mu.Unlock()
		if sc == nil {
			return nil
		}
		if copied != "" {
			if err := c.conn.Event(proto.EventPaneCopied, 0, proto.PaneCopied{Pane: pane.id, Text: copied}); err != nil {
				return err
			}
		}
		more, wait := pane.fill(sc)
		if wait > 0 {
			c.mu.Lock()
			sc.dirty = true
			c.mu.Unlock()
			p.later(wait)
			return nil
		}
		if !more {
			return nil
		}
		sc.frame.Pane = pane.id
		c.line = proto.AppendFrame(c.line[:0], &sc.frame)
		if err := c.conn.WriteLine(c.line); err != nil {
			return err
		}
		if !pane.sent(sc) {
			return nil
		}
	}
}
