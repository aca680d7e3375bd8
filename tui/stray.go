package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// strayGap is the pause after which a key is meant for what is on the screen
// again. It is longer than the delay before auto-repeat begins.
const strayGap = 700 * time.Millisecond

// stray swallows what a person still types at something that has gone from
// under the fingers, such as the words of a deny: in a pane whose own dialog
// is open, a "1" among them would allow.
type stray struct {
	on   bool
	last time.Time // of the last key that was swallowed
}

// begin swallows plain keys from now until a pause, or esc.
func (s *stray) begin(now time.Time) { *s = stray{true, now} }

// takes says whether a key at now is swallowed. Chords of ctrl and alt are
// nobody's words and pass.
func (s *stray) takes(c Chord, now time.Time) bool {
	if !s.on || c.Mod&^tea.ModShift != 0 {
		return false
	}
	if now.Sub(s.last) >= strayGap {
		s.on = false
		return false
	}
	s.last = now
	s.on = c.Code != tea.KeyEscape
	return true
}

// strayed swallows a key that was meant for what is gone, and tells so.
func (m *model) strayed(c Chord) bool {
	if !m.stray.takes(c, m.now()) {
		return false
	}
	m.say("nothing takes these keys just now; pause, or press esc, and they go to the pane", notePlain)
	return true
}
