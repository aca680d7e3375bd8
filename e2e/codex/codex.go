// Package codex finds the real Codex and gives it a home in which it runs
// against a scripted server: no login, no first-run questions, no update,
// nothing of the machine's own settings.
//
// It owns that home, and what the tests know of Codex's screen. It promises
// that a run has no other state than the test's own directory.
//
// It may import e2e/agent, e2e/model, e2e/tty and the standard library.
package codex

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/agent"
	"signaltty/e2e/model"
	"signaltty/e2e/tty"
)

// Home is a directory with everything that a run of Codex has.
type Home struct {
	// Dir is HOME; Work, inside it, is a directory to work in; Bin holds a
	// link named codex.
	Dir, Work, Bin string
	config         *string // what the person's configuration must still say
}

// config skips Codex 0.171.0's questions about the directory and about newer
// models, and has a hook of the person's own, which writes what it is told.
// Codex knows that it was trusted by the hash of its description.
const config = `model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false

# The person's own comment.
[model_providers.scripted]
name = "scripted"
base_url = %q
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true

[projects.%q]
trust_level = "trusted"

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[tui]
screen_reader_detection_done = true

[tui.model_availability_nux]
"gpt-6.1-sol" = 9

[[hooks.PreToolUse]]
hooks = [{type="command", command=%q, timeout=5}]

[hooks.state.%q]
trusted_hash = "sha256:%s"
`

// New makes a home for the real Codex that talks to the server at api.
func New(t testing.TB, api string) Home {
	t.Helper()
	binary := agent.Find(t, "codex")
	// Not t.TempDir: its path carries the test's name, and sockets that are
	// made below must stay under 108 bytes.
	dir, err := os.MkdirTemp("", "codex-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Logf("removing the home: %v", err)
		}
	})
	h := Home{Dir: dir, Work: filepath.Join(dir, "work"), Bin: filepath.Join(dir, "bin"), config: new(string)}
	for _, d := range []string{h.Work, h.Bin, filepath.Join(dir, "tmp"), filepath.Join(dir, ".codex")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(binary, filepath.Join(h.Bin, "codex")); err != nil {
		t.Fatal(err)
	}
	hook := "cat >> " + h.OwnHook()
	*h.config = fmt.Sprintf(config, api, h.Work, hook, h.Config()+":pre_tool_use:0:0", ownHash(hook))
	if err := os.WriteFile(h.Config(), []byte(*h.config), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// ownHash is by what Codex knows the person's own hook as trusted.
func ownHash(command string) string {
	hook := fmt.Sprintf(`{"event_name":"pre_tool_use","hooks":[{"async":false,"command":%q,"timeout":5,"type":"command"}]}`, command)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(hook)))
}

// Config is the person's own configuration file.
func (h Home) Config() string { return filepath.Join(h.Dir, ".codex", "config.toml") }

// Unchanged fails the test when the person's configuration is not what it
// was, to the byte.
func (h Home) Unchanged(t testing.TB) {
	t.Helper()
	now, err := os.ReadFile(h.Config())
	if err != nil {
		t.Fatal(err)
	}
	if *h.config != "" && string(now) != *h.config {
		t.Errorf("the person's configuration has become\n%s", now)
	}
}

// ForgetModel makes Codex ask about a newer model at its start. Whatever is
// answered then, Codex writes it down.
func (h Home) ForgetModel(t testing.TB) {
	t.Helper()
	i := strings.Index(*h.config, "[notice.model_migrations]")
	j := strings.Index(*h.config, "[[hooks.PreToolUse]]")
	text := (*h.config)[:i] + (*h.config)[j:]
	*h.config = ""
	if err := os.WriteFile(h.Config(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// OwnHook is the file that the person's own hook writes to.
func (h Home) OwnHook() string { return filepath.Join(h.Dir, "own-hook.jsonl") }

// Env is the whole environment of a run.
func (h Home) Env() []string {
	return []string{
		"HOME=" + h.Dir,
		"PATH=" + h.Bin + ":/usr/local/bin:/usr/bin:/bin",
		"TMPDIR=" + filepath.Join(h.Dir, "tmp"),
		"SHELL=/bin/sh",
		"LANG=C.UTF-8",
		"TERM=xterm-256color",
		"COLORTERM=truecolor",
		"SCRIPTED_KEY=scripted-server-takes-any-key",
	}
}

// Escalated calls Codex's shell with a command that is to run outside the
// sandbox, which asks for a permission.
func Escalated(id, command string) model.Call {
	return model.Call{ID: id, Name: "exec_command", Args: map[string]any{
		"cmd": command, "sandbox_permissions": "require_escalated", "justification": "The sandbox has no such file.",
	}}
}

// Shell calls Codex's shell with a command, as Codex's own settings let it run.
func Shell(id, command string) model.Call {
	return model.Call{ID: id, Name: "exec_command", Args: map[string]any{"cmd": command}}
}

// Patch calls apply_patch with a patch that adds a file.
func Patch(id, path, line string) model.Call {
	return model.Call{ID: id, Name: "apply_patch", Text: "*** Begin Patch\n*** Add File: " + path + "\n+" + line + "\n*** End Patch\n"}
}

// Asks says that Codex's own dialog is open.
func Asks(s tty.Screen) bool {
	return s.Has("Press enter to confirm or esc to cancel") && s.Has("1. Yes, proceed")
}
