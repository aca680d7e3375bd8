//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/codex"
	"signaltty/e2e/gemini"
	"signaltty/e2e/google"
	"signaltty/e2e/model"
	"signaltty/e2e/openai"
	"signaltty/e2e/opencode"
	"signaltty/e2e/place"
)

// bare is an agent as it runs with none of our hooks, in the mode in which it
// asks nobody.
type bare struct {
	dir, work string
	env, argv []string
	state     []string // that it writes, below dir
	result    func(id string) string
}

// bares start each agent against a model that writes outside of the work, by
// the agent's own tool and by its shell, and then inside.
var bares = map[string]func(t *testing.T) bare{
	"codex": func(t *testing.T) bare {
		api := openai.Start(t)
		home := codex.New(t, api.URL)
		s := scripted{Place: &place.Place{T: t}, model: api.Script}
		out := filepath.Join(home.Dir, "outside.txt")
		api.Add(rule("#go", codex.Patch("call_1", out, "made"), codex.Shell("call_2", "echo made > "+out), codex.Shell("call_3", "echo made > inside.txt")))
		return bare{
			dir: home.Dir, work: home.Work, env: home.Env(), state: []string{".codex"}, result: s.result,
			argv: []string{"codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "#go"},
		}
	},
	"gemini": func(t *testing.T) bare {
		api := google.Start(t)
		home := gemini.New(t, api.URL)
		s := scripted{Place: &place.Place{T: t}, model: api.Script}
		out := filepath.Join(home.Dir, "outside.txt")
		api.Add(rule("#go",
			model.Call{ID: "call_1", Name: "write_file", Args: map[string]any{"file_path": out, "content": "made\n"}},
			gemini.Shell("call_2", "echo made > "+out), gemini.Shell("call_3", "echo made > inside.txt")))
		return bare{
			dir: home.Dir, work: home.Work, env: home.Env(), state: []string{".gemini"}, result: s.result,
			argv: []string{"gemini", "--yolo", "--include-directories", home.Dir, "-p", "#go"},
		}
	},
	"opencode": func(t *testing.T) bare {
		api := anthropic.Start(t)
		home := opencode.New(t, api.URL)
		out := filepath.Join(home.Dir, "outside.txt")
		bash := func(id, command string) anthropic.Turn {
			return anthropic.Call(anthropic.Tool(id, "bash", map[string]any{"command": command, "description": "do it"}))
		}
		api.Add(anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
			anthropic.Call(anthropic.Tool("call_1", "write", map[string]any{"filePath": out, "content": "made\n"})),
			bash("call_2", "echo made > "+out), bash("call_3", "echo made > inside.txt"),
			anthropic.Say("The turn is over."),
		}})
		env := append(home.Env(), `OPENCODE_CONFIG_CONTENT={"permission": {"bash": "allow", "edit": "allow", "external_directory": "allow"}}`)
		return bare{
			dir: home.Dir, work: home.Work, env: env, state: []string{"data/opencode", "cache/opencode", ".local/state/opencode"},
			argv: []string{"opencode", "run", "#go"}, result: func(id string) string { return resultOf(t, api, id).Text },
		}
	},
}

// The real agents, which ask nobody and run no hook of ours, are stopped by the
// kernel alone: in their own tool and in their shell. They work where they may,
// and the model hears why it may not elsewhere.
func TestConfinedOthersWithoutHooks(t *testing.T) {
	if err := exec.Command(binary, "confine", "--check").Run(); err != nil {
		t.Skip("this kernel has no Landlock that will do")
	}
	for name, start := range bares {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t)
			args := []string{"confine", "--allow-path", b.work}
			for _, file := range []string{"seen", "own-hook.jsonl"} { // the person's own plugin and hook write there
				file = filepath.Join(b.dir, file)
				if err := os.WriteFile(file, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				args = append(args, "--allow-path", file)
			}
			for _, dir := range b.state {
				args = append(args, "--state", filepath.Join(b.dir, dir))
			}
			ctx, cancel := place.Patience(t)
			defer cancel()
			cmd := exec.CommandContext(ctx, binary, append(append(args, "--"), b.argv...)...)
			cmd.Dir, cmd.Env = b.work, append(b.env, "XDG_RUNTIME_DIR="+filepath.Join(b.dir, "run"))
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			for _, id := range []string{"call_1", "call_2"} {
				if got := b.result(id); !kernelSays(got) {
					t.Errorf("of %s the model hears %q", id, got)
				}
			}
			if _, err := os.Stat(filepath.Join(b.dir, "outside.txt")); err == nil {
				t.Error("it wrote outside")
			}
			if _, err := os.Stat(filepath.Join(b.work, "inside.txt")); err != nil {
				t.Errorf("inside: %v; the model hears %q", err, b.result("call_3"))
			}
		})
	}
}

