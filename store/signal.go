package store

import (
	"slices"
	"time"

	"signaltty/proto"
)

// maxSignals is how many signals of a pane are remembered.
const maxSignals = 64

// signals are what was said of a pane's state, the oldest first.
type signals []proto.Signal

// add notes what from says; not is why it does not count. The same said
// again only counts up.
func (l *signals) add(from string, says proto.State, not string) {
	n := proto.Signal{At: now(), From: from, Says: says, Not: not}
	if i := len(*l) - 1; i >= 0 {
		last := (*l)[i]
		if last.From == n.From && last.Says == n.Says && last.Not == n.Not {
			n.Count = max(last.Count, 1) + 1
			(*l)[i] = n
			return
		}
	}
	if len(*l) >= maxSignals {
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, n)
}

// Explain tells how a pane came to its state.
func (s *Store) Explain(id string) (proto.PaneExplained, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.panes[id]
	if p == nil {
		return proto.PaneExplained{}, proto.Errorf(proto.CodeNoSuchPane, "no pane %q; `signaltty ls` lists them", id)
	}
	return proto.PaneExplained{Pane: p.view(), Signals: append([]proto.Signal{}, p.signals...)}, nil
}

// DefaultSilence is how long a new agent may say nothing by its hooks.
const DefaultSilence = 30 * time.Second

// Silent notes that an agent's hooks have said nothing since it started: it
// may ask something before it begins (whether to trust the directory, a
// login), or its hooks do not run. Started is the pane's Since of that start.
func (s *Store) Silent(id string, started time.Time) {
	s.update(id, func(p *pane) {
		if p.base == proto.StateUnknown && p.Since.Equal(started) && !p.heard {
			p.set(proto.StateUnknown, "hooks silent: it may ask something in the pane, or its hooks are off; `signaltty doctor` tells")
			p.notice = true
		}
	})
}
