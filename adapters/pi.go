package adapters

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"signaltty/proto"
)

// Facts about pi below were measured on 0.73.1. It asks nothing by itself; its
// extensions see every call before it runs and can block it.

func init() {
	register(Adapter{
		Name:   "pi",
		Title:  "Pi",
		Binary: "pi",
		Events: []EventRow{
			gate("tool_call", GateHolds),
			tell("tool_result", proto.MomentToolEnd),
			tell("session_start", proto.MomentSessionStart),
			tell("agent_start", proto.MomentPrompt),
			tell("agent_end", proto.MomentTurnEnd),
		},
		Can: Capabilities{
			Kinds:       []string{proto.KindPermission},
			DenyMessage: true,
			Gate:        "every tool of the model; it fails closed. An extension that runs after ours can still change the arguments",
			Unconfirmed: "It asks nothing by itself: it is asked about what a rule says, and in a headless turn about what is not the turn's.",
			Dialog:      proto.DialogNone, SubagentDialog: proto.DialogNone,
		},
		Launch: launchPi,
		Resume: func(session string) []string { return []string{"--session", session} },
		Keep:   keepPi,
		Call:   piCall,
		Decode: decodePi,
		Encode: encodePi,
		Turns: &Headless{
			Resumes: true,
			Declares: Obligations{
				Command: "Model, tools, resume; the prompt goes by stdin.",
				Stream:  "Texts, calls, results, usage and cost. That a call was denied is told by the gate.",
				Gate:    "Every call is judged before it runs.",
				Audit:   "From its extension's hooks and the stream.",
				Session: "The stream tells the id; --session goes on with it.",
			},
			Unasked:  true,
			State:    []string{".pi/agent/sessions"},
			Command:  piTurnCommand,
			Converse: func(TurnLaunch) Conversation { return &piTurn{calls: map[string]json.RawMessage{}} },
		},
	})
}

// piExtension tells hooks what happens and blocks what the gate denies. %s is
// a table of the hooks' command lines by event.
const piExtension = `// signaltty's own, for one run.
import { spawn } from "node:child_process"

const hooks = %s

function tell(name, payload) {
  return new Promise((done) => {
    const [command, ...args] = hooks[name]
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] })
    let said = ""
    child.on("error", (e) => done({ failed: e.message }))
    child.on("close", (code) => done({ said, failed: code === 0 ? "" : "its hook ended with " + code }))
    child.stdout.on("data", (text) => (said += text))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload) + "\n")
  })
}

export default function (pi) {
  const payload = (event, ctx) => ({
    event: event.type, session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, tool_call_id: event.toolCallId, tool_name: event.toolName, tool_input: event.input,
  })
  for (const name of Object.keys(hooks)) {
    if (name === "tool_call") continue
    pi.on(name, async (event, ctx) => void (await tell(name, payload(event, ctx))))
  }
  pi.on("tool_call", async (event, ctx) => {
    const { said, failed } = await tell("tool_call", payload(event, ctx))
    try {
      if (!failed) return said ? JSON.parse(said) : undefined
    } catch {}
    if (hooks.tool_call.includes("--gate")) return { block: true, reason: "signaltty denies this: " + (failed || "its hook said " + said) }
  })
}
`

// piFlags load the extension, which is written into dir.
func piFlags(dir, self string, p Policy) (flags []string, file string, err error) {
	a, _ := Lookup("pi")
	hooks := map[string][]string{}
	for _, e := range a.installed(p) {
		hooks[e.Name] = append([]string{self}, a.HookArgs(e)...)
	}
	table, err := encodePlain(hooks)
	if err != nil {
		return nil, "", err
	}
	file = filepath.Join(dir, "signaltty.mjs")
	if err := os.WriteFile(file, fmt.Appendf(nil, piExtension, table), 0o600); err != nil {
		return nil, "", fmt.Errorf("writing the extension for Pi: %w", err)
	}
	return []string{"--extension", file}, file, nil
}

func launchPi(l Launch) (Command, error) {
	a, _ := Lookup("pi")
	flags, file, err := piFlags(l.FilesDir, l.Self, l.Policy)
	if err != nil {
		return Command{}, err
	}
	return Command{Argv: append(append([]string{a.Binary}, flags...), l.Argv...), Shown: append([]string{a.Binary}, l.Argv...), Files: []string{file}}, nil
}

