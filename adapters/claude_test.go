package adapters

import (
	"encoding/json"
	"strings"
	"testing"

	"signaltty/proto"
)

func claude(t *testing.T) Adapter {
	t.Helper()
	a, ok := Lookup("claude")
	if !ok {
		t.Fatal("no claude")
	}
	return a
}

func request(t *testing.T, tool string, input any) []byte {
	t.Helper()
	return encoded(t, map[string]any{
		"session_id": "s", "hook_event_name": "PermissionRequest", "tool_name": tool, "tool_input": input,
	})
}

func decodeAsk(t *testing.T, tool string, input any) proto.Ask {
	t.Helper()
	e, err := claude(t).Decode("PermissionRequest", request(t, tool, input))
	if err != nil {
		t.Fatal(err)
	}
	return *e.Ask
}

func TestBadPayloads(t *testing.T) {
	tests := []struct{ name, event, payload, want string }{
		{"unknown event", "Elevenses", `{}`, `no hook event "Elevenses"`},
		{"never installed", "WorktreeCreate", `{"session_id":"s"}`, `no hook event "WorktreeCreate"`},
		{"not JSON", "Stop", `{"session_id":`, "Stop"},
		{"a list", "Stop", `[]`, "Stop"},
		{"empty", "Stop", ``, "session_id"},
		{"no session", "Stop", `{"hook_event_name":"Stop"}`, `"session_id" is missing`},
		{"another event", "Stop", `{"session_id":"s","hook_event_name":"SessionEnd"}`, `"hook_event_name" says "SessionEnd"`},
		{"no tool", "PermissionRequest", `{"session_id":"s","tool_input":{}}`, `"tool_name" is missing`},
		{"no input", "PermissionRequest", `{"session_id":"s","tool_name":"Bash"}`, `"tool_input" is missing`},
		{"null input", "PermissionRequest", `{"session_id":"s","tool_name":"Bash","tool_input":null}`, `"tool_input"`},
		{"list input", "PermissionRequest", `{"session_id":"s","tool_name":"Bash","tool_input":[1]}`, `"tool_input" is not an object`},
		{"deep", "PermissionRequest", `{"session_id":"s","tool_name":"X","tool_input":` + strings.Repeat("[", 100000), "PermissionRequest"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := claude(t).Decode(test.event, []byte(test.payload))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestInputKey(t *testing.T) {
	same := []string{`{"a":1,"b":{"c":"x","d":[1,2]}}`, ` { "b":{"d":[1, 2],"c":"\u0078"}, "a":1 } `}
	if inputKey(json.RawMessage(same[0])) != inputKey(json.RawMessage(same[1])) {
		t.Error("order and space change the key")
	}
	seen := map[string]string{}
	for _, in := range []string{same[0], `{"a":"1"}`, `{"a":1}`, `{"A":1}`, `{"a":[2,1]}`, `{"a":[1,2]}`,
		`{"a":12345678901234567890}`, `{"a":12345678901234567891}`, `{"a":null}`, `{}`} {
		k := inputKey(json.RawMessage(in))
		if k == "" || seen[k] != "" {
			t.Errorf("%s has the key of %s", in, seen[k])
		}
		seen[k] = in
	}
	if inputKey(nil) != "" {
		t.Error("no input has a key")
	}
}

// The tool call and the ask that follows it carry deep-equal inputs.
func TestAskMatchesItsToolCall(t *testing.T) {
	a := claude(t)
	for _, tool := range []string{"bash", "edit", "write", "bash-subagent", "mcp-fake-echo"} {
		pre, err := a.Decode("PreToolUse", read(t, fixtures+"/claude/PreToolUse."+tool+".in.json"))
		if err != nil {
			t.Fatal(err)
		}
		ask, err := a.Decode("PermissionRequest", read(t, fixtures+"/claude/PermissionRequest."+tool+".in.json"))
		if err != nil {
			t.Fatal(err)
		}
		if pre.InputKey == "" || pre.InputKey != ask.InputKey || pre.ToolUse == "" || ask.ToolUse != "" {
			t.Errorf("%s: %+v does not lead to %+v", tool, pre, ask)
		}
	}
}

// Whatever is in an input stands in the detail: no field is out of sight.
func TestDetailHidesNothing(t *testing.T) {
	for _, tool := range []string{"Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "Read", "WebFetch", "WebSearch", "mcp__x__y", "New"} {
		input := map[string]any{
			"command": "v-command", "description": "v-description", "file_path": "v-file", "content": "v-content",
			"old_string": "v-old", "new_string": "v-new", "notebook_path": "v-notebook", "url": "v-url", "prompt": "v-prompt",
			"query": "v-query", "extra": map[string]any{"deep": "v-deep"}, "flag": true,
			"edits": []any{map[string]any{"old_string": "v-old2", "new_string": "v-new2", "surprise": "v-surprise"}},
		}
		var shown strings.Builder
		for _, d := range decodeAsk(t, tool, input).Detail {
			shown.WriteString(d.Text + "\n")
		}
		for _, v := range []string{"command", "description", "file", "content", "old", "new", "notebook", "url", "prompt", "query", "deep", "old2", "new2", "surprise"} {
			if !strings.Contains(shown.String(), "v-"+v) {
				t.Errorf("%s does not show v-%s in\n%s", tool, v, &shown)
			}
		}
	}
}

func TestLargeInputs(t *testing.T) {
	content := strings.Repeat("é<\x01", 1<<18)
	e, err := claude(t).Decode("PermissionRequest", request(t, "Write", map[string]any{"file_path": "/workspace/big", "content": content}))
	if err != nil {
		t.Fatal(err)
	}
	a := e.Ask
	if a.Input != nil || a.Truncated == nil || a.Truncated.Path != "/workspace/big" || a.Truncated.Bytes < len(content) || len(a.Truncated.SHA256) != 64 {
		t.Errorf("truncated is %+v, input %d bytes", a.Truncated, len(a.Input))
	}
	if text := a.Detail[1].Text; !strings.Contains(text, "bytes are not shown") || !strings.HasPrefix(text, "é<") || len(text) > 20<<10 {
		t.Errorf("detail of %d bytes: %.80q", len(text), text)
	}
	if n := len(encoded(t, e)); n > 128<<10 {
		t.Errorf("the event is %d bytes", n)
	}
	if !a.Answerable {
		t.Error("a large input cannot be decided")
	}
}

func TestSubagentsHaveNoDialogBeside(t *testing.T) {
	e, err := claude(t).Decode("PermissionRequest", read(t, fixtures+"/claude/PermissionRequest.bash-subagent.in.json"))
	if err != nil || e.Ask.Dialog != proto.DialogAfter || e.Subagent == "" || e.SubagentID == "" {
		t.Errorf("%+v, %v", e, err)
	}
}
