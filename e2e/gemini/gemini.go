// Package gemini finds the real Gemini CLI and gives it a home in which it runs
// against a scripted server: no login, no first-run questions, no update,
// nothing of the machine's own settings.
//
// It owns that home, and what the tests know of Gemini CLI's screen. It
// promises that a run has no other state than the test's own directory.
//
// It may import e2e/agent, e2e/model, e2e/tty and the standard library.
package gemini

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"signaltty/e2e/agent"
	"signaltty/e2e/model"
	"signaltty/e2e/tty"
)

// Home is a directory with everything that a run of Gemini CLI has.
type Home struct {
	// Dir is HOME; Work, inside it, is a trusted directory to work in; Bin
	// holds a link named gemini, and one named node.
	Dir, Work, Bin string
	api            string
	settings       []byte // what the person's settings must still say
}

// New makes a home for the real Gemini CLI that talks to the server at api,
// with a hook of the person's own.
func New(t testing.TB, api string) Home {
	t.Helper()
	binary := agent.Find(t, "gemini")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	dir := place(t)
	h := Home{Dir: dir, Work: filepath.Join(dir, "work"), Bin: filepath.Join(dir, "bin"), api: api}
	for _, d := range []string{h.Work, h.Bin, filepath.Join(dir, "tmp"), filepath.Join(dir, ".gemini")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"gemini": binary, "node": node} {
		if err := os.Symlink(target, filepath.Join(h.Bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	settings := map[string]any{
		"security": map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}},
		"general":  map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
		"privacy":  map[string]any{"usageStatisticsEnabled": false},
		"hooks": map[string]any{"BeforeTool": []any{map[string]any{"hooks": []any{map[string]any{
			"type": "command", "command": "cat >> " + h.OwnHook(), "timeout": 5000}}}}},
	}
	h.settings = h.write(t, "settings.json", settings)
	h.write(t, "trustedFolders.json", map[string]any{h.Work: "TRUST_FOLDER"})
	return h
}

// place makes the home's directory. Gemini CLI takes a system settings file
// only where root alone could have written it, which is nowhere below /tmp.
func place(t testing.TB) string {
	t.Helper()
	// Not t.TempDir: its path carries the test's name, and sockets that are
	// made below must stay under 108 bytes.
	parent := ""
	if os.Getuid() == 0 {
		var err error
		if parent, err = os.UserHomeDir(); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp(parent, ".gemini-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Logf("removing the home: %v", err)
		}
	})
	return dir
}

func (h Home) write(t testing.TB, name string, v any) []byte {
	t.Helper()
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if name == "settings.json" {
		data = append([]byte("// The person's own comment.\n"), data...)
	}
	if err := os.WriteFile(filepath.Join(h.Dir, ".gemini", name), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return data
}

// Unchanged fails the test when the person's settings are not what they were,
// to the byte.
func (h Home) Unchanged(t testing.TB) {
	t.Helper()
	now, err := os.ReadFile(filepath.Join(h.Dir, ".gemini", "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	if string(now) != string(h.settings) {
		t.Errorf("the person's settings have become\n%s", now)
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
		"GOOGLE_GEMINI_BASE_URL=" + h.api,
		"GEMINI_API_KEY=scripted-server-takes-any-key",
	}
}

// Shell calls Gemini CLI's shell.
func Shell(id, command string) model.Call {
	return model.Call{ID: id, Name: "run_shell_command", Args: map[string]any{"command": command, "description": "Do it"}}
}

// Asks says that Gemini CLI's own dialog is open.
func Asks(s tty.Screen) bool { return s.Has("1. Allow once") && s.Has("(esc)") }
