//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/proto"
)

// E02: three agents of one directory, whose server is killed, take up each its
// own conversation: by its id, and with what was said in it.
func TestEachAgentIsResumedByItsOwnSession(t *testing.T) {
	w := newWorld(t)
	sessions := map[string]string{} // by name
	for _, name := range []string{"ant", "bee", "cat"} {
		w.model.Add(anthropic.Rule{Match: "#" + name, Turns: []anthropic.Turn{anthropic.Say("The word is " + name + name + ".")}})
		pane := w.named(name, "--model", "haiku", "#"+name)
		w.idle(pane)
		sessions[name] = w.Pane(pane).Session
		w.Until("the agent has saved what was said", func() bool { return w.home.Saved(sessions[name], "The word is "+name) })
	}
	w.Until("the sessions are saved", func() bool { return w.saved(sessions) })
	w.Crash()
	w.Serve()
	for name, session := range sessions {
		p := w.byName(name)
		if p.State != proto.StateExited || p.Resume != proto.ResumeSession || p.Session != session {
			t.Fatalf("%s is back as %+v, want session %s", name, p, session)
		}
	}
	for _, name := range []string{"bee", "cat", "ant"} {
		p := w.byName(name)
		w.Verb("resume", p.ID)
		w.Verb("wait", p.ID, "--until", "idle", "--timeout", "60s")
		w.shows(p.ID, "The word is "+name+name)
		now := w.Pane(p.ID)
		if now.Session != sessions[name] || slices.Contains(now.Argv, "#"+name) || !slices.Contains(now.Argv, "haiku") {
			t.Errorf("%s runs %q in session %s, want %s", name, now.Argv, now.Session, sessions[name])
		}
	}
	// The model sees the conversation that was, and no prompt a second time.
	w.model.Add(anthropic.Rule{Match: "#more", Turns: []anthropic.Turn{anthropic.Say("There is more.")}})
	bee := w.byName("bee").ID
	w.Verb("send", bee, "#more", "--enter")
	w.shows(bee, "There is more.")
	if p := w.byName("bee"); p.Session != sessions["bee"] {
		t.Errorf("going on it is in session %s, want %s", p.Session, sessions["bee"])
	}
}

// A conversation that is gone keeps its id, and the agent's own words say why.
func TestFailedResume(t *testing.T) {
	w := newWorld(t)
	w.model.Add(anthropic.Rule{Match: "#ant", Turns: []anthropic.Turn{anthropic.Say("The word is ant.")}})
	pane := w.named("ant", "#ant")
	w.idle(pane)
	session := w.Pane(pane).Session
	w.Until("the session is saved", func() bool { return w.saved(map[string]string{"ant": session}) })
	w.Crash()
	w.home.ForgetConversations(t)
	w.Serve()
	p := w.byName("ant")
	w.Verb("resume", p.ID)
	w.Verb("wait", p.ID, "--until", "exited", "--timeout", "60s")
	if now := w.Pane(p.ID); now.Session != session || now.Resume != proto.ResumeSession || now.Exit == nil || now.Exit.Code == 0 {
		t.Errorf("it is %+v, want session %s", now, session)
	}
	if s := w.Screen(p.ID); !s.Has("No conversation found") {
		t.Errorf("the screen does not say why:\n%s", s)
	}
}

// named opens a pane of Claude Code with a name.
func (w *world) named(name string, args ...string) string {
	w.T.Helper()
	argv := append([]string{"new", "--agent", "claude", "--name", name, "--cwd", w.home.Work, "--"}, args...)
	return strings.TrimSpace(w.Verb(argv...))
}

// shows waits for a text on a pane's screen.
func (w *world) shows(pane, text string) {
	w.T.Helper()
	w.T.Cleanup(func() {
		if w.T.Failed() {
			w.T.Logf("for %q the screen of %s was\n%s", text, pane, w.last)
		}
	})
	w.Until(pane+" shows "+text, func() bool {
		s := w.Screen(pane)
		w.last = s.String()
		return s.Has(text)
	})
}

// byName finds a pane.
func (w *world) byName(name string) proto.Pane {
	w.T.Helper()
	for _, p := range w.Panes() {
		if p.Name == name {
			return p
		}
	}
	w.T.Fatalf("there is no pane %s", name)
	return proto.Pane{}
}

// saved says whether the sessions are in the database of the server.
func (w *world) saved(sessions map[string]string) bool {
	for _, session := range sessions {
		if !w.Saved(fmt.Sprintf(`"session":%q,"talked":true`, session)) {
			return false
		}
	}
	return true
}
