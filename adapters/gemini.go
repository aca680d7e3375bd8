package adapters

import (
	"encoding/json"
	"strings"

	"signaltty/proto"
)

// Facts about Gemini CLI below were measured on 0.61.0.

// geminiDecide is the reading of BeforeTool in which a person decides.
const geminiDecide = "BeforeToolDecide"

// geminiEvents are the hook events of Gemini CLI that tell something of a
// turn. A slow Notification would delay its dialog. It lets a tool run whose
// hook fails, so the hold of one denies.
var geminiEvents = []EventRow{
	geminiGate("BeforeTool"),
	{
		Name: geminiDecide, Of: "BeforeTool", Moment: proto.MomentAsk, Hold: true, Fail: FailDeny,
		Dialog: proto.DialogAfter, TimeoutSeconds: holdTimeout,
	},
	tell("AfterTool", proto.MomentToolEnd),
	tell("BeforeAgent", proto.MomentPrompt),
	tell("AfterAgent", proto.MomentTurnEnd),
	tell("SessionStart", proto.MomentSessionStart),
	tell("SessionEnd", proto.MomentSessionEnd),
	tell("Notification", proto.MomentNotice),
	known("PreCompress"),
}

// geminiGate holds for a rule that says ask: without a terminal Gemini CLI
// would hang over an ask of its own.
func geminiGate(name string) EventRow {
	row := gate(name, GateHolds)
	row.Decide = geminiDecide
	return row
}

func init() {
	register(Adapter{
		Name:         "gemini",
		Title:        "Gemini CLI",
		Binary:       "gemini",
		Events:       geminiEvents,
		TitleState:   geminiTitle,
		TitleAtStart: true,
		// Esc and ctrl+c, also in the kitty keyboard protocol that it asks for.
		Interrupts: []string{"\x1b", "\x03", "\x1b[27u", "\x1b[27;1u", "\x1b[99;5u"},
		Can: Capabilities{
			Kinds:       []string{proto.KindPermission},
			Shown:       []string{},
			DenyMessage: true,
			Gate:        "every tool; a hook that it cannot start or has to end lets the tool run",
			Told:        "commands and whole tools, as an admin policy of the run; not paths, nor hosts",
			Ungated:     "which files a glob or a search reads; the addresses in the text of web_fetch, which is asked about; what its MCP servers do once they are called",
			Decide: "signaltty starts Gemini CLI in its yolo mode, where nothing but our hook asks: should that hook be killed, " +
				"the tool runs. Where the server is gone the hook denies. Who is not root runs `signaltty integration install gemini` first: " +
				"hooks of one pane are taken from root alone.",
			Unconfirmed: "An interruption (Esc) sends no event, and does not end a hold: it is known by the key alone, when that comes through signaltty.",
			// The dialog of a handed back ask opens in yolo mode too.
			Dialog:         proto.DialogAfter,
			SubagentDialog: proto.DialogAfter,
		},
		Install: geminiInstall(),
		Launch:  launchGemini,
		Resume:  func(session string) []string { return []string{"--resume", session} },
		Keep:    keepGemini,
		Decode:  decodeGemini,
		Encode:  encodeGemini,
		Turns:   geminiTurns(),
		Call:    func(tool string, input json.RawMessage) *proto.Call { return boundCall(geminiCall(tool, input)) },
	})
}

// geminiTitle reads Gemini CLI's title, which starts with a sign for each of
// its states.
func geminiTitle(title string) proto.State {
	switch {
	case strings.HasPrefix(title, "◇"):
		return proto.StateIdle
	case strings.HasPrefix(title, "✦"):
		return proto.StateWorking
	case strings.HasPrefix(title, "✋"):
		return proto.StateBlocked
	}
	return ""
}

// keepGemini keeps what holds for any session (its --help).
func keepGemini(args []string) []string {
	return keepFlags(args,
		[]string{"--debug", "-d", "--skip-trust", "--sandbox", "-s", "--yolo", "-y", "--screen-reader"},
		[]string{"--model", "-m", "--approval-mode"},
		[]string{"--policy", "--admin-policy", "--allowed-mcp-server-names", "--allowed-tools", "--extensions", "-e", "--include-directories"})
}
