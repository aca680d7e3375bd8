// Package opencode finds the real OpenCode and gives it a home in which it
// runs against a scripted server: no login, no download, no update, nothing of
// the machine's own settings.
//
// It owns that home, with a configuration and a plugin as a person may have,
// and what the tests know of OpenCode's screen. It promises that a run has no
// other state than the test's own directory.
//
// It may import e2e/agent, e2e/tty and the standard library.
package opencode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"signaltty/e2e/agent"
	"signaltty/e2e/tty"
)

// Home is a directory with everything that a run of OpenCode has.
type Home struct {
	// Dir is HOME; Work, inside it, is the directory to work in; Bin holds a
	// link named opencode.
	Dir, Work, Bin string
	// Config is the person's opencode.json, Seen the file that the person's
	// own plugin writes a line into for each tool call.
	Config, Seen string
}

// Content is what the person has in OPENCODE_CONFIG_CONTENT.
const Content = `{
	// The person's own, with a comment.
	"permission": {"bash": "ask", "edit": "ask", "webfetch": "ask"},
}`

// plugin is the person's own.
const plugin = `import { appendFileSync } from "node:fs"
export const mine = async () => ({
  "tool.execute.before": async ({ tool }) => appendFileSync(process.env.HOME + "/seen", tool + "\n"),
})
`

// installed tells OpenCode that its package for the types of plugins is there.
// It would install it at each start, and one that is ended meanwhile leaves a
// lock that holds up the next one for a minute. Measured on 1.18.33.
const installed = `{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "1.18.33"}}}}`

// New makes a home for the real OpenCode that talks to the server at api, by
// the Anthropic Messages API.
func New(t testing.TB, api string) Home {
	t.Helper()
	binary := agent.Find(t, "opencode")
	// Not t.TempDir: its path carries the test's name, and sockets that are
	// made below must stay under 108 bytes.
	dir, err := os.MkdirTemp("", "opencode-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(dir, "data", "opencode", "log", "opencode.log"))
			t.Logf("OpenCode's log:\n%s", log)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Logf("removing the home: %v", err)
		}
	})
	h := Home{Dir: dir, Work: filepath.Join(dir, "work"), Bin: filepath.Join(dir, "bin"), Seen: filepath.Join(dir, "seen")}
	config := filepath.Join(dir, "config", "opencode")
	for _, d := range []string{h.Work, h.Bin, filepath.Join(dir, "tmp"), filepath.Join(config, "node_modules")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(binary, filepath.Join(h.Bin, "opencode")); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(dir, "mine.mjs")
	const model = "anthropic/claude-sonnet-4-5"
	h.Config = filepath.Join(config, "opencode.json")
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "https://opencode.ai/config.json",
		"model":   model, "small_model": model, "share": "disabled", "autoupdate": false,
		"plugin":   []string{"file://" + mine},
		"provider": map[string]any{"anthropic": map[string]any{"options": map[string]any{"baseURL": api + "/v1", "apiKey": "sk-any"}}},
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(config, "package-lock.json")
	for file, data := range map[string][]byte{h.Config: text, mine: []byte(plugin), lock: []byte(installed)} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// Env is the whole environment of a run.
func (h Home) Env() []string {
	return []string{
		"HOME=" + h.Dir,
		"PATH=" + h.Bin + ":/usr/local/bin:/usr/bin:/bin",
		"TMPDIR=" + filepath.Join(h.Dir, "tmp"),
		"XDG_CONFIG_HOME=" + filepath.Join(h.Dir, "config"),
		"XDG_DATA_HOME=" + filepath.Join(h.Dir, "data"),
		"XDG_CACHE_HOME=" + filepath.Join(h.Dir, "cache"),
		"SHELL=/bin/sh",
		"LANG=C.UTF-8",
		"TERM=xterm-256color",
		"OPENCODE_CONFIG_CONTENT=" + Content,
		"OPENCODE_DISABLE_AUTOUPDATE=1",
		"OPENCODE_DISABLE_MODELS_FETCH=1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
		// Should it install something all the same: nobody listens there, and
		// that is told at once.
		"NPM_CONFIG_REGISTRY=http://127.0.0.1:9",
		"NPM_CONFIG_FETCH_RETRIES=0",
	}
}

// Ready says that the prompt waits for text and no dialog is open. The words
// of these screens are those of OpenCode 1.18.33.
func Ready(s tty.Screen) bool { return s.Has("ctrl+p commands") && !s.Has("interrupt") }

// Asks says that the permission dialog is open and takes keys.
func Asks(s tty.Screen) bool { return s.Has("Permission required") && s.Has("enter confirm") }
