//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/codex"
	"signaltty/e2e/gemini"
	"signaltty/e2e/place"
)

// meanwhile is a shell command that says that it runs, and ends when the test
// has done what it has to do meanwhile.
const meanwhile = "echo > started; while [ ! -e go ]; do sleep 0.1; done"

// freeze stops the server while the agent runs meanwhile, lets the agent go on
// to what is denied, and goes on with the server when that has its result.
func freeze(p *place.Place, result func(id string) string) {
	p.T.Helper()
	p.Until("the first call runs", func() bool { _, err := os.Stat(filepath.Join(p.Work, "started")); return err == nil })
	signal(p.T, p.Server.PID(), syscall.SIGSTOP)
	defer signal(p.T, p.Server.PID(), syscall.SIGCONT)
	if err := os.WriteFile(filepath.Join(p.Work, "go"), nil, 0o600); err != nil {
		p.T.Fatal(err)
	}
	if got := result("call_2"); !strings.Contains(got, "signaltty denies this, since it cannot decide") {
		p.T.Errorf("the model was told %q", got)
	}
	if _, err := os.Stat(filepath.Join(p.Work, "secret", "a.txt")); err == nil {
		p.T.Error("what is denied happened while the server was frozen")
	}
}

// A frozen server lets nothing through that the policy is about, in the mode
// in which each agent asks nobody, and the model is told why.
func TestPolicyWithFrozenServer(t *testing.T) {
	const denied = "mkdir -p secret && echo x > secret/a.txt"
	t.Run("codex", func(t *testing.T) {
		w := newCodexWorld(t, rule("#go", codex.Shell("call_1", meanwhile), codex.Shell("call_2", denied)))
		guard(t, w.home.Dir, secrets)
		w.Verb("new", "--agent", "codex", "--cwd", w.home.Work, "--", "--dangerously-bypass-approvals-and-sandbox", "#go")
		freeze(w.Place, w.result)
	})
	t.Run("gemini", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("an installed gate goes on when signaltty fails")
		}
		// Without a screen: it would stand still over a terminal that nobody reads.
		w := newGeminiWorld(t, rule("#go", gemini.Shell("call_1", meanwhile), gemini.Shell("call_2", denied)))
		guard(t, w.home.Dir, secrets)
		w.Verb("new", "--agent", "gemini", "--cwd", w.home.Work, "--", "--approval-mode", "yolo", "-p", "#go")
		freeze(w.Place, w.result)
	})
	t.Run("opencode", func(t *testing.T) {
		bash := func(id, command string) anthropic.Turn {
			return anthropic.Call(anthropic.Tool(id, "bash", map[string]any{"command": command, "description": "do it"}))
		}
		w := newOpenWorld(t, anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{bash("call_1", meanwhile), bash("call_2", denied), anthropic.Say("The turn is over.")}})
		guard(t, w.home.Dir, secrets)
		w.Env = append(w.Env, `OPENCODE_CONFIG_CONTENT={"permission": {"bash": "allow", "edit": "allow"}}`)
		pane := w.open()
		w.Verb("send", pane, "#go")
		w.Until("the prompt shows", func() bool { return w.Screen(pane).Has("#go") })
		w.Verb("send", pane, "", "--enter")
		freeze(w.Place, func(id string) string { return w.world.result(id).Text })
	})
}
