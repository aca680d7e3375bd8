package store

import (
	"testing"

	"signaltty/proto"
)

// An agent that runs and has no session yet makes its pane idle, in the pane
// that it runs in and no other; it binds nothing.
func TestReady(t *testing.T) {
	s := open(t, Options{})
	one, two := addPane(t, s, "opencode"), addPane(t, s, "opencode")
	state := func(id string) proto.State { p, _ := s.Pane(id); return p.State }
	ready := func(env, origin string) {
		s.Hook(moment(proto.MomentReady, "", func(e *proto.HookEvent) { e.Agent, e.Pane = "opencode", env }), Origin{Pane: origin}, nil)
	}
	ready(two, one)
	ready(one, "")
	if state(one) != proto.StateUnknown || state(two) != proto.StateUnknown {
		t.Fatalf("on a guess the panes are %s and %s", state(one), state(two))
	}
	ready(one, one)
	ready(two, two)
	if state(one) != proto.StateIdle || state(two) != proto.StateIdle {
		t.Errorf("the panes are %s and %s, want both idle", state(one), state(two))
	}
	if p, _ := s.Pane(one); p.Session != "" {
		t.Errorf("the pane has the session %q", p.Session)
	}
	started := func() { p, _ := s.Pane(one); s.Silent(one, p.Since) }
	if started(); state(one) != proto.StateIdle {
		t.Error("it passes for silent")
	}
	s.Hook(moment(proto.MomentPrompt, "s1", func(e *proto.HookEvent) { e.Agent = "opencode" }), Origin{Pane: one}, nil)
	if ready(one, one); state(one) != proto.StateWorking {
		t.Errorf("at work it is ready and %s", state(one))
	}
}
