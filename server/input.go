package server

import (
	"context"
	"strings"

	"signaltty/proto"
)

func paneInput(c *client, _ context.Context, req proto.PaneInput) (any, error) {
	p, err := c.s.livePane(req.Pane)
	if err != nil {
		return nil, err
	}
	c.creditKey()
	if !req.Passive {
		if err := c.turnTo(p); err != nil {
			return nil, err
		}
	}
	return proto.None{}, p.process().write(req.Data)
}

// livePane finds a pane whose process takes input.
func (s *Server) livePane(id string) (*pane, error) {
	p, err := s.pane(id)
	if err != nil {
		return nil, err
	}
	select {
	case <-p.process().done():
		return nil, proto.Errorf(proto.CodePaneExited, "the process of pane %s has ended and takes no input; `signaltty resume %s` starts it again and `signaltty close %s` removes the pane", id, id, id)
	default:
		return p, nil
	}
}

// turnTo notes that the person turned to a pane: the decisions whose dialog
// is on its screen end before a byte of the input is written, and its size
// follows this client.
func (c *client) turnTo(p *pane) error {
	if p.held() {
		return proto.Errorf(proto.CodePaneBusy, "input waits a moment: the agent's dialog is about to appear")
	}
	c.s.store.TurnedTo(p.id, "input from "+c.kind+" "+c.id)
	c.s.activate(c)
	return nil
}

// The brackets of a paste (mode 2004).
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

func panePaste(c *client, _ context.Context, req proto.PanePaste) (any, error) {
	p, err := c.s.livePane(req.Pane)
	if err != nil {
		return nil, err
	}
	c.creditKey()
	if err := c.turnTo(p); err != nil {
		return nil, err
	}
	p.mu.Lock()
	bracketed, first := p.term.Modes().BracketedPaste, p.pasting != c
	p.pasting = nil
	if req.More {
		p.pasting = c
	}
	p.mu.Unlock()
	// A terminal sends a carriage return for a line end. Within brackets no
	// escape may stand: an end bracket would let what follows pass for typing,
	// and one may come in pieces.
	text := req.Text
	if bracketed {
		text = strings.NewReplacer("\x1b", "", "\u009b", "").Replace(text)
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\r"), "\n", "\r")
	if bracketed && first {
		text = pasteBegin + text
	}
	if bracketed && !req.More {
		text += pasteEnd
	}
	return proto.None{}, p.process().write([]byte(text))
}
