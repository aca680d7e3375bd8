package adapters

import "signaltty/proto"

// Headless is how an agent runs one turn without a terminal. The contract has
// five obligations; Declares says how far the agent meets each.
type Headless struct {
	Declares Obligations
	// Resumes says that a turn can go on with an earlier session.
	Resumes bool
	// Unasked says that the agent asks nothing by itself in a turn: the gate
	// asks in its stead about what nothing allows.
	Unasked bool
	// Unnamed says that its hooks tell calls without their ids, so that a call
	// which its stream tells too cannot be recognised.
	Unnamed bool
	// State are the directories of the agent's own, below the person's home,
	// that it writes: a runtime that limits writing leaves them to it.
	State []string
	// Command builds the turn's command. Its error is the person's: it names
	// what the agent cannot express, such as a tool that it has no name for.
	Command func(TurnLaunch) (TurnCommand, error)
	// Converse starts reading one turn's stream.
	Converse func(TurnLaunch) Conversation
}

// Obligations say, a sentence each, how completely an agent meets the
// contract of a turn.
type Obligations struct {
	Command string // what of a TurnSpec it can express
	Stream  string // what its stream leaves out
	Gate    string // what is stopped before it happens, what is found after
	Audit   string // what the audit learns, and from where
	Session string // how sessions are captured and resumed; "" when they are not
}

// TurnLaunch is what a turn's command is made from.
type TurnLaunch struct {
	Spec     proto.TurnSpec
	PaneID   string
	FilesDir string // a 0700 directory of this turn alone, removed with it
	Self     string // this binary, absolute
	Env      []string
}

// TurnCommand is a turn made ready.
type TurnCommand struct {
	Argv []string
	Env  []string // additions, "NAME=value"
	// Stdin is written to the agent at its start. It stays open when the
	// conversation has more to say (Duplex), and is closed after it otherwise.
	Stdin  []byte
	Duplex bool
	Files  []string // what was written below FilesDir
}

// Conversation reads one turn's stream. It keeps what it has to remember from
// line to line, does no I/O, and never fails: what it does not understand it
// tells as an error envelope.
type Conversation interface {
	// Line takes one line of the agent's stdout, without its newline.
	Line(line []byte) Step
	// Answer is the line that answers an ask of an earlier step.
	Answer(ask string, v proto.Verdict) []byte
	// End is called once, when the stream is over. It tells what was left open.
	End() Step
	// Summary is what turn_complete tells, as far as the stream said it.
	Summary() Summary
}

// Step is what one line means.
type Step struct {
	Session   string // once it is known
	Envelopes []Told
	Asks      []TurnAsked
	Withdrawn []string // asks that the agent no longer waits for
	Say       [][]byte // lines for the agent's stdin
	// Done says that the turn is over: a duplex agent's stdin is closed.
	Done bool
}

// Told is an envelope before it has its number and time. Data is of the
// type's row in proto.EnvelopeKinds.
type Told struct {
	Type proto.EnvelopeType
	Data any
}

// TurnAsked is an ask on the agent's stream.
type TurnAsked struct {
	ID   string // for Answer and Withdrawn
	Ask  proto.Ask
	Call proto.Call
	// ToolUse and Session place it as a hook event's do.
	ToolUse, Session string
}

// Summary is what an agent's stream tells of a whole turn.
type Summary struct {
	Session    string
	StopReason string
	Usage      proto.TurnUsage
	Denials    []string
	// Failed is the agent's own word that the turn failed; "" otherwise.
	Failed string
	Health []string
}
