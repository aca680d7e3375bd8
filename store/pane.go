package store

import (
	"slices"
	"strings"
	"time"

	"signaltty/proto"
)

// pane is a pane's state. What a client sees is derived by view.
type pane struct {
	proto.Pane             // State, Attention and Pending are filled in by view
	base       proto.State // the state apart from pending decisions
	reason     string
	notice     bool // a bell or notification that nobody has looked at
	unseen     bool // a turn ended that nobody has looked at
	pending    int
	dialog     []string    // the calls that the agent's own dialog asks about, as far as known
	titled     proto.State // what the title last said, "" before it said anything
	spun       bool        // the title has said "working" before
	kept       Kept        // what its process is made from; keep completes it
	resumable  bool        // the agent can take up a session
	passing    bool        // it does not outlive the server
	heard      bool        // a hook of its agent has spoken since its process started
	signals    signals
	// settling ends the state "working" some time after the title did; nil
	// when it is not about to.
	settling *time.Timer
	trailing bool // settling began by a hook, not by the title
	hooked   bool // a hook has told of it, and its session goes on
	told     bool // the program tells what it does (OSC 7501)
}

func (p *pane) view() proto.Pane {
	v := p.Pane
	v.Argv = slices.Clone(p.Argv)
	v.State, v.Reason, v.Pending, v.Resume = p.base, p.reason, p.pending, p.resume()
	switch {
	case p.pending > 0:
		v.State, v.Reason, v.Attention = proto.StateBlocked, "a decision waits", proto.AttentionDecision
	case p.notice:
		v.Attention = proto.AttentionNotice
	case p.unseen:
		v.Attention = proto.AttentionDone
	}
	return v
}

func (p *pane) set(state proto.State, reason string) {
	p.unsettle()
	if p.base == proto.StateExited {
		p.signals.add(reason, state, "the process has ended")
		return
	}
	not := ""
	if p.pending > 0 {
		not = "a decision waits; it counts when that has ended"
	}
	p.signals.add(reason, state, not)
	p.base, p.reason = state, reason
	if state != proto.StateBlocked {
		p.dialog = nil
	}
	p.unseen = state == proto.StateDone || state == proto.StateFailed
}

// NewPane is what AddPane needs to know.
type NewPane struct {
	Agent string
	Name  string
	Dir   string // the workspace's directory
	Cwd   string
	Argv  []string
	Size  proto.Size
	// Given is the Argv that the person gave, Command the program in place of
	// the agent's own.
	Given   []string
	Command string
	// Resumable says that the agent can take up a session.
	Resumable bool
	// Decide, Confine, Allow and Ports are as in PaneNew.
	Decide  bool
	Confine bool
	Allow   []string
	Ports   []uint16
	// Passing says that the pane is not kept: that of a headless turn.
	Passing bool
	// Beside and Split place the pane in the tab of another one.
	Beside string
	Split  string
	// By is who opened it.
	By By
}

// maxPanes bounds what a snapshot holds.
const maxPanes = 500

// PaneID mints the id of a pane that is about to start, since its process
// must know it.
func (s *Store) PaneID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id("p")
}

// AddPane adds a pane whose process has started.
func (s *Store) AddPane(id string, pid int, n NewPane) (proto.Pane, error) {
	var out proto.Pane
	var err error
	s.transition(func(t *change) {
		p := &pane{
			resumable: n.Resumable, passing: n.Passing,
			kept: Kept{Agent: n.Agent, Command: n.Command, Decide: n.Decide, Confine: n.Confine, Allow: n.Allow, Ports: n.Ports, Argv: n.Given, Cwd: n.Cwd},
			Pane: proto.Pane{
				ID: id, Agent: n.Agent, Name: n.Name, Cwd: n.Cwd, Argv: shownArgv(n.Argv), Size: n.Size, PID: pid, Confined: n.Confine, Since: now(),
			},
		}
		p.set(proto.StateUnknown, "started")
		if len(s.panes) >= maxPanes {
			err = proto.Errorf(proto.CodeTooLarge, "there are %d panes already; close some with `signaltty close`", maxPanes)
			return
		}
		if err = s.place(t, p, n); err != nil {
			return
		}
		s.panes[id] = p
		s.order = append(s.order, id)
		t.event(proto.EventPaneUpdated, p.view())
		s.tellWorkspace(t, p.Workspace)
		body := map[string]any{"argv": n.Argv, "cwd": n.Cwd, "pid": pid}
		if n.Confine {
			body["confined"] = true
		}
		t.record(Row{Kind: RowSpawn, Pane: id, Agent: n.Agent, Client: n.By.Client, UID: n.By.UID, PID: n.By.PID, Body: body})
		out = p.view()
	})
	return out, err
}

// maxArgv is how many bytes of a command line are shown; a prompt can be long.
const maxArgv = 2 << 10

