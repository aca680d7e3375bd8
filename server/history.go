package server

import (
	"context"

	"signaltty/proto"
)

func paneHistory(c *client, _ context.Context, req proto.PaneHistory) (any, error) {
	p, err := c.s.pane(req.Pane)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	part := p.term.History(req.Before, req.Count)
	if !req.Places {
		return part, nil
	}
	part.Prompts = p.term.PromptRows()
	if p.asked != nil {
		asked := *p.asked
		part.Asked = &asked
	}
	return part, nil
}

// noteAsked remembers where on the pane's screen its last ask arrived.
func (s *Server) noteAsked(id string) {
	p, err := s.pane(id)
	if err != nil {
		return // it is bound to none
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.term.CursorRow()
	p.asked = &at
}
