package adapters

import (
	"encoding/json"
	"strings"

	"signaltty/proto"
)

// geminiPayload is what Gemini CLI writes to a hook's stdin, of all events:
// the fields that signaltty uses. Calls have no id.
type geminiPayload struct {
	Session string          `json:"session_id"`
	Event   string          `json:"hook_event_name"`
	Cwd     string          `json:"cwd"`
	Tool    string          `json:"tool_name"`
	Input   json.RawMessage `json:"tool_input"`

	Source           string `json:"source"`            // SessionStart: startup, resume, clear
	Reason           string `json:"reason"`            // SessionEnd
	NotificationType string `json:"notification_type"` // ToolPermission
	Trigger          string `json:"trigger"`           // PreCompress

	Message string `json:"message"`
	Prompt  string `json:"prompt"`
}

func decodeGemini(event string, payload []byte) (proto.HookEvent, error) {
	row, ok := Adapter{Events: geminiEvents}.Event(event)
	if !ok {
		return proto.HookEvent{}, proto.Errorf(proto.CodeBadRequest, "gemini has no hook event %q", event)
	}
	var p geminiPayload
	if err := (proto.Message{Event: event, Body: payload}).Decode(&p); err != nil {
		return proto.HookEvent{}, err
	}
	if err := checkPayload(row, p.Event, p.Session, p.Tool, p.Input); err != nil {
		return proto.HookEvent{}, err
	}
	e := proto.HookEvent{
		Agent: "gemini", Event: event, Moment: row.Moment, Session: p.Session, Cwd: p.Cwd,
		Tool: p.Tool, InputKey: inputKey(p.Input),
		Source:  first(p.Source, p.Reason, p.NotificationType, p.Trigger),
		Message: clip(first(p.Message, p.Prompt), maxMessage),
	}
	switch {
	case row.Moment == proto.MomentAsk && geminiHarmless(p.Tool):
		e.Moment, e.Call, e.Gate = proto.MomentToolStart, boundCall(geminiCall(p.Tool, p.Input)), true
	case row.Moment == proto.MomentAsk:
		a, err := geminiPermission(p)
		if err != nil {
			return proto.HookEvent{}, err
		}
		a.Dialog = row.Dialog
		e.Ask, e.Call = &a, boundCall(geminiCall(p.Tool, p.Input))
	case row.Moment == proto.MomentToolStart:
		e.Call, e.Gate = boundCall(geminiCall(p.Tool, p.Input)), row.Gate != ""
	}
	return e, nil
}

// geminiHarmless are the tools that Gemini CLI runs without asking in its
// default mode too, and the one that asks by itself.
func geminiHarmless(tool string) bool {
	switch tool {
	case "read_file", "read_many_files", "list_directory", "glob", "grep_search", "google_web_search", "get_internal_docs",
		"list_mcp_resources", "write_todos", "update_topic", "complete_task", "ask_user", "enter_plan_mode",
		"tracker_create_task", "tracker_update_task", "tracker_get_task", "tracker_list_tasks", "tracker_add_dependency", "tracker_visualize":
		return true
	}
	return false
}

func geminiPermission(p geminiPayload) (proto.Ask, error) {
	var f fields
	if json.Unmarshal(p.Input, &f) != nil || f == nil {
		return proto.Ask{}, proto.Errorf(proto.CodeBadRequest, "BeforeTool: field %q is not an object", "tool_input")
	}
	a := proto.Ask{
		Kind: proto.KindPermission, Tool: p.Tool, Input: p.Input,
		Answerable: true, Options: permissionOptions(),
	}
	a.Summary, a.Detail = geminiView(p.Tool).show(f, p.Input)
	bound(&a, f.text("file_path"))
	return a, nil
}

