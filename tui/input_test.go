package tui_test

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"
	"time"

	"signaltty/proto"
	"signaltty/tui/tuitest"
)

// TestKeysReachThePane: what is not ours goes through as it came, encoded as
// the application asked.
func TestKeysReachThePane(t *testing.T) {
	tests := []struct {
		name  string
		modes proto.Modes
		act   func(*tuitest.Driver)
		want  string
	}{
		{"letters", proto.Modes{}, func(d *tuitest.Driver) { d.Send("héllo 日") }, "héllo 日"},
		{"arrows", proto.Modes{AppCursor: true}, func(d *tuitest.Driver) { d.Press("up", "down") }, "\x1bOA\x1bOB"},
		{"ctrl+c", proto.Modes{}, func(d *tuitest.Driver) { d.Press("ctrl+c") }, "\x03"},
		{"escape", proto.Modes{}, func(d *tuitest.Driver) { d.Press("esc") }, "\x1b"},
		{"kitty shift+enter", proto.Modes{Kitty: 1}, func(d *tuitest.Driver) { d.Send("\x1b[13;2u") }, "\x1b[13;2u"},
		{"other shift+enter to kitty", proto.Modes{Kitty: 1}, func(d *tuitest.Driver) { d.Send("\x1b[27;2;13~") }, "\x1b[13;2u"},
		{"doubled prefix", proto.Modes{}, func(d *tuitest.Driver) { d.Press("ctrl+]", "ctrl+]") }, "\x1d"},
		{"doubled prefix, kitty", proto.Modes{Kitty: 1}, func(d *tuitest.Driver) { d.Send("\x1b[93;5u\x1b[93;5u") }, "\x1b[93;5u"},
		{"unknown after the prefix", proto.Modes{}, func(d *tuitest.Driver) { d.Press("ctrl+]", "Q") }, ""},
		{"prefix, release, repeat", proto.Modes{}, func(d *tuitest.Driver) { d.Send("\x1b[93;5u\x1b[93;5:2u\x1b[93;5:3u"); d.Press("esc") }, ""},
		{"image paste key", proto.Modes{}, func(d *tuitest.Driver) { d.Press("ctrl+v") }, "\x16"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
				d.Frame(proto.Frame{Pane: "p1", Rev: 2, Cols: 57, Lines: 22, Modes: test.modes})
				d.Idle()
				test.act(d)
				d.Idle()
				if got := d.Typed("p1"); got != test.want {
					t.Fatalf("the pane got %q, want %q", got, test.want)
				}
			})
		})
	}
}

func TestPaste(t *testing.T) {
	for _, n := range []int{0, 10, 256 << 10, 600 << 10} {
		bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
			text := strings.Repeat("é", n/2)
			d.Paste(text)
			d.Idle()
			parts := tuitest.Asked[proto.PanePaste](d.Server, proto.MethodPanePaste)
			var all strings.Builder
			for i, p := range parts {
				all.WriteString(p.Text)
				if p.More != (i < len(parts)-1) || len(p.Text) > 256<<10 {
					t.Errorf("part %d of %d has %d bytes, more %v", i, len(parts), len(p.Text), p.More)
				}
			}
			if all.String() != text || len(parts) == 0 {
				t.Errorf("%d bytes arrived in %d parts as %d", len(text), len(parts), all.Len())
			}
		})
	}
}

