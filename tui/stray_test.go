package tui_test

import (
	"strings"
	"testing"
	"time"

	"signaltty/proto"
	"signaltty/tui/tuitest"
)

// movedOn is the end of d1 that no key here has brought about.
var movedOn = proto.DecisionEnded{Decision: "d1", Pane: "p1", End: proto.EndMovedOn}

// words types as a person does, with a pause between the keys.
func words(d *tuitest.Driver, text string) {
	for _, c := range text {
		d.Send(string(c))
		d.Pass(150 * time.Millisecond)
	}
}

// TestStrayWords: what a person still types at something that has just gone
// never reaches the pane, whose dialog takes a "1" for yes.
func TestStrayWords(t *testing.T) {
	wait := func(d *tuitest.Driver) { d.Decide(bash("d1", "p1", "npm test")); d.Pass(time.Second) }
	tests := []struct {
		name string
		act  func(*tuitest.Driver)
	}{
		{"the decision ends under the reason", func(d *tuitest.Driver) {
			wait(d)
			d.Press("ctrl+]", "d")
			words(d, "take ")
			d.End(movedOn)
			words(d, "1 or y")
			d.Want("take 1 or y", "settled meanwhile")
			d.Pass(time.Hour)
			words(d, "2")
			d.Want("take 1 or y2")
			d.Press("enter")
			d.Idle()
			d.Want("not sent")
			words(d, "1\r")
		}},
		{"another decision comes up under the reason", func(d *tuitest.Driver) {
			wait(d)
			d.Press("ctrl+]", "d")
			d.Decide(bash("d2", "p1", "make"))
			d.End(movedOn)
			words(d, "1y")
			d.Want("npm test", "Why not? 1y")
			d.Press("esc")
			d.Idle()
			d.Want("make")
		}},
		{"another pane is clicked under the reason", func(d *tuitest.Driver) {
			d.Decide(bash("d2", "p2", "make"))
			d.Decide(bash("d1", "p1", "npm test"))
			d.Pass(time.Second)
			d.Press("ctrl+]", "j")
			d.Pass(time.Second)
			d.Press("ctrl+]", "d")
			d.Click(d.Find("codex is ready"))
			words(d, "1y")
			d.Want("npm test", "Why not? 1y")
		}},
		{"the decision ends under the focused bar", func(d *tuitest.Driver) {
			wait(d)
			d.Press("ctrl+]", "b")
			d.End(movedOn)
			d.Idle() // a key before the news would be for what is on the screen
			words(d, "1 y no\r")
			d.Want("nothing takes these keys")
		}},
		{"the server goes under the focused bar", func(d *tuitest.Driver) {
			wait(d)
			d.Press("ctrl+]", "b")
			d.Drop(false)
			words(d, "q1y\r")
			d.Want("npm test")
		}},
		{"in the grace", func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p1", "npm test"))
			d.Pass(100 * time.Millisecond)
			d.Press("ctrl+]", "d")
			words(d, "1 y")
			d.Want("Why not? 1 y")
		}},
		{"an answer in the grace", func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p1", "npm test"))
			d.Pass(100 * time.Millisecond)
			d.Press("ctrl+]", "n")
			words(d, "1 y")
		}},
		{"it ended just before", func(d *tuitest.Driver) {
			wait(d)
			d.End(movedOn)
			d.Press("ctrl+]", "d")
			words(d, "use 1")
		}},
		{"no reason is taken", func(d *tuitest.Driver) {
			q := bash("d1", "p1", "Which one?")
			q.Kind, q.Answerable, q.Options = proto.KindQuestion, false, nil
			d.Decide(q)
			d.Pass(time.Second)
			d.Press("ctrl+]", "d")
			words(d, "use 1")
		}},
		{"a paste", func(d *tuitest.Driver) {
			wait(d)
			d.Press("ctrl+]", "b")
			d.End(movedOn)
			d.Paste("1\r")
			d.Idle()
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
				test.act(d)
				wantGiven(t, d)
				if got := d.Typed("p1"); got != "" {
					t.Errorf("the pane got %q", got)
				}
				if got := tuitest.Asked[proto.PanePaste](d.Server, proto.MethodPanePaste); len(got) > 0 {
					t.Errorf("the pane got a paste: %+v", got)
				}
			})
		})
	}
}

