//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"

	"signaltty/e2e/model"
	"signaltty/e2e/place"
)

// scripted is a place whose agent talks to a model that follows rules: what
// the worlds of Codex and Gemini CLI have in common.
type scripted struct {
	*place.Place
	model *model.Script
}

// made says whether a file is in the working directory.
func (w scripted) made(name string) bool {
	_, err := os.Stat(filepath.Join(w.Work, name))
	return err == nil
}

// result waits for what the model got of a call.
func (w scripted) result(id string) string {
	w.T.Helper()
	ctx, cancel := place.Patience(w.T)
	defer cancel()
	r, err := w.model.Result(ctx, id)
	if err != nil {
		w.T.Fatal(err)
	}
	return r
}

// hooks are our hook processes that live; Codex has their command lines in its own.
func (w scripted) hooks() []place.Process {
	return w.Processes(func(args string) bool { return strings.HasPrefix(args, binary+" hook-event ") })
}

// prompt types a prompt and submits it. The two go apart, since together they
// would be taken for a paste.
func (w scripted) prompt(pane, text string) {
	w.T.Helper()
	w.Verb("send", pane, text)
	w.Until("the prompt shows", func() bool { return w.Screen(pane).Has(text) })
	again(w.T, "entering", func() { w.Verb("send", pane, "", "--enter") }, func() bool { return w.model.Asked(text) })
}

// over waits until the turn is over and nothing of a decision is left.
func (w scripted) over(pane string) {
	w.T.Helper()
	w.Verb("wait", pane, "--until", "done,idle", "--timeout", "60s")
	w.NothingWaits()
}
