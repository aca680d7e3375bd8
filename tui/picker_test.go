package tui_test

import (
	"testing"

	"signaltty/proto"
	"signaltty/tui"
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

// An agent that lets decisions be made here only in a mode of its own is asked
// for so by a key; for others there is nothing to choose.
func TestDecidesInTheDialog(t *testing.T) {
	list := []tui.Launch{{Name: "Gemini CLI", Agent: "gemini", Decide: true}, {Name: "Demo agent", Agent: "mock"}}
	bubble(t, tuitest.Setup{Launch: list}, func(d *tuitest.Driver) {
		d.Press("ctrl+]", "c")
		d.Idle()
		d.Want("d has its decisions made here")
		d.Press("d")
		d.Idle()
		d.Want("✓ its decisions are made here")
		d.Press("enter")
		d.Idle()
		if n := tuitest.Asked[proto.PaneNew](d.Server, proto.MethodPaneNew); len(n) != 1 || !n[0].Decide {
			t.Errorf("a new pane was asked for as %+v", n)
		}
		d.Press("ctrl+]", "c", "down", "d")
		d.Idle()
		d.Want("decisions of Demo agent need no choice")
	})
}