// TestStrayEnds: a pause, esc, or a chord of ctrl, and the pane has its keys.
func TestStrayEnds(t *testing.T) {
	tests := []struct {
		name string
		act  func(*tuitest.Driver)
		want string
	}{
		{"pause", func(d *tuitest.Driver) { words(d, "no"); d.Pass(600 * time.Millisecond); words(d, "ls") }, "ls"},
		{"esc", func(d *tuitest.Driver) { d.Press("n", "esc", "l", "s") }, "ls"},
		{"ctrl", func(d *tuitest.Driver) { d.Press("n", "ctrl+c") }, "\x03"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
				d.Decide(bash("d1", "p1", "npm test"))
				d.Pass(time.Second)
				d.Press("ctrl+]", "b")
				d.End(movedOn)
				test.act(d)
				d.Idle()
				if got := d.Typed("p1"); got != test.want {
					t.Errorf("the pane got %q, want %q", got, test.want)
				}
			})
		})
	}
}

// TestReasonInTheGrace: the box opens at once, and its enter waits as every
// other answer does.
func TestReasonInTheGrace(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", "npm test"))
		d.Pass(100 * time.Millisecond)
		d.Press("ctrl+]", "d")
		d.Send("no\r")
		d.Idle()
		wantGiven(t, d)
		d.Want("only just came up", "Why not? no")
		d.Pass(300 * time.Millisecond)
		d.Press("enter")
		wantGiven(t, d, "d1 deny: no")
	})
}

// TestExpandedReads: arrows and pages scroll the bar that was opened to be
// read; esc gives the keys back.
func TestExpandedReads(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", long()))
		d.Pass(time.Second)
		d.Press("ctrl+]", "e", "down", "pgdown")
		d.Idle()
		d.Want("echo step 30")
		if got := d.Typed("p1"); got != "" {
			t.Errorf("the pane got %q", got)
		}
		d.Press("esc", "x")
		d.Idle()
		d.WantNot("echo step 30")
		if got := d.Typed("p1"); got != "x" {
			t.Errorf("the pane got %q after esc", got)
		}
	})
}

// dialogFrame is a screen whose last rows, from a row on, are an agent's own dialog.
func dialogFrame(rev uint64, from int) proto.Frame {
	f := proto.Frame{Pane: "p1", Rev: rev, Cols: 57, Lines: 22, Full: true}
	for y := range from {
		f.Rows = append(f.Rows, proto.Row{Y: y, Runs: []proto.Run{{Text: strings.Repeat("text ", 11)}}})
	}
	for y, s := range []string{"────────────", "Bash command", "  npm test", "Do you want to proceed?", "❯ 1. Yes", "  2. Yes, and don't ask again", "  3. No", "", "Esc to cancel"} {
		f.Rows = append(f.Rows, proto.Row{Y: from + y, Runs: []proto.Run{{Text: s}}})
	}
	return f
}

// TestBarSparesTheDialog: the bar stands where the agent's own dialog is not.
func TestBarSparesTheDialog(t *testing.T) {
	for name, from := range map[string]int{"at the bottom": 13, "at the top": 2} {
		t.Run(name, func(t *testing.T) {
			bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
				d.Frame(dialogFrame(2, from))
				d.Idle()
				d.Decide(bash("d1", "p1", "npm test"))
				d.Idle()
				d.Want("asks to use Bash", "Do you want", "❯ 1. Yes", "Esc to cancel")
				d.Pass(time.Second)
				_, was := d.Find("asks to use Bash")
				d.Frame(dialogFrame(3, 15-from))
				d.Idle()
				if _, y := d.Find("asks to use Bash"); y != was {
					t.Errorf("the bar moved from row %d to %d", was, y)
				}
			})
		})
	}
}

