package turn

import (
	"testing"

	"signaltty/adapters"
	"signaltty/proto"
)

func TestOutcome(t *testing.T) {
	ok, failed := &proto.Exit{}, &proto.Exit{Code: 3}
	block := func(action string) []proto.TurnBlocked { return []proto.TurnBlocked{{Path: "/w/a", Action: action}} }
	for _, tc := range []struct {
		name string
		turn turn
		exit *proto.Exit
		sum  adapters.Summary
		want proto.Outcome
	}{
		{"text", turn{texts: 1}, ok, adapters.Summary{}, proto.OutcomeOK},
		{"a tool", turn{tools: 1}, ok, adapters.Summary{}, proto.OutcomeOK},
		{"nothing", turn{}, ok, adapters.Summary{}, proto.OutcomeNothing},
		{"never started", turn{}, nil, adapters.Summary{}, proto.OutcomeAgent},
		{"exit code", turn{texts: 1}, failed, adapters.Summary{}, proto.OutcomeAgent},
		{"signal", turn{texts: 1}, &proto.Exit{Signal: "killed"}, adapters.Summary{}, proto.OutcomeAgent},
		{"its own word", turn{texts: 1}, ok, adapters.Summary{Failed: "overloaded"}, proto.OutcomeAgent},
		{"denied", turn{texts: 1, denials: []string{"x"}}, ok, adapters.Summary{}, proto.OutcomeDenied},
		{"denied, by the stream", turn{texts: 1}, ok, adapters.Summary{Denials: []string{"x"}}, proto.OutcomeDenied},
		{"restored", turn{texts: 1, blocked: block("restored")}, ok, adapters.Summary{}, proto.OutcomeBlocked},
		{"reported", turn{texts: 1, blocked: block("reported")}, ok, adapters.Summary{}, proto.OutcomeUncertain},
		{"unrestorable", turn{texts: 1, blocked: block("unrestorable")}, ok, adapters.Summary{}, proto.OutcomeUncertain},
		{"timeout", turn{texts: 1, ended: proto.OutcomeTimeout}, failed, adapters.Summary{}, proto.OutcomeTimeout},
		{"cancelled after it wrote", turn{ended: proto.OutcomeCancelled, blocked: block("restored")}, failed, adapters.Summary{}, proto.OutcomeBlocked},
		{"the gate failed", turn{ended: proto.OutcomeGate, blocked: block("restored")}, ok, adapters.Summary{}, proto.OutcomeGate},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := tc.turn
			tr.conv, tr.out = summed{tc.sum}, newEmitter(Options{})
			done := tr.complete(tc.exit)
			if done.Outcome != tc.want || done.Exit != tc.want.ExitCode() {
				t.Errorf("%s, %d", done.Outcome, done.Exit)
			}
		})
	}
}

// summed is a conversation that is over.
type summed struct{ sum adapters.Summary }

func (summed) Line([]byte) adapters.Step           { return adapters.Step{} }
func (summed) Answer(string, proto.Verdict) []byte { return nil }
func (summed) End() adapters.Step                  { return adapters.Step{} }
func (s summed) Summary() adapters.Summary         { return s.sum }