// TestMouse: the application gets it where it asked, with its own places;
// elsewhere a click turns to the pane and a wheel looks back.
func TestMouse(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Frame(proto.Frame{Pane: "p2", Rev: 2, Cols: 29, Lines: 15, Modes: proto.Modes{Mouse: 1000, MouseSGR: true}})
		d.Idle()
		x, y := d.Find("codex is ready")
		d.Click(x+2, y) // turns to it and is not passed on
		d.Idle()
		d.Want("━ codex")
		d.Server.Forget()
		d.Click(x+2, y)
		d.Wheel(x+2, y, 1)
		d.Idle()
		got := tuitest.Asked[proto.PaneInput](d.Server, proto.MethodPaneInput)
		want := []string{"\x1b[<0;3;1M", "\x1b[<0;3;1m passive", "\x1b[<64;3;1M passive"}
		if len(got) != len(want) {
			t.Fatalf("the pane got %+v", got)
		}
		for i, in := range got {
			s := string(in.Data)
			if in.Passive {
				s += " passive"
			}
			if s != want[i] || in.Pane != "p2" {
				t.Errorf("event %d is %q, want %q", i, s, want[i])
			}
		}
		x, y = d.Find("docs")
		d.Click(x, y) // in the sidebar
		d.Idle()
		d.Want("━ docs")
	})
}

func TestSelection(t *testing.T) {
	bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
		x, y := d.Find("I will run")
		d.Drag(x, y, x+9, y)
		d.Frame(proto.Frame{Pane: "p1", Rev: 2, Cols: 57, Lines: 22, Rows: []proto.Row{{Y: 0, Runs: []proto.Run{{Text: "new output"}}}}})
		d.Idle()
		d.Want("I will run", "held still") // the picture stands while output goes on
		if got, _ := base64.StdEncoding.DecodeString(d.Glass.Clip()); string(got) != "I will run" {
			t.Errorf("copied %q", got)
		}
		d.Press("x")
		d.Idle()
		d.Want("new output")
		if got := d.Typed("p1"); got != "x" {
			t.Errorf("the pane got %q", got)
		}
	})
}

func TestScrollback(t *testing.T) {
	bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
		d.Server.History(0, "oldest", "\x1b[31mred\x1b[m line", "newest")
		d.Frame(proto.Frame{Pane: "p1", Rev: 2, Cols: 57, Lines: 22, History: 3, Scrolled: 3})
		d.Press("ctrl+]", "[", "up")
		d.Idle()
		d.Want("newest")
		d.WantNot("oldest")
		d.Press("home")
		d.Idle()
		d.Want("oldest", "red line")
		d.Press("esc")
		d.Idle()
		d.WantNot("oldest")
		if got := d.Typed("p1"); got != "" {
			t.Errorf("the pane got %q", got)
		}
	})
}

// TestWheelInAltScreen: a full-screen application without the mouse gets
// arrow keys, and not as the person's own.
func TestWheelInAltScreen(t *testing.T) {
	bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
		d.Frame(proto.Frame{Pane: "p1", Rev: 2, Cols: 57, Lines: 22, Modes: proto.Modes{AltScreen: true}})
		d.Idle()
		d.Wheel(40, 10, 1)
		d.Idle()
		got := tuitest.Asked[proto.PaneInput](d.Server, proto.MethodPaneInput)
		if len(got) != 3 || string(got[0].Data) != "\x1b[A" || !got[0].Passive {
			t.Errorf("the pane got %+v", got)
		}
	})
}

func TestFocusEvents(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		for _, p := range []string{"p1", "p2"} {
			d.Frame(proto.Frame{Pane: p, Rev: 2, Cols: 28, Lines: 15, Modes: proto.Modes{FocusEvents: true}})
		}
		d.Idle()
		d.Server.Forget()
		d.Send("\x1b[O")
		d.Send("\x1b[I")
		d.Press("ctrl+]", "o")
		d.Idle()
		var got []string
		for _, in := range tuitest.Asked[proto.PaneInput](d.Server, proto.MethodPaneInput) {
			if !in.Passive {
				t.Errorf("%q counts as the person's own", in.Data)
			}
			got = append(got, in.Pane+string(in.Data[2:]))
		}
		if s := strings.Join(got, " "); s != "p1O p1I p1O p2I" {
			t.Errorf("focus was told as %q", s)
		}
	})
}

