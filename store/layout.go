package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"signaltty/proto"
)

// layoutVersion grows when an older server would misread what is kept.
const layoutVersion = 1

// layout is what outlives the server: where the panes are and what runs in
// them. Decisions, states and everything else that was true of processes only
// is not in it, so it cannot come back.
type layout struct {
	Version    int               `json:"version"`
	Workspaces []proto.Workspace `json:"workspaces"`
	Panes      []Kept            `json:"panes"`
}

// Kept is what is kept of a pane.
type Kept struct {
	// ID is the pane's in the trees of the layout. Put back, it gets another:
	// what still knows the old one must not reach the new pane by it.
	ID      string `json:"id"`
	Agent   string `json:"agent,omitempty"`
	Command string `json:"command,omitempty"`
	// Decide is the person's choice that decisions are made here (PaneNew.Decide).
	Decide bool `json:"decide,omitempty"`
	// Confine, Allow and Ports are as in PaneNew: what runs again is limited again.
	Confine bool     `json:"confine,omitempty"`
	Allow   []string `json:"allow,omitempty"`
	Ports   []uint16 `json:"ports,omitempty"`
	// Argv is as the person gave it: the program, or an agent's arguments.
	Argv []string `json:"argv,omitempty"`
	Name string   `json:"name,omitempty"`
	// Cwd is an agent's starting directory, in which it finds its
	// conversation, and any other program's last one.
	Cwd     string `json:"cwd"`
	Session string `json:"session,omitempty"`
	// Talked says that something was said in the session: an agent does not
	// save an empty one.
	Talked bool `json:"talked,omitempty"`
}

// keep is the layout as it is now. It is called under the lock.
func (s *Store) keep() layout {
	if s.stopping {
		return s.last
	}
	l := layout{Version: layoutVersion}
	for _, w := range s.workspaces {
		l.Workspaces = append(l.Workspaces, copyWorkspace(w))
	}
	for _, id := range s.order {
		if p := s.panes[id]; !p.passing {
			l.Panes = append(l.Panes, p.keep())
		}
	}
	return l
}

func (p *pane) keep() Kept {
	k := p.kept
	k.ID, k.Name, k.Session = p.ID, p.Name, p.Session
	if p.Agent == "" {
		k.Cwd = p.Cwd
	}
	return k
}

// layout is keep for the writer.
func (s *Store) layout() layout {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keep()
}

// maxLayout bounds what is read of a layout.
const maxLayout = 16 << 20

// readLayout reads what was kept. What does not belong together in it is left
// out; the error says that nothing of it can be used.
func readLayout(body []byte) (layout, error) {
	var l layout
	if len(body) > maxLayout {
		return layout{}, fmt.Errorf("it is larger than %d MiB", maxLayout>>20)
	}
	if err := json.Unmarshal(body, &l); err != nil {
		return layout{}, err
	}
	if l.Version != layoutVersion {
		return layout{}, fmt.Errorf("it is of version %d, this signaltty reads %d", l.Version, layoutVersion)
	}
	l.Panes = l.Panes[:min(len(l.Panes), maxPanes)]
	seen := map[string]bool{}
	l.Panes = slices.DeleteFunc(l.Panes, func(k Kept) bool {
		bad := k.ID == "" || seen[k.ID] || !filepath.IsAbs(k.Cwd)
		seen[k.ID] = true
		return bad
	})
	return l, nil
}

// Restore puts back what the last server kept, each pane as one whose process
// has ended, and returns the panes under their new ids. Nothing of a decision
// comes back. Resumable says whether an agent can take up a session.
func (s *Store) Restore(resumable func(agent string) bool) []Kept {
	var out []Kept
	s.transition(func(t *change) {
		l := s.found
		s.found = layout{}
		panes := map[string]*pane{}
		for _, k := range l.Panes {
			p := restored(k, resumable(k.Agent))
			p.ID = s.id("p")
			panes[k.ID] = p
		}
		for _, w := range l.Workspaces {
			s.restoreWorkspace(w, panes)
		}
		for _, k := range l.Panes {
			p := panes[k.ID]
			if p.Tab == "" { // no tree has it
				_ = s.place(t, p, NewPane{Dir: p.Cwd}) // fails only beside another
			}
			s.panes[p.ID] = p
			s.order = append(s.order, p.ID)
			t.event(proto.EventPaneUpdated, p.view())
			out = append(out, p.keep())
		}
		for _, w := range s.workspaces {
			s.tellWorkspace(t, w.ID)
		}
	})
	return out
}

