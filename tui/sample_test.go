package tui_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signaltty/proto"
	"signaltty/tui"
	"signaltty/tui/tuitest"
)

var update = flag.Bool("update", false, "write the goldens anew")

// golden compares the glass with testdata/tui/name.txt.
func golden(t *testing.T, name string, d *tuitest.Driver) {
	t.Helper()
	got := d.Glass.Text() + "--- styles\n" + d.Glass.Styles()
	path := filepath.Join("..", "testdata", "tui", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./tui -update writes the goldens", err)
	}
	if got != string(want) {
		t.Errorf("%s differs from %s; if it is meant so: go test ./tui -update\ngot:\n%s", name, path, got)
	}
}

// bubble runs a test on a screen of its own, with a clock of its own.
func bubble(t *testing.T, s tuitest.Setup, run func(*tuitest.Driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if s.Server == nil {
			s.Server = fleet()
		}
		run(tuitest.Start(t, s))
	})
}

// fleet is a server with two workspaces: api with claude and codex side by
// side over a shell, and site with one agent.
func fleet() *tuitest.Server {
	s := tuitest.NewServer()
	tree := &proto.Split{Dir: "rows", Share: 70,
		A: &proto.Split{Dir: "columns", Share: 50, A: &proto.Split{Pane: "p1"}, B: &proto.Split{Pane: "p2"}},
		B: &proto.Split{Pane: "p3"}}
	s.Workspace(proto.Workspace{ID: "w1", Name: "api", Dir: "/home/me/api", Tabs: []proto.Tab{{ID: "t1", Tree: tree}}},
		proto.Pane{ID: "p1", Workspace: "w1", Tab: "t1", Agent: "claude", Title: "Fix the tests", State: proto.StateWorking, Cwd: "/home/me/api"},
		proto.Pane{ID: "p2", Workspace: "w1", Tab: "t1", Agent: "codex", State: proto.StateIdle, Cwd: "/home/me/api"},
		proto.Pane{ID: "p3", Workspace: "w1", Tab: "t1", Argv: []string{"/bin/bash"}, State: proto.StateUnknown, Cwd: "/home/me/api"})
	s.Workspace(proto.Workspace{ID: "w2", Name: "site", Dir: "/home/me/site", Tabs: []proto.Tab{{ID: "t2", Tree: &proto.Split{Pane: "p4"}}}},
		proto.Pane{ID: "p4", Workspace: "w2", Tab: "t2", Agent: "gemini", Name: "docs", State: proto.StateDone, Cwd: "/home/me/site"})
	s.Frame(full("p1", 28, 15, "● I will run the tests now.", "", "  npm test", "", "> |"))
	s.Frame(full("p2", 29, 15, "codex is ready", "日本 wide"))
	s.Frame(full("p3", 57, 6, "$ ls", "go.mod  main.go", "$ "))
	s.Frame(full("p4", 57, 22, "All done."))
	return s
}

// alone is a server with one workspace of one pane.
func alone() *tuitest.Server {
	s := tuitest.NewServer()
	s.Workspace(proto.Workspace{ID: "w1", Name: "api", Dir: "/home/me/api", Tabs: []proto.Tab{{ID: "t1", Tree: &proto.Split{Pane: "p1"}}}},
		proto.Pane{ID: "p1", Workspace: "w1", Tab: "t1", Agent: "claude", Title: "Fix the tests", State: proto.StateWorking, Cwd: "/home/me/api"})
	f := full("p1", 57, 22, "● I will run the tests now.", "", "╭──────╮", "│ > go │ 日本 👩‍👩‍👧 é", "╰──────╯")
	f.Styles = []proto.Style{{ID: 1, Fg: "2", Bold: true}, {ID: 2, Fg: "#ff8800", Underline: "curly"}}
	f.Rows[0].Runs = []proto.Run{{Col: 0, Text: "●", Style: 1}, {Col: 2, Text: "I will run the tests now.", Style: 2}}
	f.Rows[3].Runs = []proto.Run{{Col: 0, Text: "│ > go │ "}, {Col: 9, Text: "日本", Width: 2}, {Col: 14, Text: "👩‍👩‍👧", Width: 2, Cluster: true}, {Col: 17, Text: "é", Cluster: true}}
	f.Cursor = proto.Cursor{X: 7, Y: 20, Visible: true, Shape: 2}
	s.Frame(f)
	return s
}