// TestPanes: new, close, rename, zoom, seams and the way between panes.
func TestPanes(t *testing.T) {
	bubble(t, tuitest.Setup{Launch: launches}, func(d *tuitest.Driver) {
		d.Press("ctrl+]", "v", "down", "enter")
		d.Idle()
		n := tuitest.Asked[proto.PaneNew](d.Server, proto.MethodPaneNew)
		if len(n) != 1 || n[0].Agent != "codex" || n[0].Beside != "p1" || n[0].Dir != "columns" || n[0].Cwd != "/home/me/api" {
			t.Errorf("a new pane was asked for as %+v", n)
		}
		d.Want("▶ 5 ? codex") // and turned to
		d.Press("ctrl+]", "1")
		d.Idle()
		d.Press("ctrl+]", "right")
		d.Idle()
		d.Want("━ codex")
		d.Press("ctrl+]", "down")
		d.Idle()
		d.Want("━ bash")
		d.Press("ctrl+]", "r")
		d.Send("build\r")
		d.Idle()
		if r := tuitest.Asked[proto.PaneRename](d.Server, proto.MethodPaneRename); len(r) != 1 || r[0] != (proto.PaneRename{Pane: "p3", Name: "build"}) {
			t.Errorf("renamed %+v", r)
		}
		d.Press("ctrl+]", "x", "n")
		d.Press("ctrl+]", "x", "y")
		d.Idle()
		if c := tuitest.Asked[proto.PaneRef](d.Server, proto.MethodPaneClose); len(c) != 1 || c[0].Pane != "p3" {
			t.Errorf("closed %+v", c)
		}
		d.Press("ctrl+]", "1")
		d.Press("ctrl+]", "L")
		d.Idle()
		if a := tuitest.Asked[proto.TabArrange](d.Server, proto.MethodTabArrange); len(a) != 1 || a[0].Tree.A.Share != 55 {
			t.Errorf("arranged %+v", a)
		}
		d.Press("ctrl+]", "z")
		d.Idle()
		d.WantNot("─ codex")
		d.Press("ctrl+]", "z", "ctrl+]", "tab")
		d.Idle()
		d.Want("━ docs")
		if s := tuitest.Asked[proto.PaneRef](d.Server, proto.MethodPaneSeen); len(s) == 0 || s[0].Pane != "p4" {
			t.Errorf("seen %+v", s)
		}
	})
}

// TestSizes: panes are told their size when the layout changes, once, and a
// hidden one is told nothing and watched no more.
func TestSizes(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		r := tuitest.Asked[proto.PaneResize](d.Server, proto.MethodPaneResize)
		if len(r) != 3 || r[0] != (proto.PaneResize{Pane: "p1", Size: proto.Size{Cols: 28, Lines: 15}}) {
			t.Fatalf("at the start: %+v", r)
		}
		d.Server.Forget()
		d.Press("ctrl+]", "4")
		d.Idle()
		if u := tuitest.Asked[proto.PaneRef](d.Server, proto.MethodPaneUnwatch); len(u) != 3 {
			t.Errorf("unwatched %+v", u)
		}
		d.Server.Forget()
		d.Resize(100, 30)
		if r := tuitest.Asked[proto.PaneResize](d.Server, proto.MethodPaneResize); len(r) != 1 || r[0].Size != (proto.Size{Cols: 77, Lines: 28}) {
			t.Errorf("after a resize: %+v", r)
		}
		d.Pass(time.Minute)
		d.Server.Forget()
		d.Pass(time.Minute)
		if r := tuitest.Asked[proto.PaneResize](d.Server, proto.MethodPaneResize); len(r) > 0 {
			t.Errorf("resized for nothing: %+v", r)
		}
	})
}

