package proto

// Moment is what an agent's hook event means, whatever that agent calls it.
type Moment string

// The moments of an agent's life that hooks tell.
const (
	MomentAsk           Moment = "ask"            // it wants a decision
	MomentToolStart     Moment = "tool_start"     // a tool call is about to be checked
	MomentToolEnd       Moment = "tool_end"       // a tool call ended, well or not
	MomentToolsEnd      Moment = "tools_end"      // a batch of tool calls ended (ToolUses)
	MomentPrompt        Moment = "prompt"         // the person submitted a prompt
	MomentTurnEnd       Moment = "turn_end"       // the turn ended well
	MomentTurnFail      Moment = "turn_fail"      // the turn ended in an error
	MomentInterrupt     Moment = "interrupt"      // the person ended the turn
	MomentReady         Moment = "ready"          // it runs, and has no session before its first prompt
	MomentSessionStart  Moment = "session_start"  // Source tells why
	MomentSessionEnd    Moment = "session_end"    // Source tells why
	MomentSubagentStart Moment = "subagent_start" // Subagent tells which
	MomentSubagentEnd   Moment = "subagent_end"
	MomentNotice        Moment = "notice" // a hint only: it can never raise a decision
	MomentOther         Moment = "other"  // recorded, with no effect
)

// HookEvent is one event of one agent's hook, decoded by its adapter.
type HookEvent struct {
	Agent string `json:"agent"`
	// Event is the agent's own name for it, such as "PermissionRequest".
	Event   string `json:"event"`
	Moment  Moment `json:"moment"`
	Session string `json:"session"`
	// SubagentID and Subagent are the id and the type of a subagent; "" for the main one.
	SubagentID string `json:"subagent_id,omitempty"`
	Subagent   string `json:"subagent,omitempty"`
	// Pane is SIGNALTTY_PANE in the hook's environment: a hint, never proof.
	Pane string `json:"pane_id,omitempty"`
	Cwd  string `json:"cwd,omitempty"`
	Tool string `json:"tool,omitempty"`
	// ToolUse is the agent's id of the tool call, "" where the event has none.
	ToolUse string `json:"tool_use,omitempty"`
	// InputKey is a hash of the canonical tool input. An ask that carries no
	// ToolUse is matched by it to the tool_start just before.
	InputKey string `json:"input_key,omitempty"`
	// ToolUses are the calls of a batch.
	ToolUses []string `json:"tool_uses,omitempty"`
	// Background says, of a tool_start, that the call launches a subagent and
	// does not wait for it; Launched is that subagent's id, on its tool_end.
	Background bool   `json:"background,omitzero"`
	Launched   string `json:"launched,omitempty"`
	Source     string `json:"source,omitempty"`
	Message    string `json:"message,omitempty"`
	// Ask is set on MomentAsk.
	Ask *Ask `json:"ask,omitempty"`
	// Call is what the tool call would touch, on asks and the events of a gate.
	Call *Call `json:"call,omitempty"`
	// Gate says that the hook waits for the gate's verdict on Call.
	Gate bool `json:"gate,omitzero"`
	// Wait says that the hook holds its connection for the verdict.
	Wait bool `json:"wait,omitzero"`
	// Installed says that the hook is from the agent's user-level settings. Of
	// a session whose pane brought hooks of its own it does not count.
	Installed bool `json:"installed,omitzero"`
	// Canary is the token of a try; "" for what an agent tells.
	Canary string `json:"canary,omitempty"`
}

// The canonical tools, in which policies speak of every agent's own.
const (
	ToolRead   = "read"
	ToolEdit   = "edit"
	ToolRun    = "run"
	ToolFetch  = "fetch"
	ToolSearch = "search"
	ToolMCP    = "mcp"
	ToolAgent  = "agent"
)

// Acts says that calls of a canonical tool can change something, or tell
// something to somebody else.
func Acts(tool string) bool {
	return tool == ToolEdit || tool == ToolRun || tool == ToolFetch || tool == ToolMCP
}

// Call is what one tool call would touch, translated by the adapter and not
// yet judged.
type Call struct {
	// Tool is canonical; "" for a tool of the agent's that touches nothing
	// outside itself, such as a list of things to do.
	Tool string `json:"tool"`
	// Name is the agent's own name of the tool.
	Name string `json:"name"`
	// Paths are as the agent wrote them; relative ones are below the event's Cwd.
	Paths   []string `json:"paths,omitempty"`
	Command string   `json:"command,omitempty"` // a shell command, whole
	URL     string   `json:"url,omitempty"`
	// Partial says why the adapter could not tell all that the call touches.
	Partial string `json:"partial,omitempty"`
}
