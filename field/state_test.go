//go:build linux

package field

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"signaltty/proto"
)

// states are the states that a pane went through, as its events told them,
// each once in a row.
func (w *world) states(pane string) []proto.State {
	w.T.Helper()
	var list []proto.State
	for i := range w.Events.Len() {
		m := w.Events.At(i)
		var p proto.Pane
		if m.Event == proto.EventPaneUpdated && m.Decode(&p) == nil && p.ID == pane && (len(list) == 0 || list[len(list)-1] != p.State) {
			list = append(list, p.State)
		}
	}
	return list
}

// A long menu is blocked because its hook says so. A menu that no hook tells
// of is never "done": nothing is read from a screen.
func TestB02LongDialogs(t *testing.T) {
	w := newWorld(t)
	var options []any
	for i := range 12 {
		options = append(options, payload{"label": fmt.Sprintf("Choice %d", i), "description": "one of them"})
	}
	pane := w.idlePane()
	w.hook(pane, "PermissionRequest", bash("").with("tool_name", "AskUserQuestion", "tool_input", payload{
		"questions": []any{payload{"question": "Which?", "header": "Which", "multiSelect": false, "options": options}},
	}))
	d := w.Events.Added(pane, "AskUserQuestion", "")
	if p := w.Pane(pane); p.State != proto.StateBlocked || len(d.Questions) != 1 || len(d.Questions[0].Choices) != 12 {
		t.Errorf("the pane is %s, and asks %+v", p.State, d.Questions)
	}
	menu := "printf 'Do you trust the files in this folder?\\n"
	for i := range 9 {
		menu += fmt.Sprintf("%d. choice\\n", i+1)
	}
	drawn := w.shell(menu + "'; sleep 1000")
	w.Until("the menu is drawn", func() bool { return w.Screen(drawn).Has("9. choice") })
	if p := w.Pane(drawn); p.State != proto.StateUnknown {
		t.Errorf("a menu that nobody tells of is %s", p.State)
	}
}

// A session that was started by hand in a pane's shell, or resumed there, is
// right within one event.
func TestB05StartedByHand(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	steps := []struct {
		event string
		p     payload
		want  proto.State
	}{
		{"SessionStart", bash("").with("source", "resume"), proto.StateIdle},
		{"UserPromptSubmit", bash("").with("prompt", "go"), proto.StateWorking},
		{"Stop", bash(""), proto.StateDone},
		{"SessionEnd", bash("").with("reason", "prompt_input_exit"), proto.StateIdle},
		{"SessionStart", bash("").with("source", "startup", "session_id", "s2"), proto.StateIdle},
		{"UserPromptSubmit", bash("").with("prompt", "go", "session_id", "s2"), proto.StateWorking},
	}
	for _, s := range steps {
		w.tell(pane, s.event, s.p)
		if p := w.Pane(pane); p.State != s.want {
			t.Errorf("after %s the pane is %s (%s), want %s", s.event, p.State, p.Reason, s.want)
		}
	}
	if p := w.Pane(pane); p.Session != "s2" {
		t.Errorf("the pane has session %s", p.Session)
	}
}

// A title that changes to and fro while a turn goes on does not make the state
// flicker; what asks is blocked at once; a title that stays tells the end.
func TestB07StatesDoNotFlicker(t *testing.T) {
	w := newWorld(t)
	steps := []string{`{"do":"hook","event":"UserPromptSubmit","fields":{"prompt":"go"}}`}
	for range 20 { // the spinner sets "working" in between
		steps = append(steps, `{"do":"emit","text":"\u001b]0;✳ x\u0007"}`, `{"do":"think","ms":25}`)
	}
	steps = append(steps, `{"do":"ask","asks":[{"tool":"Bash","input":{"command":"make"}}]}`, `{"do":"think","ms":25}`,
		`{"do":"emit","text":"\u001b]0;✳ x\u0007"}`, `{"do":"read"}`)
	want := []proto.State{proto.StateWorking, proto.StateBlocked, proto.StateWorking, proto.StateIdle}
	var got []proto.State
	for range 3 { // a machine that stands still for a second shows a title for as long
		pane := w.mock("[" + strings.Join(steps, ",") + "]")
		d := w.Events.Added(pane, "Bash", "make")
		w.Verb("answer", d.ID, proto.OptionOnce)
		w.Verb("wait", pane, "--until", "idle", "--timeout", "60s")
		w.Until("all of it was told", func() bool { s := w.states(pane); return len(s) > 2 && s[len(s)-1] == proto.StateIdle })
		got = w.states(pane)
		if got = got[slices.Index(got, proto.StateWorking):]; slices.Equal(got, want) {
			return
		}
	}
	t.Errorf("the pane went through %v, want %v", got, want)
}