// kernelSays says that a tool's result is the kernel's no, in some agent's words.
func kernelSays(result string) bool {
	for _, words := range []string{"Permission denied", "EACCES", "PermissionDenied", "Failed to write file"} {
		if strings.Contains(result, words) {
			return true
		}
	}
	return false
}

// In a pane that `new --confine` opened the hook lets a call through that no
// rule is about, and the kernel refuses it. The conversation is saved all the
// same, and Claude Code's settings and login stay as they were.
func TestConfinedPane(t *testing.T) {
	if err := exec.Command(binary, "confine", "--check").Run(); err != nil {
		t.Skip("this kernel has no Landlock that will do")
	}
	t.Run("claude", func(t *testing.T) {
		w := newWorld(t)
		outside := filepath.Join(w.home.Dir, "outside.txt")
		w.model.Add(anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
			anthropic.Call(anthropic.Tool("toolu_1", "Write", map[string]any{"file_path": outside, "content": "x\n"})),
			anthropic.Call(anthropic.Tool("toolu_2", "Bash", map[string]any{"command": "echo x > " + outside, "description": "Write"})),
			anthropic.Call(anthropic.Tool("toolu_3", "Bash", map[string]any{"command": "echo x > inside.txt", "description": "Write"})),
			anthropic.Say("The turn is over."),
		}})
		w.Env = append(w.Env, "IS_SANDBOX=1")
		before := settings(t, w.home)
		pane := strings.TrimSpace(w.Verb("new", "--agent", "claude", "--confine", "--cwd", w.home.Work, "--", "--dangerously-skip-permissions", "#go"))
		for _, id := range []string{"toolu_1", "toolu_2"} {
			if r := w.result(id); !r.IsError || !kernelSays(r.Text) {
				t.Errorf("of %s the model hears %+v", id, r)
			}
		}
		if r := w.result("toolu_3"); r.IsError || !w.made("inside.txt") {
			t.Errorf("inside the model hears %+v", r)
		}
		if rows := w.Verb("audit", "--json", "--agent", "claude"); !strings.Contains(rows, "toolu_1") {
			t.Errorf("the hooks of a confined agent do not reach the audit:\n%s", rows)
		}
		w.Verb("wait", pane, "--until", "done,idle", "--timeout", "60s")
		session := w.Pane(pane).Session
		w.Until("the conversation is saved", func() bool { return w.home.Saved(session, "The turn is over.") })
		if after := settings(t, w.home); after != before {
			t.Errorf("the settings changed from\n%s\nto\n%s", before, after)
		}
		if _, err := os.Stat(outside); err == nil {
			t.Error("it wrote outside")
		}
	})
	t.Run("codex", func(t *testing.T) {
		w := newCodexWorld(t)
		outside := filepath.Join(w.home.Dir, "outside.txt")
		w.model.Add(rule("#go", codex.Shell("call_1", "echo x > "+outside), codex.Shell("call_2", "echo x > inside.txt")))
		pane := strings.TrimSpace(w.Verb("new", "--agent", "codex", "--confine", "--cwd", w.home.Work, "--", "--dangerously-bypass-approvals-and-sandbox", "#go"))
		if got := w.result("call_1"); !kernelSays(got) {
			t.Errorf("the model hears %q", got)
		}
		if got := w.result("call_2"); !w.made("inside.txt") {
			t.Errorf("inside the model hears %q", got)
		}
		w.over(pane)
		if _, err := os.Stat(outside); err == nil {
			t.Error("it wrote outside")
		}
	})
}
