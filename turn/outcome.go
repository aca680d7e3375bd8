package turn

import (
	"slices"
	"time"

	"signaltty/adapters"
	"signaltty/proto"
)

// complete works out how the turn ended and tells it.
func (t *turn) complete(exit *proto.Exit) proto.TurnComplete {
	var s adapters.Summary
	if t.conv != nil {
		s = t.conv.Summary()
	}
	if s.Session != "" {
		t.out.session = s.Session
	}
	c := proto.TurnComplete{
		AgentExit: exit, StopReason: s.StopReason, DurationMS: time.Since(t.began).Milliseconds(), Usage: s.Usage,
		Tools: t.tools, Denials: distinct(append(t.denials, s.Denials...)), Health: append(t.health, s.Health...),
	}
	for _, b := range t.blocked {
		if b.Action == "restored" {
			c.Blocked++
		}
	}
	if t.proc != nil {
		c.Health = append(c.Health, t.proc.health()...)
	}
	c.Outcome = t.outcome(exit, s, c)
	c.Exit = c.Outcome.ExitCode()
	t.out.emit(proto.EnvelopeTurnComplete, c)
	return c
}

// outcome is the weightiest of what can be said of the turn.
func (t *turn) outcome(exit *proto.Exit, s adapters.Summary, c proto.TurnComplete) proto.Outcome {
	uncertain := slices.ContainsFunc(t.blocked, func(b proto.TurnBlocked) bool { return b.Action != "restored" })
	switch {
	case t.ended == proto.OutcomeGate:
		return proto.OutcomeGate
	case c.Blocked > 0:
		return proto.OutcomeBlocked
	case uncertain:
		return proto.OutcomeUncertain
	case t.ended != "":
		return t.ended
	case exit == nil || exit.Signal != "" || exit.Code != 0 || s.Failed != "":
		return proto.OutcomeAgent
	case len(c.Denials) > 0:
		return proto.OutcomeDenied
	case t.texts == 0 && t.tools == 0:
		return proto.OutcomeNothing
	}
	return proto.OutcomeOK
}

func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
