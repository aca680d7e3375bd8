package proto

import "encoding/json"

// Version is the version of the protocol. It grows when an old peer could
// misunderstand a new one; new fields and new kinds do not count.
const Version = 1

// Form tells requests from events.
type Form string

// The forms of a kind.
const (
	Request Form = "request" // {id, method, params} -> {id, result | error}
	Event   Form = "event"   // {event, seq, data}
)

// Access tells who may call a method.
type Access string

// Who may call. A peer with an agent among its ancestors is not the person.
const (
	Anyone Access = "anyone"
	Person Access = "person"
)

// Kind is one row of the table of messages.
type Kind struct {
	Name   string
	Form   Form
	Access Access
	// Params is a zero value of what travels in params (of a request) or in
	// data (of an event), Result of what travels in result; a request whose
	// Result is nil has no reply.
	Params any
	Result any
	Doc    string
}

// None is the type of parameters and results that carry nothing.
type None struct{}

// The names of the methods and events.
const (
	MethodHello          = "hello"
	MethodSubscribe      = "subscribe"
	MethodStatus         = "status"
	MethodStop           = "stop"
	MethodPaneList       = "pane.list"
	MethodPaneNew        = "pane.new"
	MethodPaneClose      = "pane.close"
	MethodPaneResume     = "pane.resume"
	MethodPaneExplain    = "pane.explain"
	MethodPaneRename     = "pane.rename"
	MethodPaneInput      = "pane.input"
	MethodPanePaste      = "pane.paste"
	MethodPaneResize     = "pane.resize"
	MethodPaneWatch      = "pane.watch"
	MethodPaneUnwatch    = "pane.unwatch"
	MethodPaneSeen       = "pane.seen"
	MethodPaneCapture    = "pane.capture"
	MethodPaneHistory    = "pane.history"
	MethodClientColors   = "client.colors"
	MethodTabArrange     = "tab.arrange"
	MethodDecisionList   = "decision.list"
	MethodDecisionGet    = "decision.get"
	MethodDecisionAnswer = "decision.answer"
	MethodDecisionPast   = "decision.past"
	MethodTurnStart      = "turn.start"
	MethodTurnCalls      = "turn.calls"
	MethodTurnEnd        = "turn.end"
	MethodTurnList       = "turn.list"
	MethodPolicyTrust    = "policy.trust"
	MethodHookEvent      = "hook.event"
	MethodHookAbort      = "hook.abort"
	MethodHookCanary     = "hook.canary"

	EventFrame             = "frame"
	EventPaneUpdated       = "pane.updated"
	EventPaneRemoved       = "pane.removed"
	EventPaneNotice        = "pane.notice"
	EventPaneCopied        = "pane.copied"
	EventWorkspaceUpdated  = "workspace.updated"
	EventWorkspaceRemoved  = "workspace.removed"
	EventDecisionAdded     = "decision.added"
	EventDecisionUpdated   = "decision.updated"
	EventDecisionEnded     = "decision.ended"
	EventDecisionConfirmed = "decision.confirmed"
	EventTurnGated         = "turn.gated"
	EventServerTrouble     = "server.trouble"
	EventServerStopping    = "server.stopping"
)

