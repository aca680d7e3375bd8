package adapters

import (
	"encoding/json"
	"strings"
	"testing"

	"signaltty/proto"
)

// What each tool of Codex and Gemini CLI would touch.
func TestCalls(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@\n-x\n+y\n*** Delete File: /c\n*** End Patch\n"
	tests := []struct {
		agent, tool, input string
		want               proto.Call
	}{
		{"codex", "Bash", `{"command":"rm -rf x"}`, proto.Call{Tool: proto.ToolRun, Command: "rm -rf x"}},
		{"codex", "apply_patch", string(encoded(t, map[string]string{"command": patch})), proto.Call{Tool: proto.ToolEdit, Paths: []string{"a.go", "b.go", "/c"}}},
		{"codex", "apply_patch", `{"command":"*** Begin Patch\nsurprise\n*** End Patch"}`, proto.Call{Tool: proto.ToolEdit, Partial: "the patch could not be read"}},
		{"gemini", "mcp_files_move", `{"to":["~/b"],"from":"/a","note":"say a/b or c"}`, proto.Call{Tool: proto.ToolMCP, Paths: []string{"/a", "~/b"}}},
		{"codex", "mcp__web__get", `{"url":"https://example.org/a/b"}`, proto.Call{Tool: proto.ToolMCP, URL: "https://example.org/a/b"}},
		{"codex", "write_stdin", `{"chars":"y\n"}`, proto.Call{Tool: proto.ToolRun, Partial: "it types into a command that runs already"}},
		{"codex", "view_image", `{"path":"a.png"}`, proto.Call{Tool: proto.ToolRead, Paths: []string{"a.png"}}},
		{"codex", "mcp__db__query", `{"q":1}`, proto.Call{Tool: proto.ToolMCP}},
		{"codex", "spawn_agent", `{}`, proto.Call{Tool: proto.ToolAgent}},
		{"codex", "update_plan", `{}`, proto.Call{}},
		{"codex", "request_user_input", `{}`, proto.Call{}},
		{"codex", "of_the_future", `{}`, proto.Call{Partial: unknownTool}},
		{"codex", "Bash", `[]`, proto.Call{Partial: "the tool's input is not an object"}},
		{"gemini", "run_shell_command", `{"command":"ls"}`, proto.Call{Tool: proto.ToolRun, Command: "ls"}},
		{"gemini", "run_shell_command", `{"command":"ls","dir_path":"sub"}`, proto.Call{Tool: proto.ToolRun, Command: "ls", Partial: "it runs in the directory sub"}},
		{"gemini", "write_file", `{"file_path":"/a","content":"x"}`, proto.Call{Tool: proto.ToolEdit, Paths: []string{"/a"}}},
		{"gemini", "replace", `{"file_path":"/a"}`, proto.Call{Tool: proto.ToolEdit, Paths: []string{"/a"}}},
		{"gemini", "read_file", `{"absolute_path":"/a"}`, proto.Call{Tool: proto.ToolRead, Paths: []string{"/a"}}},
		{"gemini", "list_directory", `{"dir_path":"d"}`, proto.Call{Tool: proto.ToolRead, Paths: []string{"d"}}},
		{"gemini", "read_many_files", `{"include":["*"]}`, proto.Call{Tool: proto.ToolRead, Partial: "it reads whatever its patterns match"}},
		{"gemini", "glob", `{"pattern":"*"}`, proto.Call{Tool: proto.ToolSearch, Paths: []string{"."}}},
		{"gemini", "google_web_search", `{"query":"x"}`, proto.Call{Tool: proto.ToolFetch, Partial: "it asks a search engine"}},
		{"gemini", "web_fetch", `{"prompt":"https://example.org/a"}`, proto.Call{Tool: proto.ToolFetch, URL: "https://example.org/a"}},
		{"gemini", "web_fetch", `{"prompt":"read https://example.org/a"}`, proto.Call{Tool: proto.ToolFetch, Partial: "the addresses stand in a text"}},
		{"gemini", "mcp_db_query", `{}`, proto.Call{Tool: proto.ToolMCP}},
		{"gemini", "invoke_agent", `{}`, proto.Call{Tool: proto.ToolAgent}},
		{"gemini", "write_todos", `{}`, proto.Call{}},
		{"gemini", "activate_skill", `{}`, proto.Call{Partial: unknownTool}},
		{"gemini", "of_the_future", `{}`, proto.Call{Partial: unknownTool}},
	}
	for _, test := range tests {
		a, _ := Lookup(test.agent)
		event := map[string]string{"codex": "PreToolUse", "gemini": "BeforeTool"}[test.agent]
		e, err := a.Decode(event, encoded(t, map[string]any{"session_id": "s", "tool_name": test.tool, "tool_input": json.RawMessage(test.input)}))
		test.want.Name = test.tool
		if err != nil || e.Call == nil || !equalJSON(t, *e.Call, test.want) {
			t.Errorf("%s %s %s: got %+v, %v, want %+v", test.agent, test.tool, test.input, e.Call, err, test.want)
		}
	}
}

// A PermissionRequest of Codex leads to the PreToolUse before it, though it has
// no id, adds a reason and cuts the newline at a patch's end.
func TestCodexAskMatchesItsToolCall(t *testing.T) {
	key := func(event, turn, tool, input string) string {
		e, err := codex(t).Decode(event, encoded(t, map[string]any{
			"session_id": "s", "turn_id": turn, "tool_name": tool, "tool_input": json.RawMessage(input)}))
		if err != nil || e.InputKey == "" {
			t.Fatalf("%s %s: %+v, %v", event, input, e, err)
		}
		return e.InputKey
	}
	pre := key("PreToolUse", "t1", "Bash", `{"command":"ls"}`)
	if ask := key("PermissionRequest", "t1", "Bash", `{"command":"ls","description":"why"}`); ask != pre {
		t.Error("a reason changes the key")
	}
	if key("PreToolUse", "t1", "apply_patch", `{"command":"*** x\n"}`) != key("PermissionRequest", "t1", "apply_patch", `{"command":"*** x"}`) {
		t.Error("a newline at the end changes the key")
	}
	for _, other := range []string{
		key("PreToolUse", "t2", "Bash", `{"command":"ls"}`), key("PreToolUse", "t1", "Bash", `{"command":"ls -l"}`),
		key("PreToolUse", "t1", "Bash", `{"command":"ls","x":1}`), key("PreToolUse", "t1", "Bash", `{"command":["ls"]}`),
	} {
		if other == pre {
			t.Error("two calls have one key")
		}
	}
}

// Whatever stands in a patch is shown, also when it cannot be read as one.
func TestCodexPatchHidesNothing(t *testing.T) {
	for _, patch := range []string{
		"*** Begin Patch\n*** Add File: v1\n+v2\n*** Update File: v3\n*** Move to: v4\n@@ v5\n v6\n-v7\n+v8\n*** End of File\n*** End Patch",
		"*** Begin Patch\nv1\n*** Add File: v2\n+v3v4v5v6v7v8\n*** End Patch",
		"v1 v2 v3 v4 v5 v6 v7 v8",
	} {
		e, err := codex(t).Decode("PermissionRequest", encoded(t, map[string]any{
			"session_id": "s", "tool_name": "apply_patch", "tool_input": map[string]string{"command": patch, "description": "v9"}}))
		if err != nil {
			t.Fatal(err)
		}
		shown := string(encoded(t, e.Ask.Detail))
		for _, v := range []string{"v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9"} {
			if !strings.Contains(shown, v) {
				t.Errorf("%q is not shown in %s", v, shown)
			}
		}
	}
}
