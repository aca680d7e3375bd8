package store

import (
	"path/filepath"
	"slices"

	"signaltty/proto"
)

// place puts a new pane into a workspace and a tab: beside another pane when
// asked, else in a tab of its own.
func (s *Store) place(t *change, p *pane, n NewPane) error {
	if n.Beside != "" {
		other := s.panes[n.Beside]
		if other == nil {
			return proto.Errorf(proto.CodeNoSuchPane, "no pane %q to put the new one beside", n.Beside)
		}
		dir := n.Split
		if dir != "rows" {
			dir = "columns"
		}
		tab := s.tab(other.Tab)
		tab.Tree = split(tab.Tree, other.ID, p.ID, dir)
		p.Workspace, p.Tab = other.Workspace, other.Tab
		return nil
	}
	i := slices.IndexFunc(s.workspaces, func(w *proto.Workspace) bool { return w.Dir == n.Dir })
	if i < 0 {
		i = len(s.workspaces)
		s.workspaces = append(s.workspaces, &proto.Workspace{ID: s.id("w"), Dir: n.Dir, Name: filepath.Base(n.Dir)})
	}
	w := s.workspaces[i]
	p.Workspace, p.Tab = w.ID, s.id("t")
	w.Tabs = append(w.Tabs, proto.Tab{ID: p.Tab, Tree: &proto.Split{Pane: p.ID}})
	return nil
}

// displace takes a pane that is gone out of its tab, and the tab and the
// workspace with it when they are empty.
func (s *Store) displace(t *change, p *pane) {
	tab := s.tab(p.Tab)
	if tab == nil {
		return
	}
	tab.Tree = cut(tab.Tree, p.ID)
	w := s.workspace(p.Workspace)
	if tab.Tree == nil {
		w.Tabs = slices.DeleteFunc(w.Tabs, func(o proto.Tab) bool { return o.ID == p.Tab })
	}
	if len(w.Tabs) > 0 {
		s.tellWorkspace(t, w.ID)
		return
	}
	s.workspaces = slices.DeleteFunc(s.workspaces, func(o *proto.Workspace) bool { return o == w })
	s.layouts.touch()
	t.event(proto.EventWorkspaceRemoved, proto.WorkspaceRef{Workspace: w.ID})
}

// Arrange replaces a tab's tree by one that has the same panes.
func (s *Store) Arrange(id string, tree *proto.Split) error {
	var err error
	s.transition(func(t *change) {
		tab := s.tab(id)
		if tab == nil {
			err = proto.Errorf(proto.CodeNoSuchPane, "no tab %q", id)
			return
		}
		have, want := leaves(tab.Tree, nil, 0), leaves(tree, nil, 0)
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			err = proto.Errorf(proto.CodeBadRequest, "tab.arrange: the tree must have the panes of the tab, each once")
			return
		}
		tab.Tree = copySplit(tree)
		s.tellWorkspace(t, s.panes[have[0]].Workspace)
	})
	return err
}

func (s *Store) workspace(id string) *proto.Workspace {
	for _, w := range s.workspaces {
		if w.ID == id {
			return w
		}
	}
	return nil
}

func (s *Store) tab(id string) *proto.Tab {
	for _, w := range s.workspaces {
		for i := range w.Tabs {
			if w.Tabs[i].ID == id {
				return &w.Tabs[i]
			}
		}
	}
	return nil
}

func (s *Store) tellWorkspace(t *change, id string) {
	if w := s.workspace(id); w != nil {
		s.layouts.touch()
		t.event(proto.EventWorkspaceUpdated, copyWorkspace(w))
	}
}

// split replaces the leaf of pane by a node that has it and the new pane.
func split(n *proto.Split, pane, added, dir string) *proto.Split {
	switch {
	case n == nil:
		return nil
	case n.Pane == pane:
		return &proto.Split{Dir: dir, Share: 50, A: &proto.Split{Pane: pane}, B: &proto.Split{Pane: added}}
	case n.Pane != "":
		return n
	}
	n.A, n.B = split(n.A, pane, added, dir), split(n.B, pane, added, dir)
	return n
}

// cut takes the leaf of pane out; its neighbour takes its place.
func cut(n *proto.Split, pane string) *proto.Split {
	switch {
	case n == nil || n.Pane == pane:
		return nil
	case n.Pane != "":
		return n
	}
	n.A, n.B = cut(n.A, pane), cut(n.B, pane)
	switch {
	case n.A == nil:
		return n.B
	case n.B == nil:
		return n.A
	}
	return n
}

// maxDepth bounds a tree that a client sends. A broken one reads as having
// a leaf that no pane has.
const maxDepth = 64

func leaves(n *proto.Split, out []string, depth int) []string {
	if n == nil || depth > maxDepth || (n.Pane == "") == (n.A == nil || n.B == nil) {
		return append(out, "")
	}
	if n.Pane != "" {
		return append(out, n.Pane)
	}
	if (n.Dir != "columns" && n.Dir != "rows") || n.Share < 5 || n.Share > 95 {
		return append(out, "")
	}
	return leaves(n.B, leaves(n.A, out, depth+1), depth+1)
}

func copySplit(n *proto.Split) *proto.Split {
	if n == nil {
		return nil
	}
	c := *n
	c.A, c.B = copySplit(n.A), copySplit(n.B)
	return &c
}

func copyWorkspace(w *proto.Workspace) proto.Workspace {
	c := *w
	c.Tabs = slices.Clone(w.Tabs)
	for i := range c.Tabs {
		c.Tabs[i].Tree = copySplit(c.Tabs[i].Tree)
	}
	return c
}
