package tui_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signaltty/proto"
	"signaltty/tui/tuitest"
)

// given is the answers as "decision option" or "decision option: message".
func given(d *tuitest.Driver) []string {
	var list []string
	for _, a := range d.Answers() {
		s := a.Decision + " " + a.Option
		if a.Message != "" {
			s += ": " + a.Message
		}
		list = append(list, s)
	}
	return list
}

func wantGiven(t *testing.T, d *tuitest.Driver, want ...string) {
	t.Helper()
	if got := given(d); !slices.Equal(got, want) {
		t.Fatalf("answers %q, want %q\n%s", got, want, d.Glass.Text())
	}
}

// TestAnswers presses each key of the bar, by the prefix, with the focus on
// the bar, and with the mouse.
func TestAnswers(t *testing.T) {
	tests := []struct {
		name string
		act  func(*tuitest.Driver)
		want []string
	}{
		{"once", func(d *tuitest.Driver) { d.Press("ctrl+]", "y") }, []string{"d1 once"}},
		{"deny", func(d *tuitest.Driver) { d.Press("ctrl+]", "n") }, []string{"d1 deny"}},
		{"hand back", func(d *tuitest.Driver) { d.Press("ctrl+]", "t") }, []string{"d1 handback"}},
		{"reason", func(d *tuitest.Driver) { d.Press("ctrl+]", "d"); d.Send("use pnpm"); d.Press("enter") }, []string{"d1 deny: use pnpm"}},
		{"reason left", func(d *tuitest.Driver) { d.Press("ctrl+]", "d"); d.Send("y"); d.Press("esc"); d.Press("enter") }, nil},
		{"focused", func(d *tuitest.Driver) { d.Press("ctrl+]", "b", "n") }, []string{"d1 deny"}},
		{"focused digit", func(d *tuitest.Driver) { d.Press("ctrl+]", "b", "2") }, []string{"d1 deny"}},
		{"focus left", func(d *tuitest.Driver) { d.Press("ctrl+]", "b", "esc", "n") }, nil},
		{"no such option", func(d *tuitest.Driver) { d.Press("ctrl+]", "a") }, nil},
		{"click", func(d *tuitest.Driver) { d.Click(d.Find("Once")) }, []string{"d1 once"}},
		{"click reason", func(d *tuitest.Driver) { d.Click(d.Find("Deny with")); d.Send("no"); d.Press("enter") }, []string{"d1 deny: no"}},
		{"plain letters", func(d *tuitest.Driver) { d.Press("y", "n", "t") }, nil},
		{"legacy alt", func(d *tuitest.Driver) { d.Press("alt+y") }, nil},
		{"prefix left", func(d *tuitest.Driver) { d.Press("ctrl+]", "esc", "y") }, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
				d.Decide(bash("d1", "p1", "npm test"))
				d.Pass(time.Second)
				test.act(d)
				d.Idle()
				wantGiven(t, d, test.want...)
			})
		})
	}
}

// TestPlainLetters: what is typed goes to the focused pane while the bar
// shows, all of it and nothing else.
func TestPlainLetters(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		for i, c := range "yes, any" {
			if i == 3 {
				d.Decide(bash("d1", "p1", "npm test"))
			}
			d.Send(string(c))
			d.Pass(100 * time.Millisecond)
		}
		wantGiven(t, d)
		if got := d.Typed("p1"); got != "yes, any" {
			t.Fatalf("the pane got %q", got)
		}
	})
}

// TestGrace: a decision takes no answer for its first 300 ms on the screen,
// and a press in that time starts it again.
func TestGrace(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", "npm test"))
		d.Pass(100 * time.Millisecond)
		d.Press("ctrl+]", "y")
		d.Pass(250 * time.Millisecond)
		d.Press("ctrl+]", "y")
		wantGiven(t, d)
		d.Want("only just came up")
		d.Pass(310 * time.Millisecond)
		d.Press("ctrl+]", "y")
		wantGiven(t, d, "d1 once")
		if got := d.Typed("p1"); got != "" {
			t.Fatalf("a swallowed chord reached the pane: %q", got)
		}
	})
}

// TestNewDecisionWaitsItsTurn: one that arrives just before the key does not
// take the place of the one that is on the screen.
func TestNewDecisionWaitsItsTurn(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p2", "ls"))
		d.Pass(time.Second)
		d.Decide(bash("d2", "p1", "rm -rf /")) // of the focused pane, even
		d.Pass(5 * time.Millisecond)
		d.Press("ctrl+]", "y")
		d.Idle()
		wantGiven(t, d, "d1 once")
		d.Want("rm -rf /")
	})
}

// TestEndedUnderTheFinger: the decision on the screen ends and the next one
// comes up just before the key, which must not answer that.
func TestEndedUnderTheFinger(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", "ls"))
		d.Decide(bash("d2", "p1", "rm -rf /"))
		d.Pass(time.Second)
		d.End(proto.DecisionEnded{Decision: "d1", Pane: "p1", End: proto.EndMovedOn})
		d.Press("ctrl+]", "y")
		d.Idle()
		wantGiven(t, d)
	})
}

