package adapters

import (
	"encoding/json"
	"path/filepath"

	"signaltty/proto"
)

// openCodePayload is what our plugin writes to a hook's stdin. Request is
// OpenCode's own JSON of an ask, or of the end of one.
type openCodePayload struct {
	Session    string          `json:"session_id"` // the root one
	SubagentID string          `json:"subagent_id"`
	Subagent   string          `json:"subagent"`
	Cwd        string          `json:"cwd"`
	Tool       string          `json:"tool_name"`
	ToolUse    string          `json:"tool_use_id"`
	Input      json.RawMessage `json:"tool_input"`
	Source     string          `json:"source"`
	Message    string          `json:"message"`
	Request    openCodeRequest `json:"request"`
}

// openCodeRequest is a permission or a question that OpenCode asks for, or
// the answer to one, which names it by RequestID.
type openCodeRequest struct {
	ID         string             `json:"id"`
	RequestID  string             `json:"requestID"`
	Permission string             `json:"permission"`
	Patterns   []string           `json:"patterns"`
	Always     []string           `json:"always"`
	Metadata   json.RawMessage    `json:"metadata"`
	Questions  []openCodeQuestion `json:"questions"`
	Reply      string             `json:"reply"` // once, always or reject
}

type openCodeQuestion struct {
	Question string `json:"question"`
	Header   string `json:"header"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
	Multiple bool  `json:"multiple"`
	Custom   *bool `json:"custom"` // a typed answer is taken, unless it is false
}

func decodeOpenCode(event string, payload []byte) (proto.HookEvent, error) {
	row, ok := Adapter{Events: openCodeEvents}.Event(event)
	if !ok {
		return proto.HookEvent{}, proto.Errorf(proto.CodeBadRequest, "opencode has no hook event %q", event)
	}
	var p openCodePayload
	if err := (proto.Message{Event: event, Body: payload}).Decode(&p); err != nil {
		return proto.HookEvent{}, err
	}
	if err := p.check(row); err != nil {
		return proto.HookEvent{}, err
	}
	e := proto.HookEvent{
		Agent: "opencode", Event: event, Moment: openCodeMoment(row.Moment, p.SubagentID != ""),
		Session: p.Session, SubagentID: p.SubagentID, Subagent: p.Subagent,
		Cwd: p.Cwd, Tool: p.Tool, InputKey: inputKey(p.Input),
		// One call may ask more than once, so an ask is known by its own id.
		ToolUse: first(p.Request.ID, p.Request.RequestID, p.ToolUse),
		Source:  first(p.Source, p.Request.Reply),
		Message: clip(p.Message, maxMessage),
	}
	switch row.Moment {
	case proto.MomentAsk:
		a, err := openCodeAsk(event, p)
		if err != nil {
			return proto.HookEvent{}, err
		}
		a.Dialog = row.Dialog
		e.Tool, e.Ask = a.Tool, &a
	case proto.MomentToolStart:
		call, dir := openCodeCall(p.Tool, p.Input)
		e.Call, e.Gate = boundCall(&call), row.Gate != ""
		if filepath.IsAbs(dir) {
			e.Cwd = dir
		} else {
			e.Cwd = filepath.Join(e.Cwd, dir)
		}
	}
	return e, nil
}

// openCodeMoment is what an event means when a subagent's session tells it.
func openCodeMoment(m proto.Moment, subagent bool) proto.Moment {
	if !subagent {
		return m
	}
	switch m {
	case proto.MomentPrompt:
		return proto.MomentSubagentStart
	case proto.MomentTurnEnd, proto.MomentTurnFail:
		return proto.MomentSubagentEnd
	}
	return m
}

// check refuses a payload that lacks what its event stands for.
func (p openCodePayload) check(row EventRow) error {
	missing := ""
	switch {
	case p.Session == "":
		missing = "session_id"
	case row.Moment == proto.MomentToolStart && p.Tool == "":
		missing = "tool_name"
	case row.Moment == proto.MomentAsk && p.Request.ID == "":
		missing = "request.id"
	case row.Name == "permission.asked" && p.Request.Permission == "":
		missing = "request.permission"
	case row.Name == "question.asked" && len(p.Request.Questions) == 0:
		missing = "request.questions"
	case isOpenCodeReply(row.Name) && p.Request.RequestID == "":
		missing = "request.requestID"
	}
	if missing != "" {
		return proto.Errorf(proto.CodeBadRequest, "%s: field %q is missing", row.Name, missing)
	}
	return nil
}

func isOpenCodeReply(event string) bool {
	return event == "permission.replied" || event == "question.replied" || event == "question.rejected"
}

// openCodeReply is what our plugin reads from the hook of an ask, and sends to
// OpenCode as it is; one with neither field rejects a question. Of nothing,
// OpenCode's own dialog stays.
type openCodeReply struct {
	Reply   string     `json:"reply,omitempty"`
	Message string     `json:"message,omitempty"`
	Answers [][]string `json:"answers,omitempty"`
}

func encodeOpenCode(event string, _ []byte, v proto.Verdict) Output {
	row, _ := Adapter{Events: openCodeEvents}.Event(event)
	if row.Gate != "" {
		if v.Behavior == proto.Deny || v.Behavior == proto.AskFirst {
			return Output{Stderr: first(v.Message, DefaultDenial), Exit: 2}
		}
		return Output{}
	}
	var r openCodeReply
	switch {
	case event == "question.asked" && v.Behavior == proto.Allow && len(v.Answers) > 0:
		r.Answers = v.Answers
	case event == "question.asked" && v.Behavior == proto.Deny:
	case event == "permission.asked" && v.Behavior == proto.Allow && v.Option == proto.OptionAlways:
		r.Reply = "always"
	case event == "permission.asked" && v.Behavior == proto.Allow:
		r.Reply = "once"
	case event == "permission.asked" && v.Behavior == proto.Deny:
		r.Reply = "reject"
		if !v.Interrupt { // without a message OpenCode ends the turn
			r.Message = first(v.Message, DefaultDenial)
		}
	default:
		return Output{}
	}
	line, err := encodePlain(r)
	if err != nil {
		return Output{Stderr: "encoding the verdict: " + err.Error()}
	}
	return Output{Stdout: line}
}
