package adapters

import (
	"encoding/json"

	"signaltty/proto"
)

// claudePayload is what Claude Code writes to a hook's stdin, of all events:
// the fields that signaltty uses.
type claudePayload struct {
	Session   string          `json:"session_id"`
	Event     string          `json:"hook_event_name"`
	Cwd       string          `json:"cwd"`
	AgentID   string          `json:"agent_id"`
	AgentType string          `json:"agent_type"`
	Tool      string          `json:"tool_name"`
	Input     json.RawMessage `json:"tool_input"`
	ToolUse   string          `json:"tool_use_id"` // absent in PermissionRequest
	Calls     []struct {
		ToolUse string `json:"tool_use_id"`
	} `json:"tool_calls"`

	Source           string `json:"source"`            // SessionStart: startup, resume, clear, compact
	Reason           string `json:"reason"`            // SessionEnd: prompt_input_exit, clear, other
	NotificationType string `json:"notification_type"` // permission_prompt, idle_prompt
	Trigger          string `json:"trigger"`           // PreCompact

	Message     string `json:"message"`
	Prompt      string `json:"prompt"`
	Error       string `json:"error"`
	LastMessage string `json:"last_assistant_message"`
}

func (c claudeHooks) decode(event string, payload []byte) (proto.HookEvent, error) {
	row, ok := c.event(event)
	if !ok {
		return proto.HookEvent{}, proto.Errorf(proto.CodeBadRequest, "%s has no hook event %q", c.agent, event)
	}
	var p claudePayload
	if err := (proto.Message{Event: event, Body: payload}).Decode(&p); err != nil {
		return proto.HookEvent{}, err
	}
	if err := p.check(row); err != nil {
		return proto.HookEvent{}, err
	}
	e := proto.HookEvent{
		Agent: c.agent, Event: event, Moment: row.Moment,
		Session: p.Session, SubagentID: p.AgentID, Subagent: p.AgentType,
		Cwd: p.Cwd, Tool: p.Tool, ToolUse: p.ToolUse, InputKey: inputKey(p.Input),
		Source:  first(p.Source, p.Reason, p.NotificationType, p.Trigger),
		Message: clip(first(p.Message, p.Prompt, p.Error, p.LastMessage), maxMessage),
	}
	for _, call := range p.Calls {
		e.ToolUses = append(e.ToolUses, call.ToolUse)
	}
	if row.Gate != "" || row.Moment == proto.MomentAsk {
		e.Call, e.Gate = claudeCall(p.Tool, p.Input), row.Gate != ""
	}
	if row.Moment == proto.MomentAsk {
		a, err := claudeAsk(p)
		if err != nil {
			return proto.HookEvent{}, err
		}
		a.Dialog = row.Dialog
		if p.AgentID != "" {
			a.Dialog = proto.DialogAfter
		}
		e.Ask = &a
	}
	return e, nil
}

func (claudeHooks) event(name string) (EventRow, bool) {
	return Adapter{Events: claudeEvents}.Event(name)
}

// check refuses a payload that lacks what its event stands for.
func (p claudePayload) check(row EventRow) error {
	if p.Event != "" && p.Event != row.Name {
		return proto.Errorf(proto.CodeBadRequest, "%s: field %q says %q", row.Name, "hook_event_name", p.Event)
	}
	missing := ""
	switch {
	case p.Session == "":
		missing = "session_id"
	case row.Moment == proto.MomentAsk && p.Tool == "":
		missing = "tool_name"
	case row.Moment == proto.MomentAsk && len(p.Input) == 0:
		missing = "tool_input"
	}
	if missing != "" {
		return proto.Errorf(proto.CodeBadRequest, "%s: field %q is missing", row.Name, missing)
	}
	return nil
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
