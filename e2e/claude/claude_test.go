package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/tty"
)

func script() []anthropic.Rule {
	return []anthropic.Rule{
		{Match: "#bash", Turns: []anthropic.Turn{
			anthropic.Call(anthropic.Tool("toolu_bash", "Bash", map[string]any{
				"command": "echo hi > ran.txt", "description": "Write a file",
			})),
			anthropic.Say("Bash turn finished."),
		}},
		{Match: "#text", Turns: []anthropic.Turn{anthropic.Say("Just some text.")}},
	}
}

func start(t *testing.T, prompt ...string) (Home, *anthropic.Server, *tty.Program) {
	t.Helper()
	server := anthropic.Start(t, script()...)
	h := New(t, server.URL)
	p := tty.Start(t, tty.Command{
		Argv: append([]string{filepath.Join(h.Bin, "claude")}, prompt...),
		Dir:  h.Work,
		Env:  h.Env(),
	})
	return h, server, p
}

// The ground under every other test with this agent: it starts without a
// question, talks to the script, and its own dialog does what it says.
func TestOwnDialog(t *testing.T) {
	t.Run("yes", func(t *testing.T) {
		h, server, p := start(t, "#bash")
		p.WaitFor("the dialog", Asks)
		p.Press("1")
		res, err := server.Result(t.Context(), "toolu_bash")
		if err != nil {
			t.Fatal(err)
		}
		if res.IsError {
			t.Errorf("the tool failed: %s", res.Text)
		}
		p.WaitText("Bash turn finished.")
		if _, err := os.Stat(filepath.Join(h.Work, "ran.txt")); err != nil {
			t.Error(err)
		}
	})
	t.Run("esc", func(t *testing.T) {
		h, server, p := start(t, "#bash")
		p.WaitFor("the dialog", Asks)
		p.Press("esc")
		p.WaitFor("the prompt", Ready)
		if _, err := os.Stat(filepath.Join(h.Work, "ran.txt")); err == nil {
			t.Error("the command ran")
		}
		Submit(p, "#text please")
		p.WaitText("Just some text.")
		r, err := server.Await(t.Context(), "#text", 1)
		if err != nil {
			t.Fatal(err)
		}
		if res, ok := r.Result("toolu_bash"); !ok || !res.IsError || !strings.Contains(res.Text, "doesn't want") {
			t.Errorf("the model was told %+v", res)
		}
	})
}
