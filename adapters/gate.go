package adapters

import (
	"slices"
	"strings"

	"signaltty/proto"
)

// Gate is what becomes of a rule that says ask at an event that can stop a tool.
type Gate string

// The kinds of gate.
const (
	// GateAsks has the agent ask in its own way: one ask, one decision.
	GateAsks Gate = "asks"
	// GateHolds keeps the hook itself until a person has decided.
	GateHolds Gate = "holds"
)

// gateTimeout is the time-out, in seconds, of a gate that a policy needs: long
// enough that the hook says its denial before the agent would end it, which
// lets the tool run.
const gateTimeout = 60

func gate(name string, g Gate) EventRow {
	row := tell(name, proto.MomentToolStart)
	row.Gate = g
	return row
}

// Closes is the row of a gate as it is installed where a policy exists: when
// there is no verdict, calls of those canonical tools are denied.
func (e EventRow) Closes(tools string) EventRow {
	if e.Gate == "" || tools == "" {
		return e
	}
	e.Closed, e.Fail, e.TimeoutSeconds = tools, FailDeny, gateTimeout
	if e.Gate == GateHolds {
		e.Hold, e.TimeoutSeconds, e.Dialog = true, holdTimeout, proto.DialogNone
	}
	return e
}

// Denies says what a gate does with a call when there is no verdict. A call
// of which is not known what it touches is denied.
func (e EventRow) Denies(c *proto.Call) bool {
	switch {
	case e.Closed == "":
		return false
	case c == nil || c.Partial != "":
		return true
	}
	return slices.Contains(strings.Split(e.Closed, ","), c.Tool)
}

// installed are the events that a pane of this agent installs.
func (a Adapter) installed(p Policy) []EventRow {
	var rows []EventRow
	for _, e := range a.Events {
		if e.TimeoutSeconds > 0 && !(p.Streams && e.Moment == proto.MomentAsk) {
			rows = append(rows, e.Closes(strings.Join(p.Closed, ",")))
		}
	}
	return rows
}

// The bounds of what a call carries to the server, in bytes and in paths.
const (
	maxCommand = 128 << 10
	maxPath    = 4 << 10
	maxPaths   = 64
)

// boundCall takes out of a call what is too large to be judged, and says so.
func boundCall(c *proto.Call) *proto.Call {
	switch {
	case len(c.Command) > maxCommand:
		c.Command, c.Partial = "", "the command is longer than is judged"
	case len(c.Paths) > maxPaths:
		c.Paths, c.Partial = c.Paths[:maxPaths], "it touches more files than are judged"
	case len(c.URL) > maxPath:
		c.URL, c.Partial = "", "the URL is longer than is judged"
	}
	for i, p := range c.Paths {
		if len(p) > maxPath {
			c.Paths[i], c.Partial = p[:maxPath], "a path is longer than is judged"
		}
	}
	c.Name = clip(c.Name, 200)
	return c
}

// gateReply is what Claude Code and Codex read from a PreToolUse hook.
type gateReply struct {
	Output struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason,omitempty"`
	} `json:"hookSpecificOutput"`
}

// encodeGate is a gate's verdict. asks and allows say whether the agent
// understands those. Measured on Claude Code 2.1.197 and Codex 0.171.0: a deny
// needs its reason, and Codex runs the tool on anything but a deny.
func encodeGate(event string, v proto.Verdict, asks, allows bool) Output {
	var r gateReply
	r.Output.Event = event
	switch {
	case v.Behavior == proto.Deny:
		r.Output.Decision, r.Output.Reason = "deny", first(v.Message, DefaultDenial)
	case v.Behavior == proto.AskFirst && asks:
		r.Output.Decision, r.Output.Reason = "ask", v.Message
	case v.Behavior == proto.AskFirst:
		r.Output.Decision, r.Output.Reason = "deny", first(v.Message, DefaultDenial)
	case v.Behavior == proto.Allow && allows:
		r.Output.Decision, r.Output.Reason = "allow", v.Message
	default:
		return Output{}
	}
	line, err := encodePlain(r)
	if err != nil {
		return Output{Stderr: "signaltty denies this: encoding the verdict: " + err.Error(), Exit: 2}
	}
	return Output{Stdout: line}
}
