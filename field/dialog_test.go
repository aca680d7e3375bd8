//go:build linux

package field

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// Whether the agent's own dialog stands beside the bar, or appears only when
// the ask is handed back, is shown, and an ask without a dialog waits minutes
// and not a day.
func TestA07WhereElseItCanBeAnswered(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	w.Attach(size)
	_, main := w.asks(pane, bash("make"))
	if wait := main.Deadline.Sub(main.ReceivedAt); main.Dialog != proto.DialogBeside || wait != 24*time.Hour {
		t.Errorf("the main agent's dialog is %s and it waits %v", main.Dialog, wait)
	}
	w.Bar(main)
	w.UI.WaitText("its own dialog is open too")
	w.Verb("answer", main.ID, proto.OptionDeny)

	_, sub := w.asks(pane, bash("make").with("agent_id", "a1", "agent_type", "writer", "tool_input", payload{"command": "make docs"}))
	if wait := sub.Deadline.Sub(sub.ReceivedAt); sub.Dialog != proto.DialogAfter || wait != 2*time.Minute {
		t.Errorf("a subagent's dialog is %s and it waits %v", sub.Dialog, wait)
	}
	w.Bar(sub)
	w.UI.WaitText("its own dialog opens when handed back")
}

// One key gives the question back to the agent's own prompt, at once: no
// verdict. Where the dialog only then appears, the pane takes no input for a
// moment, so that the key after it cannot answer.
func TestA08HandBack(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	w.Attach(size)
	h, d := w.asks(pane, bash("make"))
	if end := w.Chord(d, "t"); end.End != proto.EndHandedBack {
		t.Errorf("it ended as %+v", end)
	}
	h.leavesIt()
	if p := w.Pane(pane); p.State != proto.StateBlocked {
		t.Errorf("the agent asks in the pane, which is %s", p.State)
	}

	// A machine that is busy may let that moment pass, so it is tried some times.
	held := false
	key := proto.PaneInput{Pane: pane, Data: []byte("1")}
	for i := 0; i < 5 && !held; i++ {
		h, d = w.asks(pane, bash(fmt.Sprintf("make docs %d", i)).with("agent_id", "a1", "agent_type", "writer"))
		place.Ask[proto.DecisionAnswered](w.Place, proto.MethodDecisionAnswer, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionHandBack})
		e, refused := errors.AsType[*proto.Error](w.Conn.Call(t.Context(), proto.MethodPaneInput, key, nil))
		held = refused && e.Code == proto.CodePaneBusy
		h.leavesIt()
	}
	if !held {
		t.Error("a key right after it reaches the pane")
	}
	w.Until("the pane takes input again", func() bool { return w.Conn.Call(t.Context(), proto.MethodPaneInput, key, nil) == nil })
	w.NothingWaits()
}

// What is installed in the agent has each event once, with a time-out in
// seconds that outlasts the server's own wait; the person's hooks stay.
func TestA09InstalledTimeouts(t *testing.T) {
	w := newWorld(t)
	hooks := w.installed("")
	for name, list := range hooks {
		if len(list) != 1 || len(list[0].Hooks) != 1 {
			t.Errorf("%s is installed as %+v", name, list)
			continue
		}
		own := list[0].Hooks[0]
		holds := slices.Contains(own.Args, "--wait-for-answer")
		if holds != (name == "PermissionRequest" || name == "Elicitation") {
			t.Errorf("%s waits for an answer: %t", name, holds)
		}
		// Claude Code takes seconds; its timer overflows above 2147483.
		if least := 24*60*60 + 60; holds && (own.Timeout < least || own.Timeout > 2147483) {
			t.Errorf("%s may take %d s, want from %d", name, own.Timeout, least)
		}
		if !holds && (own.Timeout < 2 || own.Timeout > 10) {
			t.Errorf("%s may hold the agent up for %d s", name, own.Timeout)
		}
	}
	if len(hooks["PermissionRequest"]) == 0 {
		t.Fatalf("only these are installed: %v", hooks)
	}
	// And what is installed runs, exactly as it is written.
	own := hooks["PermissionRequest"][0].Hooks[0]
	cmd := w.Command(own.Args...)
	cmd.Path, cmd.Args[0] = own.Command, own.Command
	cmd.Stdin = strings.NewReader(bash("make").with("hook_event_name", "PermissionRequest").String())
	h := w.start("PermissionRequest", cmd)
	w.Verb("answer", w.Events.Added("", "Bash", "make").ID, proto.OptionOnce)
	h.says("allow")
}