func restored(k Kept, resumable bool) *pane {
	return &pane{
		kept: k, resumable: resumable, base: proto.StateExited, reason: "it ended with the server",
		Pane: proto.Pane{
			Agent: k.Agent, Name: k.Name, Cwd: k.Cwd, Argv: shownArgv(k.Argv), Session: k.Session, Confined: k.Confine,
			Size: proto.Size{Cols: 80, Lines: 24}, Exit: &proto.Exit{Code: -1}, Since: now(),
		},
	}
}

// restoreWorkspace puts back the tabs of a workspace whose panes are known,
// each pane once.
func (s *Store) restoreWorkspace(w proto.Workspace, panes map[string]*pane) {
	back := &proto.Workspace{ID: s.id("w"), Dir: w.Dir, Name: w.Name}
	for _, tab := range w.Tabs {
		if slices.Contains(leaves(tab.Tree, nil, 0), "") {
			continue // a broken tree: its panes get tabs of their own
		}
		id := s.id("t")
		if tree := retree(tab.Tree, func(old string) string {
			p := panes[old]
			if p == nil || p.Tab != "" {
				return ""
			}
			p.Workspace, p.Tab = back.ID, id
			return p.ID
		}); tree != nil {
			back.Tabs = append(back.Tabs, proto.Tab{ID: id, Tree: tree})
		}
	}
	if len(back.Tabs) > 0 {
		s.workspaces = append(s.workspaces, back)
	}
}

// retree copies a tree with other names for its panes; a pane that has none
// is left out, and its neighbour takes its place.
func retree(n *proto.Split, name func(string) string) *proto.Split {
	if n.Pane != "" {
		if id := name(n.Pane); id != "" {
			return &proto.Split{Pane: id}
		}
		return nil
	}
	a, b := retree(n.A, name), retree(n.B, name)
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &proto.Split{Dir: n.Dir, Share: n.Share, A: a, B: b}
}

// Kept is what is kept of a pane.
func (s *Store) Kept(id string) (Kept, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.panes[id]
	if p == nil {
		return Kept{}, false
	}
	return p.keep(), true
}

// resume is what can be done with a pane whose process has ended.
func (p *pane) resume() proto.Resume {
	switch {
	case p.base != proto.StateExited || p.passing:
		return ""
	case p.resumable && p.Session != "" && p.kept.Talked:
		return proto.ResumeSession
	}
	return proto.ResumeAgain
}

// Resumed notes that a pane whose process had ended has another one.
func (s *Store) Resumed(id string, pid int, argv []string, by By) (proto.Pane, bool) {
	var out proto.Pane
	found := false
	s.transition(func(t *change) {
		p := s.panes[id]
		if p == nil {
			return
		}
		found = true
		how := p.resume()
		t.pane(p, func(p *pane) {
			p.base = proto.StateUnknown
			p.set(proto.StateUnknown, "resumed")
			p.Exit, p.PID, p.Argv, p.Since = nil, pid, shownArgv(argv), now()
			p.titled, p.spun, p.notice, p.heard, p.Title = "", false, false, false, ""
			p.hooked, p.told = false, false
		})
		t.record(Row{Kind: RowSpawn, Pane: id, Agent: p.Agent, Session: p.Session, Client: by.Client, UID: by.UID, PID: by.PID,
			Body: map[string]any{"argv": argv, "cwd": p.Cwd, "pid": pid, "resume": string(how)}})
		out = p.view()
	})
	return out, found
}

// ResumeFailed notes why a pane's process could not be started again. The
// pane keeps its session.
func (s *Store) ResumeFailed(id string, err error) {
	s.update(id, func(p *pane) {
		if p.base == proto.StateExited {
			p.reason = "it could not be resumed: " + cutText(err.Error(), 1<<10)
		}
	})
}
