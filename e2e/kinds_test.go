//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/claude"
	"signaltty/proto"
)

// twoQuestions is a call of AskUserQuestion, of one answer and of several.
var twoQuestions = map[string]any{"questions": []any{
	map[string]any{"question": "Which library?", "header": "Library", "multiSelect": false, "options": []any{
		map[string]any{"label": "Alpha", "description": "a"}, map[string]any{"label": "Beta", "description": "b"},
	}},
	map[string]any{"question": "Which features?", "header": "Features", "multiSelect": true, "options": []any{
		map[string]any{"label": "Red", "description": "r"}, map[string]any{"label": "Green", "description": "g"}, map[string]any{"label": "Blue", "description": "b"},
	}},
}}

var smallPlan = map[string]any{"plan": "# Plan\n\n1. Write **a.txt**\n2. Stop\n"}

// got checks what the model received for toolu_1.
func (w *world) got(isError bool, want ...string) {
	w.T.Helper()
	r := w.result("toolu_1")
	for _, text := range want {
		if r.IsError != isError || !strings.Contains(r.Text, text) {
			w.T.Errorf("the model got %+v, want %q, error %t", r, text, isError)
		}
	}
}

// Two questions, filled in on the bar: one by its number, one by several, and
// one in words of the person's own.
func TestQuestionsByKey(t *testing.T) {
	w := newWorld(t, runs("AskUserQuestion", twoQuestions))
	w.attach()
	pane := w.open("#go")
	d := w.Events.Added(pane, "AskUserQuestion", "")
	w.Bar(d)
	w.Open("Question 1 of 2", "ctrl+]", "y")
	w.UI.Press("3")
	w.UI.WaitText("enter takes it")
	w.UI.Type("neither, mine")
	w.UI.WaitText("neither, mine")
	w.UI.Press("enter")
	w.UI.WaitText("Question 2 of 2")
	w.UI.Press("1")
	w.UI.Press("3")
	w.UI.WaitText("[x] Blue")
	w.UI.Press("enter")
	if end := w.Press(d, "enter"); end.End != proto.EndAnswered || end.Option != proto.OptionAnswer {
		t.Errorf("ended as %+v", end)
	}
	w.got(false, `"Which library?"="neither, mine"`, `"Which features?"="Red, Blue"`)
	w.Events.Confirmed(d)
	w.idle(pane)
}

// What is answered in Claude's own dialog first, or dismissed there, ends here.
func TestOwnDialogFirst(t *testing.T) {
	tests := []struct {
		name, tool string
		input      map[string]any
		flags      []string
		shows      string // the dialog's last step that is waited for
		keys       []string
		end        proto.End
		got        string // by the model; "" when its turn ended
	}{
		{"questions", "AskUserQuestion", twoQuestions, nil, "Esc to cancel", []string{"2", "1", "3", "\t", "1"}, proto.EndMovedOn, `"Which features?"="Red, Blue"`},
		{"questions dismissed", "AskUserQuestion", twoQuestions, nil, "Esc to cancel", []string{"\x1b"}, proto.EndHoldClosed, ""},
		{"plan", "ExitPlanMode", smallPlan, []string{"--permission-mode", "plan"}, "1. Yes", []string{"1"}, proto.EndMovedOn, "approved your plan"},
		{"plan dismissed", "ExitPlanMode", smallPlan, []string{"--permission-mode", "plan"}, "1. Yes", []string{"\x1b"}, proto.EndHoldClosed, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, runs(tt.tool, tt.input))
			pane := w.open("#go", tt.flags...)
			d := w.Events.Added(pane, tt.tool, "")
			w.Until("its own dialog is open", func() bool { return w.Screen(pane).Has(tt.shows) })
			for _, key := range tt.keys {
				before := w.Screen(pane).String()
				w.agentKey(pane, key)
				w.Until("the dialog took "+key, func() bool { return w.Screen(pane).String() != before })
			}
			if end, _ := w.Events.Ended(d); end.End != tt.end {
				t.Errorf("ended as %+v, want %s", end, tt.end)
			}
			if tt.got != "" {
				w.got(false, tt.got)
			}
			w.idle(pane)
		})
	}
}

