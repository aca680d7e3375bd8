package server

import (
	"context"

	"signaltty/proto"
)

func paneClose(c *client, _ context.Context, req proto.PaneRef) (any, error) {
	p, err := c.s.pane(req.Pane)
	if err != nil {
		return nil, err
	}
	return proto.PaneClosed{Exit: c.s.endPane(p)}, nil
}

func paneRename(c *client, _ context.Context, req proto.PaneRename) (any, error) {
	if _, err := c.s.pane(req.Pane); err != nil {
		return nil, err
	}
	if len(req.Name) > maxName {
		return nil, proto.Errorf(proto.CodeTooLarge, "a pane's name has at most %d bytes", maxName)
	}
	c.s.store.Rename(req.Pane, req.Name)
	return proto.None{}, nil
}

const maxName = 200

func paneWatch(c *client, _ context.Context, req proto.PaneWatch) (any, error) {
	p, err := c.s.pane(req.Pane)
	if err != nil {
		return nil, err
	}
	c.watchPane(p)
	return proto.None{}, nil
}

func paneUnwatch(c *client, _ context.Context, req proto.PaneRef) (any, error) {
	// Of a pane that is gone there are no frames.
	if p, err := c.s.pane(req.Pane); err == nil {
		c.unwatchPane(p)
	}
	c.mu.Lock()
	delete(c.wants, req.Pane)
	c.mu.Unlock()
	return proto.None{}, nil
}

func paneSeen(c *client, _ context.Context, req proto.PaneRef) (any, error) {
	c.s.store.Seen(req.Pane)
	return proto.None{}, nil
}

func paneExplain(c *client, _ context.Context, req proto.PaneRef) (any, error) {
	e, err := c.s.store.Explain(req.Pane)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func paneCapture(c *client, _ context.Context, req proto.PaneCapture) (any, error) {
	p, err := c.s.pane(req.Pane)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.term.Capture(req), nil
}
