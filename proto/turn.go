package proto

import (
	"encoding/json"
	"time"
)

// TurnSpec is what one headless turn is: everything that an adapter needs to
// build the agent's command, and what the turn may touch.
type TurnSpec struct {
	// ID names the turn in its records, its quarantine and the refs that keep
	// its commits; the server gives it.
	ID     string `json:"id,omitempty"`
	Agent  string `json:"agent"`
	Prompt string `json:"prompt"`
	Dir    string `json:"dir"` // absolute
	// Origin is the directory that the turn was asked for, where Dir is in a
	// work tree of the turn's own; "" where they are one.
	Origin string `json:"origin,omitempty"`
	Model  string `json:"model,omitempty"`
	// Tools are the canonical tools that the agent may use without asking; nil
	// leaves that to the agent's own settings.
	Tools []string `json:"tools,omitempty"`
	// Paths are globs of what may be written, absolute or below Dir; none
	// means that nothing may be, unless AllPaths is set.
	Paths    []string `json:"paths,omitempty"`
	AllPaths bool     `json:"all_paths,omitzero"`
	// Resume is the agent's own session id to go on with.
	Resume string  `json:"resume,omitempty"`
	Ask    TurnAsk `json:"ask"`
	// IdleSeconds is how long the agent may say nothing, TotalSeconds how long
	// the turn may take; 0 is for ever. Waiting for a person is not idle.
	IdleSeconds  float64 `json:"idle_seconds,omitzero"`
	TotalSeconds float64 `json:"total_seconds,omitzero"`
	// Runtime is what the agent's process is put into: "none", "landlock",
	// "bwrap", "docker" or "podman".
	Runtime string `json:"runtime"`
	// Image is the image of a container, of a runtime that needs one.
	Image string `json:"image,omitempty"`
	// BaselineMax is how many bytes of ignored and untracked files are kept so
	// that they can be put back.
	BaselineMax int64 `json:"baseline_max,omitzero"`
	// Commits says that it may commit and move branches. What a commit changes
	// must be among the paths all the same.
	Commits bool `json:"commits,omitzero"`
	// Base is the commit that Dir is at when the turn is asked for, for its record.
	Base string `json:"base,omitempty"`
	// Envelopes is the path of a Unix socket that takes the turn's envelopes,
	// one JSON line each; "" when nobody reads them.
	Envelopes string `json:"envelopes,omitempty"`
}

// TurnAsk says who answers what the agent asks during a turn.
type TurnAsk string

// The answers to asks of a turn.
const (
	AskBar    TurnAsk = "bar"    // a person, on the decision bar
	AskPolicy TurnAsk = "policy" // the policy alone; what it leaves open is denied
	AskDeny   TurnAsk = "deny"   // nobody: every ask is denied
)

// EnvelopeType is what an envelope tells.
type EnvelopeType string

// The types of envelopes. The last one of every turn is turn_complete.
const (
	EnvelopeUserMessage   EnvelopeType = "user_message"
	EnvelopeThinking      EnvelopeType = "thinking"
	EnvelopeText          EnvelopeType = "text"
	EnvelopeToolCall      EnvelopeType = "tool_call"
	EnvelopeToolResult    EnvelopeType = "tool_result"
	EnvelopePolicyBlocked EnvelopeType = "policy_blocked"
	EnvelopeDecision      EnvelopeType = "decision"
	EnvelopeUsage         EnvelopeType = "usage"
	EnvelopeError         EnvelopeType = "error"
	EnvelopeTurnComplete  EnvelopeType = "turn_complete"
)

// Envelope is one fact of a turn, the same for every agent. Ids count from 1
// in a turn, without gaps.
type Envelope struct {
	ID      uint64          `json:"id"`
	TS      time.Time       `json:"ts"`
	Type    EnvelopeType    `json:"type"`
	Agent   string          `json:"agent"`
	Session string          `json:"session"`        // "" until the agent has told it
	Turn    string          `json:"turn,omitempty"` // its id, by which those of several turns are told apart
	Data    json.RawMessage `json:"data"`
}

