package server

import (
	"context"
	"time"

	"signaltty/proto"
)

// A pane is as large as the client that was active last shows it. Clients
// that are idle crop; what they asked for is kept for when they are active.

func paneResize(c *client, _ context.Context, req proto.PaneResize) (any, error) {
	p, err := c.s.pane(req.Pane)
	if err != nil {
		return nil, err
	}
	if err := checkSize(req.Size); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.wants[p.id] = req.Size
	c.mu.Unlock()
	s := c.s
	s.mu.Lock()
	if s.active == nil {
		s.active = c
	}
	counts := s.active == c || !s.active.wantsSize(p.id)
	s.mu.Unlock()
	if !counts {
		return proto.None{}, nil
	}
	return proto.None{}, s.resize(p, req.Size)
}

func (c *client) wantsSize(pane string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.wants[pane]
	return ok
}

// activate makes c the client whose sizes count.
func (s *Server) activate(c *client) {
	s.mu.Lock()
	same := s.active == c
	s.mu.Unlock()
	c.mu.Lock()
	shows := len(c.wants) > 0
	c.mu.Unlock()
	if same || !shows {
		return
	}
	s.mu.Lock()
	s.active = c
	s.mu.Unlock()
	s.applySizes(c)
	s.applyColors(c)
}

// resign hands the sizes of a client that left to one that stays.
func (s *Server) resign(c *client) {
	s.mu.Lock()
	if s.active != c {
		s.mu.Unlock()
		return
	}
	s.active = nil
	for other := range s.clients {
		other.mu.Lock()
		shows := len(other.wants) > 0
		other.mu.Unlock()
		if shows {
			s.active = other
			break
		}
	}
	next := s.active
	s.mu.Unlock()
	if next != nil {
		s.applySizes(next)
		s.applyColors(next)
	}
}

func (s *Server) applySizes(c *client) {
	c.mu.Lock()
	wants := make(map[string]proto.Size, len(c.wants))
	for id, size := range c.wants {
		wants[id] = size
	}
	c.mu.Unlock()
	for id, size := range wants {
		if p, err := s.pane(id); err == nil {
			if err := s.resize(p, size); err != nil {
				report("sizing pane %s: %v", id, err)
			}
		}
	}
}

// stormGap is how long sizes must not have changed before the next one counts
// at once: while a person drags a window's edge, the application is told the
// first size and the last.
const stormGap = 100 * time.Millisecond

// resize sizes a pane, in a storm of sizes once that has passed.
func (s *Server) resize(p *pane, size proto.Size) error {
	p.mu.Lock()
	storm := time.Since(p.resized) < stormGap
	if !storm && p.term.Size() == size {
		p.mu.Unlock()
		return nil
	}
	p.resized = time.Now()
	if storm {
		p.wanted = size
		if p.settle == nil {
			p.settle = time.AfterFunc(stormGap, func() { s.settled(p) })
		} else {
			p.settle.Reset(stormGap)
		}
	}
	p.mu.Unlock()
	if storm {
		return nil
	}
	return s.setSize(p, size)
}

// settled gives a pane the last size of a storm.
func (s *Server) settled(p *pane) {
	p.mu.Lock()
	size := p.wanted
	p.mu.Unlock()
	if _, err := s.pane(p.id); err != nil {
		return // it was closed meanwhile
	}
	if err := s.setSize(p, size); err != nil {
		report("sizing pane %s: %v", p.id, err)
	}
}

// setSize sizes the screen and then the PTY, so that what the application
// draws for the new size finds it.
func (s *Server) setSize(p *pane, size proto.Size) error {
	// An ioctl that cannot wait is all that happens under it.
	p.sizing.Lock()
	defer p.sizing.Unlock()
	p.mu.Lock()
	same := p.term.Size() == size
	if !same {
		p.term.Resize(size)
	}
	watchers := make([]*client, 0, len(p.watchers))
	for c := range p.watchers {
		watchers = append(watchers, c)
	}
	p.mu.Unlock()
	if same {
		return nil
	}
	err := p.process().resize(size)
	s.store.Resized(p.id, size)
	for _, c := range watchers {
		c.changed(p)
	}
	return err
}
