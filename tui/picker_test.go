package tui_test

import (
	"testing"

	"signaltty/proto"
	"signaltty/tui/tuitest"
)

// A new pane is confined by a key, and its frame says so.
func TestConfinedPane(t *testing.T) {
	bubble(t, tuitest.Setup{Launch: launches}, func(d *tuitest.Driver) {
		d.Press("ctrl+]", "c")
		d.Idle()
		d.Want("c has the kernel limit what it writes")
		d.Press("c")
		d.Idle()
		d.Want("✓ the kernel limits what it writes")
		d.Press("enter")
		d.Idle()
		if n := tuitest.Asked[proto.PaneNew](d.Server, proto.MethodPaneNew); len(n) != 1 || !n[0].Confine {
			t.Errorf("a new pane was asked for as %+v", n)
		}
		d.Want("claude confined")
	})
}

// Where the kernel limits no pane, the dialog says so and asks for none.
func TestKernelWithoutLimits(t *testing.T) {
	s := fleet()
	s.Unconfined("it has no Landlock")
	bubble(t, tuitest.Setup{Server: s, Launch: launches}, func(d *tuitest.Driver) {
		d.Press("ctrl+]", "c")
		d.Idle()
		d.Want("this kernel limits no pane")
		d.Press("c")
		d.Idle()
		d.Want("no pane can be confined here: it has no Landlock")
		d.Press("enter")
		d.Idle()
		if n := tuitest.Asked[proto.PaneNew](d.Server, proto.MethodPaneNew); len(n) != 1 || n[0].Confine {
			t.Errorf("a new pane was asked for as %+v", n)
		}
	})
}
