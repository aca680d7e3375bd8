//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/codex"
	"signaltty/e2e/model"
	"signaltty/proto"
)

// A headless turn of Codex: what it may write it writes; a forbidden write by
// its patch and by the shell is denied, though its stream says nothing of it;
// one that no gate can see is undone. Its thread can be gone on with.
func TestTurnOfCodex(t *testing.T) {
	w := newCodexWorld(t,
		model.Rule{Match: "#go", Turns: []model.Turn{
			{Calls: []model.Call{codex.Patch("call_1", "ok/a.txt", "x")}}, {Calls: []model.Call{codex.Patch("call_2", "evil-patch", "x")}},
			{Calls: []model.Call{codex.Shell("call_3", "echo x > evil-shell")}}, {Calls: []model.Call{codex.Shell("call_4", "./build")}}, {Text: "The turn is over."},
		}},
		model.Rule{Match: "#more", Turns: []model.Turn{{Text: "It goes on."}}},
	)
	in := func(name string) string { return filepath.Join(w.home.Work, name) }
	if err := os.WriteFile(in("build"), []byte("#!/bin/sh\necho x >evil-build\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	flags := []string{"run", "--agent", "codex", "--cwd", w.home.Work, "--format", "jsonl"}
	r := w.Run(append(flags, "--allow-path", "ok/**", "--allow-tool", "edit,run", "#go")...)
	if r.Exit != proto.ExitBlocked {
		t.Errorf("exit code %d, want %d\n%s%s", r.Exit, proto.ExitBlocked, r.Stdout, r.Stderr)
	}
	if _, err := os.Stat(in("ok/a.txt")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"evil-patch", "evil-shell", "evil-build"} {
		if _, err := os.Stat(in(name)); err == nil {
			t.Errorf("%s stands", name)
		}
	}
	for _, want := range []string{`"apply_patch: evil-patch"`, `"path":"` + in("evil-patch"), `"Bash: echo x \u003e evil-shell"`, "The turn is over."} {
		if !strings.Contains(r.Stdout, want) {
			t.Errorf("it does not tell %s:\n%s", want, r.Stdout)
		}
	}
	r = w.Run(append(flags, "--resume", "last", "#more")...)
	if r.Exit != proto.ExitOK || !strings.Contains(r.Stdout, "It goes on.") {
		t.Errorf("resumed: exit code %d\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
}

// Every end of a turn of Codex.
func TestTurnEndsOfCodex(t *testing.T) {
	w := newCodexWorld(t,
		model.Rule{Match: "#text", Turns: []model.Turn{{Text: "Nothing to do."}}},
		model.Rule{Match: "#ask", Turns: []model.Turn{{Calls: []model.Call{codex.Escalated("call_1", "touch asked.txt")}}, {Text: "Done."}}},
		model.Rule{Match: "#sleep", Turns: []model.Turn{{Calls: []model.Call{codex.Shell("call_2", sleeps)}}, {Text: "Done."}}},
	)
	turner{w.Place, "codex", nil}.all(func(name string) bool {
		_, err := os.Stat(filepath.Join(w.home.Work, name))
		return err == nil
	})
}
