package server

import (
	"sync"
	"time"
)

// startQuiet is how long an agent's screen stands still before it is said to
// ask something before it starts.
const startQuiet = 4 * time.Second

// starting watches an agent that sets a title as soon as it is ready. One that
// has drawn a screen, then nothing more, and no title, stands at a question of
// its own: which model, which hooks to trust. Codex 0.171.0 tells of those by
// no title, no OSC 7501 and no hook. A nil one watches nothing.
type starting struct {
	mu    sync.Mutex
	quiet *time.Timer // nil before the first output
	over  bool
	waits func()
}

func newStarting(waits func()) *starting { return &starting{waits: waits} }

// drew notes output.
func (s *starting) drew() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.over:
	case s.quiet == nil:
		s.quiet = time.AfterFunc(startQuiet, s.waits)
	default:
		s.quiet.Reset(startQuiet)
	}
}

// ready ends the watch: the agent said that it is ready, or it is gone. It
// says whether this was the first time.
func (s *starting) ready() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	s.over = true
	if s.quiet != nil {
		s.quiet.Stop()
	}
	return true
}
