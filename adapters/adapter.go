// Package adapters holds what signaltty knows about each coding agent: one
// file per agent, registered by value.
//
// It owns the translation between an agent's own JSON and the vocabulary of
// proto, how an agent is launched so that its hooks reach signaltty, and the
// table of what each agent can and cannot do. Nothing outside this package
// understands an agent's JSON.
//
// It promises that Decode takes unknown fields and refuses wrong types by
// name, that no input makes it panic or run for long, and that a verdict which
// an agent would misunderstand is never encoded.
//
// It may import proto and the standard library only, and it does no work at
// start: a hook is a process that lives for milliseconds.
package adapters

import (
	"encoding/json"
	"time"

	"signaltty/proto"
)

//go:generate go test . -run TestDocs -update

// Fail is what an event's hook does when it cannot get a verdict.
type Fail string

// The fail directions.
const (
	// FailNoVerdict leaves the decision to the agent's own dialog.
	FailNoVerdict Fail = "no verdict"
	// FailDeny stops the tool: for gates, which agents let pass on an error.
	FailDeny Fail = "deny"
)

// Adapter is one agent.
type Adapter struct {
	Name  string // in commands and on the wire, such as "claude"
	Title string // for people, such as "Claude Code"
	// Binary is the program looked up on the pane's PATH; "" means that the
	// agent is built into signaltty and always there.
	Binary string
	Can    Capabilities
	Events []EventRow

	// TitleState reads the agent's state from its title: working, blocked,
	// idle (which may also be waiting), or "". Nil when its titles tell nothing.
	TitleState func(title string) proto.State
	// TitleAtStart says that the agent sets a title as soon as it is ready:
	// one that has drawn a screen and set none asks something before it starts.
	TitleAtStart bool

	// Interrupts are the keys by which a person ends a turn while a hook holds
	// and the agent tells nothing of it, as a terminal sends them.
	Interrupts []string

	// Launch prepares the command of a new pane. The error is the person's:
	// it names the argument or file that is wrong.
	Launch func(Launch) (Command, error)
	// Install is how the person's own settings take our hooks. Nil when they
	// cannot.
	Install *Install
	// Resume is the arguments that take up a conversation by its id. Nil when
	// the agent cannot.
	Resume func(session string) []string
	// Keep is what still holds of the person's arguments when a conversation is
	// taken up: flags, but never a prompt, which would be sent again. Nil keeps
	// none.
	Keep func(args []string) []string
	// Decode translates one payload. Agent, Event and Moment are set in what
	// it returns; Pane and Wait are the hook's to set. The error is a
	// *proto.Error that names the field, or says that the event is unknown.
	Decode func(event string, payload []byte) (proto.HookEvent, error)
	// Call tells what a call of one of the agent's tools would touch. Decode
	// uses it for asks and the events of a gate. Nil when the agent has no gate.
	Call func(tool string, input json.RawMessage) *proto.Call
	// Encode translates a verdict on the payload that was decoded into what
	// the hook's process does.
	Encode func(event string, payload []byte, v proto.Verdict) Output

	// Turns is how the agent runs without a terminal; nil when it cannot.
	Turns *Headless
}

// EventRow is one hook event of an agent.
type EventRow struct {
	Name string
	// Decide names the row by which the event is read where the person chose
	// decisions (Launch.Decide), and Of, in that row, is the agent's own name
	// of the event. Such a row is never installed by itself.
	Decide string
	Of     string
	Moment proto.Moment
	// Hold says that the hook waits for a person's verdict.
	Hold bool
	Fail Fail
	// Dialog is where the agent's own dialog stands during a hold of the main agent.
	Dialog proto.Dialog
	// TimeoutSeconds is the time-out installed in the agent; 0 means that the
	// event is understood but not installed.
	TimeoutSeconds int
	// Gate says that the hook stops a tool before it runs, and what becomes of
	// a rule that says ask; "" is no gate.
	Gate Gate
	// Closed are the canonical tools, separated by commas, whose calls the gate
	// denies when it gets no verdict; "" lets them all go on.
	Closed string
}

// reserve is how much sooner a hook ends by itself than the agent would end
// it. A hook that an agent kills says nothing, and a gate that says nothing is open.
const reserve = time.Minute

// Deadline is how long the event's hook may take: always shorter than the
// time-out installed in the agent.
func (e EventRow) Deadline() time.Duration {
	installed := time.Duration(e.TimeoutSeconds) * time.Second
	if installed == 0 {
		installed = shortTimeout * time.Second
	}
	return installed - min(installed/2, reserve)
}

// InstalledSeconds is the time-out that the agent must be given for an event,
// in whichever way it is read.
func (a Adapter) InstalledSeconds(e EventRow) int {
	decide, _ := a.Event(e.Decide)
	return max(e.TimeoutSeconds, decide.TimeoutSeconds)
}

// Event finds the row of an event.
func (a Adapter) Event(name string) (EventRow, bool) {
	for _, e := range a.Events {
		if e.Name == name {
			return e, true
		}
	}
	return EventRow{}, false
}

// HookArgs is the command line of an event's hook, after the binary.
func (a Adapter) HookArgs(e EventRow) []string {
	args := []string{"hook-event", "--agent", a.Name, "--event", e.Name, "--payload-stdin"}
	if e.Hold {
		args = append(args, "--wait-for-answer")
	}
	if e.Closed != "" {
		args = append(args, "--gate", e.Closed)
	}
	return args
}

// Launch is what a new pane of an agent is made from.
type Launch struct {
	Argv     []string // the person's arguments after the agent's own name
	Dir      string   // the working directory, absolute
	PaneID   string
	FilesDir string   // a 0700 directory of this pane alone, removed with it
	Self     string   // this binary, absolute
	Env      []string // the pane's environment, "NAME=value"
	// Policy is what a policy says that an agent can be told in its own terms.
	Policy Policy
	// Decide says that the person wants decisions of an agent that gives them
	// in a mode of its own only (Capabilities.Decide).
	Decide bool
}

// Command is a launch made ready.
type Command struct {
	Argv []string // Argv[0] is the adapter's Binary, or Self for a built-in agent
	Env  []string // additions, "NAME=value"
	// Shown is the command line that people are shown, where Argv carries much
	// that they did not write; nil when it is Argv.
	Shown []string
	Files []string // what was written below FilesDir
}

// Output is what a hook's process says with a verdict.
type Output struct {
	Stdout []byte // the agent's JSON, or nothing
	Stderr string // a line for the agent, without its newline, or nothing
	Exit   int
}

// Capabilities is what can be done with an agent: the table in
// docs/adapters.md is made from it.
type Capabilities struct {
	// Kinds are the decisions that are answered here, Shown those that are
	// only shown, to be answered in the pane.
	Kinds []string
	Shown []string
	// Always says that a standing permission can be given with an answer.
	Always bool
	// DenyMessage says that a denial's text reaches the model.
	DenyMessage bool
	// Gate tells how completely a tool can be stopped before it runs; "" is not at all.
	Gate string
	// Told is what of a policy's denies the agent is also told in its own
	// terms, so that it holds when the gate's hook does not run; "" is nothing.
	Told string
	// Ungated is what the gate of this agent does not see.
	Ungated string
	// Decide tells what a person takes on who has decisions made here that the
	// agent gives in a mode of its own only; "" when it needs no such mode.
	Decide string
	// Unconfirmed tells what the agent does without telling, so that a state may lag.
	Unconfirmed string
	// Dialog and SubagentDialog are where the agent's own dialog stands
	// while an ask of the main agent, or of a subagent, is held.
	Dialog         proto.Dialog
	SubagentDialog proto.Dialog
}