// shownArgv is the head of a command line.
func shownArgv(argv []string) []string {
	out, left := []string{}, maxArgv
	for _, a := range argv {
		if left <= 0 {
			break
		}
		a = cutText(a, left)
		out, left = append(out, a), left-len(a)-1
	}
	return out
}

// now is a wall clock reading without the monotonic part, so that what is
// kept equals what is sent.
func now() time.Time { return time.Now().Round(0).UTC() }

// update changes one pane and tells of it if anything a client sees changed.
// It does nothing when the pane is gone.
func (s *Store) update(id string, f func(p *pane)) {
	s.transition(func(t *change) {
		if p := s.panes[id]; p != nil {
			t.pane(p, f)
		}
	})
}

func (t *change) pane(p *pane, f func(p *pane)) {
	before, kept := p.view(), p.kept.Talked
	f(p)
	t.s.trail(p)
	after := p.view()
	if !samePane(before, after) {
		t.event(proto.EventPaneUpdated, after)
	}
	if kept != p.kept.Talked || before.Name != after.Name || before.Cwd != after.Cwd || before.Session != after.Session {
		t.s.layouts.touch()
	}
}

func samePane(a, b proto.Pane) bool {
	if (a.Exit == nil) != (b.Exit == nil) || !slices.Equal(a.Argv, b.Argv) {
		return false
	}
	a.Exit, b.Exit, a.Argv, b.Argv = nil, nil, nil, nil
	return a.ID == b.ID && a.Workspace == b.Workspace && a.Tab == b.Tab && a.Agent == b.Agent && a.Name == b.Name &&
		a.State == b.State && a.Reason == b.Reason && a.Attention == b.Attention && a.Cwd == b.Cwd && a.Title == b.Title &&
		a.Size == b.Size && a.Pending == b.Pending && a.Session == b.Session && a.Progress == b.Progress &&
		a.Resume == b.Resume && a.PID == b.PID
}

// Pane finds a pane.
func (s *Store) Pane(id string) (proto.Pane, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.panes[id]
	if p == nil {
		return proto.Pane{}, false
	}
	return p.view(), true
}

// Rename names a pane.
func (s *Store) Rename(id, name string) { s.update(id, func(p *pane) { p.Name = name }) }

// Resized notes a pane's new size.
func (s *Store) Resized(id string, size proto.Size) { s.update(id, func(p *pane) { p.Size = size }) }

// SetCwd notes the directory that the program says it is in.
func (s *Store) SetCwd(id, dir string) { s.update(id, func(p *pane) { p.Cwd = dir }) }

// titleSettle is how long a title must say "idle" before it counts. Claude
// Code shows it for some milliseconds between two steps of a turn, and while
// its dialog is drawn.
const titleSettle = time.Second

// titleTrail is how long a title that said "idle" before a hook said "working"
// may trail behind it. Hooks and titles come by different ways: a hook of the
// last call may overtake the title that tells the end, and nothing follows.
const titleTrail = 5 * time.Second

// SetTitle notes a pane's title. Hint is what the agent's adapter reads from
// it: working, blocked (its own dialog is open), idle (which may also be
// waiting), or "" for nothing. Only a change of the hint counts, and only
// where hooks have said nothing newer. After "working", "idle" counts when it
// has stood for titleSettle, and not while a decision waits: an interrupted
// turn is told by nothing else, and can wait.
func (s *Store) SetTitle(id, title string, hint proto.State) {
	s.update(id, func(p *pane) {
		p.Title = title
		if hint == "" || p.told {
			return
		}
		was := p.titled
		p.titled = hint
		p.spun = p.spun || hint == proto.StateWorking
		switch {
		case hint == was:
		case hint != proto.StateIdle:
			p.unsettle()
			if p.base == hint {
				p.signals.add("title", hint, "the pane is "+string(p.base)+" already")
				return
			}
			p.set(hint, "title")
		case p.base != was:
			p.signals.add("title", hint, "the pane is "+string(p.base)+" already")
		case was == proto.StateBlocked:
			p.set(proto.StateIdle, "title")
		case p.pending > 0:
			p.signals.add("title", hint, "a decision waits")
		default:
			p.unsettle()
			p.settling = time.AfterFunc(titleSettle, func() { s.settled(id) })
		}
	})
}

// trail has the title's "idle" count for a pane that a hook has called working
// since, unless the title follows it.
func (s *Store) trail(p *pane) {
	if p.settling != nil || p.titled != proto.StateIdle || !p.spun || p.told || p.base != proto.StateWorking || p.pending > 0 || s.stopping {
		return
	}
	p.trailing = true
	p.settling = time.AfterFunc(titleTrail, func() { s.settled(p.ID) })
}

