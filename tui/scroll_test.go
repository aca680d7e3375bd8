package tui_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"signaltty/proto"
	"signaltty/tui/tuitest"
)

// logged is a server with one pane that has printed n rows and shows the last
// of them; row i is "row i" and some have more.
func logged(n int) *tuitest.Server {
	s := alone()
	var past []string
	for i := range n - 22 {
		past = append(past, logLine(i))
	}
	var rows []string
	for i := n - 22; i < n; i++ {
		rows = append(rows, logLine(i))
	}
	f := full("p1", 57, 22, rows...)
	f.History, f.Scrolled = len(past), uint64(len(past))
	s.Frame(f)
	s.History(100, past...)
	return s
}

func logLine(i int) string {
	line := fmt.Sprintf("row %d", i)
	switch {
	case i%50 == 7:
		line += " Error: 日本 failed"
	case i%50 == 9:
		line += " error (soft)"
	case i == 433:
		line += " see https://example.com/a_(b), or not"
	}
	return line
}

func copied(d *tuitest.Driver) string {
	got, _ := base64.StdEncoding.DecodeString(d.Glass.Clip())
	return string(got)
}

// onCursor is the text from the terminal's cursor on.
func onCursor(d *tuitest.Driver) string {
	x, y, _, _ := d.Glass.Cursor()
	r := []rune(strings.Split(d.Glass.Text(), "\n")[y])
	if x >= len(r) {
		return ""
	}
	return string(r[x:])
}

// TestScrollKeys: what each key of scroll mode comes to, of vi and of emacs.
func TestScrollKeys(t *testing.T) {
	for _, tt := range []struct{ keys, at string }{
		{"", "row 445"}, {"g", "row 0"}, {"g G", "row 449"}, {"k k", "row 443"}, {"up ctrl+p j", "row 444"},
		{"1 0 k", "row 435"}, {"1 0 k 2 down", "row 437"}, {"home", "row 0"}, {"home end", "row 449"}, {"alt+< alt+>", "row 449"},
		{"ctrl+u", "row 434"}, {"ctrl+u ctrl+d", "row 445"}, {"pgup", "row 423"}, {"ctrl+b ctrl+f", "row 445"}, {"alt+v alt+v ctrl+v", "row 423"},
		{"H", "row 428"}, {"L", "row 449"}, {"M", "row 439"},
		{"w", "445"}, {"w b", "row 445"}, {"e", "w 445"}, {"$", "5"}, {"$ 0", "row 445"}, {"$ ^", "row 445"}, {"ctrl+e ctrl+a l", "ow 445"}, {"l h", "row 445"},
		{"w w", "row 446"}, {"b", "444"},
	} {
		t.Run(tt.keys, func(t *testing.T) {
			bubble(t, tuitest.Setup{Server: logged(450), Keys: nil}, func(d *tuitest.Driver) {
				d.Frame(proto.Frame{Pane: "p1", Rev: 2, Cols: 57, Lines: 22, History: 428, Scrolled: 428, Cursor: proto.Cursor{X: 0, Y: 17, Visible: true}})
				d.Press("ctrl+]", "[")
				d.Idle()
				for _, k := range strings.Fields(tt.keys) {
					if strings.HasPrefix(k, "alt+") {
						d.Send("\x1b[" + fmt.Sprint(k[4]) + ";3u")
					} else {
						d.Press(k)
					}
				}
				d.Idle()
				if got := onCursor(d); got != tt.at {
					t.Errorf("after %q the cursor is on %q, want %q", tt.keys, got, tt.at)
				}
				if got := d.Typed("p1"); got != "" {
					t.Errorf("the pane got %q", got)
				}
				d.Press("q")
				d.Idle()
				d.Press("x")
				d.Idle()
				if got := d.Typed("p1"); got != "x" {
					t.Errorf("after q the pane got %q", got)
				}
			})
		})
	}
}

// TestSearch: matches are counted, gone through in both directions and over
// the ends, while output goes on.
func TestSearch(t *testing.T) {
	bubble(t, tuitest.Setup{Server: logged(450)}, func(d *tuitest.Driver) {
		d.Press("ctrl+]", "[")
		d.Idle()
		d.Press("?")
		d.Send("error")
		d.Press("enter")
		d.Idle()
		d.Want("18 of 18")
		if got := onCursor(d); got != "error (soft)" {
			t.Errorf("it is on %q", got)
		}
		// Output moves the live screen; what is frozen stays.
		d.Frame(proto.Frame{Pane: "p1", Rev: 3, Cols: 57, Lines: 22, History: 600, Scrolled: 600, Rows: []proto.Row{{Y: 0, Runs: []proto.Run{{Text: "new"}}}}})
		d.Press("n")
		d.Idle()
		d.Want("17 of 18")
		if got := onCursor(d); got != "Error: 日本 failed" {
			t.Errorf("it is on %q", got)
		}
		d.Press("N", "N")
		d.Idle()
		d.Want("1 of 18", "from the top again")
		if got := onCursor(d); got != "Error: 日本 failed" {
			t.Errorf("it is on %q", got)
		}
		d.Press("/")
		d.Send("Err.r: ..")
		d.Press("enter", "v", "$", "y")
		d.Idle()
		if got := copied(d); got != "Error: 日本 failed" {
			t.Errorf("copied %q", got)
		}
		d.Want("copied 16 characters", "new")
		if got := d.Typed("p1"); got != "" {
			t.Errorf("the pane got %q", got)
		}
	})
}

