package turn

import (
	"fmt"

	"signaltty/proto"
)

// ran counts, by canonical tool, the calls that an agent tells to have run,
// of those tools that a gate always judges.
type ran struct {
	tools map[string]string // of the calls that have no result yet
	count map[string]int
}

func (r *ran) begin(c proto.TurnToolCall) {
	if !proto.Acts(c.Tool) {
		return
	}
	if r.tools == nil {
		r.tools, r.count = map[string]string{}, map[string]int{}
	}
	r.tools[c.ID] = c.Tool
}

func (r *ran) end(c proto.TurnToolResult) {
	if tool := r.tools[c.ID]; tool != "" && c.OK {
		r.count[tool]++
	}
	delete(r.tools, c.ID)
}

// ungated fails the turn of an agent that asks nothing by itself when more
// calls ran than the gate let run: it was not there.
func (t *turn) ungated() {
	if !t.agent.Turns.Unasked {
		return
	}
	for _, tool := range []string{proto.ToolRun, proto.ToolEdit, proto.ToolFetch, proto.ToolMCP} {
		n := t.ran.count[tool] - t.o.Guard.Allowed(tool)
		if n <= 0 {
			continue
		}
		t.ended = proto.OutcomeGate
		t.out.emit(proto.EnvelopeError, proto.TurnError{Source: "signaltty", Message: fmt.Sprintf(
			"%s ran %d calls of %s that signaltty's hook did not judge; look at what they did, and for what keeps %s from running hooks",
			t.agent.Title, n, tool, t.agent.Title)})
	}
}