// EnvelopeKinds is the table of envelopes: what travels in the data of each.
var EnvelopeKinds = map[EnvelopeType]any{
	EnvelopeUserMessage:   TurnText{},
	EnvelopeThinking:      TurnText{},
	EnvelopeText:          TurnText{},
	EnvelopeToolCall:      TurnToolCall{},
	EnvelopeToolResult:    TurnToolResult{},
	EnvelopePolicyBlocked: TurnBlocked{},
	EnvelopeDecision:      TurnDecision{},
	EnvelopeUsage:         TurnUsage{},
	EnvelopeError:         TurnError{},
	EnvelopeTurnComplete:  TurnComplete{},
}

// TurnText is a piece of text: the person's prompt, what the agent thinks or says.
type TurnText struct {
	Text string `json:"text"`
	// Partial says that more of the same text follows in the next envelope.
	Partial  bool   `json:"partial,omitzero"`
	Subagent string `json:"subagent,omitempty"`
}

// TurnToolCall is a call that the agent makes.
type TurnToolCall struct {
	ID       string          `json:"call_id"`
	Tool     string          `json:"tool"` // canonical; "" for what touches nothing
	Name     string          `json:"name"` // the agent's own name
	Summary  string          `json:"summary,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	Subagent string          `json:"subagent,omitempty"`
	// Began is when it began, of an agent that tells a call when it has ended.
	Began time.Time `json:"began,omitzero"`
}

// TurnToolResult is how a call ended.
type TurnToolResult struct {
	ID     string `json:"call_id"`
	OK     bool   `json:"ok"`
	Output string `json:"output,omitempty"` // its head, where it is long
	// Denied says that the call was refused before it ran.
	Denied bool        `json:"denied,omitzero"`
	Diff   []DiffEntry `json:"diff,omitempty"`
	Exit   *int        `json:"exit,omitempty"`
}

// DiffEntry is what a call changed in one file, in lines.
type DiffEntry struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// TurnBlocked is something that the turn was not allowed to do, or has done
// and lost again.
type TurnBlocked struct {
	Path string `json:"path,omitempty"`
	Tool string `json:"tool,omitempty"`
	Call string `json:"call_id,omitempty"`
	Rule string `json:"rule,omitempty"`
	// Action is "denied" (it did not happen), "restored" (it was undone, and
	// Quarantine keeps it), "reported" (it may be somebody else's, and stands)
	// or "unrestorable" (what was there before was not kept, so it stands).
	Action     string `json:"action"`
	Reason     string `json:"reason"`
	Quarantine string `json:"quarantine,omitempty"`
}

// TurnEvent is the hook event by which a turn's driver brings what its agent
// asks on its stream.
const TurnEvent = "turn"

// TurnGated is what became of a call that a turn's hooks brought.
type TurnGated struct {
	Pane  string   `json:"pane_id"`
	Call  string   `json:"call_id,omitempty"`
	Kind  string   `json:"kind"` // canonical tool
	Paths []string `json:"paths,omitempty"`
	// Decided is how, with a decision_id when it was a decision.
	Decided TurnDecision `json:"decided"`
}

// TurnDecision is an ask of the turn and how it ended.
type TurnDecision struct {
	Tool     string   `json:"tool"`
	Summary  string   `json:"summary"`
	Behavior Behavior `json:"behavior"`
	Decision string   `json:"decision_id,omitempty"`
	Option   string   `json:"option_id,omitempty"`
	Rule     string   `json:"rule,omitempty"`
	Message  string   `json:"message,omitempty"`
}

// TurnUsage is what the model counted, in tokens, and what it cost, in US dollars.
type TurnUsage struct {
	Input     int64   `json:"input_tokens"`
	Output    int64   `json:"output_tokens"`
	CacheRead int64   `json:"cache_read_tokens,omitzero"`
	Reasoning int64   `json:"reasoning_tokens,omitzero"`
	Cost      float64 `json:"cost_usd,omitzero"`
}

// TurnError is something that went wrong: in the agent, on its stream, or in
// signaltty itself.
type TurnError struct {
	Source  string `json:"source"` // "agent", "stream", "stderr" or "signaltty"
	Message string `json:"message"`
}

// Outcome is how a turn ended.
type Outcome string

// The outcomes of a turn.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeDenied    Outcome = "denied"    // something that it needed was denied
	OutcomeBlocked   Outcome = "blocked"   // it wrote what it may not: undone
	OutcomeUncertain Outcome = "uncertain" // something changed, and whose change it is cannot be told
	OutcomeAgent     Outcome = "agent_error"
	OutcomeTimeout   Outcome = "timeout"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeNothing   Outcome = "nothing_done" // exit 0, and yet no text and no tool
	OutcomeGate      Outcome = "gate_failed"  // signaltty could not enforce
)

// ExitCode is the exit code of `signaltty run` for a turn that ended so.
func (o Outcome) ExitCode() int {
	switch o {
	case OutcomeOK:
		return ExitOK
	case OutcomeDenied:
		return ExitDenied
	case OutcomeBlocked:
		return ExitBlocked
	case OutcomeUncertain:
		return ExitUncertain
	case OutcomeTimeout:
		return ExitTimeout
	case OutcomeCancelled:
		return ExitCancelled
	case OutcomeNothing:
		return ExitNothing
	case OutcomeGate:
		return ExitGate
	}
	return ExitFailed
}

// TurnComplete is the last envelope of a turn.
type TurnComplete struct {
	Outcome    Outcome   `json:"outcome"`
	Exit       int       `json:"exit"` // of `signaltty run`
	AgentExit  *Exit     `json:"agent_exit"`
	StopReason string    `json:"stop_reason,omitempty"`
	DurationMS int64     `json:"duration_ms"`
	Usage      TurnUsage `json:"usage"`
	Tools      int       `json:"tools"`
	Denials    []string  `json:"denials,omitempty"`
	Blocked    int       `json:"blocked,omitzero"`
	// Health is what a person should know of how complete this account is.
	Health []string `json:"health,omitempty"`
}

// TurnRecord is what is kept of a turn.
type TurnRecord struct {
	ID      string    `json:"id"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"` // zero while it runs, or when its end was never told
	Agent   string    `json:"agent"`
	Dir     string    `json:"dir"`
	Origin  string    `json:"origin,omitempty"` // as in TurnSpec
	Prompt  string    `json:"prompt_sha256"`
	Base    string    `json:"base,omitempty"` // the commit that Dir was at
	Session string    `json:"session,omitempty"`
	Outcome Outcome   `json:"outcome,omitempty"`
}

