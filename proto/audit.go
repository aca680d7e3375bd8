package proto

import "time"

// AuditStatus is how the audit is.
type AuditStatus struct {
	Rows int64  `json:"rows"` // so far, those set aside too
	Hash string `json:"hash"` // of the last one
	// Sink is the file or FIFO that is told every row; "" for none.
	Sink string `json:"sink,omitempty"`
	// Dropped counts the rows that the sink did not take.
	Dropped int64 `json:"dropped"`
	// Trouble is what is wrong with the anchor or the sink, which holds no
	// verdict up.
	Trouble string `json:"trouble,omitempty"`
}

// DecisionPast asks for what was decided in a pane.
type DecisionPast struct {
	Pane string `json:"pane_id"`
	// Limit is how many at most; 0 means 100, which is the most.
	Limit int `json:"limit,omitzero"`
}

// MaxPast is how many past decisions are told at once.
const MaxPast = 100

// PastDecisions are the result of decision.past.
type PastDecisions struct {
	Decisions []PastDecision `json:"decisions"`
}

// PastDecision is a decision, or a refusal of the gate, as the audit has it:
// without secrets, and with long text cut.
type PastDecision struct {
	// ID is the decision's; "" for a refusal of the gate that raised none.
	ID       string    `json:"id,omitempty"`
	Agent    string    `json:"agent"`
	Subagent string    `json:"subagent,omitempty"`
	Kind     string    `json:"kind,omitempty"` // permission, question, plan; "" of a refusal
	Tool     string    `json:"tool"`
	Prompt   string    `json:"prompt"`
	AskedAt  time.Time `json:"asked_at"`
	// WaitedMS is how long it waited, in milliseconds.
	WaitedMS int64 `json:"waited_ms"`
	// End is how it ended; "" while it waits.
	End End `json:"end,omitempty"`
	// Option is what was answered; Rule the rule that did, "" when a person did.
	Option  string `json:"option_id,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message,omitempty"`
	Cause   string `json:"cause,omitempty"`
	// Client is the connection of the person who answered, and what it is
	// ("attach", "answer"), with its user and its process.
	Client     string `json:"client,omitempty"`
	ClientKind string `json:"client_kind,omitempty"`
	UID        int    `json:"uid,omitzero"`
	PID        int    `json:"pid,omitzero"`
}