// TestNotYetPainted: on a busy screen the next decision is the bar's before it
// is on the screen. A bare key in that moment answers neither.
func TestNotYetPainted(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", "ls"))
		d.Decide(bash("d2", "p1", "rm -rf /"))
		d.Pass(time.Second)
		d.Press("ctrl+]", "b")
		d.Pass(time.Second)
		d.Frame(proto.Frame{Pane: "p1", Rev: 2, Cols: 28, Lines: 15, Rows: []proto.Row{{Y: 14, Runs: []proto.Run{{Text: "busy"}}}}})
		synctest.Wait()
		d.End(proto.DecisionEnded{Decision: "d1", Pane: "p1", End: proto.EndMovedOn})
		synctest.Wait()
		d.WantNot("rm -rf /")
		d.Press("y")
		wantGiven(t, d)
	})
}

// TestHeldKey: a key held down answers one decision and no second, and its
// repeats do not fall through to the pane.
func TestHeldKey(t *testing.T) {
	for _, test := range []struct {
		name string
		keys []string
	}{{"prefix", []string{"ctrl+]", "y"}}, {"focused", []string{"ctrl+]", "b", "y"}}} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
				for _, id := range []string{"d1", "d2", "d3"} {
					d.Decide(bash(id, "p1", "ls "+id))
				}
				d.Pass(time.Second)
				d.Press(test.keys...)
				d.Pass(500 * time.Millisecond) // the delay before auto-repeat
				d.Hold("y", 60)
				wantGiven(t, d, "d1 once")
				if got := d.Typed("p1"); got != "" {
					t.Fatalf("repeats reached the pane: %q", got)
				}
				d.Pass(time.Second)
				d.Press("ctrl+]", "y")
				d.Idle()
				if got := len(given(d)); got != 2 {
					t.Fatalf("%d answers after a new press, want 2", got)
				}
			})
		})
	}
}

// TestHeldKeyKitty is the same where the terminal reports repeats.
func TestHeldKeyKitty(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Kitty = true
		d.Send("\x1b[?3u")
		d.Decide(bash("d1", "p1", "ls"))
		d.Decide(bash("d2", "p1", "ls"))
		d.Pass(time.Second)
		d.Press("ctrl+]", "y")
		d.Pass(500 * time.Millisecond)
		d.Hold("y", 60)
		d.Send("\x1b[121;1:3u")
		wantGiven(t, d, "d1 once")
		if got := d.Typed("p1"); got != "" {
			t.Fatalf("repeats reached the pane: %q", got)
		}
		d.Press("alt+n") // a single chord, since this terminal tells it from ESC n
		wantGiven(t, d, "d1 once", "d2 deny")
	})
}

// TestPasteNeverAnswers, wherever the focus is.
func TestPasteNeverAnswers(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", "ls"))
		d.Pass(time.Second)
		d.Paste("y\n\x1dy")
		d.Press("ctrl+]")
		d.Paste("y")
		d.Press("ctrl+]", "b")
		d.Paste("y\nn\n")
		d.Press("d")
		d.Paste("because\ny\n")
		d.Idle()
		wantGiven(t, d)
		d.Want("because")
		if got := tuitest.Asked[proto.PanePaste](d.Server, proto.MethodPanePaste); len(got) != 2 || got[0].Text != "y\n\x1dy" {
			t.Fatalf("the pane got %+v", got)
		}
	})
}

// TestReadFirst: Allow is off until everything has been in sight.
func TestReadFirst(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", long()))
		d.Pass(time.Second)
		d.Press("ctrl+]", "y")
		d.Want("[-] Once")
		d.Press("ctrl+]", "e")
		d.Idle()
		d.Press("ctrl+]", "y")
		wantGiven(t, d)
		d.Press("ctrl+]", "e")
		d.Idle()
		d.Want("echo step 30", "[y] Once")
		d.Press("ctrl+]", "y")
		wantGiven(t, d, "d1 once")
	})
}

// TestDenyUnread: what says no needs no reading.
func TestDenyUnread(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", long()))
		d.Pass(time.Second)
		d.Press("ctrl+]", "n")
		wantGiven(t, d, "d1 deny")
	})
}

// TestAnswerUnderWay: while one answer is on its way there is no other.
func TestAnswerUnderWay(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Mute(true)
		d.Decide(bash("d1", "p1", "ls"))
		d.Pass(time.Second)
		d.Press("ctrl+]", "y")
		d.Idle()
		d.Want("sending “Once”")
		d.Pass(time.Second)
		d.Press("ctrl+]", "n")
		wantGiven(t, d, "d1 once")
		d.Event(proto.EventDecisionEnded, proto.DecisionEnded{Decision: "d1", Pane: "p1", End: proto.EndAnswered, Option: "once"})
		d.Idle()
		d.Want("claude Bash: Once · sent")
		d.Event(proto.EventDecisionConfirmed, proto.DecisionConfirmed{Decision: "d1", Pane: "p1"})
		d.Idle()
		d.Want("the agent took it")
	})
}

