//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/place"
	"signaltty/proto"
)

// Two agents ask at the same time; each gets the answer that was meant for it.
func TestTwoPanes(t *testing.T) {
	w := newWorld(t,
		anthropic.Rule{Match: "#left", Turns: []anthropic.Turn{
			anthropic.Call(anthropic.Tool("toolu_left", "Bash", touches("left.txt"))), anthropic.Say("Left is done."),
		}},
		anthropic.Rule{Match: "#right", Turns: []anthropic.Turn{
			anthropic.Call(anthropic.Tool("toolu_right", "Bash", touches("right.txt"))), anthropic.Say("Right is done."),
		}},
	)
	w.attach()
	left, right := w.open("#left"), w.open("#right")
	dl := w.Events.Added(left, "Bash", "")
	dr := w.Events.Added(right, "Bash", "")
	w.UI.WaitText("of 2")
	first, second := dl, dr
	if place.OnBar(w.UI.Screen(), dr) {
		first, second = dr, dl
	}
	keys := map[string]string{dl.ID: "y", dr.ID: "n"}
	for _, d := range []proto.Decision{first, second} {
		if end := w.Chord(d, keys[d.ID]); end.End != proto.EndAnswered {
			t.Errorf("%s ended as %+v", d.Prompt, end)
		}
	}
	if r := w.result("toolu_left"); r.IsError {
		t.Errorf("left failed: %s", r.Text)
	}
	if r := w.result("toolu_right"); !r.IsError {
		t.Errorf("right was denied and yet: %s", r.Text)
	}
	w.idle(left)
	w.idle(right)
	if !w.made("left.txt") || w.made("right.txt") {
		t.Errorf("left.txt made: %t, right.txt made: %t", w.made("left.txt"), w.made("right.txt"))
	}
}

// Four calls of one message ask at once: Claude Code runs reads and fetches in
// parallel, with four hooks held and one dialog. None is lost, whatever the
// order of the answers.
func TestFourParallelAsks(t *testing.T) {
	w := newWorld(t)
	read := func(id, name string) anthropic.Block {
		path := filepath.Join(w.home.Dir, name) // outside the working directory, so it asks
		if err := os.WriteFile(path, []byte("this is "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return anthropic.Tool(id, "Read", map[string]any{"file_path": path})
	}
	fetch := func(id, url string) anthropic.Block {
		return anthropic.Tool(id, "WebFetch", map[string]any{"url": url, "prompt": "what is there"})
	}
	w.model.Add(anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
		anthropic.Call(
			// Nothing listens there: that it was allowed shows in how it fails.
			fetch("toolu_f1", "http://127.0.0.1:9/one"),
			fetch("toolu_f2", "http://127.0.0.2:9/two"),
			read("toolu_r1", "one.txt"),
			read("toolu_r2", "two.txt"),
		),
		anthropic.Say("All four are done."),
	}})
	pane := w.open("#go")
	asks := map[string]proto.Decision{}
	for range 4 {
		d, _ := place.Await(w.Events, proto.EventDecisionAdded, func(d proto.Decision) bool {
			_, known := asks[d.ID]
			return !known
		})
		asks[d.ID] = d
	}
	if p := w.Pane(pane); p.Pending != 4 {
		t.Errorf("%d decisions of the pane wait, want 4", p.Pending)
	}
	// The last one first, then from the front; one fetch is denied.
	order := place.Ask[proto.DecisionList](w.Place, proto.MethodDecisionList, proto.None{}).Decisions
	order = append(order[3:], order[:3]...)
	denied := ""
	for _, d := range order {
		option := proto.OptionOnce
		if d.Tool == "WebFetch" && denied == "" {
			option, denied = proto.OptionDeny, d.ID
		}
		w.Verb("answer", d.ID, option)
	}
	for _, d := range order {
		end, _ := w.Events.Ended(d)
		if end.End != proto.EndAnswered {
			t.Errorf("%s %s ended as %+v", d.Tool, d.Prompt, end)
		}
	}
	denials := 0
	for id, want := range map[string]string{"toolu_r1": "this is one.txt", "toolu_r2": "this is two.txt", "toolu_f1": "", "toolu_f2": ""} {
		r := w.result(id)
		if strings.HasPrefix(id, "toolu_r") && (r.IsError || !strings.Contains(r.Text, want)) {
			t.Errorf("%s came back as %+v, want %q", id, r, want)
		}
		if strings.Contains(r.Text, "denied this through signaltty") {
			denials++
		}
	}
	if denials != 1 {
		t.Errorf("%d fetches were denied, want 1", denials)
	}
	w.idle(pane)
	if n := w.Events.Count(proto.EventDecisionAdded); n != 4 {
		t.Errorf("%d decisions were raised, want 4", n)
	}
}
