//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/agent"
	"signaltty/e2e/anthropic"
	"signaltty/e2e/place"
	"signaltty/proto"
)

// newPiWorld starts a server for a home in which the real Pi talks to a
// scripted model, without a login, a download or a setting of the machine's.
func newPiWorld(t *testing.T, rules ...anthropic.Rule) *world {
	t.Helper()
	t.Parallel()
	pi := agent.Find(t, "pi")
	model := anthropic.Start(t, rules...)
	// Not t.TempDir: sockets that are made below must stay under 108 bytes.
	dir, err := os.MkdirTemp("", "pi-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	work := filepath.Join(dir, "work")
	write := func(name string, v any) {
		text, err := json.Marshal(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, ".pi", "agent", name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{work, filepath.Join(dir, "bin"), filepath.Join(dir, ".pi", "agent")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(pi, filepath.Join(dir, "bin", "pi")); err != nil {
		t.Fatal(err)
	}
	write("models.json", map[string]any{"providers": map[string]any{"anthropic": map[string]string{"baseUrl": model.URL, "apiKey": "sk-any"}}})
	write("settings.json", map[string]string{"defaultProvider": "anthropic", "defaultModel": "claude-sonnet-4-5"})
	w := &world{model: model, Place: place.New(t, place.Setup{Binary: binary, Dir: dir, Work: work, Env: []string{
		"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "PI_OFFLINE=1", "LANG=C.UTF-8", "SHELL=/bin/sh",
	}})}
	w.Serve()
	return w
}

// piTurns is a turner of the real Pi.
func piTurns(t *testing.T) turner {
	t.Helper()
	call := func(id, tool string, args map[string]any) anthropic.Turn {
		return anthropic.Call(anthropic.Tool(id, tool, args))
	}
	w := newPiWorld(t, turnRules(
		func(id, name string) anthropic.Turn {
			return call(id, "write", map[string]any{"path": name, "content": "x\n"})
		},
		func(id, command string) anthropic.Turn { return call(id, "bash", map[string]any{"command": command}) },
	)...)
	return turner{w.Place, "pi"}
}

func TestTurnEndsOfPi(t *testing.T) { piTurns(t).all() }

func TestTurnGateOfPi(t *testing.T) {
	a := piTurns(t)
	a.gated()
	r := a.start("--allow-tool", "fetch", "#text")
	a.ends(r, proto.ExitFailed)
	if !strings.Contains(r.out.String()+r.err.String(), "cannot be told to allow the tool") {
		t.Errorf("of a tool that it does not have it says\n%s%s", &r.out, &r.err)
	}
}
