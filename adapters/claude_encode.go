package adapters

import (
	"encoding/json"
	"errors"
	"fmt"

	"signaltty/proto"
)

// DefaultDenial is what the model is told when a person denied and typed
// nothing. Without a text the model would guess, and try again.
const DefaultDenial = "The person denied this through signaltty. Do not try it again in another way; go on without it, or ask what to do instead."

// claudeReply is what Claude Code reads from a PermissionRequest hook.
// Anything else that a hook says (another shape, another exit code) is no
// decision there: its dialog stays.
type claudeReply struct {
	Output struct {
		Event    string         `json:"hookEventName"`
		Decision claudeDecision `json:"decision"`
	} `json:"hookSpecificOutput"`
}

type claudeDecision struct {
	Behavior  string `json:"behavior"`
	Message   string `json:"message,omitempty"`
	Interrupt bool   `json:"interrupt,omitzero"`
	// Input replaces the whole input of the tool.
	Input json.RawMessage `json:"updatedInput,omitempty"`
	// Permissions are saved, or set, beside the answer.
	Permissions []json.RawMessage `json:"updatedPermissions,omitempty"`
}

// The modes in which a plan is carried out. Approved without one, Claude
// would go back to whatever mode it had before it planned.
var (
	modeDefault     = json.RawMessage(`{"type":"setMode","mode":"default","destination":"session"}`)
	modeAcceptEdits = json.RawMessage(`{"type":"setMode","mode":"acceptEdits","destination":"session"}`)
)

func (c claudeHooks) encode(event string, payload []byte, v proto.Verdict) Output {
	row, ok := c.event(event)
	if row.Gate != "" {
		return encodeGate(event, v, true, true)
	}
	if !ok || row.Moment != proto.MomentAsk || v.Behavior != proto.Allow && v.Behavior != proto.Deny {
		return Output{}
	}
	reply, err := c.reply(event, payload, v)
	if err != nil {
		return Output{Stderr: "signaltty: the answer cannot be given to " + c.agent + ": " + err.Error() + "; answer in the pane"}
	}
	line, err := encodePlain(reply)
	if err != nil {
		return Output{Stderr: "signaltty: encoding the verdict: " + err.Error()}
	}
	return Output{Stdout: line}
}

// reply is the verdict in Claude's shape. Its error means that there is none
// for it, and that nothing may be said.
func (c claudeHooks) reply(event string, payload []byte, v proto.Verdict) (any, error) {
	var p claudePayload
	if err := (proto.Message{Event: event, Body: payload}).Decode(&p); err != nil {
		return nil, err
	}
	if event == elicitation {
		return encodeForm(p, v)
	}
	var r claudeReply
	r.Output.Event = event
	d := &r.Output.Decision
	if v.Behavior == proto.Deny {
		d.Behavior, d.Interrupt = "deny", v.Interrupt
		d.Message = first(v.Message, denialOf(p.Tool))
		return r, nil
	}
	d.Behavior = "allow"
	return r, d.allow(p, v)
}

// allow adds to an allow what it carries. A bare one would tell the model that
// a question was not answered, and would approve a plan that nobody chose how to run.
func (d *claudeDecision) allow(p claudePayload, v proto.Verdict) (err error) {
	var f fields
	if p.Tool == toolQuestion || v.Amended != "" {
		if err := json.Unmarshal(p.Input, &f); err != nil {
			return fmt.Errorf("reading the input: %w", err)
		}
	}
	switch {
	case p.Tool == toolQuestion:
		d.Input, err = claudeAnswers(f, v.Answers)
	case p.Tool == toolPlan && v.Option == proto.OptionApprove:
		d.Permissions = []json.RawMessage{modeDefault}
	case p.Tool == toolPlan && v.Option == proto.OptionAcceptEdits:
		d.Permissions = []json.RawMessage{modeAcceptEdits}
	case p.Tool == toolPlan:
		return errors.New("a plan is approved in a mode that the person chose")
	case v.Option == proto.OptionAlways:
		standing, rule := claudeStanding(p.Tool, p.Suggestions)
		if standing == nil {
			return errors.New("there is no rule to save")
		}
		d.Permissions = []json.RawMessage{rule}
	case v.Amended != "":
		d.Input, err = f.with("command", v.Amended)
	}
	return err
}

// denialOf is what the model is told when the person typed nothing.
func denialOf(tool string) string {
	switch tool {
	case toolQuestion:
		return "The person declined to answer through signaltty. Go on without an answer, or ask in your reply."
	case toolPlan:
		return "The person did not approve this plan through signaltty. Ask what to change."
	}
	return DefaultDenial
}
