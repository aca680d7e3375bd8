//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/codex"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// secrets is a policy of one rule, beside which everything is the agent's own
// affair.
const secrets = `
[[rule]]
name = "no secrets"
verdict = "deny"
path = "secret"
message = "ask the person for what you need from there"

[[rule]]
name = "look twice"
verdict = "ask"
command = "touch"
`

// guard writes the person's policy.
func (w *world) guard(policy string) {
	w.T.Helper()
	if err := os.MkdirAll(filepath.Join(w.home.Work, "secret"), 0o700); err != nil {
		w.T.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.home.Dir, "config", "signaltty", "policy.toml"), []byte(policy), 0o600); err != nil {
		w.T.Fatal(err)
	}
}

// forbidden is a model that writes where it must not: by its own tool, and by
// the shell.
func forbidden(w *world) anthropic.Rule {
	return anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
		anthropic.Call(anthropic.Tool("toolu_1", "Write", map[string]any{"file_path": filepath.Join(w.home.Work, "secret", "a.txt"), "content": "x\n"})),
		anthropic.Call(anthropic.Tool("toolu_2", "Bash", map[string]any{"command": "cd secret && echo x > b.txt", "description": "Write"})),
		anthropic.Say("The turn is over."),
	}}
}

// refused wants that neither write happened, that the model was told why, and
// that the audit knows the rule.
func (w *world) refused() {
	w.T.Helper()
	for _, id := range []string{"toolu_1", "toolu_2"} {
		if r := w.result(id); !r.IsError || !strings.Contains(r.Text, `denied by rule "no secrets"`) || !strings.Contains(r.Text, "ask the person") {
			w.T.Errorf("of %s the model got %+v", id, r)
		}
	}
	for _, name := range []string{"secret/a.txt", "secret/b.txt"} {
		if w.made(name) {
			w.T.Errorf("%s was written", name)
		}
	}
	rows := w.Verb("audit", "--json", "--kind", "guardrail_violation", "--rule", "no secrets")
	if n := strings.Count(rows, "\n"); n != 2 || !strings.Contains(rows, `"agent":"claude"`) {
		w.T.Errorf("the audit has %d rows:\n%s", n, rows)
	}
}

// What a rule denies does not happen, in each of Claude Code's modes.
func TestPolicyDenies(t *testing.T) {
	for name, flags := range map[string][]string{
		"interactive":         nil,
		"interactive, bypass": {"--dangerously-skip-permissions"},
		"headless, bypass":    {"-p", "--dangerously-skip-permissions"},
		"headless, all tools": {"-p", "--allowedTools", "Write,Bash"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.model.Add(forbidden(w))
			w.guard(secrets)
			w.Env = append(w.Env, "IS_SANDBOX=1") // root may use the bypass mode only so
			pane := w.openWith(flags, "#go")
			w.refused()
			w.Verb("wait", pane, "--until", "done,idle,exited", "--timeout", "60s")
		})
	}
}

// Told the rules about paths itself, Claude Code refuses before its hooks.
func TestPolicyByTheAgentItself(t *testing.T) {
	w := newWorld(t)
	w.model.Add(forbidden(w))
	w.guard("native_paths = true\n" + secrets)
	w.Env = append(w.Env, "IS_SANDBOX=1")
	w.openWith([]string{"--dangerously-skip-permissions"}, "#go")
	if r := w.result("toolu_1"); !r.IsError || !strings.Contains(r.Text, "denied by your permission settings") {
		t.Errorf("the model got %+v", r)
	}
	if r := w.result("toolu_2"); !r.IsError || !strings.Contains(r.Text, `denied by rule "no secrets"`) {
		t.Errorf("the model got %+v", r)
	}
	if w.made("secret/a.txt") || w.made("secret/b.txt") {
		t.Error("a file was written")
	}
}