func geminiView(tool string) view {
	file := block{"file_path", "File", "path"}
	switch tool {
	case "run_shell_command":
		return view{summary: "command", blocks: []block{{"command", "", "command"}, {"description", "Description", "text"}, {"dir_path", "Directory", "path"}}}
	case "write_file":
		return view{summary: "file_path", blocks: []block{file, {"content", "", "add"}}}
	case "replace":
		return view{summary: "file_path", blocks: []block{file, {"instruction", "Instruction", "text"}, {"old_string", "", "delete"}, {"new_string", "", "add"}}}
	case "web_fetch":
		return view{summary: "prompt", blocks: []block{{"prompt", "Prompt", "text"}}}
	}
	return view{whole: !strings.HasPrefix(tool, "mcp_")}
}

// geminiCall tells what a call of Gemini CLI would touch.
func geminiCall(tool string, input json.RawMessage) *proto.Call {
	var f fields
	c := &proto.Call{Name: tool}
	if json.Unmarshal(input, &f) != nil {
		c.Partial = "the tool's input is not an object"
		return c
	}
	switch tool {
	case "run_shell_command":
		c.Tool, c.Command = proto.ToolRun, f.text("command")
		if dir := first(f.text("dir_path"), f.text("directory")); dir != "" {
			c.Partial = "it runs in the directory " + dir
		}
	case "write_file", "replace":
		c.Tool, c.Paths = proto.ToolEdit, texts(f.text("file_path"))
	case "read_file":
		c.Tool, c.Paths = proto.ToolRead, texts(first(f.text("file_path"), f.text("absolute_path")))
	case "list_directory":
		c.Tool, c.Paths = proto.ToolRead, texts(first(f.text("dir_path"), f.text("path")))
	case "read_many_files":
		c.Tool, c.Partial = proto.ToolRead, "it reads whatever its patterns match"
	case "glob", "grep_search":
		c.Tool, c.Paths = proto.ToolSearch, texts(first(f.text("dir_path"), f.text("path"), "."))
	case "google_web_search":
		c.Tool, c.Partial = proto.ToolFetch, "it asks a search engine"
	case "web_fetch":
		c.Tool, c.Partial = proto.ToolFetch, "the addresses stand in a text"
		if fields := strings.Fields(f.text("prompt")); len(fields) == 1 && strings.Contains(fields[0], "://") {
			c.URL, c.Partial = fields[0], ""
		}
	case "invoke_agent":
		c.Tool = proto.ToolAgent
	case "list_mcp_resources", "read_mcp_resource":
		c.Tool = proto.ToolMCP
	case "save_memory", "activate_skill", "exit_plan_mode":
		c.Partial = unknownTool
	default:
		switch {
		case strings.HasPrefix(tool, "mcp_"):
			c.Tool = proto.ToolMCP
			return mcpCall(c, input)
		case !geminiHarmless(tool):
			c.Partial = unknownTool
		}
	}
	return c
}

// geminiReply is what Gemini CLI reads from a BeforeTool hook.
type geminiReply struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
}

// encodeGemini says a verdict. In the mode where a person decides, no verdict
// makes Gemini CLI ask in its own dialog, which it does in yolo mode too. As a
// gate it says a denial only: an allow would not take its dialog's place.
func encodeGemini(event string, payload []byte, v proto.Verdict) Output {
	row, ok := Adapter{Events: geminiEvents}.Event(event)
	decides := row.Moment == proto.MomentAsk
	if !ok || !decides && row.Gate == "" {
		return Output{}
	}
	var p geminiPayload
	if json.Unmarshal(payload, &p) == nil && geminiHarmless(p.Tool) {
		decides = false
	}
	var r geminiReply
	switch {
	case v.Behavior == proto.Deny, v.Behavior == proto.AskFirst && !decides:
		r.Decision, r.Reason = "deny", first(v.Message, DefaultDenial)
	case !decides:
		return Output{}
	case v.Behavior == proto.Allow:
		r.Decision = "allow"
	default:
		r.Decision = "ask"
	}
	line, err := encodePlain(r)
	if err != nil {
		return Output{Stderr: "signaltty denies this: encoding the verdict: " + err.Error(), Exit: 2}
	}
	return Output{Stdout: line}
}
