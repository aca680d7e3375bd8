//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"signaltty/adapters"
	"signaltty/e2e/anthropic"
	"signaltty/e2e/claude"
	"signaltty/proto"
)

// runs is a model that calls one tool, which needs a permission, and ends its
// turn. The call's id is toolu_1.
func runs(tool string, input map[string]any) anthropic.Rule {
	return anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
		anthropic.Call(anthropic.Tool("toolu_1", tool, input)),
		anthropic.Say("The turn is over."),
	}}
}

// touches is a Bash call that leaves a file.
func touches(name string) map[string]any {
	return map[string]any{"command": "echo made > " + name, "description": "Make a file"}
}

// made says whether the agent's work left a file.
func (w *world) made(name string) bool {
	_, err := os.Stat(filepath.Join(w.home.Work, name))
	return err == nil
}

func TestOnceByKey(t *testing.T) {
	for _, tool := range []string{"Bash", "Write"} {
		t.Run(tool, func(t *testing.T) {
			w := newWorld(t)
			input := touches("made.txt")
			if tool == "Write" {
				input = map[string]any{"file_path": filepath.Join(w.home.Work, "made.txt"), "content": "made\n"}
			}
			w.model.Add(runs(tool, input))
			w.attach()
			pane := w.open("#go")
			d := w.Events.Added(pane, tool, "")
			if w.made("made.txt") {
				t.Fatal("the tool ran before the answer")
			}
			end := w.Chord(d, "y")
			if end.End != proto.EndAnswered || end.Option != proto.OptionOnce {
				t.Errorf("ended as %+v", end)
			}
			if r := w.result("toolu_1"); r.IsError {
				t.Errorf("the tool failed: %s", r.Text)
			}
			if !w.made("made.txt") {
				t.Error("the tool left no file")
			}
			w.Events.Confirmed(d)
			w.idle(pane)
		})
	}
}

// idle waits until the pane's turn is over and nothing of a decision is left.
func (w *world) idle(pane string) {
	w.T.Helper()
	w.Verb("wait", pane, "--until", "done,idle", "--timeout", "60s")
	if s := w.Status(); s.Decisions != 0 {
		w.T.Errorf("the turn is over, but %d decisions wait", s.Decisions)
	}
	w.Until("no hold is open", func() bool { return w.Status().Holds == 0 })
}

// A deny reaches the model with exactly our words, or the person's.
func TestDenyByKey(t *testing.T) {
	const reason = "Use the Makefile – it knows the flags."
	tests := []struct {
		name  string
		press func(*world, proto.Decision) proto.DecisionEnded
		want  string
	}{
		{
			"plain",
			func(w *world, d proto.Decision) proto.DecisionEnded { return w.Chord(d, "n") },
			adapters.DefaultDenial,
		},
		{
			"with a reason",
			func(w *world, d proto.Decision) proto.DecisionEnded { return w.reason(d, reason) },
			reason,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, runs("Bash", touches("made.txt")))
			w.attach()
			pane := w.open("#go")
			d := w.Events.Added(pane, "Bash", "")
			if end := tt.press(w, d); end.End != proto.EndAnswered || end.Option != proto.OptionDeny {
				t.Errorf("ended as %+v", end)
			}
			if r := w.result("toolu_1"); !r.IsError || r.Text != tt.want {
				t.Errorf("the model got %+v, want exactly %q", r, tt.want)
			}
			w.idle(pane)
			if w.made("made.txt") {
				t.Error("the denied command ran")
			}
		})
	}
}

// reason denies with a reason that is typed into the bar.
func (w *world) reason(d proto.Decision, text string) proto.DecisionEnded {
	w.T.Helper()
	w.Bar(d)
	w.Open("Why not?", "ctrl+]", "d")
	w.UI.Type(text)
	w.UI.WaitText(text)
	return w.Press(d, "enter")
}

// Handed back, the question is the agent's own again, and its dialog works.
func TestHandBack(t *testing.T) {
	w := newWorld(t, runs("Bash", touches("made.txt")))
	w.attach()
	pane := w.open("#go")
	d := w.Events.Added(pane, "Bash", "")
	if end := w.Chord(d, "t"); end.End != proto.EndHandedBack {
		t.Errorf("ended as %+v", end)
	}
	for _, p := range w.Hooks() {
		if !p.Ends() {
			t.Errorf("the hook stays: %s", p)
		}
	}
	if s := w.Screen(pane); !claude.Asks(s) {
		t.Fatalf("the agent's dialog is gone:\n%s", s)
	}
	w.Verb("send", pane, "1")
	if r := w.result("toolu_1"); r.IsError {
		t.Errorf("the tool failed: %s", r.Text)
	}
	w.idle(pane)
	if !w.made("made.txt") {
		t.Error("the tool left no file")
	}
}
