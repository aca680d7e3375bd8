package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"signaltty/proto"
	"signaltty/tui/tuitest"
)

// looks are the ways that every screen is looked at.
var looks = []struct {
	name string
	tuitest.Setup
}{
	{"80x24-dark", tuitest.Setup{Cols: 80, Lines: 24}},
	{"80x24-light", tuitest.Setup{Cols: 80, Lines: 24, Light: true}},
	{"80x24-nocolor", tuitest.Setup{Cols: 80, Lines: 24, Colors: colorprofile.Ascii}},
	{"160x48-dark", tuitest.Setup{Cols: 160, Lines: 48}},
	{"160x48-light", tuitest.Setup{Cols: 160, Lines: 48, Light: true}},
	{"160x48-nocolor", tuitest.Setup{Cols: 160, Lines: 48, Colors: colorprofile.Ascii}},
}

func long() string {
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("echo step %02d", i+1))
	}
	return strings.Join(lines, "\n")
}

// TestScreens looks at every kind of screen in every size and colour.
func TestScreens(t *testing.T) {
	screens := []struct {
		name   string
		server func() *tuitest.Server
		act    func(*tuitest.Driver)
	}{
		{"empty", tuitest.NewServer, func(*tuitest.Driver) {}},
		{"pane", alone, func(*tuitest.Driver) {}},
		{"splits", fleet, func(*tuitest.Driver) {}},
		{"bar", fleet, func(d *tuitest.Driver) { d.Decide(bash("d1", "p1", "npm test -- --watch=false")) }},
		{"bar-long", fleet, func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p1", long()))
			d.Decide(bash("d2", "p2", "ls"))
		}},
		{"bar-expanded", fleet, func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p1", long()))
			d.Idle()
			d.Press("ctrl+]", "e")
		}},
		{"bar-focused", fleet, func(d *tuitest.Driver) {
			dec := bash("d1", "p1", "rm -rf build\r\x1b[2Kls"+strings.Repeat(" ", 5000)+"\u202egpj.exe\u200b")
			dec.Subagent, dec.Dialog = "explore", proto.DialogNone
			d.Decide(dec)
			d.Idle()
			d.Press("ctrl+]", "b")
		}},
		{"bar-diff", alone, func(d *tuitest.Driver) {
			dec := bash("d1", "p1", "")
			dec.Tool = "Edit"
			dec.Detail = []proto.Detail{{Form: "path", Text: "src/app.go"}, {Form: "delete", Text: "\tx := 1"}, {Form: "add", Text: "\tx := 2"}}
			d.Decide(dec)
		}},
		{"reason", fleet, func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p1", "npm publish"))
			d.Pass(time.Second)
			d.Press("ctrl+]", "d")
			d.Send("not before the review")
		}},
		{"question", fleet, func(d *tuitest.Driver) {
			dec := bash("d1", "p1", "Which database?")
			dec.Kind, dec.Answerable, dec.Where, dec.Options = proto.KindQuestion, false, "answer in the pane", nil
			dec.Detail = []proto.Detail{{Label: "Which database?", Form: "text", Text: "1. PostgreSQL\n2. SQLite"}}
			d.Decide(dec)
		}},
		{"picker", fleet, func(d *tuitest.Driver) { d.Press("ctrl+]", "v", "down") }},
		{"help", fleet, func(d *tuitest.Driver) { d.Press("ctrl+]", "?") }},
		{"scroll", func() *tuitest.Server { return logged(450) }, func(d *tuitest.Driver) {
			d.Press("ctrl+]", "[")
			d.Idle()
			d.Press("k", "k", "V", "k")
		}},
		{"search", func() *tuitest.Server { return logged(450) }, func(d *tuitest.Driver) {
			d.Press("ctrl+]", "/")
			d.Send("row 44|soft")
			d.Idle()
			d.Press("enter")
		}},
		{"search-typing", func() *tuitest.Server { return logged(450) }, func(d *tuitest.Driver) {
			d.Press("ctrl+]", "/")
			d.Send("日本 |erro")
		}},
		{"link", func() *tuitest.Server { return logged(450) }, func(d *tuitest.Driver) {
			x, y := d.Find("https://")
			d.Click(x, y)
		}},
		{"close", fleet, func(d *tuitest.Driver) { d.Press("ctrl+]", "x") }},
		{"prefix", fleet, func(d *tuitest.Driver) { d.Press("ctrl+]") }},
		{"gone", fleet, func(d *tuitest.Driver) { d.Drop(true) }},
		{"died", fleet, func(d *tuitest.Driver) { d.Drop(true); d.Pass(time.Second) }},
		{"settled", fleet, func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p1", "npm publish"))
			d.Pass(time.Second)
			d.Press("ctrl+]", "d")
			d.Send("not before")
			d.End(movedOn)
			d.Send(" the review")
		}},
		{"hidden", fleet, func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p1", "npm publish"))
			d.Pass(time.Second)
			d.Press("ctrl+]", "h")
		}},
		{"prefix-bar", fleet, func(d *tuitest.Driver) {
			d.Decide(bash("d1", "p1", "npm publish"))
			d.Pass(time.Second)
			d.Press("ctrl+]")
		}},
	}
	for _, look := range looks {
		for _, s := range screens {
			t.Run(s.name+"/"+look.name, func(t *testing.T) {
				setup := look.Setup
				setup.Launch = launches
				bubble(t, withServer(setup, s.server), func(d *tuitest.Driver) {
					s.act(d)
					d.Idle()
					golden(t, s.name+"-"+look.name, d)
				})
			})
		}
	}
}

func withServer(s tuitest.Setup, make func() *tuitest.Server) tuitest.Setup {
	s.Server = make()
	return s
}