// A plan is approved into the mode that was chosen, or sent back with words.
func TestPlans(t *testing.T) {
	write := anthropic.Call(anthropic.Tool("toolu_2", "Write", map[string]any{"file_path": "a.txt", "content": "a\n"}))
	tests := []struct {
		name string
		keys []string
		want func(w *world, pane string)
	}{
		{"default", []string{"ctrl+]", "y"}, func(w *world, pane string) {
			w.got(false, "approved your plan")
			w.Verb("answer", w.Events.Added(pane, "Write", "").ID, "once") // it asks about edits
		}},
		{"accept edits", []string{"ctrl+]", "a"}, func(w *world, pane string) {
			w.got(false, "approved your plan")
			if r := w.result("toolu_2"); r.IsError {
				w.T.Errorf("the edit failed: %s", r.Text)
			}
			if n := w.Events.Count(proto.EventDecisionAdded); n != 1 {
				w.T.Errorf("%d decisions, want the plan alone", n)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
				anthropic.Call(anthropic.Tool("toolu_1", "ExitPlanMode", smallPlan)), write, anthropic.Say("The turn is over."),
			}})
			w.attach()
			pane := w.open("#go", "--permission-mode", "plan")
			d := w.Events.Added(pane, "ExitPlanMode", "")
			w.Bar(d)
			w.UI.WaitText("1. Write a.txt")
			if end := w.Press(d, tt.keys...); end.End != proto.EndAnswered {
				t.Errorf("ended as %+v", end)
			}
			tt.want(w, pane)
			w.idle(pane)
			if !w.made("a.txt") {
				t.Error("the plan was not carried out")
			}
		})
	}
	t.Run("sent back", func(t *testing.T) {
		w := newWorld(t, runs("ExitPlanMode", smallPlan))
		w.attach()
		pane := w.open("#go", "--permission-mode", "plan")
		d := w.Events.Added(pane, "ExitPlanMode", "")
		w.Bar(d)
		w.Open("What to change?", "ctrl+]", "d")
		w.UI.Type("use b.txt")
		w.UI.WaitText("use b.txt")
		w.Press(d, "enter")
		w.got(true, "use b.txt")
		w.Events.Confirmed(d)
		w.idle(pane)
		if s := w.Screen(pane); !s.Has("plan mode on") {
			t.Errorf("it left the plan mode:\n%s", s)
		}
	})
}

// Always saves exactly the rule that was shown, in the one file that it named,
// and the next call does not ask. Nothing else of the person's is changed.
func TestAlways(t *testing.T) {
	w := newWorld(t, anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
		anthropic.Call(anthropic.Tool("toolu_1", "Bash", map[string]any{"command": "npm test"})),
		anthropic.Call(anthropic.Tool("toolu_2", "Bash", map[string]any{"command": "npm test again"})),
		anthropic.Say("The turn is over."),
	}})
	settings := filepath.Join(w.home.Dir, ".claude", "settings.json")
	before, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	w.attach()
	pane := w.open("#go")
	d := w.Events.Added(pane, "Bash", "npm test")
	w.Bar(d)
	w.Open("Bash(npm test *)", "ctrl+]", "a")
	w.Press(d, "y")
	w.result("toolu_2")
	w.idle(pane)
	if n := w.Events.Count(proto.EventDecisionAdded); n != 1 {
		t.Errorf("it asked %d times", n)
	}
	saved, err := os.ReadFile(filepath.Join(w.home.Work, ".claude", "settings.local.json"))
	if err != nil || strings.Join(strings.Fields(string(saved)), "") != `{"permissions":{"allow":["Bash(npmtest*)"]}}` {
		t.Errorf("saved %s, %v", saved, err)
	}
	if after, _ := os.ReadFile(settings); string(after) != string(before) {
		t.Errorf("the person's settings are %s, they were %s", after, before)
	}
}

