package proto

import (
	"encoding/json"
	"time"
)

// The kinds of decision.
const (
	KindPermission = "permission"
	KindQuestion   = "question"
	KindPlan       = "plan"
)

// Option ids. Once, always, deny and handback are those of a permission; a
// question has answer, deny and handback; a plan has approve, accept_edits,
// deny (with what to change as its message) and handback.
const (
	OptionOnce        = "once"
	OptionAlways      = "always"
	OptionDeny        = "deny"
	OptionHandBack    = "handback"
	OptionAnswer      = "answer"
	OptionApprove     = "approve"
	OptionAcceptEdits = "accept_edits"
)

// OptionLabels are what the answers are called. The asking
// side does not choose what stands on a button.
var OptionLabels = map[string]string{
	OptionOnce:        "Allow once",
	OptionAlways:      "Allow always",
	OptionDeny:        "Deny",
	OptionHandBack:    "Answer in the pane",
	OptionAnswer:      "Answer",
	OptionApprove:     "Approve",
	OptionAcceptEdits: "Approve and accept edits",
}

// Dialog says where the agent's own dialog stands while a hold is open.
type Dialog string

// The dialog capability of an ask.
const (
	DialogBeside Dialog = "beside" // on the pane's screen at the same time
	DialogAfter  Dialog = "after"  // appears only when the hold is handed back
	DialogNone   Dialog = "none"   // there is no other way to answer
)

// Ask is what a hook delivers, already translated from the agent's JSON.
type Ask struct {
	Kind string `json:"kind"` // permission, question or plan
	// Tool is the agent's own name of the tool, such as "Bash".
	Tool string `json:"tool"`
	// Summary is the one line that tells what is asked: the command, the
	// path, the URL. It is the agent's text, as it came: whoever shows it
	// makes control characters visible.
	Summary string `json:"summary"`
	// Input is the tool's whole input, or null when Truncated is set.
	Input json.RawMessage `json:"input,omitempty"`
	// Detail is what a person must read before answering: the whole command,
	// the diff, the plan. It is derived from the input by the adapter.
	Detail []Detail `json:"detail,omitempty"`
	// Questions are what an ask of kind question wants to know, in order.
	Questions []Question `json:"questions,omitempty"`
	// Standing is what the option always would save; nil without that option.
	Standing *Standing `json:"standing,omitempty"`
	// Amendable names the field of Input that a person may edit before
	// allowing, such as "command"; "" when the agent takes no edited input.
	Amendable string `json:"amendable,omitempty"`
	// Truncated says what was left out of an input beyond MaxInput.
	Truncated *Truncated `json:"truncated,omitempty"`
	// Answerable is false for asks that signaltty shows but cannot answer
	// yet; they say Where the person can.
	Answerable bool   `json:"answerable"`
	Where      string `json:"where,omitempty"`
	Dialog     Dialog `json:"dialog"`
	// Foreground, when it is set, is Dialog for a subagent that is known to
	// run in the foreground.
	Foreground Dialog `json:"foreground,omitempty"`
	// Options are the answers that the adapter can encode, the default first.
	Options []Option `json:"options"`
	// WaitSeconds is how long the hold may last; 0 means the server's own.
	WaitSeconds int `json:"wait_seconds,omitzero"`
}

// Detail is one block of an ask to read: Text is the content, Form is
// "command", "text", "add", "delete" (a part of a diff), "path", "url" or
// "markdown".
type Detail struct {
	Label string `json:"label,omitempty"`
	Form  string `json:"form"`
	Text  string `json:"text"`
}

// Question is one question of an ask.
type Question struct {
	Header  string   `json:"header,omitempty"`
	Text    string   `json:"text"`
	Choices []Choice `json:"choices,omitempty"`
	// Multi says that several choices may be taken, FreeText that a typed
	// answer is taken beside them.
	Multi    bool `json:"multi,omitzero"`
	FreeText bool `json:"free_text,omitzero"`
	// Optional says that it may be left without an answer.
	Optional bool `json:"optional,omitzero"`
	// Form is what a typed answer must be: FormInteger, FormNumber, or "" for any text.
	Form string `json:"form,omitempty"`
}

// The forms of a typed answer.
const (
	FormInteger = "integer"
	FormNumber  = "number"
)

// Choice is one proposed answer to a question.
type Choice struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// Standing is a permission that outlives one answer, exactly as it will be
// saved.
type Standing struct {
	Rule        string `json:"rule"`        // such as "Bash(npm test *)"
	Destination string `json:"destination"` // where it is saved: a file, or "this session"
	Undo        string `json:"undo"`        // how a person takes it back
}

