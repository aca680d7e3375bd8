package turn

import (
	"testing"

	"signaltty/adapters"
	"signaltty/proto"
)

// allowing is a guard that knows nothing but what the gate let run.
type allowing struct {
	Guard
	tools map[string]int
}

func (a allowing) Allowed(tool string) int { return a.tools[tool] }

func TestUngated(t *testing.T) {
	type calls []proto.TurnToolCall
	shell, write, read := proto.TurnToolCall{ID: "1", Tool: proto.ToolRun}, proto.TurnToolCall{ID: "2", Tool: proto.ToolEdit}, proto.TurnToolCall{ID: "3", Tool: proto.ToolRead}
	for _, tc := range []struct {
		name    string
		unasked bool
		ran     calls
		failed  bool // the calls did not end well
		allowed map[string]int
		want    proto.Outcome
	}{
		{"nothing ran", true, nil, false, nil, ""},
		{"all allowed", true, calls{shell, write}, false, map[string]int{proto.ToolRun: 1, proto.ToolEdit: 1}, ""},
		{"one allowed that was never told", true, calls{shell}, false, map[string]int{proto.ToolRun: 2}, ""},
		{"what cannot act", true, calls{read}, false, nil, ""},
		{"stopped by itself", true, calls{shell}, true, nil, ""},
		{"another tool allowed", true, calls{shell}, false, map[string]int{proto.ToolEdit: 1}, proto.OutcomeGate},
		{"one too many", true, calls{shell, shell}, false, map[string]int{proto.ToolRun: 1}, proto.OutcomeGate},
		{"an agent that asks by itself", false, calls{shell}, false, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := turn{o: Options{Guard: allowing{tools: tc.allowed}}, out: newEmitter(Options{})}
			tr.agent.Turns = &adapters.Headless{Unasked: tc.unasked}
			for _, c := range tc.ran {
				tr.ran.begin(c)
				tr.ran.end(proto.TurnToolResult{ID: c.ID, OK: !tc.failed})
			}
			if tr.ungated(); tr.ended != tc.want {
				t.Errorf("it ends in %q, want %q", tr.ended, tc.want)
			}
			if len(tr.ran.tools) > 0 {
				t.Errorf("it remembers %v", tr.ran.tools)
			}
		})
	}
}
