//go:build linux

// Package e2e proves the main job on real parts: the built binary, its
// server, its TUI on a PTY, and the real Claude Code against a scripted model.
//
// Nothing in it sleeps. Every wait is for a fact: an event of the server, a
// request at the model, a screen, the end of a process.
package e2e

import (
	"os"
	"strings"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/claude"
	"signaltty/e2e/place"
	"signaltty/proto"
)

// binary is the signaltty under test.
var binary string

func TestMain(m *testing.M) {
	if os.Getenv(envMCP) != "" {
		os.Exit(serveMCP(os.Stdin, os.Stdout))
	}
	os.Exit(place.Main(m, &binary))
}

// world is what one person has: a place with a server, a home for the agent,
// the model that the agent talks to, and the TUI, once attached.
type world struct {
	*place.Place
	home  claude.Home
	model *anthropic.Server
	last  string // the screen that was looked at last
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

// open starts Claude Code with a prompt, and flags before it, in a new pane
// and returns its id.
func (w *world) open(prompt string, flags ...string) string {
	w.T.Helper()
	args := append([]string{"new", "--agent", "claude", "--cwd", w.home.Work, "--"}, flags...)
	return strings.TrimSpace(w.Verb(append(args, "--", prompt)...))
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
