package adapters

import (
	"encoding/json"
	"strings"

	"signaltty/proto"
)

// codexPayload is what Codex writes to a hook's stdin, of all events: the
// fields that signaltty uses.
type codexPayload struct {
	Session   string          `json:"session_id"`
	Turn      string          `json:"turn_id"`
	Event     string          `json:"hook_event_name"`
	Cwd       string          `json:"cwd"`
	AgentID   string          `json:"agent_id"`
	AgentType string          `json:"agent_type"`
	Tool      string          `json:"tool_name"`
	Input     json.RawMessage `json:"tool_input"`
	ToolUse   string          `json:"tool_use_id"` // absent in PermissionRequest

	Source  string `json:"source"`  // SessionStart: startup, resume, clear
	Reason  string `json:"reason"`  // SessionEnd
	Trigger string `json:"trigger"` // PreCompact, PostCompact

	Prompt      string  `json:"prompt"`
	LastMessage *string `json:"last_assistant_message"`
}

func decodeCodex(event string, payload []byte) (proto.HookEvent, error) {
	row, ok := Adapter{Events: codexEvents}.Event(event)
	if !ok {
		return proto.HookEvent{}, proto.Errorf(proto.CodeBadRequest, "codex has no hook event %q", event)
	}
	var p codexPayload
	if err := (proto.Message{Event: event, Body: payload}).Decode(&p); err != nil {
		return proto.HookEvent{}, err
	}
	if err := checkPayload(row, p.Event, p.Session, p.Tool, p.Input); err != nil {
		return proto.HookEvent{}, err
	}
	e := proto.HookEvent{
		Agent: "codex", Event: event, Moment: row.Moment,
		Session: p.Session, SubagentID: p.AgentID, Subagent: p.AgentType,
		Cwd: p.Cwd, Tool: p.Tool, ToolUse: p.ToolUse, InputKey: p.key(),
		Source: first(p.Source, p.Reason, p.Trigger), Message: clip(p.Prompt, maxMessage),
	}
	if p.LastMessage != nil && e.Message == "" {
		e.Message = clip(*p.LastMessage, maxMessage)
	}
	switch row.Moment {
	case proto.MomentToolStart:
		e.Call, e.Gate = boundCall(codexCall(p.Tool, p.Input)), row.Gate != ""
	case proto.MomentAsk:
		a, err := codexPermission(p)
		if err != nil {
			return proto.HookEvent{}, err
		}
		a.Dialog = row.Dialog
		e.Ask, e.Call = &a, boundCall(codexCall(p.Tool, p.Input))
	}
	return e, nil
}

// checkPayload refuses a payload that lacks what its event stands for.
func checkPayload(row EventRow, event, session, tool string, input json.RawMessage) error {
	missing := ""
	switch {
	case event != "" && event != row.Name && event != row.Of:
		return proto.Errorf(proto.CodeBadRequest, "%s: field %q says %q", row.Name, "hook_event_name", event)
	case session == "":
		missing = "session_id"
	case row.Moment != proto.MomentAsk:
	case tool == "":
		missing = "tool_name"
	case len(input) == 0:
		missing = "tool_input"
	}
	if missing != "" {
		return proto.Errorf(proto.CodeBadRequest, "%s: field %q is missing", row.Name, missing)
	}
	return nil
}

// key tells which call of which turn an event is about. PermissionRequest has
// no id of the call, adds the model's reason as a description, and leaves out
// the newline at a patch's end.
func (p codexPayload) key() string {
	var f fields
	if json.Unmarshal(p.Input, &f) != nil || f == nil {
		return inputKey(p.Input)
	}
	delete(f, "description")
	var command string
	if json.Unmarshal(f["command"], &command) == nil {
		delete(f, "command")
	}
	rest, err := json.Marshal(f)
	if err != nil {
		return ""
	}
	return digest([]byte(p.Turn + "\x00" + strings.TrimSpace(command) + "\x00" + inputKey(rest)))
}

// codexPermission translates a PermissionRequest. Its input must be an object.
func codexPermission(p codexPayload) (proto.Ask, error) {
	var f fields
	if json.Unmarshal(p.Input, &f) != nil || f == nil {
		return proto.Ask{}, proto.Errorf(proto.CodeBadRequest, "PermissionRequest: field %q is not an object", "tool_input")
	}
	a := proto.Ask{
		Kind: proto.KindPermission, Tool: p.Tool, Input: p.Input,
		Answerable: true, Options: permissionOptions(),
	}
	path := ""
	switch {
	case p.Tool == "apply_patch":
		changes, ok := readPatch(f.text("command"))
		if !ok {
			// What cannot be read as a patch is shown as it is.
			a.Summary, a.Detail = toolView("Bash").show(f, p.Input)
			break
		}
		if len(changes) == 1 {
			path = changes[0].path
		}
		a.Summary, a.Detail = showPatch(changes, f)
	default:
		a.Summary, a.Detail = codexView(p.Tool).show(f, p.Input)
	}
	bound(&a, path)
	return a, nil
}

// codexView reads the input of Codex's tools, whose shell goes by Claude
// Code's name for it in hooks.
func codexView(tool string) view {
	if tool == "Bash" {
		return view{summary: "command", blocks: []block{{"command", "", "command"}, {"description", "Reason", "text"}}}
	}
	return toolView(tool)
}

// codexReply is what Codex reads from a PermissionRequest hook: the words that
// Claude Code takes too. Measured: a field that it does not know, "ask" or an
// edited input make it say "Hook failed" and open its own dialog.
type codexReply struct {
	Output struct {
		Event    string        `json:"hookEventName"`
		Decision codexDecision `json:"decision"`
	} `json:"hookSpecificOutput"`
}

type codexDecision struct {
	Behavior string `json:"behavior"`
	Message  string `json:"message,omitempty"`
}

func encodeCodex(event string, _ []byte, v proto.Verdict) Output {
	row, ok := Adapter{Events: codexEvents}.Event(event)
	if row.Gate != "" {
		return encodeGate(event, v, false, false)
	}
	if !ok || row.Moment != proto.MomentAsk {
		return Output{}
	}
	var r codexReply
	r.Output.Event = event
	switch v.Behavior {
	case proto.Allow:
		r.Output.Decision.Behavior = "allow"
	case proto.Deny:
		r.Output.Decision.Behavior = "deny"
		r.Output.Decision.Message = first(v.Message, DefaultDenial)
	default:
		return Output{}
	}
	line, err := encodePlain(r)
	if err != nil {
		return Output{Stderr: "encoding the verdict: " + err.Error()}
	}
	return Output{Stdout: line}
}
