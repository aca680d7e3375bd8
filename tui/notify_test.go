package tui_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"signaltty/proto"
	"signaltty/tui"
	"signaltty/tui/tuitest"
)

// notifications are those that went to the terminal, by OSC 9.
func notifications(d *tuitest.Driver) []string {
	var list []string
	for _, part := range strings.Split(d.Glass.Raw(), "\x1b]9;")[1:] {
		text, _, _ := strings.Cut(part, "\a")
		list = append(list, text)
	}
	return list
}

// TestB12: the person is called once for each thing that comes to want them,
// unless they look at it.
func TestB12Notifications(t *testing.T) {
	const away, back = "\x1b[O", "\x1b[I"
	end := func(id string) proto.DecisionEnded {
		return proto.DecisionEnded{Decision: id, Pane: "p2", End: proto.EndMovedOn}
	}
	pane := func(d *tuitest.Driver, id string, attention proto.Attention, state proto.State) {
		d.Pane(proto.Pane{ID: id, Workspace: "w1", Tab: "t1", Agent: "codex", State: state, Attention: attention, Cwd: "/home/me/api"})
	}
	tests := []struct {
		name string
		act  func(*tuitest.Driver)
		want []string
	}{
		{"of a pane beside", func(d *tuitest.Driver) { d.Decide(bash("d1", "p2", "npm test")) }, []string{"codex: claude asks to use Bash: npm test"}},
		{"of the pane looked at", func(d *tuitest.Driver) { d.Decide(bash("d1", "p1", "npm test")) }, nil},
		{"of the focused pane, the person elsewhere", func(d *tuitest.Driver) {
			d.Send(away)
			d.Decide(bash("d1", "p1", "npm test"))
		}, []string{"claude: claude asks to use Bash: npm test"}},
		{"back before it was worth it", func(d *tuitest.Driver) {
			d.Send(away)
			d.Decide(bash("d1", "p1", "npm test"))
			d.Idle()
			d.Send(back)
		}, nil},
		{"answered at once", func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p2", "npm test"))
			d.Pass(300 * time.Millisecond)
			d.End(end("d1"))
		}, nil},
		{"told again", func(d *tuitest.Driver) {
			again := bash("d1", "p2", "npm test")
			d.Decide(again)
			d.Pass(time.Second)
			d.Event(proto.EventDecisionUpdated, again)
			d.Event(proto.EventDecisionAdded, again)
		}, []string{"codex: claude asks to use Bash: npm test"}},
		{"a storm", func(d *tuitest.Driver) {
			for _, id := range []string{"d1", "d2", "d3"} {
				d.Decide(bash(id, "p2", "make "+id))
			}
		}, []string{"3 things want you: codex: claude asks to use Bash: make d1 · codex: claude asks to use Bash: make d2 · codex: claude asks to use Bash: make d3"}},
		{"a turn that ended", func(d *tuitest.Driver) {
			pane(d, "p2", proto.AttentionDone, proto.StateDone)
			d.Pass(time.Second)
			pane(d, "p2", proto.AttentionDone, proto.StateDone)
		}, []string{"codex: done"}},
		{"a turn that failed, and the next", func(d *tuitest.Driver) {
			pane(d, "p2", proto.AttentionDone, proto.StateFailed)
			d.Pass(time.Second)
			pane(d, "p2", "", proto.StateWorking)
			d.Pass(time.Second)
			pane(d, "p2", proto.AttentionDone, proto.StateDone)
		}, []string{"codex: failed", "codex: done"}},
		{"a program's own", func(d *tuitest.Driver) {
			d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p3", Title: "build", Body: "it is done"})
		}, []string{"bash: build it is done"}},
		{"an agent's own words for a decision", func(d *tuitest.Driver) {
			d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p2", Body: "it needs your permission"})
			d.Decide(bash("d1", "p2", "npm test"))
			d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p2", Body: "it needs your permission"})
			d.Pass(6 * time.Second)
			d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p2", Bell: true})
		}, []string{"codex: claude asks to use Bash: npm test"}},
		{"an agent's own words for the end of a turn", func(d *tuitest.Driver) {
			d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p2", Body: "it waits for you"})
			pane(d, "p2", proto.AttentionDone, proto.StateDone)
			d.Pass(6 * time.Second)
			d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p2", Body: "it waits for you"})
		}, []string{"codex: done"}},
		{"after the decision, an agent's own words", func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p2", "npm test"))
			d.Pass(time.Second)
			d.End(end("d1"))
			d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p2", Body: "look at this"})
		}, []string{"codex: claude asks to use Bash: npm test", "codex: look at this"}},
		{"hidden characters", func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p2", "ls\x1b]0;x\a\u202e\nrm\u200b"))
		}, []string{"codex: claude asks to use Bash: ls\\x1b]0;x\\x07⟨U+202E⟩ rm⟨U+200B⟩"}},
		{"after the server came back", func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p2", "npm test"))
			d.Pass(time.Second)
			d.Drop(false)
			d.Pass(2 * time.Second)
			pane(d, "p2", proto.AttentionDone, proto.StateDone)
			d.Decide(bash("d2", "p2", "make"))
			d.End(end("d2"))
		}, []string{"codex: claude asks to use Bash: npm test", "codex: done"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, tuitest.Setup{Notify: tui.Notify{Desktop: tui.DesktopOSC9}}, func(d *tuitest.Driver) {
				d.Pass(5 * time.Second) // the grace after the start
				test.act(d)
				d.Pass(5 * time.Second)
				if got := notifications(d); strings.Join(got, "\n") != strings.Join(test.want, "\n") {
					t.Errorf("got  %q\nwant %q", got, test.want)
				}
			})
		})
	}
}

// TestNotificationIsWithdrawn: what was answered is taken from the desktop,
// where the terminal can.
func TestNotificationIsWithdrawn(t *testing.T) {
	bubble(t, tuitest.Setup{Notify: tui.Notify{Desktop: tui.DesktopOSC99}}, func(d *tuitest.Driver) {
		d.Decide(bash("d1", "p2", "npm test"))
		d.Pass(5 * time.Second)
		const closes = "\x1b]99;i=signaltty-d1:p=close;\x1b\\"
		if raw := d.Glass.Raw(); !strings.Contains(raw, "\x1b]99;i=signaltty-d1:e=1:d=0:p=title;Y29kZXg=\x1b\\") || strings.Contains(raw, closes) {
			t.Errorf("the notification went out as %q", raw)
		}
		d.End(movedOn)
		d.Idle()
		if !strings.Contains(d.Glass.Raw(), closes) {
			t.Error("it was not withdrawn")
		}
	})
}

// TestBell: the bell rings once for a thing, and alone where nothing else is set.
func TestBell(t *testing.T) {
	bubble(t, tuitest.Setup{Notify: tui.Notify{Bell: true}}, func(d *tuitest.Driver) {
		sequence := regexp.MustCompile(`\x1b\][^\x07\x1b]*\x07`) // which a BEL ends
		rings := func() int {
			d.Pass(5 * time.Second)
			return strings.Count(sequence.ReplaceAllString(d.Glass.Raw(), ""), "\a")
		}
		rings()
		for range 100 {
			d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p3", Bell: true})
		}
		if n := rings(); n != 1 {
			t.Errorf("a hundred bells of one pane ring %d times", n)
		}
		d.Decide(bash("d1", "p2", "npm test"))
		if n := rings(); n != 1 {
			t.Errorf("a decision rings %d times", n)
		}
	})
}
