package adapters

import (
	"strings"
	"unicode/utf8"

	"signaltty/proto"
)

// Facts about Codex below were measured on 0.171.0.

// codexClamp is the longest time-out, in seconds, that Codex gives a hook
// that runs while it ends something.
const codexClamp = 3

// codexEvents are all hook events of Codex. It has none for notifications.
// Codex lets a tool run whose gate fails, so whoever gates PreToolUse must deny.
var codexEvents = []EventRow{
	codexAsk("PermissionRequest"),
	gate("PreToolUse", GateHolds),
	tell("PostToolUse", proto.MomentToolEnd),
	tell("UserPromptSubmit", proto.MomentPrompt),
	tell("Stop", proto.MomentTurnEnd),
	codexLast("Interrupt", proto.MomentInterrupt),
	tell("SubagentStart", proto.MomentSubagentStart),
	tell("SubagentStop", proto.MomentSubagentEnd),
	tell("SessionStart", proto.MomentSessionStart),
	codexLast("SessionEnd", proto.MomentSessionEnd),
	known("PreCompact"),
	known("PostCompact"),
}

// codexAsk is a hold during which Codex shows "Running hook" and no dialog.
// Its dialog appears when the hook says nothing.
func codexAsk(name string) EventRow {
	row := ask(name)
	row.Dialog = proto.DialogAfter
	return row
}

func codexLast(name string, m proto.Moment) EventRow {
	row := tell(name, m)
	row.TimeoutSeconds = codexClamp
	return row
}

func init() {
	register(Adapter{
		Name:       "codex",
		Title:      "Codex",
		Binary:     "codex",
		Events:     codexEvents,
		TitleState: codexTitle,
		// Its first screens (a new model, hooks to review) set no title.
		TitleAtStart: true,
		Can: Capabilities{
			Kinds:       []string{proto.KindPermission},
			DenyMessage: true,
			Gate:        "commands, patches and MCP tools; a hook that it cannot start or has to end lets the tool run",
			Told:        "that nothing is fetched, where a rule denies that tool altogether",
			Ungated:     "its own web search, which runs where the model does; what its MCP servers do once they are called",
			Unconfirmed: "A question of its plan mode is answered in the pane; a denied call is told by the next call or the end of the turn.",
			// Subagents ask by the same hook.
			Dialog:         proto.DialogAfter,
			SubagentDialog: proto.DialogAfter,
		},
		Launch: launchCodex,
		Resume: func(session string) []string { return []string{"resume", session} },
		Keep:   keepCodex,
		Call:   codexCall,
		Decode: decodeCodex,
		Encode: encodeCodex,
		Turns:  codexTurns(),
	})
}

// codexTitle reads Codex's title: a braille spinner before the text while it
// works, "[ ! ] Action Required" (blinking to "[ . ]") while its own dialog is
// open, and the text alone while it waits for a prompt.
func codexTitle(title string) proto.State {
	sign, _ := utf8.DecodeRuneInString(title)
	switch {
	case title == "":
		return ""
	case '\u2800' <= sign && sign <= '\u28ff':
		return proto.StateWorking
	case strings.HasPrefix(title, "[ ! ] ") || strings.HasPrefix(title, "[ . ] "):
		return proto.StateBlocked
	}
	return proto.StateIdle
}

// keepCodex keeps what `codex resume` takes for any session (its --help).
func keepCodex(args []string) []string {
	return keepFlags(args,
		[]string{"--oss", "--strict-config", "--approve-for-me", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "--search", "--no-alt-screen", "--no-daemon"},
		[]string{"--config", "-c", "--enable", "--disable", "--local-provider", "--model", "-m", "--profile", "-p", "--sandbox", "-s", "--cd", "-C", "--add-dir", "--ask-for-approval", "-a"}, nil)
}
