package server

import (
	"context"
	"slices"
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
		if p.adapter != nil && slices.Contains(p.adapter.Interrupts, string(req.Data)) {
			c.s.store.Interrupted(p.id)
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
	text, whole, err := c.gather(p, req)
	if err != nil || !whole {
		return proto.None{}, err
	}
	c.creditKey()
	if err := c.turnTo(p); err != nil {
		return nil, err
	}
	p.mu.Lock()
	bracketed := p.term.Modes().BracketedPaste
	p.mu.Unlock()
	// A terminal sends a carriage return for a line end. Within brackets no
	// escape may stand: an end bracket would let what follows pass for typing.
	if bracketed {
		text = strings.NewReplacer("\x1b", "", "\u009b", "").Replace(text)
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\r"), "\n", "\r")
	if bracketed {
		text = pasteBegin + text + pasteEnd
	}
	return proto.None{}, p.process().write([]byte(text))
}

// paste is one under way, of which nothing is written before its last part is
// here: the program gets all of it or none.
type paste struct {
	pane    string
	text    strings.Builder
	refused bool
}

// gather adds a part to the paste of this connection, and returns all of it
// with the last one. Only the connection's reader calls it.
func (c *client) gather(p *pane, req proto.PanePaste) (text string, whole bool, err error) {
	if c.paste == nil || c.paste.pane != p.id {
		c.paste = &paste{pane: p.id}
	}
	g := c.paste
	if !req.More {
		c.paste = nil
	}
	switch {
	case g.refused:
		return "", false, nil // it was told with the part before
	case g.text.Len()+len(req.Text) > maxInput-len(pasteBegin+pasteEnd):
		*g = paste{pane: p.id, refused: true}
		return "", false, proto.Errorf(proto.CodeTooLarge, "the paste is larger than %d MiB; nothing of it was pasted: save it in a file and name that", maxInput>>20)
	}
	g.text.WriteString(req.Text)
	return g.text.String(), !req.More, nil
}