// Kinds is the table. A kind that is not here does not exist: the server
// dispatches from it, `schema` prints it, docs/protocol.md has a section and
// testdata/proto a golden line for each row.
var Kinds = []Kind{
	{MethodHello, Request, Anyone, Hello{}, Welcome{}, "The first line of every connection. A server that does not speak the client's version answers VERSION and closes."},
	{MethodSubscribe, Request, Anyone, None{}, Snapshot{}, "The whole state, then every later state event on this connection, in order. A client that does not read them is closed."},
	{MethodStatus, Request, Anyone, None{}, Status{}, "Health and counts."},
	{MethodStop, Request, Person, None{}, None{}, "Ends every decision, closes every pane and stops the server."},
	{MethodPaneList, Request, Anyone, None{}, PaneList{}, "All panes."},
	{MethodPaneNew, Request, Person, PaneNew{}, Pane{}, "Starts a program or an agent in a new pane."},
	{MethodPaneClose, Request, Person, PaneRef{}, PaneClosed{}, "Ends the process group (hangup, grace, kill) and removes the pane. Answers when it is gone."},
	{MethodPaneResume, Request, Person, PaneResume{}, Pane{}, "Starts an exited pane's program again: an agent by exactly the pane's own session. When it fails the pane keeps that session."},
	{MethodPaneExplain, Request, Anyone, PaneRef{}, PaneExplained{}, "What was said of the pane's state, by what and when, and what of it counted; the oldest first, a bounded number."},
	{MethodPaneRename, Request, Person, PaneRename{}, None{}, "Names a pane."},
	{MethodPaneInput, Request, Person, PaneInput{}, None{}, "Writes bytes to the PTY. Input that is the person's own retires, before the write, the decisions whose dialog is on the pane's screen."},
	{MethodPanePaste, Request, Person, PanePaste{}, None{}, "Pastes text, wrapped when the application asked for bracketed paste. Long pastes come in parts, the last one without more; the program gets all of it or, where it is refused, nothing."},
	{MethodPaneResize, Request, Person, PaneResize{}, None{}, "Sizes the PTY. Counts only from the client that was active last, or when no other client shows the pane."},
	{MethodPaneWatch, Request, Person, PaneWatch{}, None{}, "Sends the pane's frames on this connection, beginning with the whole screen."},
	{MethodPaneUnwatch, Request, Person, PaneRef{}, None{}, "Ends the frames of a pane on this connection."},
	{MethodPaneSeen, Request, Person, PaneRef{}, None{}, "The person looks at the pane: clears its attention, and done becomes idle."},
	{MethodPaneCapture, Request, Anyone, PaneCapture{}, PaneCaptured{}, "The screen, or the scrollback in parts, as text or with attributes."},
	{MethodPaneHistory, Request, Anyone, PaneHistory{}, PaneHistoryPart{}, "Rows of the scrollback, by numbers that stay while output goes on, with the places of prompts and of the last decision."},
	{MethodClientColors, Request, Person, ClientColors{}, None{}, "The colours of the client's own terminal. Programs that ask for colours get those of the client that was active last."},
	{MethodTabArrange, Request, Person, TabArrange{}, None{}, "Replaces the split tree of a tab by one with the same panes."},
	{MethodDecisionList, Request, Anyone, None{}, DecisionList{}, "The decisions that wait, in the order of their arrival."},
	{MethodDecisionGet, Request, Anyone, DecisionRef{}, Decision{}, "One decision that waits, whole: in a long list those that come late are brief."},
	{MethodDecisionAnswer, Request, Person, DecisionAnswer{}, DecisionAnswered{}, "Answers a decision. The first valid answer counts; the result comes after the audit row is written and the verdict is sent."},
	{MethodPolicyTrust, Request, Person, PolicyTrust{}, None{}, "Trusts the policy file of a workspace, by the hash of the text that the person has read. Exactly that text holds until another is trusted, whatever becomes of the file."},
	{MethodTurnStart, Request, Anyone, None{}, None{}, "A headless turn begins. Only the driver of the turn, the program that its pane was started with, may say so."},
	{MethodTurnCalls, Request, Anyone, TurnCalls{}, None{}, "Calls that a headless turn's stream has told, for the audit, where one that a hook told as well is one row. Only its driver may say so."},
	{MethodTurnEnd, Request, Anyone, TurnEnd{}, None{}, "A headless turn has ended, and how. Only its driver may say so."},
	{MethodTurnList, Request, Anyone, TurnQuery{}, TurnList{}, "The records of headless turns, the newest first, a bounded number."},
	{MethodDecisionPast, Request, Person, DecisionPast{}, PastDecisions{}, "What was decided in a pane, from the audit, the latest first: what was asked, who answered or which rule, how it ended. Refusals of the gate are among it."},
	{MethodHookEvent, Request, Anyone, HookEvent{}, Verdict{}, "An agent's hook event. With wait on an ask, or on a gate's call that a rule wants asked, the connection is held until the verdict; any further line, or its end, closes the hold."},
	{MethodHookAbort, Request, Anyone, None{}, nil, "The last line of a hook that its agent ends, which it does when the person dismisses the agent's own dialog. It closes the hold like any further line, and tells why. It has no reply."},
	{MethodHookCanary, Request, Person, None{}, Canary{}, "A token for one try of a hook. The hook event that carries it is answered at once with a denial that names it; it raises no decision and changes nothing."},

	{EventFrame, Event, "", Frame{}, nil, "What changed on a watched pane's screen."},
	{EventPaneUpdated, Event, "", Pane{}, nil, "A pane as it is now; also the first word of a new one."},
	{EventPaneRemoved, Event, "", PaneRef{}, nil, "A pane is gone."},
	{EventPaneNotice, Event, "", PaneNotice{}, nil, "A pane rang the bell, or its application sent a notification."},
	{EventPaneCopied, Event, "", PaneCopied{}, nil, "The application of a pane wrote the clipboard (OSC 52). It goes to the client that was active last, when that watches the pane."},
	{EventWorkspaceUpdated, Event, "", Workspace{}, nil, "A workspace and its tabs as they are now."},
	{EventWorkspaceRemoved, Event, "", WorkspaceRef{}, nil, "A workspace has no panes left."},
	{EventDecisionAdded, Event, "", Decision{}, nil, "A decision waits."},
	{EventDecisionUpdated, Event, "", Decision{}, nil, "A waiting decision changed its phase."},
	{EventDecisionEnded, Event, "", DecisionEnded{}, nil, "A decision ended, in exactly one way."},
	{EventDecisionConfirmed, Event, "", DecisionConfirmed{}, nil, "The agent went on after an answer: what was sent has arrived."},
	{EventTurnGated, Event, "", TurnGated{}, nil, "What became of a call of a headless turn that its hooks brought: the gate denied it, or a person or a rule answered it. Not every agent tells that on its own stream."},
	{EventServerTrouble, Event, "", Trouble{}, nil, "What is wrong with the server itself; an empty message says that it is well again."},
	{EventServerStopping, Event, "", None{}, nil, "The server stops."},
}