// TestDialogDrawnLater: the bar gives way, once, to a dialog that comes just
// after the decision, and takes no answer before it was looked at there.
func TestDialogDrawnLater(t *testing.T) {
	bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
		d.Frame(full("p1", 57, 22, "● I will run the tests now."))
		d.Idle()
		d.Decide(bash("d1", "p1", "npm test"))
		d.Pass(250 * time.Millisecond)
		f := dialogFrame(2, 13)
		f.Full, f.Rows = false, f.Rows[13:19] // the rows below are drawn anew by the bar alone
		d.Frame(f)
		d.Pass(100 * time.Millisecond)
		d.Want("asks to use Bash", "Do you want", "❯ 1. Yes", "2. Yes")
		if n := strings.Count(d.Glass.Text(), "24 h left"); n != 1 {
			t.Errorf("the bar is on the screen %d times:\n%s", n, d.Glass.Text())
		}
		_, was := d.Find("asks to use Bash")
		d.Press("ctrl+]", "y")
		wantGiven(t, d)
		d.Frame(dialogFrame(3, 2))
		d.Idle()
		if _, y := d.Find("asks to use Bash"); y != was {
			t.Errorf("the bar moved again, from row %d to %d", was, y)
		}
	})
}

// TestHideBar: the bar goes and comes back by its key, and by the next
// decision; nothing ends by that, and nothing is answered unseen.
func TestHideBar(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", "npm test"))
		d.Pass(time.Second)
		d.Server.Forget()
		d.Press("ctrl+]", "h")
		d.Idle()
		d.WantNot("asks to use")
		d.Want("1 waiting, hidden · ctrl+] h shows it")
		d.Press("ctrl+]", "y")
		d.Idle()
		d.Want("the bar is hidden")
		d.Press("ctrl+]", "d")
		d.Send("no")
		d.Idle()
		wantGiven(t, d)
		if got := d.Typed("p1"); got != "" {
			t.Errorf("the pane got %q", got)
		}
		d.Press("ctrl+]", "h")
		d.Pass(time.Second)
		d.Want("asks to use Bash")
		d.Press("ctrl+]", "h")
		d.Decide(bash("d2", "p2", "make"))
		d.Pass(time.Second)
		d.Want("1 of 2", "npm test")
		d.Press("ctrl+]", "y")
		d.Idle()
		wantGiven(t, d, "d1 once")
	})
}

// TestTooSmall: a window in which the bar has no room says that something waits.
func TestTooSmall(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", "npm test"))
		d.Resize(80, 7)
		d.Want("1 waiting: window too small")
		d.Resize(80, 24)
		d.WantNot("too small")
	})
}

// TestHint: the hint after the prefix names at least how the bar is focused
// and where the help is, and cuts no word.
func TestHint(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", "npm test"))
		d.Press("ctrl+]")
		d.Idle()
		d.Want("t hand back", "b focus", "? help", "[t] Hand back")
		d.WantNot("…")
	})
}

// TestExited: a pane whose program has ended says how, and what removes it.
func TestExited(t *testing.T) {
	bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
		d.Pane(proto.Pane{ID: "p1", Workspace: "w1", Tab: "t1", Agent: "claude", State: proto.StateExited, Exit: &proto.Exit{Code: 3}})
		d.Idle()
		d.Want("exited (3) · ctrl+] x removes it")
	})
}

// TestMissingAgent is shown, and not started.
func TestMissingAgent(t *testing.T) {
	s := tuitest.Setup{Launch: launches}
	s.Launch[1].Missing = true
	t.Cleanup(func() { s.Launch[1].Missing = false })
	bubble(t, s, func(d *tuitest.Driver) {
		d.Press("ctrl+]", "c", "down")
		d.Idle()
		d.Want("Codex: not on PATH")
		d.Press("enter")
		d.Idle()
		d.Want("install it")
		if n := tuitest.Asked[proto.PaneNew](d.Server, proto.MethodPaneNew); len(n) > 0 {
			t.Errorf("it was started: %+v", n)
		}
	})
}
