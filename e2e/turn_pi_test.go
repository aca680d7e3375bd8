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

// piWorld is what one person who works with Pi has.
type piWorld struct {
	*world
	work string
}

// newPiWorld starts a server for a home in which the real Pi talks to a
// scripted model, without a login, a download or a setting of the machine's.
func newPiWorld(t *testing.T, rules ...anthropic.Rule) *piWorld {
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
	w := &piWorld{work: filepath.Join(dir, "work")}
	write := func(name string, v any) {
		text, err := json.Marshal(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, ".pi", "agent", name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{w.work, filepath.Join(dir, "bin"), filepath.Join(dir, ".pi", "agent")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(pi, filepath.Join(dir, "bin", "pi")); err != nil {
		t.Fatal(err)
	}
	write("models.json", map[string]any{"providers": map[string]any{"anthropic": map[string]string{"baseUrl": model.URL, "apiKey": "sk-any"}}})
	write("settings.json", map[string]string{"defaultProvider": "anthropic", "defaultModel": "claude-sonnet-4-5"})
	w.world = &world{model: model, Place: place.New(t, place.Setup{Binary: binary, Dir: dir, Work: w.work, Env: []string{
		"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "PI_OFFLINE=1", "LANG=C.UTF-8", "SHELL=/bin/sh",
	}})}
	w.world.home.Dir, w.world.home.Work = dir, w.work
	return w
}

func piCall(id, tool string, args map[string]any) anthropic.Turn {
	return anthropic.Call(anthropic.Tool(id, tool, args))
}

func piShell(id, command string) anthropic.Turn {
	return piCall(id, "bash", map[string]any{"command": command})
}

// A headless turn of Pi: what it may write it writes; a forbidden write by its
// tool and by the shell is denied, and one that no gate can see is undone. Its
// session can be gone on with.
func TestTurnOfPi(t *testing.T) {
	w := newPiWorld(t,
		anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
			piCall("toolu_1", "write", map[string]any{"path": "ok/a.txt", "content": "x\n"}),
			piCall("toolu_2", "write", map[string]any{"path": "evil-tool", "content": "x\n"}),
			piShell("toolu_3", "echo x > evil-shell"), piShell("toolu_4", "./build"), anthropic.Say("The turn is over."),
		}},
		anthropic.Rule{Match: "#more", Turns: []anthropic.Turn{anthropic.Say("It goes on.")}},
	)
	w.Serve()
	in := func(name string) string { return filepath.Join(w.work, name) }
	if err := os.WriteFile(in("build"), []byte("#!/bin/sh\necho x >evil-build\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	flags := []string{"run", "--agent", "pi", "--format", "jsonl"}
	r := w.Run(append(flags, "--allow-path", "ok/**", "--allow-tool", "edit,run", "#go")...)
	if r.Exit != proto.ExitBlocked {
		t.Errorf("exit code %d, want %d\n%s%s", r.Exit, proto.ExitBlocked, r.Stdout, r.Stderr)
	}
	if !w.made("ok/a.txt") {
		t.Error("ok/a.txt was not made")
	}
	for _, name := range []string{"evil-tool", "evil-shell", "evil-build"} {
		if w.made(name) {
			t.Errorf("%s stands", name)
		}
	}
	for _, id := range []string{"toolu_2", "toolu_3"} {
		if got := w.result(id); !got.IsError || !strings.Contains(got.Text, "this turn may not write") {
			t.Errorf("of %s the model got %+v", id, got)
		}
	}
	r = w.Run(append(flags, "--resume", "last", "#more")...)
	if r.Exit != proto.ExitOK || !strings.Contains(r.Stdout, "It goes on.") {
		t.Errorf("resumed: exit code %d\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
	if r = w.Run(append(flags, "--resume", "0b3c6a52", "#more")...); r.Exit != proto.ExitNoThing || !strings.Contains(r.Stderr, "0b3c6a52") {
		t.Errorf("of a session that is none: exit code %d\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
	if r = w.Run("run", "--agent", "pi", "--allow-tool", "fetch", "#go"); r.Exit == proto.ExitOK || !strings.Contains(r.Stdout+r.Stderr, `"fetch"`) {
		t.Errorf("of a tool that it does not have: exit code %d\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
}

// Every end of a turn of Pi, which asks what a rule says.
func TestTurnEndsOfPi(t *testing.T) {
	w := newPiWorld(t,
		anthropic.Rule{Match: "#text", Turns: []anthropic.Turn{anthropic.Say("Nothing to do.")}},
		anthropic.Rule{Match: "#ask", Turns: []anthropic.Turn{piShell("toolu_1", "touch asked.txt"), anthropic.Say("Done.")}},
		anthropic.Rule{Match: "#sleep", Turns: []anthropic.Turn{piShell("toolu_2", sleeps), anthropic.Say("Done.")}},
	)
	w.guard("[[rule]]\nname = \"look twice\"\nverdict = \"ask\"\ncommand = \"touch\"\n")
	w.Serve()
	turner{w.Place, "pi", nil}.all(w.made)
}
