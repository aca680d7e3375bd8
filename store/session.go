package store

import (
	"slices"
	"time"

	"signaltty/proto"
)

// sessionKey names an agent's conversation. Session ids are the agent's own.
type sessionKey struct{ agent, id string }

// session is what hooks have told of one conversation.
type session struct {
	key   sessionKey
	pane  string // "" when it is bound to none
	bound bool   // at its start, which beats environment and ancestry
	// injected says that hooks which its pane brought have spoken. Those of the
	// person's own settings, which run beside them, then say nothing new.
	injected bool
	tools    []toolCall
	used     time.Time
	// subagents are those whose start was told; true for one that runs beside
	// the turn.
	subagents map[string]bool
}

// toolCall is a tool call that has started and not ended, as far as we know.
type toolCall struct {
	use      string // the agent's id of it
	subagent string
	tool     string
	key      string // hash of its input
	at       time.Time
	// background says that it launches a subagent and does not wait for it.
	background bool
}

// What hooks may make the store remember.
const (
	maxSessions  = 4096
	maxTools     = 256
	maxSubagents = 256
	// toolAge is when a call that never ended is forgotten.
	toolAge = 24 * time.Hour
)

// Origin is where a hook event came from, as far as the server can tell from
// the process that brought it.
type Origin struct {
	// Pane is the pane whose process is an ancestor of the hook, "" for none.
	Pane string
	// PID of the hook, for the record.
	PID int
}

// bind finds the session of a hook event and the pane it belongs to. The
// binding made at the session's start beats the environment, the environment
// beats ancestry, and a conflict of the latter two is no binding. It is nil
// when the hook runs in another pane than the one that the session lives in.
func (s *Store) bind(ev proto.HookEvent, o Origin) *session {
	key := sessionKey{ev.Agent, ev.Session}
	se := s.sessions[key]
	if se == nil {
		s.forgetOldest()
		se = &session{key: key}
		s.sessions[key] = se
	}
	se.used = time.Now()
	start := ev.Moment == proto.MomentSessionStart
	if se.bound && s.panes[se.pane] != nil && o.Pane != "" && o.Pane != se.pane {
		return nil
	}
	if se.bound && s.panes[se.pane] != nil && !start {
		return se
	}
	se.pane, se.bound = s.claim(se, ev, o), start
	if start && se.pane != "" {
		s.rebind(se)
	}
	return se
}

// claim says which pane a session belongs to by environment and ancestry.
func (s *Store) claim(se *session, ev proto.HookEvent, o Origin) string {
	env := ev.Pane
	if s.panes[env] == nil {
		env = ""
	}
	switch {
	case env != "" && o.Pane != "" && env != o.Pane:
		return ""
	case o.Pane != "":
		return o.Pane
	case env == "":
		return ""
	}
	// Environment alone can be inherited through a daemon that another pane
	// started: it does not take a pane from the session that lives there.
	for _, other := range s.sessions {
		if other != se && other.bound && other.pane == env {
			return ""
		}
	}
	return env
}

// rebind makes se the session of its pane.
func (s *Store) rebind(se *session) {
	for _, other := range s.sessions {
		if other != se && other.pane == se.pane {
			other.pane, other.bound = "", false
		}
	}
}

func (s *Store) unbindPane(id string) {
	for key, se := range s.sessions {
		if se.pane == id {
			delete(s.sessions, key)
		}
	}
}

// forgetOldest keeps the number of sessions bounded.
func (s *Store) forgetOldest() {
	if len(s.sessions) < maxSessions {
		return
	}
	var oldest *session
	for _, se := range s.sessions {
		if oldest == nil || se.used.Before(oldest.used) {
			oldest = se
		}
	}
	delete(s.sessions, oldest.key)
}

// toolStarted remembers a call, so that an ask without an id and the end of
// the call find each other.
func (se *session) toolStarted(ev proto.HookEvent) {
	if ev.ToolUse == "" {
		return
	}
	at := time.Now()
	se.tools = slices.DeleteFunc(se.tools, func(c toolCall) bool {
		return c.use == ev.ToolUse || at.Sub(c.at) > toolAge
	})
	if len(se.tools) >= maxTools {
		se.tools = slices.Delete(se.tools, 0, 1)
	}
	se.tools = append(se.tools, toolCall{ev.ToolUse, ev.SubagentID, ev.Tool, ev.InputKey, at, ev.Background})
}

// toolEnded forgets a call and says whether it was known.
func (se *session) toolEnded(use string) bool {
	n := len(se.tools)
	se.tools = slices.DeleteFunc(se.tools, func(c toolCall) bool { return c.use == use })
	return len(se.tools) < n
}

// candidates are the open calls that an ask without an id may be about.
func (se *session) candidates(ev proto.HookEvent) []string {
	if ev.ToolUse != "" {
		return []string{ev.ToolUse}
	}
	var uses []string
	for _, c := range se.tools {
		if c.subagent == ev.SubagentID && c.tool == ev.Tool && c.key == ev.InputKey {
			uses = append(uses, c.use)
		}
	}
	return uses
}

// subagent keeps what an event tells of the session's subagents.
func (se *session) subagent(ev proto.HookEvent) {
	if se.subagents == nil || len(se.subagents) >= maxSubagents {
		se.subagents = map[string]bool{}
	}
	switch {
	case ev.Launched != "":
		se.subagents[ev.Launched] = true
	case ev.Moment == proto.MomentSubagentStart && ev.SubagentID != "":
		if _, told := se.subagents[ev.SubagentID]; !told { // its launch may have been, before
			se.subagents[ev.SubagentID] = false
		}
	case ev.Moment == proto.MomentSubagentEnd:
		delete(se.subagents, ev.SubagentID)
	}
}

// foreground says that a subagent surely runs in the foreground: its start was
// told, and no call that launches one beside the turn can have been it.
func (se *session) foreground(id string) bool {
	background, known := se.subagents[id]
	return known && !background && !slices.ContainsFunc(se.tools, func(c toolCall) bool { return c.background })
}
