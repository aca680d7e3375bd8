package adapters

import "signaltty/proto"

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
	Behavior string `json:"behavior"`
	Message  string `json:"message,omitempty"`
}

func (c claudeHooks) encode(event string, _ []byte, v proto.Verdict) Output {
	row, ok := c.event(event)
	if row.Gate != "" {
		return encodeGate(event, v, true, true)
	}
	if !ok || row.Moment != proto.MomentAsk {
		return Output{}
	}
	var r claudeReply
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