func TestA10InstalledOnce(t *testing.T) {
	w := newWorld(t)
	first, second := w.installed(""), w.installed("")
	if fmt.Sprint(first) != fmt.Sprint(second) {
		t.Errorf("two panes are given\n%v\n%v", first, second)
	}
	own := w.file("own.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done", "timeout": 9}]}]}}`, 0o600)
	for name, list := range w.installed(own) {
		want := 1
		if name == "Stop" {
			want = 2
			if list[0].Hooks[0].Command != "say done" || list[0].Hooks[0].Timeout != 9 {
				t.Errorf("the person's own became %+v", list[0])
			}
		}
		if len(list) != want {
			t.Errorf("%s is installed %d times, want %d", name, len(list), want)
		}
	}
	if data, err := os.ReadFile(own); err != nil || !strings.Contains(string(data), `"timeout": 9`) || strings.Contains(string(data), "hook-event") {
		t.Errorf("the person's file became %s: %v", data, err)
	}
}

// installedHook is an entry of an event in Claude Code's settings.
type installedHook struct {
	Hooks []struct {
		Command string
		Args    []string
		Timeout int
	}
}

// installed starts a pane of an agent that is named claude, with the person's
// settings, and returns the hooks that it was given.
func (w *world) installed(settings string) map[string][]installedHook {
	w.T.Helper()
	bin := filepath.Join(w.Work, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		w.T.Fatal(err)
	}
	w.file("bin/claude", "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = --settings ] && cat \"$2\" >\"$OUT\"; shift; done\nexec sleep 1000\n", 0o700)
	out := filepath.Join(w.Work, fmt.Sprintf("settings-%d", serial.Add(1)))
	cmd := w.Command("new", "--agent", "claude")
	if settings != "" {
		cmd.Args = append(cmd.Args, "--", "--settings", settings)
	}
	cmd.Env = append(cmd.Env, "PATH="+bin+":/usr/bin:/bin", "OUT="+out)
	if said, err := cmd.CombinedOutput(); err != nil {
		w.T.Fatalf("%v: %s", err, said)
	}
	var got struct{ Hooks map[string][]installedHook }
	w.Until("the agent has its settings", func() bool {
		data, err := os.ReadFile(out)
		return err == nil && json.Unmarshal(data, &got) == nil
	})
	return got.Hooks
}

// When the time is up the decision leaves every client, and pressing or
// answering then is refused and said to be.
func TestA12LateAnswer(t *testing.T) {
	w := newWorld(t, "[wait]", `beside = "1s"`)
	pane := w.idlePane()
	w.Attach(size)
	h, d := w.asks(pane, bash("make"))
	w.ends(d, proto.EndDeadline)
	h.leavesIt()
	w.UI.WaitFor("no bar", func(s tty.Screen) bool { return !place.OnBar(s, d) && !s.Has("waiting") })
	w.UI.Press("ctrl+]", "y")
	w.UI.WaitText("no decision waits")
	if said := w.exits(proto.ExitNoThing, "answer", d.ID, proto.OptionOnce); !strings.Contains(said, "signaltty decisions") {
		t.Errorf("a late answer is told %q", said)
	}
	if p := w.Pane(pane); p.Pending != 0 || p.State != proto.StateBlocked {
		t.Errorf("the agent's own dialog is left, and the pane is %s with %d pending", p.State, p.Pending)
	}
}

// How long a decision waits is the person's to say, for both kinds, and the
// time that is left is shown.
func TestA15DeadlineIsShown(t *testing.T) {
	w := newWorld(t, "[wait]", `beside = "100s"`, `only = "3s"`)
	pane := w.idlePane()
	w.Attach(size)
	_, d := w.asks(pane, bash("make"))
	if wait := d.Deadline.Sub(d.ReceivedAt); wait != 100*time.Second {
		t.Errorf("it waits %v", wait)
	}
	w.Bar(d)
	left := 100
	for range 2 { // it counts down
		s := w.UI.WaitFor("less time", func(s tty.Screen) bool { n := secondsLeft(s); return 0 < n && n < left })
		left = secondsLeft(s)
	}
	if list := w.Verb("decisions"); !strings.Contains(list, " in 1m3") {
		t.Errorf("decisions says\n%s", list)
	}
	h, only := w.asks(pane, bash("make docs").with("agent_id", "a1", "agent_type", "writer"))
	w.ends(only, proto.EndDeadline)
	h.leavesIt()
	if got := w.waiting(); !slices.Equal(got, []string{d.ID}) {
		t.Errorf("%v wait, want the other one alone", got)
	}
}

// secondsLeft is the time that the bar gives a decision, 0 when it says none.
func secondsLeft(s tty.Screen) int {
	for _, line := range s.Lines {
		if before, _, ok := strings.Cut(line, " s left"); ok {
			n, _ := strconv.Atoi(before[strings.LastIndexFunc(before, func(r rune) bool { return r < '0' || r > '9' })+1:])
			return n
		}
	}
	return 0
}

// A notification is a hint: it raises attention and never a decision, and an
// ask needs none.
func TestA28NotificationsAreHints(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	notice := bash("").with("message", "Claude needs your permission to use Bash", "notification_type", "permission_prompt")
	w.tell(pane, "Notification", notice)
	if p := w.Pane(pane); p.Pending != 0 || p.State == proto.StateBlocked || p.Attention != proto.AttentionNotice {
		t.Errorf("a notification alone makes it %s with %d pending, attention %q", p.State, p.Pending, p.Attention)
	}
	h, d := w.asks(pane, bash("make"))
	w.tell(pane, "Notification", notice)
	w.tell(pane, "Notification", notice)
	if got := w.waiting(); !slices.Equal(got, []string{d.ID}) {
		t.Errorf("%v wait", got)
	}
	w.Verb("answer", d.ID, proto.OptionOnce)
	h.says("allow")
	w.tell(pane, "Notification", notice) // a phantom, of what was answered
	if p := w.Pane(pane); p.Pending != 0 || p.State == proto.StateBlocked {
		t.Errorf("a phantom makes it %s with %d pending", p.State, p.Pending)
	}
	w.NothingWaits()
}

// Questions and plans are no yes or no about a tool.
func TestA29QuestionsAndPlans(t *testing.T) {
	var many []any
	for i := range 12 {
		many = append(many, payload{"label": fmt.Sprintf("Library %d", i), "description": "one of them"})
	}
	asks := []struct {
		name, tool, kind string
		input            payload
		shows            string
		answer           []string // after the decision
		says             string   // in the hook's reply
		bar              []string // keys that do not answer yet
	}{
		{"one question", "AskUserQuestion", proto.KindQuestion, payload{"questions": []any{
			payload{"question": "Which library?", "header": "Library", "multiSelect": false, "options": many[:2]},
		}}, "Which library?", []string{proto.OptionAnswer, "--choice", "Library 1"}, `"answers":{"Which library?":"Library 1"}`, []string{"y"}},
		{"two, of many options", "AskUserQuestion", proto.KindQuestion, payload{"questions": []any{
			payload{"question": "Which libraries?", "header": "Libraries", "multiSelect": true, "options": many},
			payload{"question": "Which language?", "header": "Language", "multiSelect": false, "options": many[:2]},
		}}, "Which libraries?", []string{proto.OptionAnswer, "--choice", "1:Library 2", "--choice", "1:Library 11", "--choice", "2:Lisp"},
			`"answers":{"Which language?":"Lisp","Which libraries?":"Library 2, Library 11"}`, []string{"y", "1", "2"}},
		{"a plan", "ExitPlanMode", proto.KindPlan, payload{"plan": "# The plan\n\n1. Remove the old code\n"}, "The plan",
			[]string{proto.OptionAcceptEdits}, `"mode":"acceptEdits"`, nil},
	}
	for _, a := range asks {
		t.Run(a.name, func(t *testing.T) {
			w := newWorld(t)
			pane := w.idlePane()
			w.Attach(size)
			h := w.hook(pane, "PermissionRequest", bash("").with("tool_name", a.tool, "tool_input", a.input))
			d := w.Events.Added(pane, a.tool, "")
			if d.Kind != a.kind || !d.Answerable {
				t.Errorf("it is a %s, answerable %t, with %+v", d.Kind, d.Answerable, d.Options)
			}
			w.UI.WaitText(a.shows)
			for _, option := range []string{proto.OptionOnce, proto.OptionAlways} {
				w.exits(proto.ExitUsage, "answer", d.ID, option)
			}
			w.UI.Press(append([]string{"ctrl+]"}, a.bar...)...)
			if got := w.waiting(); !slices.Equal(got, []string{d.ID}) {
				t.Errorf("%v wait, want %s", got, d.ID)
			}
			w.Verb(append([]string{"answer", d.ID}, a.answer...)...)
			if h.ended(); !strings.Contains(h.out.String(), a.says) {
				t.Errorf("the hook says %s, want %s in it", &h.out, a.says)
			}
		})
	}
}