// TestLateAnswer: the server refuses, and the person is told.
func TestLateAnswer(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Event(proto.EventDecisionAdded, bash("ghost", "p1", "ls")) // the server knows nothing of it
		d.Pass(time.Second)
		d.Press("ctrl+]", "y")
		d.Idle()
		d.Want("does not wait")
	})
}

// TestNothingWaits: the chords of the bar tell so and pass nothing on.
func TestNothingWaits(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		for _, k := range []string{"y", "n", "d", "t", "j", "b", "e"} {
			d.Press("ctrl+]", k)
			d.Idle()
			d.Want("no decision waits")
		}
		if got := d.Typed("p1"); got != "" {
			t.Fatalf("the pane got %q", got)
		}
	})
}

// TestReadOnly: a decision that cannot be answered here says where it can.
func TestReadOnly(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		q := bash("d1", "p1", "Which one?")
		q.Kind, q.Answerable, q.Where, q.Options = proto.KindQuestion, false, "answer in the pane", nil
		d.Decide(q)
		d.Pass(time.Second)
		d.Press("ctrl+]", "y")
		d.Idle()
		wantGiven(t, d)
		d.Want("Read only here: answer in the pane")
	})
}

// TestCoveredBar: a decision that came up under a dialog is new when that is
// gone, and one that a small window cannot show takes no answer.
func TestCoveredBar(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Press("ctrl+]", "?")
		d.Decide(bash("d1", "p1", "ls"))
		d.Pass(5 * time.Second)
		d.Press("esc")
		d.Pass(100 * time.Millisecond)
		d.Press("ctrl+]", "y")
		wantGiven(t, d)
		d.Resize(80, 6)
		d.Pass(5 * time.Second)
		d.Press("ctrl+]", "y")
		wantGiven(t, d)
		d.Resize(80, 24)
		d.Pass(5 * time.Second)
		d.Press("ctrl+]", "y")
		wantGiven(t, d, "d1 once")
	})
}

// TestJump goes from anywhere to the pane that waits.
func TestJump(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", "ls one"))
		d.Decide(bash("d2", "p4", "ls two"))
		d.Pass(time.Second)
		d.Want("1 of 2", "ls one")
		d.Press("ctrl+]", "j")
		d.Idle()
		d.Want("2 of 2", "ls two", "━ docs")
		d.Press("ctrl+]", "j")
		d.Idle()
		d.Want("1 of 2", "ls one", "━ claude")
	})
}

// TestTypingReasonWhileItEnds: the words are not sent to another decision.
func TestTypingReasonWhileItEnds(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p1", "ls"))
		d.Decide(bash("d2", "p1", "make"))
		d.Pass(time.Second)
		d.Press("ctrl+]", "d")
		d.Send("no")
		d.End(proto.DecisionEnded{Decision: "d1", Pane: "p1", End: proto.EndDeadline})
		d.Idle()
		d.Press("enter")
		d.Idle()
		wantGiven(t, d)
	})
}

// TestBarLeavesThePaneAlone: as the bar comes and goes no pane is resized, and
// selection, scroll position and focus stay.
func TestBarLeavesThePaneAlone(t *testing.T) {
	bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
		d.Server.History(0, "line one", "line two", "line three")
		d.Frame(proto.Frame{Pane: "p1", Rev: 2, Cols: 57, Lines: 22, History: 3, Scrolled: 3, Cursor: proto.Cursor{X: 7, Y: 20, Visible: true, Shape: 2}})
		d.Idle()
		d.Wheel(30, 20, 1)
		d.Idle()
		d.Want("line one")
		d.Server.Forget()
		x, y := d.Find("line three")
		d.Drag(x, y, x+9, y)
		d.Idle()
		styles := d.Glass.Styles()
		d.Decide(bash("d1", "p1", "ls"))
		d.Pass(time.Second)
		d.Want("asks to use Bash")
		d.End(proto.DecisionEnded{Decision: "d1", Pane: "p1", End: proto.EndMovedOn})
		d.Pass(10 * time.Second)
		d.Want("line one", "━ claude")
		if got := d.Glass.Styles(); !strings.Contains(got, "7") || strings.Split(got, "\n")[y] != strings.Split(styles, "\n")[y] {
			t.Fatalf("the selection is gone:\n%s", got)
		}
		for _, m := range []string{proto.MethodPaneResize, proto.MethodPaneWatch, proto.MethodPaneUnwatch} {
			if got := tuitest.Asked[proto.PaneRef](d.Server, m); len(got) > 0 {
				t.Fatalf("%s was sent: %v", m, got)
			}
		}
	})
}