// The amended command runs, and the audit has both.
func TestAmendedCommand(t *testing.T) {
	w := newWorld(t, runs("Bash", touches("asked.txt")))
	w.attach()
	pane := w.open("#go")
	d := w.Events.Added(pane, "Bash", "")
	w.Bar(d)
	w.Open("Instead: ", "ctrl+]", "m")
	w.UI.Type(" && echo more > amended.txt")
	w.UI.WaitText("amended.txt")
	w.Press(d, "enter")
	w.got(false, "")
	w.idle(pane)
	if !w.made("asked.txt") || !w.made("amended.txt") {
		t.Error("what was amended did not run")
	}
}

// Denied with an interruption the turn is over. No event tells of it; the pane
// leaves "working" all the same. So it does after Esc while a tool runs.
func TestInterruptions(t *testing.T) {
	t.Run("deny and stop", func(t *testing.T) {
		for tool, input := range map[string]map[string]any{"Bash": touches("made.txt"), "AskUserQuestion": twoQuestions} {
			t.Run(tool, func(t *testing.T) {
				w := newWorld(t, runs(tool, input))
				w.attach()
				pane := w.open("#go")
				d := w.Events.Added(pane, tool, "")
				if end := w.Chord(d, "i"); end.End != proto.EndAnswered {
					t.Errorf("ended as %+v", end)
				}
				w.idle(pane)
				w.Until("the prompt is back", func() bool { return claude.Ready(w.Screen(pane)) })
				if w.made("made.txt") {
					t.Error("the command ran")
				}
				for _, r := range w.model.Requests() {
					if r.Rule == "#go" && r.Turn > 0 {
						t.Error("the turn went on")
					}
				}
			})
		}
	})
	t.Run("esc", func(t *testing.T) {
		w := newWorld(t, runs("Bash", map[string]any{"command": "touch began.txt && sleep 600"}))
		pane := w.open("#go")
		w.Verb("answer", w.Events.Added(pane, "Bash", "").ID, "once")
		w.Until("the tool runs", func() bool { return w.made("began.txt") && w.Pane(pane).State == proto.StateWorking })
		w.Until("the title says so", func() bool { return !strings.HasPrefix(w.Pane(pane).Title, "✳") })
		w.agentKey(pane, "\x1b")
		w.Verb("wait", pane, "--until", "idle", "--timeout", "60s")
	})
}

