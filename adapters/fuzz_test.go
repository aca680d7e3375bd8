package adapters

import (
	"encoding/json"
	"testing"

	"signaltty/budget"
	"signaltty/proto"
)

// FuzzDecode wants no panic, an event that fits into one line of the wire,
// and time and memory in proportion to the payload.
func FuzzDecode(f *testing.F) {
	for a := range All() {
		for _, row := range a.Events {
			f.Add(a.Name, row.Name, []byte(`{"session_id":"s","tool_name":"Edit","tool_input":{"file_path":"a","edits":[{}]}}`))
		}
	}
	f.Add("claude", "PermissionRequest", []byte(`{"session_id":"s","tool_name":"AskUserQuestion","tool_input":{"questions":[{"options":[{}]}]}}`))
	f.Add("claude", "PermissionRequest", []byte(`{"session_id":"s","tool_name":"MultiEdit","tool_input":{"edits":[{"a":1},{"a":1}]}}`))
	f.Add("codex", "PermissionRequest", []byte(`{"session_id":"s","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch"}}`))
	f.Add("gemini", geminiDecide, []byte(`{"session_id":"s","tool_name":"replace","tool_input":{"file_path":"a","old_string":"x","new_string":"y"}}`))
	f.Fuzz(func(t *testing.T, agent, event string, payload []byte) {
		budget.Keep(t, len(payload), 2000, func() {
			a, ok := Lookup(agent)
			if !ok || len(payload) > proto.MaxPayload {
				return
			}
			e, err := a.Decode(event, payload)
			if err != nil {
				return
			}
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if len(line) > proto.MaxLine-1024 {
				t.Fatalf("a payload of %d bytes makes an event of %d", len(payload), len(line))
			}
		})
	})
}

// FuzzSettings wants that a person's settings come out as they went in, and our hooks beside.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{`{}`, `null`, `{"hooks":null}`, `{"hooks":{"Stop":[{"hooks":[]}]}}`, `{"hooks":[]}`, `{"env":{"A":"<b>"},"n":1e99}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		budget.Keep(t, len(s), 2000, func() {
			if !isInlineSettings(s) {
				return
			}
			user, err := readSettings(s, "/")
			if err != nil {
				return
			}
			var before fields
			if json.Unmarshal([]byte(s), &before) != nil {
				t.Fatal("was read, and is not JSON")
			}
			a, _ := Lookup("claude")
			merged, err := a.mergeHooks(user, "/bin/signaltty", Policy{})
			if err != nil {
				return
			}
			var after fields
			if err := json.Unmarshal(merged, &after); err != nil {
				t.Fatalf("merged to %q: %v", merged, err)
			}
			for key, was := range before {
				if key != "hooks" && compact(after[key]) != compact(was) {
					t.Fatalf("%q was %s and is %s", key, was, after[key])
				}
			}
		})
	})
}