// TestReconnect: the server goes and comes back, and what waits is listed.
func TestReconnect(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Drop(true)
		d.Idle()
		d.Want("The server is gone")
		d.Press("y")
		d.Pass(time.Second)
		d.Want("The server died", "enter starts a new one")
		d.WantNot("signaltty attach")
		d.Decide(bash("d1", "p1", "npm test"))
		d.Up()
		d.Pass(5 * time.Second)
		d.Want("npm test", "codex is ready")
		d.Press("ctrl+]", "y")
		d.Idle()
		wantGiven(t, d, "d1 once")
	})
}

// TestAnswerAndLostConnection: the person learns how an answer fared whose
// reply was lost with the connection, and it is never given a second time.
func TestAnswerAndLostConnection(t *testing.T) {
	for _, c := range []struct {
		name  string
		fared func(d *tuitest.Driver, a proto.DecisionAnswer)
		want  string
		asked int // answers on the new connection
	}{
		{"it never arrived", func(*tuitest.Driver, proto.DecisionAnswer) {}, "answer again", 0},
		{"it counted", func(d *tuitest.Driver, a proto.DecisionAnswer) {
			d.End(proto.DecisionEnded{Decision: a.Decision, Pane: a.Pane, End: proto.EndAnswered, Option: a.Option})
			d.Counted(a.Key)
		}, "it counted", 1},
		{"another one counted", func(d *tuitest.Driver, a proto.DecisionAnswer) {
			d.End(proto.DecisionEnded{Decision: a.Decision, Pane: a.Pane, End: proto.EndMovedOn})
		}, "did not count", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
				d.Decide(bash("d1", "p1", "npm test"))
				d.Pass(time.Second)
				d.Mute(true)
				d.Press("ctrl+]", "y")
				d.Idle()
				given := tuitest.Asked[proto.DecisionAnswer](d.Server, proto.MethodDecisionAnswer)
				if len(given) != 1 || given[0].Key == "" {
					t.Fatalf("given were %+v", given)
				}
				d.Drop(true)
				d.Idle()
				c.fared(d, given[0])
				d.Mute(false)
				d.Forget()
				d.Up()
				d.Pass(5 * time.Second)
				d.Want(c.want)
				again := tuitest.Asked[proto.DecisionAnswer](d.Server, proto.MethodDecisionAnswer)
				if len(again) != c.asked || c.asked == 1 && !reflect.DeepEqual(again[0], given[0]) {
					t.Fatalf("on the new connection it sent %+v, want %d times %+v", again, c.asked, given[0])
				}
			})
		})
	}
}

// TestStopped: a server that was stopped is not brought back by itself.
func TestStopped(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Event(proto.EventServerStopping, proto.None{})
		d.Drop(false)
		d.Pass(time.Minute)
		d.Want("The server has stopped")
		d.Press("enter")
		d.Idle()
		d.Want("I will run the tests")
	})
}

// TestDetach leaves the terminal as it was.
func TestDetach(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		if !d.Glass.Mode("1049") || !d.Glass.Mode("2004") || !d.Glass.Mode("1002") {
			t.Fatal("the modes were not set, so their reset shows nothing")
		}
		d.Press("ctrl+]", "q")
		if err := d.Ended(); err != nil {
			t.Fatal(err)
		}
		for _, m := range []string{"1049", "2004", "1000", "1002", "1003", "1004", "1006", "2026", "kitty"} {
			if d.Glass.Mode(m) {
				t.Errorf("mode %s is still set", m)
			}
		}
		if _, _, shape, visible := d.Glass.Cursor(); shape != "0" || !visible {
			t.Errorf("the cursor has shape %q, visible %v", shape, visible)
		}
	})
}

// TestTrouble shows what is wrong with the server until it is well.
func TestTrouble(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Event(proto.EventServerTrouble, proto.Trouble{Message: "the audit cannot be written: disk full"})
		d.Pass(time.Minute)
		d.Want("disk full")
		d.Event(proto.EventServerTrouble, proto.Trouble{})
		d.Idle()
		d.WantNot("disk full")
	})
}