// keepPi keeps what holds for any session (its --help).
func keepPi(args []string) []string {
	return keepFlags(args,
		[]string{"--no-tools", "-nt", "--no-builtin-tools", "-nbt", "--no-extensions", "-ne", "--no-skills", "-ns", "--no-prompt-templates", "-np", "--no-themes", "--no-context-files", "-nc", "--verbose", "--offline"},
		[]string{"--provider", "--model", "--system-prompt", "--append-system-prompt", "--session-dir", "--models", "--tools", "-t", "--thinking", "--extension", "-e", "--skill", "--prompt-template", "--theme"}, nil)
}

// piPayload is what our extension writes to a hook's stdin.
type piPayload struct {
	Event   string          `json:"event"`
	Session string          `json:"session_id"`
	Cwd     string          `json:"cwd"`
	ToolUse string          `json:"tool_call_id"`
	Tool    string          `json:"tool_name"`
	Input   json.RawMessage `json:"tool_input"`
}

func decodePi(event string, payload []byte) (proto.HookEvent, error) {
	a, _ := Lookup("pi")
	row, ok := a.Event(event)
	if !ok {
		return proto.HookEvent{}, proto.Errorf(proto.CodeBadRequest, "pi has no event %q", event)
	}
	var p piPayload
	if err := (proto.Message{Event: event, Body: payload}).Decode(&p); err != nil {
		return proto.HookEvent{}, err
	}
	if p.Session == "" {
		return proto.HookEvent{}, proto.Errorf(proto.CodeBadRequest, "%s: field %q is missing", event, "session_id")
	}
	e := proto.HookEvent{
		Agent: "pi", Event: event, Moment: row.Moment, Session: p.Session, Cwd: p.Cwd, Tool: p.Tool, ToolUse: p.ToolUse, InputKey: inputKey(p.Input),
	}
	if row.Gate != "" {
		e.Call, e.Gate = boundCall(piCall(p.Tool, p.Input)), true
	}
	return e, nil
}

func encodePi(event string, _ []byte, v proto.Verdict) Output {
	if event != "tool_call" || v.Behavior != proto.Deny && v.Behavior != proto.AskFirst {
		return Output{}
	}
	line, err := encodePlain(map[string]any{"block": true, "reason": first(v.Message, DefaultDenial)})
	if err != nil {
		return Output{Stderr: "signaltty denies this: encoding the verdict: " + err.Error(), Exit: 2}
	}
	return Output{Stdout: line}
}

// piTools are Pi's own tools, those of one canonical tool together.
var piTools = map[string][]string{
	proto.ToolRead: {"read", "grep", "find", "ls"},
	proto.ToolEdit: {"edit", "write"},
	proto.ToolRun:  {"bash"},
}

// piCall tells what a call of Pi would touch. Of what the tool of an extension
// touches nothing is known.
func piCall(tool string, input json.RawMessage) *proto.Call {
	var f fields
	c := &proto.Call{Name: tool}
	if json.Unmarshal(input, &f) != nil {
		c.Partial = "the tool's input is not an object"
		return c
	}
	for canonical, own := range piTools {
		for _, name := range own {
			if name == tool {
				c.Tool = canonical
			}
		}
	}
	switch c.Tool {
	case "":
		c.Partial = unknownTool
	case proto.ToolRun:
		c.Command = f.text("command")
	default:
		c.Paths = texts(first(f.text("path"), "."))
	}
	return c
}

func piTurnCommand(l TurnLaunch) (TurnCommand, error) {
	tools, err := translate("Pi", piTools, l.Spec.Tools)
	if err != nil {
		return TurnCommand{}, err
	}
	a, _ := Lookup("pi")
	flags, file, err := piFlags(l.FilesDir, l.Self, turnPolicy(false))
	if err != nil {
		return TurnCommand{}, err
	}
	argv := append([]string{a.Binary, "--mode", "json"}, flags...)
	if l.Spec.Model != "" {
		argv = append(argv, "--model", l.Spec.Model)
	}
	if l.Spec.Resume != "" {
		argv = append(argv, "--session", l.Spec.Resume)
	}
	if len(tools) > 0 {
		argv = append(argv, "--tools", strings.Join(tools, ","))
	}
	return TurnCommand{Argv: argv, Stdin: []byte(l.Spec.Prompt), Files: []string{file}}, nil
}

// piTurn reads the stream of `--mode json`.
type piTurn struct {
	summary Summary
	calls   map[string]json.RawMessage // that have no result yet, with their input
	over    bool
}

// piLine is one line: the fields that signaltty uses.
type piLine struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Message struct {
		Role    string    `json:"role"`
		Content []piBlock `json:"content"`
		Stop    string    `json:"stopReason"`
		Error   string    `json:"errorMessage"`
		Usage   struct {
			Input     int64 `json:"input"`
			Output    int64 `json:"output"`
			CacheRead int64 `json:"cacheRead"`
			Cost      struct {
				Total float64 `json:"total"`
			} `json:"cost"`
		} `json:"usage"`
	} `json:"message"`
	Call   string          `json:"toolCallId"`
	Tool   string          `json:"toolName"`
	Args   json.RawMessage `json:"args"`
	Failed bool            `json:"isError"`
	Result struct {
		Content []piBlock `json:"content"`
		Details struct {
			Diff string `json:"diff"`
		} `json:"details"`
	} `json:"result"`
}