// TestSearchPatterns: a pattern that is none is plain text, capitals count
// when there are some, and what is not there is told.
func TestSearchPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		"Error": "9 of 9", "error": "18 of 18", `\Srror`: "18 of 18", "(soft": "9 of 9", "row 4[0-9]$": "10 of 10", "日本 F": "no match", "日本 f": "9 of 9", "x*": "1 of 1",
	} {
		t.Run(pattern, func(t *testing.T) {
			bubble(t, tuitest.Setup{Server: logged(450)}, func(d *tuitest.Driver) {
				d.Press("ctrl+]", "/")
				d.Send(pattern)
				d.Idle()
				d.Want("?" + pattern)
				d.Press("enter")
				d.Idle()
				d.Want(want)
			})
		})
	}
	bubble(t, tuitest.Setup{Server: logged(450)}, func(d *tuitest.Driver) {
		d.Press("ctrl+]", "[", "n")
		d.Idle()
		d.Want("nothing was searched for")
		d.Press("/", "a", "esc", "q")
		d.Idle()
		d.WantNot("q leaves")
	})
}

// TestJumps: to prompts and to where the last decision arrived.
func TestJumps(t *testing.T) {
	s := logged(450)
	asked := uint64(200)
	s.Places([]uint64{10, 300, 440}, &asked)
	bubble(t, tuitest.Setup{Server: s}, func(d *tuitest.Driver) {
		d.Press("ctrl+]", "[")
		d.Idle()
		for _, step := range []struct{ key, at string }{
			{"[", "row 440"}, {"[", "row 300"}, {"[", "row 10"}, {"[", "row 10"}, {"]", "row 300"}, {"D", "row 200"}, {"]", "row 300"}, {"]", "row 440"}, {"]", "row 440"},
		} {
			d.Press(step.key)
			d.Idle()
			if got := onCursor(d); got != step.at {
				t.Errorf("%s leads to %q, want %q", step.key, got, step.at)
			}
		}
		d.Want("no prompt after this")
	})
}

// TestKeySelection: by cells, by lines, the other end, the whole line.
func TestKeySelection(t *testing.T) {
	for _, tt := range []struct{ keys, want string }{
		{"v e y", "row"}, {"V y", "row 449"}, {"V k k y", "row 447\nrow 448\nrow 449"}, {"k v j $ o l y", "ow 448\nrow 449"},
		{"Y", "row 449"}, {"v w esc y", ""}, {"v v y", ""}, {"v 2 l enter", "row"},
	} {
		t.Run(tt.keys, func(t *testing.T) {
			bubble(t, tuitest.Setup{Server: logged(450)}, func(d *tuitest.Driver) {
				d.Press("ctrl+]", "[")
				d.Idle()
				d.Press("G", "0")
				d.Press(strings.Fields(tt.keys)...)
				d.Idle()
				if got := copied(d); got != tt.want {
					t.Errorf("%q copied %q, want %q", tt.keys, got, tt.want)
				}
				d.WantNot("q leaves")
			})
		})
	}
}

// TestLookBack: the wheel looks back; what is typed goes to the pane, which
// lives again; scroll mode begins where the wheel has come to.
func TestLookBack(t *testing.T) {
	bubble(t, tuitest.Setup{Server: logged(450)}, func(d *tuitest.Driver) {
		x, y := d.Find("row 440")
		d.Wheel(x, y, 20)
		d.Idle()
		d.Want("row 368", "back 60/428")
		d.Press("/", "c")
		d.Idle()
		d.Want("row 449")
		if got := d.Typed("p1"); got != "/c" {
			t.Errorf("the pane got %q", got)
		}
		d.Wheel(x, y, 20)
		d.Idle()
		d.Press("ctrl+]", "[", "k")
		d.Idle()
		d.Want("scroll 60/428")
		d.Wheel(x, y, -30)
		d.Idle()
		d.Want("scroll 0/428") // its keys are still its own
		d.Press("q")
		d.Wheel(x, y, 1)
		d.Wheel(x, y, -2)
		d.Idle()
		d.WantNot("goes on")
	})
}

