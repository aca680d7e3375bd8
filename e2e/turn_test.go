//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/proto"
)

// A headless turn of Claude Code: what it may write it writes without being
// asked; a forbidden write by its tool and by the shell is denied, and one that
// no gate can see is undone. Its session can be gone on with.
func TestTurnOfClaude(t *testing.T) {
	w := newWorld(t)
	in := func(name string) string { return filepath.Join(w.home.Work, name) }
	write := func(id, name string) anthropic.Turn {
		return anthropic.Call(anthropic.Tool(id, "Write", map[string]any{"file_path": in(name), "content": "x\n"}))
	}
	shell := func(id, command string) anthropic.Turn {
		return anthropic.Call(anthropic.Tool(id, "Bash", map[string]any{"command": command, "description": "Write"}))
	}
	w.model.Add(
		anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
			write("toolu_1", "ok/a.txt"), write("toolu_2", "evil-tool"), shell("toolu_3", "echo x > evil-shell"), shell("toolu_4", "./build"),
			anthropic.Say("The turn is over."),
		}},
		anthropic.Rule{Match: "#more", Turns: []anthropic.Turn{anthropic.Say("It goes on.")}},
	)
	if err := os.WriteFile(in("build"), []byte("#!/bin/sh\necho x >evil-build\necho x >>mine\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("mine"), []byte("the person's\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"run", "--agent", "claude", "--cwd", w.home.Work, "--format", "jsonl"}
	r := w.Run(append(flags, "--allow-path", "ok/**", "--allow-tool", "edit,run", "#go")...)
	if r.Exit != proto.ExitBlocked {
		t.Errorf("exit code %d, want %d\n%s%s", r.Exit, proto.ExitBlocked, r.Stdout, r.Stderr)
	}
	if _, err := os.Stat(in("ok/a.txt")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"evil-tool", "evil-shell", "evil-build"} {
		if _, err := os.Stat(in(name)); err == nil {
			t.Errorf("%s stands", name)
		}
	}
	if text, err := os.ReadFile(in("mine")); err != nil || string(text) != "the person's\n" {
		t.Errorf("the person's file is %q, %v", text, err)
	}
	for _, id := range []string{"toolu_2", "toolu_3"} {
		if got := w.result(id); !got.IsError || !strings.Contains(got.Text, "this turn may not write "+w.home.Work) {
			t.Errorf("of %s the model got %+v", id, got)
		}
	}
	r = w.Run(append(flags, "--resume", "last", "#more")...)
	if r.Exit != proto.ExitOK || !strings.Contains(r.Stdout, "It goes on.") {
		t.Errorf("resumed: exit code %d\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
}

// Every end of a turn of Claude Code.
func TestTurnEndsOfClaude(t *testing.T) {
	w := newWorld(t)
	shell := func(id, command string) anthropic.Turn {
		return anthropic.Call(anthropic.Tool(id, "Bash", map[string]any{"command": command, "description": "Do it"}))
	}
	w.model.Add(
		anthropic.Rule{Match: "#text", Turns: []anthropic.Turn{anthropic.Say("Nothing to do.")}},
		anthropic.Rule{Match: "#ask", Turns: []anthropic.Turn{shell("toolu_1", "touch asked.txt"), anthropic.Say("Done.")}},
		anthropic.Rule{Match: "#sleep", Turns: []anthropic.Turn{shell("toolu_2", sleeps), anthropic.Say("Done.")}},
	)
	turner{w.Place, "claude", []string{"--allow-tool", "run"}}.all(w.made)
}
