//go:build linux

// Package e2e proves the main job on real parts: the built binary, its
// server, its TUI on a PTY, and the real Claude Code against a scripted model.
//
// Nothing in it sleeps. Every wait is for a fact: an event of the server, a
// request at the model, a screen, the end of a process.
package e2e

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/claude"
	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// binary is the signaltty under test.
var binary string

func TestMain(m *testing.M) { os.Exit(place.Main(m, &binary)) }

// world is what one person has: a place with a server, a home for the agent,
// the model that the agent talks to, and the TUI, once attached.
type world struct {
	*place.Place
	home  claude.Home
	model *anthropic.Server
}

// newWorld starts a server. Whatever of it is left when the test has ended is
// a failure.
func newWorld(t *testing.T, rules ...anthropic.Rule) *world {
	t.Helper()
	t.Parallel()
	model := anthropic.Start(t, rules...)
	home := claude.New(t, model.URL)
	w := &world{home: home, model: model, Place: place.New(t, place.Setup{
		Binary: binary, Dir: home.Dir, Work: home.Work, Env: home.Env(),
	})}
	w.Serve()
	return w
}

// attach opens the TUI.
func (w *world) attach() { w.Attach(proto.Size{Cols: 120, Lines: 40}) }

// open starts Claude Code with a prompt in a new pane and returns its id.
func (w *world) open(prompt string) string {
	w.T.Helper()
	return strings.TrimSpace(w.Verb("new", "--agent", "claude", "--cwd", w.home.Work, "--", prompt))
}

// result waits for the result of a tool call, as the model gets it.
func (w *world) result(id string) anthropic.Result {
	w.T.Helper()
	ctx, cancel := place.Patience(w.T)
	defer cancel()
	r, err := w.model.Result(ctx, id)
	if err != nil {
		w.T.Fatal(err)
	}
	return r
}

// bar waits until the TUI's decision bar shows the decision.
func (w *world) bar(d proto.Decision) {
	w.T.Helper()
	w.UI.WaitFor("the bar for "+d.Prompt, func(s tty.Screen) bool { return onBar(s, d) })
}

// onBar says whether the bar shows the decision: who asks to use what in its
// frame, then from where, then what for. The same words may stand in the pane
// that the bar covers, below it.
func onBar(s tty.Screen, d proto.Decision) bool {
	y := s.Row(d.Agent + " asks to use " + d.Tool)
	if y < 0 {
		return false
	}
	return slices.ContainsFunc(s.Lines[y+1:min(y+4, len(s.Lines))], func(row string) bool {
		return strings.Contains(row, d.Prompt)
	})
}

// chord presses keys after the prefix in the TUI until the decision has ended.
// It presses more than once since a decision that only just came up takes no
// answer, which is not to be hurried.
func (w *world) chord(d proto.Decision, keys ...string) proto.DecisionEnded {
	w.T.Helper()
	w.bar(d)
	ctx, cancel := place.Patience(w.T)
	defer cancel()
	for {
		w.UI.Press(append([]string{"ctrl+]"}, keys...)...)
		if end, ok := w.endsSoon(ctx, d); ok {
			return end
		}
		if ctx.Err() != nil {
			w.T.Fatalf("%v never answered %s; the screen is\n%s", keys, d.Prompt, w.UI.Screen())
		}
	}
}

func (w *world) endsSoon(ctx context.Context, d proto.Decision) (proto.DecisionEnded, bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	end, _, err := place.Find(ctx, w.Events, proto.EventDecisionEnded, func(x proto.DecisionEnded) bool { return x.Decision == d.ID })
	return end, err == nil
}

// agentKey presses a key in a pane in such a way that the server does not take
// it for the person's turn to the pane: what is left is the agent's own
// dialog, answered behind signaltty's back.
func (w *world) agentKey(pane, key string) {
	w.T.Helper()
	if !w.Person {
		w.T.Skip("this test runs below a coding agent, which may not type into panes")
	}
	place.Ask[proto.None](w.Place, proto.MethodPaneInput, proto.PaneInput{Pane: pane, Data: []byte(key), Passive: true})
}