// Truncated describes an input that was too large to forward.
type Truncated struct {
	Path   string `json:"path,omitempty"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Option is one possible answer to a decision.
type Option struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	// Message says whether a typed message may go with it.
	Message bool `json:"message,omitzero"`
	// Interrupt says whether it can end the agent's turn as well.
	Interrupt bool `json:"interrupt,omitzero"`
	// Tells says whether the agent tells the end of a turn that was ended so.
	Tells bool `json:"tells,omitzero"`
}

// Phase is where a waiting decision is on its way.
type Phase string

// The phases of a decision. When the verdict is out the decision has ended as
// answered; decision.confirmed follows when the agent shows that it took the
// verdict, and until then a client says "sent", not "done".
const (
	PhasePending   Phase = "pending"   // it waits
	PhaseAnswering Phase = "answering" // an answer is consumed, its audit row is being written
)

// Decision is an ask that waits for a person.
type Decision struct {
	ID      string `json:"id"`
	Pane    string `json:"pane_id"` // "" when the session is bound to no pane
	Agent   string `json:"agent"`
	Session string `json:"session"`
	// Subagent names the subagent that asks; "" for the main one.
	Subagent   string          `json:"subagent,omitempty"`
	Kind       string          `json:"kind"`
	Tool       string          `json:"tool"`
	Prompt     string          `json:"prompt"`
	Input      json.RawMessage `json:"input,omitempty"`
	Detail     []Detail        `json:"detail,omitempty"`
	Truncated  *Truncated      `json:"truncated,omitempty"`
	Questions  []Question      `json:"questions,omitempty"`
	Standing   *Standing       `json:"standing,omitempty"`
	Amendable  string          `json:"amendable,omitempty"`
	Options    []Option        `json:"options"`
	Answerable bool            `json:"answerable"`
	Where      string          `json:"where,omitempty"`
	Dialog     Dialog          `json:"dialog"`
	Phase      Phase           `json:"phase"`
	ReceivedAt time.Time       `json:"received_at"`
	Deadline   time.Time       `json:"deadline"`
	Cwd        string          `json:"cwd,omitempty"`
	// Chosen is the option of the consumed answer, once there is one.
	Chosen string `json:"chosen,omitempty"`
	// Brief says that, in a long list, Input, Detail and Questions were left
	// out and Prompt was cut: decision.get has them.
	Brief bool `json:"brief,omitzero"`
}

// End is how a decision ended. Each has exactly one.
type End string

// The endings of a decision.
const (
	EndAnswered    End = "answered"    // a person answered here
	EndRule        End = "rule"        // a rule answered
	EndMovedOn     End = "moved_on"    // the agent went on without us
	EndTurnedTo    End = "turned_to"   // the person typed into the pane
	EndHandedBack  End = "handed_back" // the person gave it to the agent's own dialog
	EndHoldClosed  End = "hold_closed" // the hook went away, or spoke out of turn
	EndAgentDied   End = "agent_died"  // the process behind the hook is gone
	EndDeadline    End = "deadline"
	EndPaneExited  End = "pane_exited"
	EndPaneClosed  End = "pane_closed"
	EndServerStop  End = "server_stop"
	EndServerLost  End = "server_lost" // found unreleased in the audit at start
	EndUnavailable End = "unavailable" // the verdict could not be written down or sent
)

// Behavior is the core of a verdict.
type Behavior string

// The behaviors of a verdict.
const (
	Allow     Behavior = "allow"
	Deny      Behavior = "deny"
	AskFirst  Behavior = "ask"  // a gate's: the agent asks before it runs the tool
	NoVerdict Behavior = "none" // the agent asks in its own terminal
)

// Verdict is what goes back to the agent.
type Verdict struct {
	Behavior Behavior `json:"behavior"`
	// Message goes to the model; a deny always has one.
	Message string `json:"message,omitempty"`
	// Option is the option that a person chose; "" when a rule decided.
	Option string `json:"option_id,omitempty"`
	// Answers are the answers to the ask's questions: for each, in order, the
	// labels taken or the text typed.
	Answers [][]string `json:"answers,omitempty"`
	// Amended is the person's own text for the ask's Amendable field.
	Amended string `json:"amended,omitempty"`
	// Interrupt ends the agent's turn with a denial.
	Interrupt bool `json:"interrupt,omitzero"`
	// Rule is the rule of the policy that decided; "" when a person did.
	Rule string `json:"rule,omitempty"`
	// Decision is the id of the decision that it answers, if there was one.
	Decision string `json:"decision_id,omitempty"`
	// End tells how the decision ended, for the hook's diagnostics.
	End End `json:"end,omitempty"`
}
