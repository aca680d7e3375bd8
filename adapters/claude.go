package adapters

import (
	"unicode/utf8"

	"signaltty/proto"
)

// Facts about Claude Code below were measured on 2.1.197.

const (
	// holdTimeout is for hooks that wait for a person: a day, and a margin
	// for the server to be the one that ends it. Claude takes seconds; more
	// than 2147483 overflows its timer and ends the hook at once.
	holdTimeout = 86400 + 300
	// shortTimeout is for hooks that only tell: they must never stall the agent.
	shortTimeout = 6
)

// claudeEvents are the hook events that a decision's life needs, and those
// that are understood when a person has installed them. WorktreeCreate is not
// among them and must never be: its output becomes the worktree's path.
var claudeEvents = []EventRow{
	ask("PermissionRequest"),
	before(ask(elicitation)),
	gate("PreToolUse", GateAsks),
	tell("PostToolUse", proto.MomentToolEnd),
	tell("PostToolUseFailure", proto.MomentToolEnd),
	tell("PostToolBatch", proto.MomentToolsEnd),
	tell("PermissionDenied", proto.MomentToolEnd),
	tell(elicitationResult, proto.MomentToolEnd),
	tell("UserPromptSubmit", proto.MomentPrompt),
	tell("Stop", proto.MomentTurnEnd),
	tell("StopFailure", proto.MomentTurnFail),
	tell("SubagentStart", proto.MomentSubagentStart),
	tell("SubagentStop", proto.MomentSubagentEnd),
	tell("SessionStart", proto.MomentSessionStart),
	tell("SessionEnd", proto.MomentSessionEnd),
	tell("Notification", proto.MomentNotice),
	known("PreCompact"),
	known("CwdChanged"),
}

func ask(name string) EventRow {
	return EventRow{
		Name: name, Moment: proto.MomentAsk, Hold: true, Fail: FailNoVerdict,
		Dialog: proto.DialogBeside, TimeoutSeconds: holdTimeout,
	}
}

// before is for a hook that the agent waits for before it opens a dialog.
func before(e EventRow) EventRow {
	e.Dialog = proto.DialogAfter
	return e
}

func tell(name string, m proto.Moment) EventRow {
	return EventRow{Name: name, Moment: m, Fail: FailNoVerdict, TimeoutSeconds: shortTimeout}
}

func known(name string) EventRow {
	return EventRow{Name: name, Moment: proto.MomentOther, Fail: FailNoVerdict}
}

// claudeHooks reads and answers hooks in Claude Code's format, for the agent
// of that name.
type claudeHooks struct{ agent string }

func init() {
	hooks := claudeHooks{"claude"}
	register(Adapter{
		Name:   "claude",
		Title:  "Claude Code",
		Binary: "claude",
		Events: claudeEvents,
		Can: Capabilities{
			Kinds:       []string{proto.KindPermission, proto.KindQuestion, proto.KindPlan},
			Always:      true,
			DenyMessage: true,
			Gate:        "every tool, in its bypass mode too; a hook that it cannot start or has to end lets the tool run",
			Told:        "commands, hosts and whole tools, as denies of its settings; paths with native_paths = true",
			Ungated:     "what its MCP servers do once they are called",
			Unconfirmed: "An interruption (Esc, a plain No) sends no event; a Yes in its own dialog is told when the tool has ended.",
			// A background subagent's hook is awaited before a dialog exists.
			// The payload does not tell it from one in the foreground.
			Dialog:         proto.DialogBeside,
			SubagentDialog: proto.DialogAfter,
		},
		TitleState: claudeTitle,
		Launch:     launchClaude,
		Install:    claudeInstall(),
		Resume:     resumeClaude,
		Keep:       keepClaude,
		Call:       claudeCall,
		Decode:     hooks.decode,
		Encode:     hooks.encode,
		Turns:      hooks.turns(claudeTurnCommand),
	})
}

// claudeTitle reads the sign that Claude Code's title begins with: a star when
// it is idle or waits, one of two braille signs, in turn, while it works.
func claudeTitle(title string) proto.State {
	switch sign, _ := utf8.DecodeRuneInString(title); sign {
	case '✳':
		return proto.StateIdle
	case '⠂', '⠐':
		return proto.StateWorking
	}
	return ""
}
