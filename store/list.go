package store

import (
	"encoding/json"

	"signaltty/proto"
)

// What may wait at once. An ask beyond it gets no verdict: the agent asks in
// its own terminal.
const (
	maxWaiting   = 1024
	maxHeldBytes = 64 << 20
)

// A list of decisions must fit a line. The first ones, up to fullBytes of
// them, are whole; of the others the prompt is cut to briefPrompt bytes.
const (
	fullBytes   = 1 << 20
	briefPrompt = 200
)

// full says whether no more decisions can wait.
func (s *Store) full() bool {
	return len(s.decisions) >= maxWaiting || s.held >= maxHeldBytes
}

// listed is the decisions that wait, in their order, in a size that fits a line.
func (s *Store) listed() []proto.Decision {
	out, left := []proto.Decision{}, fullBytes
	for _, d := range s.decisions {
		if left -= d.size; left >= 0 {
			out = append(out, d.Decision)
			continue
		}
		left = 0
		brief := d.Decision
		brief.Brief, brief.Input, brief.Detail, brief.Questions = true, nil, nil, nil
		brief.Prompt = cutText(d.Prompt, briefPrompt)
		out = append(out, brief)
	}
	return out
}

// wireSize is how many bytes a decision takes in a line.
func wireSize(d proto.Decision) int {
	b, err := json.Marshal(d)
	if err != nil {
		// An input that is no JSON cannot travel at all; proto refuses it.
		return proto.MaxLine
	}
	return len(b)
}

// cutText cuts s to at most limit bytes, between two runes.
func cutText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xc0 == 0x80 {
		limit--
	}
	return s[:limit]
}
