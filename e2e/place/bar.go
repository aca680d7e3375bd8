//go:build linux

package place

import (
	"context"
	"slices"
	"strings"
	"time"

	"signaltty/e2e/tty"
	"signaltty/proto"
)

// Bar waits until the TUI's decision bar shows the decision.
func (p *Place) Bar(d proto.Decision) {
	p.T.Helper()
	p.UI.WaitFor("the bar for "+d.Prompt, func(s tty.Screen) bool { return OnBar(s, d) })
}

// OnBar says whether the bar shows the decision: who asks to use what in its
// frame, then from where, then what for. The same words may stand in the pane
// that the bar covers, below it.
func OnBar(s tty.Screen, d proto.Decision) bool {
	y := s.Row(d.Agent + " asks to use " + d.Tool)
	switch d.Kind {
	case proto.KindQuestion:
		return s.Has(d.Agent + " asks a question")
	case proto.KindPlan:
		return s.Has(d.Agent + " asks about its plan")
	}
	if y < 0 {
		return false
	}
	return slices.ContainsFunc(s.Lines[y+1:min(y+4, len(s.Lines))], func(row string) bool {
		return strings.Contains(row, d.Prompt)
	})
}

// Chord presses keys after the prefix in the TUI until the decision has ended.
func (p *Place) Chord(d proto.Decision, keys ...string) proto.DecisionEnded {
	p.T.Helper()
	p.Bar(d)
	return p.Press(d, append([]string{"ctrl+]"}, keys...)...)
}

// Press presses keys until the decision has ended: more than once, since a
// decision that only just came up takes no answer, which is not to be hurried.
func (p *Place) Press(d proto.Decision, keys ...string) proto.DecisionEnded {
	p.T.Helper()
	ctx, cancel := Patience(p.T)
	defer cancel()
	for {
		p.UI.Press(keys...)
		if end, ok := p.endsSoon(ctx, d); ok {
			return end
		}
		if ctx.Err() != nil {
			p.T.Fatalf("%v never answered %s; the screen is\n%s", keys, d.Prompt, p.UI.Screen())
		}
	}
}

// Open presses keys that open a part of the bar until it shows text: again
// where the bar said that the decision only just came up, as slowly as Press.
func (p *Place) Open(text string, keys ...string) {
	p.T.Helper()
	for {
		p.UI.Press(keys...)
		p.UI.WaitFor(text, func(s tty.Screen) bool { return s.Has(text) || s.Has("it only just came up") })
		ctx, cancel := context.WithTimeout(p.T.Context(), time.Second)
		_, shown := p.UI.Await(ctx, func(s tty.Screen) bool { return s.Has(text) })
		cancel()
		if shown {
			return
		}
	}
}

func (p *Place) endsSoon(ctx context.Context, d proto.Decision) (proto.DecisionEnded, bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	end, _, err := Find(ctx, p.Events, proto.EventDecisionEnded, func(x proto.DecisionEnded) bool { return x.Decision == d.ID })
	return end, err == nil
}