// Lookup finds a kind by its name.
func Lookup(name string) (Kind, bool) {
	for _, k := range Kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Hello is the first line of a connection. Version stands first, so that a
// peer of any age can read it.
type Hello struct {
	Version int `json:"version"`
	// Client is what connects: "attach", "hook", "raw" or a verb's name.
	Client string `json:"client"`
	// Build is the client's own version.
	Build string `json:"build,omitempty"`
}

// Welcome answers Hello.
type Welcome struct {
	Version int    `json:"version"`
	Build   string `json:"build"`
	PID     int    `json:"pid"`
	// ClientID names this connection in the audit.
	ClientID string `json:"client_id"`
	// Person is false when the peer has an agent among its ancestors; it may
	// read and deliver hook events only.
	Person bool `json:"person"`
	// Inside is the pane of this server that the peer runs in; "" when it runs
	// in none.
	Inside string `json:"inside,omitempty"`
}

// Status is the server's health.
type Status struct {
	Version   string  `json:"version"`
	PID       int     `json:"pid"`
	Socket    string  `json:"socket"`
	Database  string  `json:"database"`
	Uptime    float64 `json:"uptime_seconds"`
	Panes     int     `json:"panes"`
	Clients   int     `json:"clients"`
	Decisions int     `json:"decisions"`
	// Holds counts open hook connections, Unbound those whose session is bound to no pane.
	Holds   int    `json:"holds"`
	Unbound int    `json:"unbound"`
	Trouble string `json:"trouble,omitempty"`
	// Unconfined is why the kernel of this machine cannot limit what a pane
	// writes; "" when it can.
	Unconfined string `json:"unconfined,omitempty"`
	// Audit is how the record is.
	Audit AuditStatus `json:"audit"`
}

// PaneRef names a pane.
type PaneRef struct {
	Pane string `json:"pane_id"`
}

// WorkspaceRef names a workspace.
type WorkspaceRef struct {
	Workspace string `json:"workspace"`
}

// PaneList is the result of pane.list.
type PaneList struct {
	Seq   uint64 `json:"seq"`
	Panes []Pane `json:"panes"`
}

// PaneNew asks for a pane.
type PaneNew struct {
	// Agent is an adapter's name; "" runs Argv, or the person's shell.
	Agent string `json:"agent,omitempty"`
	// Argv is the program, or with Agent the arguments after the agent's own.
	Argv []string `json:"argv,omitempty"`
	// Command is the program that starts the Agent, in place of the agent's
	// own: a wrapper that takes the same arguments. "" is the agent's own.
	Command string `json:"command,omitempty"`
	Cwd     string `json:"cwd,omitempty"`
	Name    string `json:"name,omitempty"`
	Size    Size   `json:"size,omitzero"`
	// Env is the caller's environment, "NAME=value"; the server scrubs it.
	Env []string `json:"env,omitempty"`
	// Turn makes the pane that of one headless turn; Agent and Argv are then left out.
	Turn *TurnSpec `json:"turn,omitempty"`
	// Beside puts the pane next to that one, in its tab: Dir is "columns" or "rows".
	Beside string `json:"beside,omitempty"`
	Dir    string `json:"dir,omitempty"`
	// Decide has decisions made here of an Agent that gives them in a mode of
	// its own only: the person takes on what the adapter's table says of it.
	Decide bool `json:"decide,omitzero"`
	// Confine has the kernel refuse the program, and all that it starts, each
	// write outside of what the policy's rules allow to be edited, or of the
	// workspace where they allow nothing, and of Allow: further paths and globs.
	Confine bool     `json:"confine,omitzero"`
	Allow   []string `json:"allow,omitempty"`
	// Ports are the TCP ports that a confined program may connect and listen
	// to; none limits none.
	Ports []uint16 `json:"ports,omitempty"`
}

// PaneClosed tells how a closed pane's process ended.
type PaneClosed struct {
	Exit Exit `json:"exit"`
}

// PaneResume starts an exited pane's program again.
type PaneResume struct {
	Pane string `json:"pane_id"`
	// Env is the caller's environment, as in PaneNew.
	Env []string `json:"env,omitempty"`
}

// PaneExplained tells how a pane came to its state.
type PaneExplained struct {
	Pane    Pane     `json:"pane"`
	Signals []Signal `json:"signals"`
}

// Canary is a token for one try of a hook.
type Canary struct {
	Token string `json:"token"`
}

// PaneRename names a pane.
type PaneRename struct {
	Pane string `json:"pane_id"`
	Name string `json:"name"`
}

// PaneInput is bytes for a PTY.
type PaneInput struct {
	Pane string `json:"pane_id"`
	Data []byte `json:"data"`
	// Passive marks what is not the person's own turn to the pane: key
	// releases, bare modifiers, motion, wheel, focus reports.
	Passive bool `json:"passive,omitzero"`
}

// PanePaste is a part of a paste.
type PanePaste struct {
	Pane string `json:"pane_id"`
	Text string `json:"text"`
	More bool   `json:"more,omitzero"`
}

// PaneResize sizes a pane.
type PaneResize struct {
	Pane string `json:"pane_id"`
	Size Size   `json:"size"`
}

// PaneWatch asks for a pane's frames.
type PaneWatch struct {
	Pane string `json:"pane_id"`
}

// PaneCapture asks for a pane's text.
type PaneCapture struct {
	Pane string `json:"pane_id"`
	// ANSI keeps the attributes as escape sequences.
	ANSI bool `json:"ansi,omitzero"`
	// Scrollback asks for what scrolled off before the screen, oldest first, from line Start.
	Scrollback bool `json:"scrollback,omitzero"`
	Start      int  `json:"start,omitzero"`
}

// PaneCaptured is a pane's text.
type PaneCaptured struct {
	Lines  []string `json:"lines"`
	Cursor Cursor   `json:"cursor"`
	// Next is where the following part starts; 0 when this is the last one.
	Next int `json:"next,omitzero"`
}

// PaneHistory asks for rows of a pane's scrollback. Rows have numbers: those
// that ever scrolled off, from 0 on, and after them the rows of the screen,
// whose top has the number Frame.Scrolled. A change of the pane's width gives
// rows other numbers.
type PaneHistory struct {
	Pane string `json:"pane_id"`
	// Before is the number of the row after the last one wanted; 0 means all
	// that scrolled off.
	Before uint64 `json:"before,omitzero"`
	// Count is how many rows are wanted at most; 0 means as many as fit.
	Count int `json:"count,omitzero"`
	// Places asks for Prompts and Asked too.
	Places bool `json:"places,omitzero"`
}

// PaneHistoryPart is rows that follow each other, the oldest first.
type PaneHistoryPart struct {
	First uint64       `json:"first"`
	Rows  []HistoryRow `json:"rows"`
	// More says that there are rows before First.
	More bool `json:"more,omitzero"`
	// Cols is the width that the rows have their numbers for.
	Cols int `json:"cols"`
	// Prompts is the numbers of the rows in which a shell began a prompt
	// (OSC 133), the oldest first.
	Prompts []uint64 `json:"prompts,omitempty"`
	// Asked is the number of the cursor's row when the pane's last decision
	// arrived, if one did.
	Asked *uint64 `json:"asked,omitempty"`
}

// HistoryRow is one row of the scrollback.
type HistoryRow struct {
	// Text has the attributes as escape sequences, and no trailing blanks.
	Text string `json:"text"`
	// Wrapped says that the line goes on in the next row.
	Wrapped bool `json:"wrapped,omitzero"`
}

// ClientColors is the colours of a client's terminal, as "#rrggbb"; "" is one
// that it does not tell.
type ClientColors struct {
	Fg     string `json:"fg,omitempty"`
	Bg     string `json:"bg,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	// Palette is the first colours of the palette, at most 256.
	Palette []string `json:"palette,omitempty"`
}

// PaneCopied is text for the clipboard.
type PaneCopied struct {
	Pane string `json:"pane_id"`
	Text string `json:"text"`
}

// TabArrange replaces a tab's tree.
type TabArrange struct {
	Tab  string `json:"tab"`
	Tree *Split `json:"tree"`
}

// PaneNotice is a bell or a notification of a pane.
type PaneNotice struct {
	Pane  string `json:"pane_id"`
	Bell  bool   `json:"bell,omitzero"`
	Title string `json:"title,omitempty"`
	Body  string `json:"body,omitempty"`
}

// DecisionList is the result of decision.list.
type DecisionList struct {
	Seq       uint64     `json:"seq"`
	Decisions []Decision `json:"decisions"`
}

// DecisionRef names a decision.
type DecisionRef struct {
	Decision string `json:"decision_id"`
}

// PolicyTrust trusts the policy file of a workspace.
type PolicyTrust struct {
	// Dir is the workspace's directory, whose .signaltty/policy.toml it is.
	Dir string `json:"dir"`
	// SHA256 is the hash of the file's text, in hex, as the person has read it.
	SHA256 string `json:"sha256,omitempty"`
	// Forget ends the trust: no policy of the workspace holds.
	Forget bool `json:"forget,omitzero"`
}

// DecisionAnswer answers a decision.
type DecisionAnswer struct {
	// Pane may be empty; when given it must be the decision's own.
	Pane     string `json:"pane_id,omitempty"`
	Decision string `json:"decision_id"`
	Option   string `json:"option_id"`
	Message  string `json:"message,omitempty"`
	// Answers answer a question: for each of its questions, in order, the
	// labels taken or the text typed.
	Answers [][]string `json:"answers,omitempty"`
	// Amended replaces the decision's Amendable field.
	Amended string `json:"amended,omitempty"`
	// Interrupt ends the agent's turn; it goes with deny.
	Interrupt bool `json:"interrupt,omitzero"`
	// Key is of the client's choice, new for each answer, at most 64 bytes. By
	// it the same answer is recognised when it comes again on another
	// connection: a client that lost its connection asks so how it ended.
	Key string `json:"key,omitempty"`
}

// DecisionAnswered tells that this answer is the one that counted.
type DecisionAnswered struct {
	Decision string `json:"decision_id"`
	Option   string `json:"option_id"`
	// Repeat is true when this very answer had counted before: it came again
	// on the same connection, or with the same key.
	Repeat bool `json:"repeat,omitzero"`
}

// DecisionEnded is the one ending of a decision.
type DecisionEnded struct {
	Decision string `json:"decision_id"`
	Pane     string `json:"pane_id"`
	End      End    `json:"end"`
	// Option is set when a person's answer ended it.
	Option string `json:"option_id,omitempty"`
	// Cause names what ended it: the hook event, the client, the process.
	Cause string `json:"cause,omitempty"`
}

// DecisionConfirmed follows the end of an answered decision when the agent
// itself shows that it took the verdict.
type DecisionConfirmed struct {
	Decision string `json:"decision_id"`
	Pane     string `json:"pane_id"`
	// Cause is the hook event that showed it.
	Cause string `json:"cause,omitempty"`
}

// Trouble is the server's own trouble.
type Trouble struct {
	Message string `json:"message"`
}

// message is any line of the wire.
type message struct {
	ID     uint64          `json:"id,omitzero"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
	Event  string          `json:"event,omitempty"`
	Seq    uint64          `json:"seq,omitzero"`
	Data   json.RawMessage `json:"data,omitempty"`
}
