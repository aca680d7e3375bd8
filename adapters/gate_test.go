package adapters

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/proto"
)

// told is a policy with one of each thing that an agent can be told.
var told = Policy{
	Closed: []string{proto.ToolEdit, proto.ToolRun},
	Denies: []Deny{
		{Tools: []string{proto.ToolRead, proto.ToolEdit, proto.ToolSearch}, Paths: []string{"~/.ssh", "**/.env", "/src/shop/gen/**"}},
		{Tools: []string{proto.ToolEdit}, Paths: []string{"/etc"}},
		{Tools: []string{proto.ToolRun}, Commands: []string{"git push --force", "sudo **", "docker ** --privileged"}},
		{Tools: []string{proto.ToolFetch}, Hosts: []string{"evil.example", "*.evil.example"}},
		{Tools: []string{proto.ToolAgent}},
	},
}

// What an agent is told of a policy at its launch: argv, environment, files.
func TestNativeGoldens(t *testing.T) {
	own := map[string]Launch{
		"claude":   {Argv: []string{"--settings", `{"permissions":{"deny":["Bash(rm *)"],"allow":["Read"]},"model":"haiku"}`, "--", "go"}},
		"codex":    {Argv: []string{"go"}},
		"gemini":   {Argv: []string{"-i", "go"}},
		"opencode": {Env: []string{`OPENCODE_CONFIG_CONTENT={"permission":{"bash":{"*":"ask"},"edit":"ask"},"theme":"dark"}`}},
	}
	for name, l := range own {
		dir := t.TempDir()
		l.Dir, l.PaneID, l.FilesDir, l.Self, l.Policy = "/src/shop", "p1-1", dir, "/bin/signaltty", told
		a, _ := Lookup(name)
		c, err := a.Launch(l)
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]any{"argv": c.Argv, "env": c.Env}
		for _, file := range c.Files {
			if data := read(t, file); json.Valid(data) {
				said[filepath.Base(file)] = json.RawMessage(data)
			} else if filepath.Ext(file) == ".toml" {
				said[filepath.Base(file)] = strings.Split(string(data), "\n")
			}
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		if err := e.Encode(said); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(b.String(), dir, "/run/panes/p1-1")
		file := "../testdata/policy/native." + name + ".json"
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want := string(read(t, file)); text != want {
			t.Errorf("%s is stale (go test ./adapters -update writes it):\ngot  %s\nwant %s", file, text, want)
		}
	}
}

// Codex is told that nothing is fetched, and nothing else.
func TestCodexPolicy(t *testing.T) {
	for _, test := range []struct {
		deny Deny
		want string
	}{
		{Deny{Tools: []string{proto.ToolFetch}}, `-c web_search="disabled"`},
		{Deny{Tools: []string{proto.ToolFetch}, Hosts: []string{"evil.example"}}, ""},
		{Deny{Tools: []string{proto.ToolRun}}, ""},
	} {
		got, err := codexPolicy(Policy{Denies: []Deny{test.deny}})
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %q, %v; want %q", test.deny, got, err, test.want)
		}
	}
}

// A policy that leaves no tool is an error, and not the agent's own default.
func TestNoToolLeft(t *testing.T) {
	none := Policy{Denies: []Deny{{}}}
	for _, name := range []string{"claude", "codex", "gemini", "opencode"} {
		a, _ := Lookup(name)
		if _, err := a.Launch(Launch{Dir: "/", FilesDir: t.TempDir(), Self: "/bin/signaltty", Policy: none}); err == nil || !strings.Contains(err.Error(), "no tool") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A gate that a policy closes denies what it is about, and what is not known.
func TestCloses(t *testing.T) {
	for a := range All() {
		for _, row := range a.Events {
			closed := row.Closes("edit,run")
			if row.Gate == "" {
				if closed != row {
					t.Errorf("%s %s closes and is no gate", a.Name, row.Name)
				}
				continue
			}
			if a.Call == nil || closed.Fail != FailDeny || closed.Deadline() <= row.Deadline() || closed.Hold != (row.Gate == GateHolds) {
				t.Errorf("%s %s: %+v", a.Name, row.Name, closed)
			}
			for _, test := range []struct {
				call *proto.Call
				want bool
			}{
				{&proto.Call{Tool: proto.ToolEdit}, true}, {&proto.Call{Tool: proto.ToolRead}, false}, {&proto.Call{}, false},
				{nil, true}, {&proto.Call{Partial: "new"}, true},
			} {
				if closed.Denies(test.call) != test.want || row.Denies(test.call) {
					t.Errorf("%s %s: %+v", a.Name, row.Name, test.call)
				}
			}
		}
	}
}

func TestClaudeCall(t *testing.T) {
	for _, test := range []struct {
		tool, input string
		want        proto.Call
	}{
		{"Bash", `{"command":"ls","Command":"rm"}`, proto.Call{Tool: proto.ToolRun, Command: "ls"}},
		{"Write", `{"file_path":"/a","content":"x"}`, proto.Call{Tool: proto.ToolEdit, Paths: []string{"/a"}}},
		{"NotebookEdit", `{"notebook_path":"/n"}`, proto.Call{Tool: proto.ToolEdit, Paths: []string{"/n"}}},
		{"Grep", `{"pattern":"x"}`, proto.Call{Tool: proto.ToolSearch, Paths: []string{"."}}},
		{"WebFetch", `{"url":"https://a.example/"}`, proto.Call{Tool: proto.ToolFetch, URL: "https://a.example/"}},
		{"mcp__a__b", `{}`, proto.Call{Tool: proto.ToolMCP}},
		{"TodoWrite", `{}`, proto.Call{}},
		{"Write", `{"path":"/a"}`, proto.Call{Tool: proto.ToolEdit, Partial: "the tool's input names no file"}},
		{"Bash", `[]`, proto.Call{Tool: proto.ToolRun, Partial: "the tool's input is not an object"}},
		{"OfTheFuture", `{}`, proto.Call{Partial: unknownTool}},
		{"Bash", `{"command":"` + strings.Repeat("x", maxCommand+1) + `"}`, proto.Call{Tool: proto.ToolRun, Partial: "the command is longer than is judged"}},
	} {
		test.want.Name = test.tool
		if got := claudeCall(test.tool, []byte(test.input)); !equalJSON(t, got, test.want) {
			t.Errorf("%s %.60s: %+v", test.tool, test.input, got)
		}
	}
}