// TurnCalls are calls that a turn's stream has told, in its order.
type TurnCalls struct {
	Calls []TurnCall `json:"calls"`
}

// MaxTurnCalls is how many one turn.calls takes.
const MaxTurnCalls = 256

// TurnCall is the start or the end of one call.
type TurnCall struct {
	Session string `json:"session"`
	ID      string `json:"call_id"`
	Name    string `json:"name,omitempty"` // of the tool, at the start
	Moment  Moment `json:"moment"`         // MomentToolStart or MomentToolEnd
	OK      bool   `json:"ok,omitzero"`    // at the end
}

// TurnEnd is what a turn's driver tells at the end.
type TurnEnd struct {
	Session  string       `json:"session,omitempty"`
	Complete TurnComplete `json:"complete"`
	// Blocked are the first of what the check after the turn found.
	Blocked []TurnBlocked `json:"blocked,omitempty"`
}

// MaxTurnBlocked is how many of Blocked one turn.end takes.
const MaxTurnBlocked = 1000

// TurnQuery asks for the records of turns.
type TurnQuery struct {
	Agent string `json:"agent,omitempty"` // "" for any
	Dir   string `json:"dir,omitempty"`   // of the turn, or its origin; "" for any
	// Prompt is the SHA-256 of a prompt, in hex; "" for any.
	Prompt string `json:"prompt_sha256,omitempty"`
}

// TurnList is the records of turns, the newest first.
type TurnList struct {
	Turns []TurnRecord `json:"turns"`
}
