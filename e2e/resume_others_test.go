//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/place"
	"signaltty/proto"
)

// E02 for the other agents: after the server was killed each takes up its own
// conversation by its id, and shows what was said in it.
func TestOthersAreResumedByTheirSession(t *testing.T) {
	t.Run("codex", func(t *testing.T) {
		w := newCodexWorld(t, rule("#go"))
		takesUp(w.Place, func() string { return w.open("#go") }, "The turn is over.")
	})
	t.Run("gemini", func(t *testing.T) {
		w := newGeminiWorld(t, rule("#go"))
		takesUp(w.Place, func() string { return w.open("#go") }, "The turn is over.")
	})
	t.Run("opencode", func(t *testing.T) {
		w := newOpenWorld(t, anthropic.Rule{Match: "#go", Turns: []anthropic.Turn{anthropic.Say("The turn is over.")}})
		takesUp(w.Place, func() string {
			pane := w.open()
			w.Verb("send", pane, "#go", "--enter")
			return pane
		}, "The turn is over.")
	})
}

func takesUp(w *place.Place, open func() string, said string) {
	w.T.Helper()
	pane := open()
	w.Until("it has said it", func() bool { return w.Screen(pane).Has(said) })
	w.Until("its turn is over", func() bool {
		return slices.Contains([]proto.State{proto.StateDone, proto.StateIdle}, w.Pane(pane).State) && w.Pane(pane).Session != ""
	})
	session := w.Pane(pane).Session
	w.Until("its session is saved", func() bool { return w.Saved(fmt.Sprintf(`"session":%q,"talked":true`, session)) })
	w.Crash()
	w.Serve()
	back := w.Panes()[0]
	if back.Resume != proto.ResumeSession || back.Session != session {
		w.T.Fatalf("it is back as %+v, want session %s", back, session)
	}
	w.Verb("resume", back.ID)
	w.Until("its conversation is on the screen", func() bool { return w.Screen(back.ID).Has(said) })
	if now := w.Pane(back.ID); now.Session != session || now.Exit != nil {
		w.T.Errorf("resumed it is %+v, want session %s", now, session)
	}
}