// settled takes the title's word that the turn is over.
func (s *Store) settled(id string) {
	s.update(id, func(p *pane) {
		if p.settling != nil && p.base == proto.StateWorking && p.pending == 0 {
			p.settling, p.trailing = nil, false
			p.set(proto.StateIdle, "title")
		}
	})
}

// StartWaits notes that an agent has drawn a screen and not said that it is
// ready: it asks something before it starts.
func (s *Store) StartWaits(id string) {
	s.update(id, func(p *pane) {
		if p.base == proto.StateUnknown {
			p.set(proto.StateBlocked, asksFirst)
		}
	})
}

// Started notes that an agent whose first title says so is ready.
func (s *Store) Started(id string) {
	s.update(id, func(p *pane) {
		if p.base == proto.StateUnknown || p.base == proto.StateBlocked && p.reason == asksFirst {
			p.set(proto.StateIdle, "title")
		}
	})
}

// unsettle takes back what the title said before: something newer is known.
func (p *pane) unsettle() {
	if p.settling != nil {
		p.settling.Stop()
		p.settling = nil
		if !p.trailing {
			p.signals.add("title", proto.StateIdle, "it did not last a second")
		}
		p.trailing = false
	}
}

const asksFirst = "asks before it starts"

// statuses is the states that a program may tell (OSC 7501).
var statuses = map[string]proto.State{
	"idle": proto.StateIdle, "working": proto.StateWorking, "blocked": proto.StateBlocked,
	"done": proto.StateDone, "error": proto.StateFailed, "clear": proto.StateUnknown,
}

// SetStatus notes what the program says that it does (OSC 7501); why is what
// it calls the kind, "" for none. Hooks know better: where one has told of
// the pane, its word stands. Else the program's own word does, above its title.
func (s *Store) SetStatus(id, status, why string) {
	state, known := statuses[status]
	if !known {
		return
	}
	s.update(id, func(p *pane) {
		if p.hooked {
			p.signals.add("status "+status, state, "hooks tell of this pane")
			return
		}
		p.told = state != proto.StateUnknown
		if why = "status " + strings.TrimSpace(status+" "+why); p.base == state && p.reason == why {
			return
		}
		p.set(state, why)
		if state == proto.StateBlocked {
			p.notice = true
		}
	})
}

// SetProgress notes how far the program says that it is; the zero value is
// for none.
func (s *Store) SetProgress(id string, g proto.Progress) {
	s.update(id, func(p *pane) { p.Progress = g })
}

// Notice raises a pane's attention for a bell or a notification. It is a
// hint: it never raises a decision and never changes the state.
func (s *Store) Notice(n proto.PaneNotice) {
	s.transition(func(t *change) {
		p := s.panes[n.Pane]
		if p == nil {
			return
		}
		t.event(proto.EventPaneNotice, n)
		t.pane(p, func(p *pane) { p.notice = true })
	})
}

// Seen notes that the person looks at a pane.
func (s *Store) Seen(id string) {
	s.update(id, func(p *pane) {
		p.notice, p.unseen = false, false
		if p.base == proto.StateDone {
			p.set(proto.StateIdle, "seen")
		}
	})
}

// PaneExited ends the pane's decisions and notes how its process ended.
func (s *Store) PaneExited(id string, exit proto.Exit) {
	s.transition(func(t *change) {
		p := s.panes[id]
		if p == nil || p.Exit != nil {
			return
		}
		s.retirePane(t, id, proto.EndPaneExited, "the pane's process ended")
		t.pane(p, func(p *pane) {
			p.set(proto.StateExited, "process ended")
			p.Exit = &exit
			p.Progress = proto.Progress{}
		})
		t.record(Row{Kind: RowExit, Pane: id, Agent: p.Agent, Body: map[string]any{"code": exit.Code, "signal": exit.Signal}})
	})
}

// PaneClosing ends the pane's decisions before its process is told to end.
func (s *Store) PaneClosing(id string) {
	s.transition(func(t *change) { s.retirePane(t, id, proto.EndPaneClosed, "pane close") })
}

// RemovePane takes a pane out of its tab and forgets it.
func (s *Store) RemovePane(id string) {
	s.transition(func(t *change) {
		p := s.panes[id]
		if p == nil {
			return
		}
		s.retirePane(t, id, proto.EndPaneClosed, "pane close")
		p.unsettle()
		delete(s.panes, id)
		s.order = slices.DeleteFunc(s.order, func(o string) bool { return o == id })
		s.unbindPane(id)
		t.event(proto.EventPaneRemoved, proto.PaneRef{Pane: id})
		s.displace(t, p)
	})
}

func (s *Store) retirePane(t *change, id string, end proto.End, cause string) {
	for _, d := range slices.Clone(s.decisions) {
		if d.Pane == id {
			s.retire(t, d, end, cause)
		}
	}
}
