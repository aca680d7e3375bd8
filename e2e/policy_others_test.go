//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/gemini"
	"signaltty/e2e/model"
	"signaltty/e2e/place"
	"signaltty/proto"
)

// guard writes a policy into the configuration of who lives in home.
func guard(t *testing.T, home, policy string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(home, "config", "signaltty", "policy.toml"), []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
}

// violations wants that the audit has two refusals of an agent, by their rule.
func violations(p *place.Place, agent string) {
	p.T.Helper()
	rows := p.Verb("audit", "--json", "--kind", "guardrail_violation", "--rule", "no secrets")
	if n := strings.Count(rows, "\n"); n != 2 || strings.Count(rows, `"agent":"`+agent+`"`) != 2 {
		p.T.Errorf("the audit has %d rows:\n%s", n, rows)
	}
}

// Gemini CLI in its yolo mode: what a rule denies does not happen, by its own
// tool and by its shell, and what a rule wants asked is held until a person
// allows it.
func TestPolicyInGemini(t *testing.T) {
	w := newGeminiWorld(t)
	w.model.Add(rule("#go",
		gemini.Shell("call_1", "mkdir -p secret && echo x > secret/a.txt"),
		model.Call{ID: "call_2", Name: "write_file", Args: map[string]any{"file_path": filepath.Join(w.home.Work, "secret", "b.txt"), "content": "x\n"}},
		gemini.Shell("call_3", "touch made.txt"),
	))
	guard(t, w.home.Dir, secrets)
	if os.Getuid() != 0 {
		w.install()
	}
	pane := strings.TrimSpace(w.Verb("new", "--agent", "gemini", "--cwd", w.home.Work, "--size", "100x40", "--", "--approval-mode", "yolo", "-i", "#go"))
	for _, id := range []string{"call_1", "call_2"} {
		if got := w.result(id); !strings.Contains(got, "no secrets") || !strings.Contains(got, "ask the person") {
			t.Errorf("of %s the model was told %q", id, got)
		}
	}
	if os.Getuid() == 0 { // an installed gate tells and does not wait
		d := w.Events.Added(pane, "run_shell_command", "")
		if w.made("made.txt") {
			t.Error("the tool ran before the answer")
		}
		w.Verb("answer", d.ID, proto.OptionOnce)
		if got := w.result("call_3"); !w.made("made.txt") {
			t.Errorf("what was allowed did not run: %q", got)
		}
		w.over(pane)
	}
	if w.made("secret/a.txt") || w.made("secret/b.txt") {
		t.Error("what was denied happened")
	}
	violations(w.Place, "gemini")
}

// Gemini CLI, whose hooks the project turned off: what it was told itself of
// the person's denies holds all the same.
func TestPolicyByGeminiItself(t *testing.T) {
	w := newGeminiWorld(t)
	w.model.Add(rule("#go", gemini.Shell("call_1", "touch made.txt"), gemini.Shell("call_2", "true && touch made.txt"), gemini.Shell("call_3", "echo x > other.txt")))
	guard(t, w.home.Dir, "[[rule]]\nname = \"no touch\"\nverdict = \"deny\"\ncommand = \"touch\"\n")
	off := filepath.Join(w.home.Work, ".gemini", "settings.json")
	if err := os.MkdirAll(filepath.Dir(off), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(off, []byte(`{"hooksConfig": {"enabled": false}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Verb("new", "--agent", "gemini", "--cwd", w.home.Work, "--size", "100x40", "--", "--approval-mode", "yolo", "-i", "#go")
	for _, id := range []string{"call_1", "call_2"} {
		if got := w.result(id); !strings.Contains(got, "denied by a rule of the person's") {
			t.Errorf("of %s the model was told %q", id, got)
		}
	}
	if got := w.result("call_3"); w.made("made.txt") || !w.made("other.txt") {
		t.Errorf("what is denied happened, or what is not did not: %q", got)
	}
}

// OpenCode, whose plugin is the gate: the same, with its own permissions set
// to allow.
func TestPolicyInOpenCode(t *testing.T) {
	w := newOpenWorld(t)
	w.model.Add(anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
		anthropic.Call(anthropic.Tool("toolu_1", "write", map[string]any{"filePath": filepath.Join(w.home.Work, "secret", "a.txt"), "content": "x\n"})),
		anthropic.Call(anthropic.Tool("toolu_2", "bash", map[string]any{"command": "mkdir -p secret && echo x > secret/b.txt", "description": "do it"})),
		anthropic.Call(anthropic.Tool("toolu_3", "bash", map[string]any{"command": "touch made.txt", "description": "do it"})),
		anthropic.Say("The turn is over."),
	}})
	guard(t, w.home.Dir, secrets)
	w.Env = append(w.Env, `OPENCODE_CONFIG_CONTENT={"permission": {"bash": "allow", "edit": "allow"}}`)
	pane := w.open()
	d := w.prompt(pane, "go", "bash")
	for _, id := range []string{"toolu_1", "toolu_2"} {
		if r := w.result(id); !strings.Contains(r.Text, "no secrets") || !strings.Contains(r.Text, "ask the person") {
			t.Errorf("of %s the model got %+v", id, r)
		}
	}
	if w.made("made.txt") {
		t.Error("the tool ran before the answer")
	}
	w.answer(proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce})
	if r := w.result("toolu_3"); !w.made("made.txt") {
		t.Errorf("what was allowed did not run: %+v", r)
	}
	w.idle(pane)
	if w.made("secret/a.txt") || w.made("secret/b.txt") {
		t.Error("what was denied happened")
	}
	violations(w.Place, "opencode")
}
