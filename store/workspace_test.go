package store

import (
	"encoding/json"
	"testing"

	"signaltty/proto"
)

func tree(t *testing.T, s *Store) string {
	t.Helper()
	b, err := json.Marshal(s.Snapshot().Workspaces)
	must(t, err)
	return string(b)
}

func TestPanesFindTheirPlace(t *testing.T) {
	s := open(t, Options{})
	add := func(n NewPane) string {
		t.Helper()
		id := s.PaneID()
		_, err := s.AddPane(id, 1, n)
		must(t, err)
		return id
	}
	a := add(NewPane{Dir: "/x/repo"})
	b := add(NewPane{Dir: "/x/repo", Beside: a})
	c := add(NewPane{Dir: "/x/repo", Beside: b, Split: "rows"})
	add(NewPane{Dir: "/x/repo"})
	add(NewPane{Dir: "/y/other"})
	want := `[{"id":"w1-1","dir":"/x/repo","name":"repo","tabs":[` +
		`{"id":"t1-1","tree":{"dir":"columns","share":50,"a":{"pane_id":"p1-1"},"b":{"dir":"rows","share":50,"a":{"pane_id":"p1-2"},"b":{"pane_id":"p1-3"}}}},` +
		`{"id":"t1-2","tree":{"pane_id":"p1-4"}}]},` +
		`{"id":"w1-2","dir":"/y/other","name":"other","tabs":[{"id":"t1-3","tree":{"pane_id":"p1-5"}}]}]`
	if got := tree(t, s); got != want {
		t.Fatalf("workspaces are\n%s, want\n%s", got, want)
	}
	s.RemovePane(b)
	if got := s.tab("t1-1").Tree; got.B.Pane != c || got.A.Pane != a {
		t.Fatalf("after a split pane is gone the tab is %+v", got)
	}
	s.RemovePane("p1-5")
	if n := len(s.Snapshot().Workspaces); n != 1 {
		t.Fatalf("%d workspaces are left, want 1", n)
	}
	if _, err := s.AddPane(s.PaneID(), 1, NewPane{Beside: "p9-9"}); err == nil {
		t.Fatal("a pane beside one that is not there")
	}
}

func TestArrange(t *testing.T) {
	s := open(t, Options{})
	a := addPane(t, s, "")
	id := s.PaneID()
	_, err := s.AddPane(id, 1, NewPane{Beside: a})
	must(t, err)
	leaf := func(id string) *proto.Split { return &proto.Split{Pane: id} }
	node := func(share int, a, b *proto.Split) *proto.Split {
		return &proto.Split{Dir: "rows", Share: share, A: a, B: b}
	}
	deep := leaf(a)
	for range 1000 {
		deep = node(50, deep, leaf(id))
	}
	tests := []struct {
		name string
		tab  string
		tree *proto.Split
		ok   bool
	}{
		{"turned round", "t1-1", node(30, leaf(id), leaf(a)), true},
		{"unknown tab", "t9-9", leaf(a), false},
		{"nothing", "t1-1", nil, false},
		{"a pane less", "t1-1", leaf(a), false},
		{"a pane twice", "t1-1", node(50, leaf(a), leaf(a)), false},
		{"a foreign pane", "t1-1", node(50, leaf(a), leaf("p9-9")), false},
		{"no share", "t1-1", node(0, leaf(a), leaf(id)), false},
		{"a leaf with branches", "t1-1", &proto.Split{Pane: a, A: leaf(a), B: leaf(id)}, false},
		{"half a node", "t1-1", &proto.Split{Dir: "rows", Share: 50, A: leaf(a)}, false},
		{"deep", "t1-1", deep, false},
	}
	for _, tt := range tests {
		before := tree(t, s)
		err := s.Arrange(tt.tab, tt.tree)
		if (err == nil) != tt.ok {
			t.Errorf("%s: error is %v", tt.name, err)
		}
		if changed := tree(t, s) != before; changed != tt.ok {
			t.Errorf("%s: changed is %v", tt.name, changed)
		}
	}
}
