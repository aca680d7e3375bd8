package server

import (
	"errors"
	"strings"
	"testing"

	"signaltty/proto"
)

// A kernel that cannot limit a pane is told, and no pane is opened that should
// be limited: it is never opened unlimited in its place.
func TestKernelWithoutLimits(t *testing.T) {
	s := runServer(t, Options{Kernel: func() error { return errors.New("this kernel has no Landlock") }})
	c := s.dial("test")
	dir := t.TempDir()
	err := c.try(proto.MethodPaneNew, proto.PaneNew{Confine: true, Cwd: dir, Argv: []string{"/bin/sleep", "1000"}}, nil)
	wantCode(t, err, proto.CodeSpawn)
	if !strings.Contains(err.Error(), "this kernel has no Landlock") || !strings.Contains(err.Error(), "without --confine") {
		t.Errorf("it says %v", err)
	}
	var status proto.Status
	c.call(proto.MethodStatus, proto.None{}, &status)
	if status.Unconfined != "this kernel has no Landlock" || status.Panes != 0 {
		t.Errorf("the status is %+v", status)
	}
}

// What would be granted must hold nothing of signaltty's own.
func TestConfinedRefusesItsOwn(t *testing.T) {
	s := runServer(t, Options{Kernel: func() error { return nil }})
	c := s.dial("test")
	for _, allow := range []string{"/", "/**", s.socket} {
		err := c.try(proto.MethodPaneNew, proto.PaneNew{Confine: true, Cwd: t.TempDir(), Allow: []string{allow}, Argv: []string{"/bin/sleep", "1000"}}, nil)
		wantCode(t, err, proto.CodeSpawn)
	}
}