// TestClicks: two select a word, three a line, also when it wraps; a drag
// after them goes on in their unit.
func TestClicks(t *testing.T) {
	bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
		d.Frame(proto.Frame{Pane: "p1", Rev: 2, Cols: 57, Lines: 22, Rows: []proto.Row{
			{Y: 8, Runs: []proto.Run{{Text: "see ./a/long-path.go:12, or so, up to the very end of it "}}, Wrapped: true},
			{Y: 9, Runs: []proto.Run{{Text: "and on"}}},
		}})
		d.Idle()
		x, y := d.Find("long-path")
		click := func() { d.Click(x, y) }
		click()
		d.Idle()
		d.WantNot("held still")
		click()
		d.Idle()
		if got := copied(d); got != "./a/long-path.go:12" {
			t.Errorf("two clicks copied %q", got)
		}
		click()
		d.Idle()
		if got := copied(d); got != "see ./a/long-path.go:12, or so, up to the very end of it and on" {
			t.Errorf("three clicks copied %q", got)
		}
		d.Press("esc")
		d.Pass(time.Second)
		click()
		d.Idle()
		ox, _ := d.Find("or so")
		d.Drag(x, y, ox+1, y)
		d.Idle()
		if got := copied(d); got != "./a/long-path.go:12, or" {
			t.Errorf("a drag by words copied %q", got)
		}
	})
}

// TestLinks: a click shows where a link leads, whatever its text says, and
// opens nothing by itself.
func TestLinks(t *testing.T) {
	var opened []string
	setup := tuitest.Setup{Server: logged(450), Open: func(s string) error { opened = append(opened, s); return nil }}
	bubble(t, setup, func(d *tuitest.Driver) {
		d.Frame(proto.Frame{Pane: "p1", Rev: 2, Cols: 57, Lines: 22, Styles: []proto.Style{{ID: 1, Link: "https://evil.example/\u202egpj.exe"}}, Rows: []proto.Row{
			{Y: 1, Runs: []proto.Run{{Text: "https://good.example/", Style: 1}}},
		}})
		d.Idle()
		x, y := d.Find("https://example.com")
		d.Click(x+3, y)
		d.Idle()
		d.Want("This link leads to", "https://example.com/a_(b) ", "[o] opens it")
		if len(opened) > 0 {
			t.Errorf("a click alone opened %q", opened)
		}
		d.Press("o")
		d.Idle()
		if len(opened) != 1 || opened[0] != "https://example.com/a_(b)" {
			t.Errorf("opened %q", opened)
		}
		x, y = d.Find("https://good.example")
		d.Pass(time.Second)
		d.Click(x+3, y)
		d.Idle()
		d.Want("https://evil.example/⟨U+202E⟩gpj.exe")
		d.WantNot("[o] opens it")
		d.Press("o")
		d.Idle()
		d.Want("only addresses of the web")
		d.Pass(time.Second)
		d.Click(x+3, y)
		d.Press("y")
		d.Idle()
		if len(opened) != 1 || copied(d) != "https://evil.example/\u202egpj.exe" {
			t.Errorf("opened %q, copied %q", opened, copied(d))
		}
		x, y = d.Find("row 440")
		d.Pass(time.Second)
		d.Click(x, y)
		d.Idle()
		d.WantNot("This link")
	})
}

// TestCursorAlone: a cursor that moves over unchanged text is shown to move.
func TestCursorAlone(t *testing.T) {
	bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
		x, y, _, _ := d.Glass.Cursor()
		d.Frame(proto.Frame{Pane: "p1", Rev: 3, Cols: 57, Lines: 22, Cursor: proto.Cursor{X: 4, Y: 20, Visible: true}})
		d.Idle()
		if nx, ny, _, _ := d.Glass.Cursor(); nx != x-3 || ny != y {
			t.Errorf("the cursor went from %d %d to %d %d", x, y, nx, ny)
		}
	})
}

// TestSmallerThanThePane: a client that shows less than the pane has is shown
// where the cursor is, and its mouse is of those cells.
func TestSmallerThanThePane(t *testing.T) {
	bubble(t, tuitest.Setup{Server: alone()}, func(d *tuitest.Driver) {
		var rows []string
		for i := range 48 {
			rows = append(rows, fmt.Sprintf("line %d %s", i, strings.Repeat("x", 100)))
		}
		f := full("p1", 160, 48, rows...)
		f.Cursor = proto.Cursor{X: 0, Y: 47, Visible: true}
		f.Modes = proto.Modes{Mouse: 1000, MouseSGR: true}
		d.Frame(f)
		d.Idle()
		d.Want("line 47 x", "line 26 x")
		d.WantNot("line 25 x")
		x, y := d.Find("line 30")
		d.Server.Forget()
		d.Click(x, y)
		d.Idle()
		if in := tuitest.Asked[proto.PaneInput](d.Server, proto.MethodPaneInput); len(in) == 0 || string(in[0].Data) != "\x1b[<0;1;31M" {
			t.Errorf("the program got %+v", in)
		}
		d.Frame(proto.Frame{Pane: "p1", Rev: 3, Cols: 160, Lines: 48, Cursor: proto.Cursor{X: 0, Y: 3, Visible: true}})
		d.Idle()
		d.Want("line 0 x", "line 21 x")
		d.WantNot("line 22 x")
	})
}
