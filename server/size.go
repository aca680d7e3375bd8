package server

import (
	"context"
	"sync"
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

// resize sizes the screen and then the PTY, so that what the application
// draws for the new size finds it.
func (s *Server) resize(p *pane, size proto.Size) error {
	return p.sizing.resize(size, func(size proto.Size) error { return s.resizeNow(p, size) })
}

func (s *Server) resizeNow(p *pane, size proto.Size) error {
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

// sizeEvery is the least time between two sizes of a pane. A window that is
// dragged asks for dozens of sizes a second; for each an application would get
// a SIGWINCH and draw all anew.
const sizeEvery = 50 * time.Millisecond

// sizing lets a pane's sizes through: the first at once, and of those that
// follow within sizeEvery the last. The lock is held over a change of both
// sizes, the screen's and the PTY's, by an ioctl that cannot wait.
type sizing struct {
	mu    sync.Mutex
	want  proto.Size
	last  time.Time
	timer *time.Timer // a size waits; nil when none does
	ended bool
}

func (z *sizing) resize(size proto.Size, apply func(proto.Size) error) error {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.want = size
	wait := sizeEvery - time.Since(z.last)
	switch {
	case z.ended || z.timer != nil:
		return nil
	case wait <= 0:
		z.last = time.Now()
		return apply(size)
	}
	z.timer = time.AfterFunc(wait, func() {
		z.mu.Lock()
		defer z.mu.Unlock()
		z.timer, z.last = nil, time.Now()
		if z.ended {
			return
		}
		if err := apply(z.want); err != nil {
			report("sizing a pane: %v", err)
		}
	})
	return nil
}

// end drops a size that waits; none is applied after it.
func (z *sizing) end() {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.ended = true
	if z.timer != nil {
		z.timer.Stop()
	}
}
