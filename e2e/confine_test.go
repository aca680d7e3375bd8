//go:build linux

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/claude"
	"signaltty/e2e/place"
)

// The real Claude Code, which asks nobody and runs no hooks, is stopped by the
// kernel alone: in its Write tool, in its Bash tool, and in what a shell
// starts. It works where it may, and the model sees why it may not elsewhere.
func TestConfinedWithoutHooks(t *testing.T) {
	t.Parallel()
	if err := exec.Command(binary, "confine", "--check").Run(); err != nil {
		t.Skip("this kernel has no Landlock that will do")
	}
	for _, test := range []struct {
		name, tool string
		input      func(path string) map[string]any
	}{
		{"Write", "Write", func(path string) map[string]any { return map[string]any{"file_path": path, "content": "made\n"} }},
		{"Bash", "Bash", func(path string) map[string]any { return touches(path) }},
		{"Bash python", "Bash", func(path string) map[string]any {
			return map[string]any{"command": "python3 -c \"open('" + path + "', 'w').write('made')\"", "description": "Make a file"}
		}},
		{"Bash background", "Bash", func(path string) map[string]any {
			return map[string]any{"command": "setsid sh -c 'echo made > " + path + "'", "description": "Make a file"}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := anthropic.Start(t)
			home := claude.New(t, model.URL)
			outside, inside := filepath.Join(home.Dir, "outside.txt"), filepath.Join(home.Work, "inside.txt")
			model.Add(anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
				anthropic.Call(anthropic.Tool("toolu_1", test.tool, test.input(outside))),
				anthropic.Call(anthropic.Tool("toolu_2", test.tool, test.input(inside))),
				anthropic.Say("The turn is over."),
			}})
			said := confined(t, home)
			first, second := resultOf(t, model, "toolu_1"), resultOf(t, model, "toolu_2")
			if _, err := os.Stat(outside); err == nil {
				t.Errorf("it wrote outside; the model hears %q", first.Text)
			}
			if !first.IsError || !strings.Contains(strings.ToLower(first.Text), "permission denied") {
				t.Errorf("of the write outside the model hears %q", first.Text)
			}
			if _, err := os.Stat(inside); err != nil || second.IsError {
				t.Errorf("inside: %v; the model hears %q", err, second.Text)
			}
			if !strings.Contains(said, "The turn is over.") {
				t.Errorf("it says %q", said)
			}
		})
	}
}

// A confined conversation can be resumed, with its settings and its login as
// they were: those it reads and cannot change.
func TestConfinedResumes(t *testing.T) {
	t.Parallel()
	if err := exec.Command(binary, "confine", "--check").Run(); err != nil {
		t.Skip("this kernel has no Landlock that will do")
	}
	model := anthropic.Start(t, anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{anthropic.Say("The turn is over.")}})
	home := claude.New(t, model.URL)
	const session = "6a1f2f0e-3c55-4d5b-9b0e-0d5f5d6c7b8a"
	before := settings(t, home)
	for _, how := range []string{"--session-id", "--resume"} {
		if said := confined(t, home, how, session); !strings.Contains(said, "The turn is over.") {
			t.Errorf("with %s it says %q", how, said)
		}
	}
	if after := settings(t, home); after != before {
		t.Errorf("the settings changed from\n%s\nto\n%s", before, after)
	}
}

// settings are the files of Claude Code that the kernel is to protect.
func settings(t *testing.T, home claude.Home) string {
	t.Helper()
	all := ""
	for _, name := range []string{".claude.json", ".claude/settings.json"} {
		text, err := os.ReadFile(filepath.Join(home.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
	}
	return all
}

// claudeState are the directories that Claude Code writes in its own. Measured
// on Claude Code 2.1.197: without session-env its Bash tool fails, without
// projects nothing can be resumed; its settings are not among them.
var claudeState = []string{"session-env", "shell-snapshots", "projects"}

// confined runs one headless turn in bypass mode with hooks switched off.
func confined(t *testing.T, home claude.Home, more ...string) string {
	t.Helper()
	ctx, cancel := place.Patience(t)
	defer cancel()
	args := []string{"confine", "--allow-path", home.Work}
	for _, dir := range claudeState {
		args = append(args, "--state", filepath.Join(home.Dir, ".claude", dir))
	}
	args = append(args, "--", "claude", "-p", "#go", "--permission-mode", "bypassPermissions", "--settings", `{"disableAllHooks": true}`)
	cmd := exec.CommandContext(ctx, binary, append(args, more...)...)
	cmd.Dir = home.Work
	cmd.Env = append(home.Env(), "IS_SANDBOX=1", "XDG_RUNTIME_DIR="+filepath.Join(home.Dir, "run"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func resultOf(t *testing.T, model *anthropic.Server, id string) anthropic.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := model.Result(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