func full(pane string, cols, lines int, text ...string) proto.Frame {
	f := proto.Frame{Pane: pane, Rev: 1, Cols: cols, Lines: lines, Full: true}
	for y, l := range text {
		runs := []proto.Run{{Text: l}}
		if strings.HasPrefix(l, "日本") {
			runs = []proto.Run{{Text: "日本", Width: 2}, {Col: 5, Text: "wide"}}
		}
		f.Rows = append(f.Rows, proto.Row{Y: y, Runs: runs})
	}
	f.Cursor = proto.Cursor{X: 2, Y: min(len(text), lines) - 1, Visible: true}
	return f
}

var options = []proto.Option{
	{ID: proto.OptionOnce, Label: "Once"}, {ID: proto.OptionDeny, Label: "Deny", Message: true}, {ID: proto.OptionHandBack, Label: "Hand back"},
}

// bash is a permission to run a command.
func bash(id, pane, command string) proto.Decision {
	return proto.Decision{
		ID: id, Pane: pane, Agent: "claude", Session: "s-" + pane, Kind: proto.KindPermission, Tool: "Bash", Prompt: command,
		Detail: []proto.Detail{{Form: "command", Text: command}}, Input: json.RawMessage(`{}`),
		Options: options, Answerable: true, Dialog: proto.DialogBeside, Phase: proto.PhasePending,
		ReceivedAt: time.Now(), Deadline: time.Now().Add(24 * time.Hour), Cwd: "/home/me/api",
	}
}

// rich is a permission with all that goes with one.
func rich(id, pane string) proto.Decision {
	d := bash(id, pane, "npm test")
	d.Input, d.Amendable = json.RawMessage(`{"command":"npm test"}`), "command"
	d.Standing = &proto.Standing{
		Rule: "Bash(npm test *)", Destination: ".claude/settings.local.json of the project",
		Undo: "remove it from permissions.allow in that file, or by /permissions in the pane",
	}
	d.Options = []proto.Option{
		{ID: proto.OptionOnce, Label: "Allow once"}, {ID: proto.OptionDeny, Label: "Deny", Message: true, Interrupt: true},
		{ID: proto.OptionAlways, Label: "Allow always"}, {ID: proto.OptionHandBack, Label: "Answer in the pane"},
	}
	return d
}

// question asks two questions, of one answer and of several.
func question(id, pane string) proto.Decision {
	d := bash(id, pane, "Which database? (and 1 more)")
	d.Kind, d.Tool, d.Detail = proto.KindQuestion, "AskUserQuestion", nil
	d.Questions = []proto.Question{
		{Header: "Database", Text: "Which database?", FreeText: true, Choices: []proto.Choice{
			{Label: "PostgreSQL", Description: "A server of its own"}, {Label: "SQLite", Description: "One file, \x1b[2Jno server"},
		}},
		{Header: "Features", Text: "Which features are to be in the first release?", Multi: true, FreeText: true, Choices: []proto.Choice{
			{Label: "Export"}, {Label: "Import", Description: "From files only"}, {Label: "Search"},
		}},
	}
	d.Options = []proto.Option{
		{ID: proto.OptionAnswer, Label: "Answer"}, {ID: proto.OptionDeny, Label: "Deny", Message: true, Interrupt: true},
		{ID: proto.OptionHandBack, Label: "Answer in the pane"},
	}
	return d
}

const aPlan = `# Add a --json flag

The report command prints a table. Scripts want **one object a line**, as ` + "`list --json`" + ` has it, so the flag
takes the same path.

## Steps

1. Write ` + "`report/json.go`" + `
   - one encoder, *no* HTML escaping
   - [x] keys in the order of the columns
2. Test it with a fixture
3. See [the convention](https://example.com/json "house rules")

` + "```go\ne := json.NewEncoder(w)\n\te.SetEscapeHTML(false)\n```" + `

> Nothing else changes.

| file | lines |
|------|-------|
| json.go | 40 |

<!-- and then rm -rf / -->
` + "Odd: \x1b[2Jend\u202e.\n"

// plan is a plan to approve.
func plan(id, pane, text string) proto.Decision {
	d := bash(id, pane, "Add a --json flag …")
	d.Kind, d.Tool, d.Detail = proto.KindPlan, "ExitPlanMode", []proto.Detail{{Form: "markdown", Text: text}}
	d.Options = []proto.Option{
		{ID: proto.OptionApprove, Label: "Approve"}, {ID: proto.OptionAcceptEdits, Label: "Approve and accept edits"},
		{ID: proto.OptionDeny, Label: "Deny", Message: true, Interrupt: true}, {ID: proto.OptionHandBack, Label: "Answer in the pane"},
	}
	return d
}

var launches = []tui.Launch{
	{Name: "Claude Code", Agent: "claude"}, {Name: "Codex", Agent: "codex"}, {Name: "Demo agent", Agent: "mock", Note: "built in"}, {Name: "Shell"},
}
