// Package claude finds the real Claude Code and gives it a home in which it
// runs against a scripted server: no login, no first-run questions, no update,
// nothing of the machine's own settings.
//
// It owns that home, and what the tests know of Claude Code's screen (Ready,
// Asks and so on). It promises that a run has no other state than the test's
// own directory.
//
// It may import e2e/agent, e2e/tty and the standard library.
package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/agent"
)

// key is a key for the scripted server, which takes any.
const key = "sk-ant-api03-scripted-server-takes-any-key-at-all"

// Home is a directory with everything that a run of Claude Code has.
type Home struct {
	// Dir is HOME; Work, inside it, is a trusted directory to work in; Bin
	// holds a link named claude.
	Dir, Work, Bin string
	api            string
}

// New makes a home for the real Claude Code that talks to the server at api.
func New(t testing.TB, api string) Home {
	t.Helper()
	binary := agent.Find(t, "claude")
	// Not t.TempDir: its path carries the test's name, and sockets that are
	// made below must stay under 108 bytes.
	dir, err := os.MkdirTemp("", "claude-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Logf("removing the home: %v", err)
		}
	})
	h := Home{Dir: dir, Work: filepath.Join(dir, "work"), Bin: filepath.Join(dir, "bin"), api: api}
	for _, d := range []string{h.Work, h.Bin, h.tmp(), filepath.Join(dir, ".claude")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(binary, filepath.Join(h.Bin, "claude")); err != nil {
		t.Fatal(err)
	}
	// Measured on Claude Code 2.1.197: these skip the theme, the login, the
	// question about the key, and the question whether to trust the directory.
	h.write(t, ".claude.json", map[string]any{
		"hasCompletedOnboarding": true,
		// and the warning of the bypass mode.
		"bypassPermissionsModeAccepted": true,
		"theme":                         "dark",
		"customApiKeyResponses":         map[string]any{"approved": []string{key[len(key)-20:]}, "rejected": []string{}},
		"projects":                      map[string]any{h.Work: map[string]any{"hasTrustDialogAccepted": true}},
	})
	// WebFetch would ask a public service about the host first.
	h.write(t, ".claude/settings.json", map[string]any{"skipWebFetchPreflight": true})
	return h
}

func (h Home) tmp() string { return filepath.Join(h.Dir, "tmp") }

func (h Home) write(t testing.TB, name string, v any) {
	t.Helper()
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.Dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Saved says whether the agent has saved a text of a conversation. It does so
// a moment after it was said.
func (h Home) Saved(session, text string) bool {
	files, _ := filepath.Glob(filepath.Join(h.Dir, ".claude", "projects", "*", session+".jsonl"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), text) {
			return true
		}
	}
	return false
}

// ForgetConversations removes what the agent saved of its conversations.
func (h Home) ForgetConversations(t testing.TB) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(h.Dir, ".claude", "projects")); err != nil {
		t.Fatal(err)
	}
}

// Env is the whole environment of a run.
func (h Home) Env() []string {
	return []string{
		"HOME=" + h.Dir,
		"PATH=" + h.Bin + ":/usr/local/bin:/usr/bin:/bin",
		"TMPDIR=" + h.tmp(),
		"SHELL=/bin/sh",
		"LANG=C.UTF-8",
		"TERM=xterm-256color",
		"COLORTERM=truecolor",
		"ANTHROPIC_BASE_URL=" + h.api,
		"ANTHROPIC_API_KEY=" + key,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
	}
}