type piBlock struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
}

func (t *piTurn) Line(text []byte) Step {
	// What streams is told again when it is whole; the whole of a conversation
	// is told at its end.
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return strange(text, err)
	}
	s := Step{}
	switch kind.Type {
	case "session", "message_end", "tool_execution_start", "tool_execution_end":
		var l piLine
		if err := json.Unmarshal(text, &l); err != nil {
			return strange(text, err)
		}
		t.line(l, &s)
	case "agent_end":
		t.over = true
	}
	return s
}

func (t *piTurn) line(l piLine, s *Step) {
	switch l.Type {
	case "session":
		t.summary.Session, s.Session = l.ID, l.ID
	case "message_end":
		if l.Message.Role == "assistant" {
			t.message(l, s)
		}
	case "tool_execution_start":
		t.calls[l.Call] = l.Args
		c := piCall(l.Tool, l.Args)
		summary := first(append([]string{c.Command}, c.Paths...)...)
		s.tell(proto.EnvelopeToolCall, proto.TurnToolCall{
			ID: l.Call, Tool: c.Tool, Name: l.Tool, Summary: clip(firstLine(summary), maxSummary), Input: whole(l.Args),
		})
	case "tool_execution_end":
		s.tell(proto.EnvelopeToolResult, proto.TurnToolResult{
			ID: l.Call, OK: !l.Failed, Output: clip(piText(l.Result.Content), maxOutput), Diff: piDiff(t.calls[l.Call], l),
		})
		delete(t.calls, l.Call)
	}
}

// message takes what the model said. A later one that is well makes good an
// earlier one that failed: Pi tries again.
func (t *piTurn) message(l piLine, s *Step) {
	for _, b := range l.Message.Content {
		switch {
		case b.Type == "text" && b.Text != "":
			s.tell(proto.EnvelopeText, proto.TurnText{Text: b.Text})
		case b.Type == "thinking" && b.Thinking != "":
			s.tell(proto.EnvelopeThinking, proto.TurnText{Text: b.Thinking})
		}
	}
	u := l.Message.Usage
	t.summary.Usage.Input += u.Input
	t.summary.Usage.Output += u.Output
	t.summary.Usage.CacheRead += u.CacheRead
	t.summary.Usage.Cost += u.Cost.Total
	t.summary.StopReason, t.summary.Failed = l.Message.Stop, ""
	if l.Message.Stop == "error" || l.Message.Stop == "aborted" {
		t.summary.Failed = first(l.Message.Error, l.Message.Stop)
		s.tell(proto.EnvelopeError, proto.TurnError{Source: "agent", Message: t.summary.Failed})
	}
}

func piText(blocks []piBlock) string {
	var list []string
	for _, b := range blocks {
		list = append(list, first(b.Text, "["+b.Type+"]"))
	}
	return strings.Join(list, "\n")
}

// piDiff counts the lines that a call changed. Those of a file that it wrote
// all count as added.
func piDiff(args json.RawMessage, l piLine) []proto.DiffEntry {
	var in struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	if l.Failed || l.Tool != "edit" && l.Tool != "write" || json.Unmarshal(args, &in) != nil {
		return nil
	}
	d := proto.DiffEntry{Path: in.Path, Added: len(strings.SplitAfter(strings.TrimSuffix(in.Content, "\n"), "\n"))}
	if in.Content == "" {
		d.Added = 0
	}
	for line := range strings.Lines(l.Result.Details.Diff) {
		switch line[0] {
		case '+':
			d.Added++
		case '-':
			d.Removed++
		}
	}
	return []proto.DiffEntry{d}
}

// Answer has nothing to say: Pi asks nothing on its stream.
func (t *piTurn) Answer(string, proto.Verdict) []byte { return nil }

func (t *piTurn) End() Step {
	s := Step{}
	if !t.over {
		t.summary.Health = append(t.summary.Health, "the stream ended before the turn did")
	}
	if n := len(t.calls); n > 0 {
		t.summary.Health = append(t.summary.Health, fmt.Sprintf("%d tool calls have no result", n))
	}
	s.tell(proto.EnvelopeUsage, t.summary.Usage)
	return s
}

func (t *piTurn) Summary() Summary { return t.summary }
