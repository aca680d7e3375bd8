package tui

import (
	"slices"
	"strings"

	"signaltty/proto"
)

// world is what the server has told: the client's copy of its state.
type world struct {
	workspaces []proto.Workspace
	panes      map[string]proto.Pane
	decisions  []proto.Decision // those that wait, in the order of their arrival
	trouble    string
	unconfined string // why no pane can be confined; "" when it can
}

func worldOf(s proto.Snapshot) world {
	w := world{workspaces: s.Workspaces, panes: map[string]proto.Pane{}, decisions: s.Decisions, trouble: s.Trouble, unconfined: s.Unconfined}
	for _, p := range s.Panes {
		w.panes[p.ID] = p
	}
	return w
}

func (w *world) setWorkspace(ws proto.Workspace) {
	for i := range w.workspaces {
		if w.workspaces[i].ID == ws.ID {
			w.workspaces[i] = ws
			return
		}
	}
	w.workspaces = append(w.workspaces, ws)
}

func (w *world) dropWorkspace(id string) {
	w.workspaces = slices.DeleteFunc(w.workspaces, func(ws proto.Workspace) bool { return ws.ID == id })
}

func (w *world) setDecision(d proto.Decision) {
	for i := range w.decisions {
		if w.decisions[i].ID == d.ID {
			w.decisions[i] = d
			return
		}
	}
	w.decisions = append(w.decisions, d)
}

func (w *world) dropDecision(id string) (proto.Decision, bool) {
	for i, d := range w.decisions {
		if d.ID == id {
			w.decisions = slices.Delete(w.decisions, i, i+1)
			return d, true
		}
	}
	return proto.Decision{}, false
}

func (w *world) decision(id string) (proto.Decision, int) {
	for i, d := range w.decisions {
		if d.ID == id {
			return d, i
		}
	}
	return proto.Decision{}, -1
}

// waiting counts the decisions of a pane that wait.
func (w *world) waiting(pane string) int {
	n := 0
	for _, d := range w.decisions {
		if d.Pane == pane {
			n++
		}
	}
	return n
}

// order is all panes in the order of the sidebar.
func (w *world) order() []string {
	var ids []string
	for _, ws := range w.workspaces {
		for _, t := range ws.Tabs {
			ids = append(ids, leaves(t.Tree)...)
		}
	}
	return slices.DeleteFunc(ids, func(id string) bool { _, ok := w.panes[id]; return !ok })
}

// tabs is all tabs in the order of the sidebar.
func (w *world) tabs() []proto.Tab {
	var tabs []proto.Tab
	for _, ws := range w.workspaces {
		tabs = append(tabs, ws.Tabs...)
	}
	return tabs
}

// tabOf is the tab that shows a pane.
func (w *world) tabOf(pane string) (proto.Tab, bool) {
	for _, t := range w.tabs() {
		if slices.Contains(leaves(t.Tree), pane) {
			return t, true
		}
	}
	return proto.Tab{}, false
}

// leaves is the panes of a split tree, from the left and the top.
func leaves(s *proto.Split) []string {
	switch {
	case s == nil:
		return nil
	case s.Pane != "":
		return []string{s.Pane}
	}
	return append(leaves(s.A), leaves(s.B)...)
}

// label is what a pane is called: the person's name for it, else the agent,
// else the program.
func label(p proto.Pane) string {
	switch {
	case p.Name != "":
		return p.Name
	case p.Agent != "":
		return p.Agent
	case len(p.Argv) > 0:
		return p.Argv[0][strings.LastIndexByte(p.Argv[0], '/')+1:]
	}
	return "shell"
}

// mark is how a state is shown: a sign and a word, since colour alone tells
// nothing.
func mark(p proto.Pane) (sign, word string) {
	switch p.State {
	case proto.StateWorking:
		return "●", "working"
	case proto.StateBlocked:
		return "!", "blocked"
	case proto.StateDone:
		return "✓", "done"
	case proto.StateIdle:
		return "○", "idle"
	case proto.StateFailed:
		return "×", "failed"
	case proto.StateExited:
		return "·", "exited"
	}
	if p.Agent == "" {
		return " ", ""
	}
	return "?", "unknown"
}
