package server

import (
	"context"

	"signaltty/proto"
)

// Programs that ask for colours (OSC 4, 10, 11, 12) get those of the terminal
// that the person looks at: of the client that was active last. When it is
// gone its colours stay until another one is active.

// maxPalette is how many colours a palette has.
const maxPalette = 256

func clientColors(c *client, _ context.Context, req proto.ClientColors) (any, error) {
	if len(req.Palette) > maxPalette {
		return nil, proto.Errorf(proto.CodeBadRequest, "palette has %d colours; there are at most %d", len(req.Palette), maxPalette)
	}
	c.mu.Lock()
	c.colors = &req
	c.mu.Unlock()
	s := c.s
	s.mu.Lock()
	counts := s.active == nil || s.active == c
	s.mu.Unlock()
	if counts {
		s.applyColors(c)
	}
	return proto.None{}, nil
}

// applyColors gives every pane the colours of a client, if it has told them.
func (s *Server) applyColors(c *client) {
	c.mu.Lock()
	colors := c.colors
	c.mu.Unlock()
	if colors == nil {
		return
	}
	s.mu.Lock()
	s.colors = *colors
	panes := make([]*pane, 0, len(s.panes))
	for _, p := range s.panes {
		panes = append(panes, p)
	}
	s.mu.Unlock()
	for _, p := range panes {
		p.setColors(*colors)
	}
}

// setColors tells a pane's emulator the colours. A program that wants to know
// when the scheme turns dark or light (mode 2031) is told.
func (p *pane) setColors(c proto.ClientColors) {
	p.mu.Lock()
	p.term.SetColors(c.Fg, c.Bg, c.Cursor)
	p.term.SetPalette(c.Palette)
	replies := p.term.Replies()
	p.mu.Unlock()
	if len(replies) > 0 {
		_ = p.process().write(replies) // as in output
	}
}
