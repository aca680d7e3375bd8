//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/place"
	"signaltty/proto"
)

// claudeTurns is a turner of the real Claude Code.
func claudeTurns(t *testing.T) turner {
	t.Helper()
	w := newWorld(t)
	write := func(id, name string) anthropic.Turn {
		return anthropic.Call(anthropic.Tool(id, "Write", map[string]any{"file_path": filepath.Join(w.home.Work, name), "content": "x\n"}))
	}
	shell := func(id, command string) anthropic.Turn {
		return anthropic.Call(anthropic.Tool(id, "Bash", map[string]any{"command": command, "description": "Do it"}))
	}
	w.model.Add(turnRules(write, shell)...)
	return turner{w.Place, "claude"}
}

// turnRules are the prompts of a turner, for a model of Anthropic's API.
func turnRules(write, shell func(id, what string) anthropic.Turn) []anthropic.Rule {
	over := anthropic.Say("The turn is over.")
	return []anthropic.Rule{
		{Match: "#text", Turns: []anthropic.Turn{anthropic.Say("Nothing to do.")}},
		{Match: "#more", Turns: []anthropic.Turn{anthropic.Say("It goes on.")}},
		{Match: "#ask", Turns: []anthropic.Turn{shell("toolu_ask", "touch asked.txt"), over}},
		{Match: "#sleep", Turns: []anthropic.Turn{shell("toolu_sleep", sleeps), over}},
		{Match: "#go", Turns: []anthropic.Turn{
			write("toolu_1", "ok/a.txt"), write("toolu_2", "evil-tool"), shell("toolu_3", "echo x > evil-shell"), shell("toolu_4", "./build"), over,
		}},
	}
}

// In the middle of a turn a question gets its answers, and a command is edited
// and then allowed.
func TestTurnAnswersOfClaude(t *testing.T) {
	w := newWorld(t, anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{
		anthropic.Call(anthropic.Tool("toolu_1", "AskUserQuestion", twoQuestions)),
		anthropic.Call(anthropic.Tool("toolu_2", "Bash", map[string]any{"command": "touch asked.txt", "description": "Do it"})),
		anthropic.Say("The turn is over."),
	}})
	a := turner{w.Place, "claude"}
	r := a.start("--ask", "bar", "--allow-all-paths", "#go")
	d, _ := place.Await(a.Events, proto.EventDecisionAdded, func(d proto.Decision) bool { return d.Kind == proto.KindQuestion })
	a.Verb("answer", d.ID, "answer", "-c", "1:Beta", "-c", "2:Green")
	w.got(false, `"Which library?"="Beta"`)
	d, _ = place.Await(a.Events, proto.EventDecisionAdded, func(d proto.Decision) bool { return d.Tool == "Bash" })
	a.Verb("answer", d.ID, proto.OptionOnce, "--amend", "touch edited.txt")
	a.ends(r, proto.ExitOK)
	if a.made("asked.txt") || !a.made("edited.txt") {
		t.Error("it ran what was asked, and not what was allowed")
	}
}

// In a runtime the kernel keeps even a command that no gate can look into from
// writing outside, and hooks still reach the server.
func TestTurnRuntimesOfClaude(t *testing.T) {
	for _, runtime := range []string{"landlock", "bwrap"} {
		t.Run(runtime, func(t *testing.T) {
			a := claudeTurns(t)
			if runtime == "bwrap" {
				if _, err := exec.LookPath("bwrap"); err != nil {
					t.Fatal("bubblewrap is not installed")
				}
			}
			a.persons()
			if err := os.Mkdir(filepath.Join(a.Work, "ok"), 0o700); err != nil { // else what is around it is granted
				t.Fatal(err)
			}
			r := a.start("--runtime", runtime, "--allow-path", "ok/**", "--allow-tool", "edit,run", "#go")
			a.ends(r, proto.ExitDenied) // by the gate; the check had nothing to undo
			if !a.made("ok/a.txt") || a.made("evil-tool") || a.made("evil-shell") || a.made("evil-build") {
				t.Errorf("ok/a.txt made: %t, evil-tool: %t, evil-shell: %t, evil-build: %t", a.made("ok/a.txt"), a.made("evil-tool"), a.made("evil-shell"), a.made("evil-build"))
			}
		})
	}
}

func TestTurnGateOfClaude(t *testing.T) { claudeTurns(t).gated() }
func TestTurnEndsOfClaude(t *testing.T) { claudeTurns(t).all() }