// Without a server the gate of a pane that began under a policy denies what
// the policy is about, in the bypass mode too, and the model is told why.
func TestPolicyWithoutServer(t *testing.T) {
	w := newWorld(t)
	w.model.Add(forbidden(w))
	w.guard(secrets)
	settings := w.settings()
	w.Server.Kill()
	p := tty.Start(t, tty.Command{
		Argv: []string{filepath.Join(w.home.Bin, "claude"), "-p", "--dangerously-skip-permissions", "--settings", settings, "#go"},
		Dir:  w.home.Work,
		Env:  append(w.Env, "IS_SANDBOX=1"),
	})
	for _, id := range []string{"toolu_1", "toolu_2"} {
		if r := w.result(id); !r.IsError || !strings.Contains(r.Text, "signaltty denies this, since it cannot decide: no server is running") {
			t.Errorf("of %s the model got %+v", id, r)
		}
	}
	p.WaitText("The turn is over.")
	if w.made("secret/a.txt") || w.made("secret/b.txt") {
		t.Error("a file was written")
	}
}

// openWith starts Claude Code with flags and a prompt.
func (w *world) openWith(flags []string, prompt string) string {
	w.T.Helper()
	args := append([]string{"new", "--agent", "claude", "--cwd", w.home.Work, "--"}, flags...)
	return strings.TrimSpace(w.Verb(append(args, "--", prompt)...))
}

// What a rule wants asked is asked in the bypass mode too: one ask, one
// decision, which names the rule.
func TestPolicyAsks(t *testing.T) {
	w := newWorld(t, runs("Bash", map[string]any{"command": "touch made.txt", "description": "Make a file"}))
	w.guard(secrets)
	w.Env = append(w.Env, "IS_SANDBOX=1")
	w.attach()
	pane := w.openWith([]string{"--dangerously-skip-permissions"}, "#go")
	d := w.Events.Added(pane, "Bash", "")
	if w.made("made.txt") {
		t.Fatal("the tool ran before the answer")
	}
	if n := len(d.Detail); n == 0 || !strings.Contains(d.Detail[n-1].Text, `asked by rule "look twice"`) {
		t.Errorf("the decision does not name the rule: %+v", d.Detail)
	}
	if end := w.Chord(d, "y"); end.End != proto.EndAnswered {
		t.Errorf("ended as %+v", end)
	}
	if r := w.result("toolu_1"); r.IsError || !w.made("made.txt") {
		t.Errorf("the tool did not run: %+v", r)
	}
	w.idle(pane)
	if n := w.Events.Count(proto.EventDecisionAdded); n != 1 {
		t.Errorf("%d decisions for one ask", n)
	}
}

// Codex: what a rule denies does not happen with its approvals and its sandbox
// off, and what a rule wants asked is held until a person allows it.
func TestPolicyInCodex(t *testing.T) {
	w := newCodexWorld(t, rule("#go",
		codex.Shell("call_1", "mkdir -p secret && echo x > secret/a.txt"),
		codex.Patch("call_2", "secret/b.txt", "x"),
		codex.Shell("call_3", "touch made.txt"),
	))
	if err := os.WriteFile(filepath.Join(w.home.Dir, "config", "signaltty", "policy.toml"), []byte(secrets), 0o600); err != nil {
		t.Fatal(err)
	}
	pane := strings.TrimSpace(w.Verb("new", "--agent", "codex", "--cwd", w.home.Work, "--", "--dangerously-bypass-approvals-and-sandbox", "#go"))
	for _, id := range []string{"call_1", "call_2"} {
		if got := w.result(id); !strings.Contains(got, "no secrets") {
			t.Errorf("of %s the model was told %q", id, got)
		}
	}
	d := w.Events.Added(pane, "Bash", "")
	if w.made("made.txt") {
		t.Error("the tool ran before the answer")
	}
	w.Verb("answer", d.ID, proto.OptionOnce)
	got := w.result("call_3")
	w.over(pane)
	if !w.made("made.txt") {
		t.Errorf("what was allowed did not run: %q", got)
	}
	if w.made("secret/a.txt") || w.made("secret/b.txt") {
		t.Error("what was denied happened")
	}
	violations(w.Place, "codex")
}