// An MCP server's form: filled in, declined, or handed back to Claude's own.
func TestElicitation(t *testing.T) {
	order := anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
		anthropic.Call(anthropic.Tool("toolu_0", "WaitForMcpServers", map[string]any{})), // it connects meanwhile
		anthropic.Call(anthropic.Tool("toolu_1", "mcp__shop__order", map[string]any{})),
		anthropic.Say("The turn is over."),
	}}
	tests := []struct {
		name   string
		answer []string
		want   string
	}{
		{"filled in", []string{"answer", "-c", "1:blue", "-c", "2:3", "-c", "3:no"}, `"content":{"colour":"blue","count":3,"gift":false}`},
		{"declined", []string{"deny"}, `"action":"decline"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, order)
			pane := w.open("#go", mcpFlags()...)
			d := w.Events.Added(pane, "Elicitation", "")
			if d.Dialog != proto.DialogAfter || w.Screen(pane).Has("requests your input") {
				t.Errorf("a dialog stands beside it: %s\n%s", d.Dialog, w.Screen(pane))
			}
			w.Verb(append([]string{"answer", d.ID}, tt.answer...)...)
			w.got(false, tt.want)
			w.Events.Confirmed(d)
			w.idle(pane)
		})
	}
	t.Run("handed back", func(t *testing.T) {
		w := newWorld(t, order)
		pane := w.open("#go", mcpFlags()...)
		d := w.Events.Added(pane, "Elicitation", "")
		w.Verb("answer", d.ID, "handback")
		w.Until("its own form is open", func() bool { return w.Screen(pane).Has("requests your input") })
		if p := w.Pane(pane); p.State != proto.StateBlocked {
			t.Errorf("the pane is %s", p.State)
		}
		w.agentKey(pane, "\x1b")
		w.got(false, `"action":"cancel"`)
		w.idle(pane)
	})
}

// A subagent in the foreground has its dialog beside the bar; for one in the
// background nothing else can answer until it is handed back.
func TestSubagents(t *testing.T) {
	for name, background := range map[string]bool{"foreground": false, "background": true} {
		t.Run(name, func(t *testing.T) {
			input := map[string]any{"description": "explore", "prompt": "#sub", "subagent_type": "general-purpose"}
			if background {
				input["run_in_background"] = true
			}
			w := newWorld(t, runs("Agent", input), anthropic.Rule{Match: "#sub", Turns: []anthropic.Turn{
				anthropic.Call(anthropic.Tool("toolu_s", "Bash", touches("sub.txt"))), anthropic.Say("sub is done"),
			}})
			w.attach()
			pane := w.open("#go")
			d := w.Events.Added(pane, "Bash", "")
			w.Bar(d)
			want := map[bool]proto.Dialog{false: proto.DialogBeside, true: proto.DialogAfter}[background]
			if d.Subagent != "general-purpose" || d.Dialog != want {
				t.Errorf("%q asks with its dialog %s, want %s", d.Subagent, d.Dialog, want)
			}
			w.UI.WaitText("subagent general-purpose")
			if background {
				w.UI.WaitText("nothing else can answer this")
				if claude.Asks(w.Screen(pane)) {
					t.Error("a dialog stands beside it")
				}
			} else {
				w.dialog(pane)
			}
			w.Chord(d, "y")
			if r := w.result("toolu_s"); r.IsError {
				t.Errorf("the subagent's tool failed: %s", r.Text)
			}
			w.Events.Confirmed(d)
			w.idle(pane)
		})
	}
}

// A hook that is killed leaves the question to Claude's own dialog.
func TestKilledHookOfAQuestion(t *testing.T) {
	w := newWorld(t, runs("AskUserQuestion", map[string]any{"questions": twoQuestions["questions"].([]any)[:1]}))
	pane := w.open("#go")
	d := w.Events.Added(pane, "AskUserQuestion", "")
	w.Until("its own dialog is open", func() bool { return w.Screen(pane).Has("Esc to cancel") })
	for _, p := range w.Hooks() {
		signal(t, p.PID, syscall.SIGKILL)
	}
	if end, _ := w.Events.Ended(d); end.End != proto.EndHoldClosed {
		t.Errorf("ended as %+v", end)
	}
	if p := w.Pane(pane); p.State != proto.StateBlocked {
		t.Errorf("the pane is %s, and its dialog is open", p.State)
	}
	w.agentKey(pane, "1")
	w.got(false, `"Which library?"="Alpha"`)
	w.idle(pane)
}

// The person's own hooks run beside ours, and their settings stay as they are.
func TestOwnHooksBeside(t *testing.T) {
	w := newWorld(t, runs("AskUserQuestion", twoQuestions))
	log := filepath.Join(w.home.Dir, "own.log")
	settings := `{ "skipWebFetchPreflight": true, "hooks": { "PermissionRequest": [ { "hooks": [ { "type": "command", "command": "cat >> ` + log + `" } ] } ] } }` + "\n"
	file := filepath.Join(w.home.Dir, ".claude", "settings.json")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	pane := w.open("#go")
	d := w.Events.Added(pane, "AskUserQuestion", "")
	w.Verb("answer", d.ID, "answer", "-c", "1:Beta", "-c", "2:Green")
	w.got(false, `"Which library?"="Beta"`)
	w.idle(pane)
	w.Until("the person's hook ran", func() bool {
		b, _ := os.ReadFile(log)
		return strings.Contains(string(b), "AskUserQuestion")
	})
	if after, _ := os.ReadFile(file); string(after) != settings {
		t.Errorf("the settings are %s", after)
	}
}

// After a compaction the pane still has its session, and its asks come up there.
func TestSessionThroughCompaction(t *testing.T) {
	w := newWorld(t, runs("Bash", touches("made.txt")), anthropic.Rule{Match: "#hello", Turns: []anthropic.Turn{anthropic.Say("Hello.")}},
		anthropic.Rule{Match: "detailed summary", Turns: []anthropic.Turn{anthropic.Say("<summary>They said hello.</summary>")}})
	pane := w.open("#hello")
	w.idle(pane)
	for _, word := range []string{"one", "two", "three"} { // less is not compacted
		w.Verb("send", pane, "#hello "+word, "--enter")
		w.Until("it has answered", func() bool {
			_, after, asked := strings.Cut(w.Screen(pane).String(), "#hello "+word)
			return asked && strings.Contains(after, "● Hello.")
		})
		w.idle(pane)
	}
	w.Verb("send", pane, "/compact", "--enter")
	w.Until("it is compacted", func() bool { return w.Screen(pane).Has("Compacted") && claude.Ready(w.Screen(pane)) })
	w.Verb("send", pane, "#go", "--enter")
	d := w.Events.Added(pane, "Bash", "")
	if now := w.Pane(pane); d.Session != now.Session || now.State != proto.StateBlocked {
		t.Errorf("the ask is of session %s, the pane has %s and is %s", d.Session, now.Session, now.State)
	}
	w.Verb("answer", d.ID, "once")
	w.result("toolu_1")
	w.idle(pane)
	if !w.made("made.txt") {
		t.Error("what was allowed did not run")
	}
}

// The pane keeps its agent through /clear, resume and fork: each has the
// session id that Claude gives it, and its asks come up there.
func TestSessionsThroughClearResumeAndFork(t *testing.T) {
	w := newWorld(t, runs("Bash", touches("made.txt")), anthropic.Rule{Match: "#hello", Turns: []anthropic.Turn{anthropic.Say("Hello.")}})
	pane := w.open("#hello")
	w.idle(pane)
	first := w.Pane(pane).Session
	w.Until("the agent has saved what was said", func() bool { return w.home.Saved(first, "Hello.") })
	w.Verb("send", pane, "/clear", "--enter")
	w.Until("a new session is bound", func() bool { s := w.Pane(pane).Session; return s != "" && s != first })
	w.Until("the prompt is back", func() bool { return claude.Ready(w.Screen(pane)) })
	w.Verb("send", pane, "#go", "--enter")
	d := w.Events.Added(pane, "Bash", "")
	if d.Session != w.Pane(pane).Session {
		t.Errorf("the ask is of session %s, the pane has %s", d.Session, w.Pane(pane).Session)
	}
	w.Verb("answer", d.ID, "once")
	w.idle(pane)
	w.Verb("close", pane)

	resumed := w.open("#go", "--resume", first)
	d = w.Events.Added(resumed, "Bash", "")
	if d.Session != first {
		t.Errorf("resumed it is session %s, want %s", d.Session, first)
	}
	w.Verb("answer", d.ID, "once")
	w.idle(resumed)

	forked := w.open("#go", "--resume", first, "--fork-session")
	d = w.Events.Added(forked, "Bash", "")
	if d.Session == first || d.Pane != forked {
		t.Errorf("forked it is session %s in %s", d.Session, d.Pane)
	}
	w.Verb("answer", d.ID, "once")
	w.idle(forked)
	if s := w.Pane(resumed).Session; s != first {
		t.Errorf("the fork took the session of the other pane: %s", s)
	}
}
