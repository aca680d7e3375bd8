package proto

import "time"

// State is the lifecycle of a pane's agent (or, for a plain program, of its process).
type State string

// The states of a pane, as `wait --until` takes them.
const (
	StateUnknown State = "unknown" // an agent that has said nothing yet
	StateWorking State = "working"
	StateBlocked State = "blocked" // it waits for a person
	StateDone    State = "done"    // its turn ended and nobody has looked since
	StateIdle    State = "idle"
	StateFailed  State = "failed" // its turn ended in an error
	StateExited  State = "exited"
)

// Attention is why a pane wants to be looked at.
type Attention string

// The kinds of attention, the weightiest first.
const (
	AttentionNone     Attention = ""
	AttentionDecision Attention = "decision"
	AttentionNotice   Attention = "notice" // a notification of the agent, or the bell
	AttentionDone     Attention = "done"
)

// Size is a screen size in cells.
type Size struct {
	Cols  int `json:"cols"`
	Lines int `json:"lines"`
}

// The sizes that a pane may have. The upper ones bound a frame.
const (
	MinCols, MinLines = 2, 1
	MaxCols, MaxLines = 1000, 500
)

// Valid says that a pane may have this size.
func (z Size) Valid() bool {
	return MinCols <= z.Cols && z.Cols <= MaxCols && MinLines <= z.Lines && z.Lines <= MaxLines
}

// Exit is how a pane's process ended.
type Exit struct {
	Code int `json:"code"`
	// Signal is the name of the signal that ended it, such as "SIGKILL"; "" when it exited by itself.
	Signal string `json:"signal,omitempty"`
}

// Progress is how far a program says that it is (OSC 9;4).
type Progress struct {
	// State is "normal", "error", "indeterminate" or "paused".
	State   string `json:"state"`
	Percent int    `json:"percent,omitzero"`
}

// Resume is what pane.resume would do with a pane whose process has ended.
type Resume string

// The ways to resume a pane.
const (
	ResumeSession Resume = "session" // take up the agent's conversation, by the pane's Session
	ResumeAgain   Resume = "again"   // run its program once more, an agent without its first prompt
)

// Pane is one PTY with its process.
type Pane struct {
	ID        string `json:"id"`
	Workspace string `json:"workspace"` // the workspace's id
	Tab       string `json:"tab"`
	// Agent is the adapter's name; "" for a plain program.
	Agent string `json:"agent"`
	Name  string `json:"name,omitempty"`
	State State  `json:"state"`
	// Reason is what put the pane into its state, such as "hook Stop".
	Reason    string    `json:"reason,omitempty"`
	Attention Attention `json:"attention"`
	Cwd       string    `json:"cwd"`
	Title     string    `json:"title"`
	Size      Size      `json:"size"`
	PID       int       `json:"pid"`
	Argv      []string  `json:"argv,omitempty"`
	// Exit is nil while the process lives. Its code is -1 for one that ended
	// with an earlier server, which nobody saw.
	Exit *Exit `json:"exit"`
	// Resume is what pane.resume would do; "" while the process lives.
	Resume Resume `json:"resume,omitempty"`
	// Pending counts the decisions of this pane that wait.
	Pending int `json:"pending"`
	// Session is the agent's own session id, once a hook has told it.
	Session string `json:"session,omitempty"`
	// Confined says that the kernel limits what it writes (PaneNew.Confine).
	Confined bool `json:"confined,omitzero"`
	// Progress is left out when the program tells none.
	Progress Progress  `json:"progress,omitzero"`
	Since    time.Time `json:"since"`
}

// Signal is one word that something said of a pane's state.
type Signal struct {
	At time.Time `json:"at"`
	// From is what spoke, such as "hook Stop", "title" or "process ended".
	From string `json:"from"`
	// Says is the state that it speaks for.
	Says State `json:"says"`
	// Not is why it did not count; "" when the pane took that state.
	Not string `json:"not,omitempty"`
	// Count is how often it was said in a row, when more than once.
	Count int `json:"count,omitzero"`
}

// Workspace is a directory under work. Its tabs are in the order shown.
type Workspace struct {
	ID   string `json:"id"`
	Dir  string `json:"dir"`
	Name string `json:"name"`
	Tabs []Tab  `json:"tabs"`
}

// Tab is a split tree of panes.
type Tab struct {
	ID   string `json:"id"`
	Tree *Split `json:"tree"`
}

// Split is a node of a tab's tree: a leaf that names a pane, or two nodes
// side by side ("columns") or one above the other ("rows").
type Split struct {
	Pane string `json:"pane_id,omitempty"`
	// Dir is "columns" or "rows"; "" on a leaf.
	Dir string `json:"dir,omitempty"`
	// Share is the part of the space that A takes, in percent, 5 to 95.
	Share int    `json:"share,omitzero"`
	A     *Split `json:"a,omitempty"`
	B     *Split `json:"b,omitempty"`
}

// Snapshot is the whole state at one sequence number. Events with a higher
// number lead on from it.
type Snapshot struct {
	Seq        uint64      `json:"seq"`
	Workspaces []Workspace `json:"workspaces"`
	Panes      []Pane      `json:"panes"`
	// Decisions are those that wait, in the order of their arrival.
	Decisions []Decision `json:"decisions"`
	// Trouble is what a person must know of the server's own health, such as
	// an audit that cannot be written; "" when all is well.
	Trouble string `json:"trouble,omitempty"`
	// Unconfined is why no pane can be confined here, as in Status.
	Unconfined string `json:"unconfined,omitempty"`
}
