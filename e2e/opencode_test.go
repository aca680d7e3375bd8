//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"signaltty/adapters"
	"signaltty/e2e/anthropic"
	"signaltty/e2e/opencode"
	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// openWorld is a world whose agent is OpenCode.
type openWorld struct {
	*world
	home opencode.Home
}

func newOpenWorld(t *testing.T, rules ...anthropic.Rule) *openWorld {
	t.Helper()
	t.Parallel()
	model := anthropic.Start(t, rules...)
	home := opencode.New(t, model.URL)
	w := &openWorld{home: home, world: &world{model: model, Place: place.New(t, place.Setup{
		Binary: binary, Dir: home.Dir, Work: home.Work, Env: home.Env(),
	})}}
	w.world.home.Work = home.Work
	w.Serve()
	return w
}

// open starts OpenCode in a new pane and returns its id when it takes a prompt.
// Of two that make a new home's database at the same time, one may hang.
func (w *openWorld) open() string {
	w.T.Helper()
	pane := strings.TrimSpace(w.Verb("new", "--agent", "opencode", "--size", "120x40", "--cwd", w.home.Work))
	w.Until("the agent takes a prompt", func() bool { return opencode.Ready(w.Screen(pane)) })
	return pane
}

// shell is a rule of one bash call and the end of the turn. The call's id is
// toolu_ and the token.
func shell(token, command string) anthropic.Rule {
	return anthropic.Rule{Match: "#" + token, Turns: []anthropic.Turn{
		anthropic.Call(anthropic.Tool("toolu_"+token, "bash", map[string]any{"command": command, "description": "do it"})),
		anthropic.Say("The turn " + token + " is over."),
	}}
}

// prompt gives the agent in a pane its next prompt, and waits for what it asks.
func (w *openWorld) prompt(pane, token, tool string) proto.Decision {
	w.T.Helper()
	seen := w.Events.Seq()
	w.Verb("send", pane, "#"+token, "--enter")
	return w.addedAfter(seen, pane, tool)
}

func (w *openWorld) addedAfter(seq uint64, pane, tool string) proto.Decision {
	w.T.Helper()
	d, _ := place.Await(w.Events, proto.EventDecisionAdded, func(d proto.Decision) bool {
		return d.Pane == pane && d.Tool == tool && w.decidedAfter(d.ID, seq)
	})
	return d
}

// decidedAfter says whether a decision was added after an event.
func (w *openWorld) decidedAfter(id string, seq uint64) bool {
	_, i := place.Await(w.Events, proto.EventDecisionAdded, func(d proto.Decision) bool { return d.ID == id })
	return w.Events.At(i).Seq > seq
}

func (w *openWorld) answer(a proto.DecisionAnswer) {
	w.T.Helper()
	place.Ask[proto.DecisionAnswered](w.Place, proto.MethodDecisionAnswer, a)
}

// asks waits until OpenCode's own dialog stands on the pane's screen.
func (w *openWorld) asks(pane string) {
	w.T.Helper()
	w.Until("the agent's dialog is on the screen", func() bool { return opencode.Asks(w.Screen(pane)) })
}

// TestOpenCode goes through every way in which a decision of OpenCode can end,
// in two panes: it takes many seconds to start.
func TestOpenCode(t *testing.T) {
	w := newOpenWorld(t,
		shell("first", "echo made > first.txt"), shell("other", "echo made > other.txt"),
		shell("always", "echo made > always.txt"), shell("again", "echo made > again.txt"),
		shell("stop", "touch stop.txt"), shell("own", "touch own.txt"), shell("back", "touch back.txt"), shell("kill", "touch kill.txt"),
		anthropic.Rule{Match: "#ask", Turns: []anthropic.Turn{
			anthropic.Call(anthropic.Tool("toolu_ask", "question", map[string]any{"questions": []any{
				map[string]any{"question": "Which colour?", "header": "Colour", "options": []any{choice("Red"), choice("Blue")}},
				map[string]any{"question": "Which sizes?", "header": "Sizes", "multiple": true, "options": []any{choice("S"), choice("L")}},
			}})), anthropic.Say("The turn ask is over."),
		}},
		anthropic.Rule{Match: "#sub", Turns: []anthropic.Turn{
			anthropic.Call(anthropic.Tool("toolu_sub", "task", map[string]any{"description": "look", "prompt": "#stop it", "subagent_type": "general"})),
			anthropic.Say("The turn sub is over."),
		}},
	)
	w.model.Add(
		anthropic.Rule{Match: "#pair", Turns: []anthropic.Turn{anthropic.Call(
			anthropic.Tool("toolu_p1", "bash", map[string]any{"command": "touch pair.txt", "description": "do it"}),
			anthropic.Tool("toolu_p2", "bash", map[string]any{"command": "touch pair.txt", "description": "do it too"}),
		)}},
		anthropic.Rule{Match: "#slow", Turns: []anthropic.Turn{{After: make(chan struct{})}}},
	)
	config, err := os.ReadFile(w.home.Config)
	if err != nil {
		t.Fatal(err)
	}
	pane := w.twoPanes()
	w.standing(pane)
	w.stops(pane)
	w.questions(pane)
	w.ownDialog(pane)
	w.handedBack(pane)
	w.killedHook(pane)
	w.subagent(pane)
	w.pair(pane)
	w.interrupted(pane)

	if after, err := os.ReadFile(w.home.Config); err != nil || string(after) != string(config) {
		t.Errorf("the person's configuration has changed: %v\n%s", err, after)
	}
	if seen, err := os.ReadFile(w.home.Seen); err != nil || !strings.Contains(string(seen), "bash\n") {
		t.Errorf("the person's own plugin did not run: %v %q", err, seen)
	}
}

func choice(label string) map[string]any {
	return map[string]any{"label": label, "description": "it is " + label}
}

// Two agents ask at the same time; each gets the answer that was meant for it.
func (w *openWorld) twoPanes() (pane string) {
	pane, other := w.open(), w.open()
	w.Verb("send", pane, "#first", "--enter")
	w.Verb("send", other, "#other", "--enter")
	d, o := w.Events.Added(pane, "bash", "echo made > first.txt"), w.Events.Added(other, "bash", "echo made > other.txt")
	w.asks(pane)
	w.answer(proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce})
	const reason = "Use the Makefile – it knows the flags."
	w.answer(proto.DecisionAnswer{Decision: o.ID, Option: proto.OptionDeny, Message: reason})
	if r := w.result("toolu_first"); r.IsError {
		w.T.Errorf("the allowed tool failed: %s", r.Text)
	}
	if r := w.result("toolu_other"); !strings.Contains(r.Text, reason) {
		w.T.Errorf("the model got %q, without the reason", r.Text)
	}
	w.Events.Confirmed(d)
	w.Events.Confirmed(o)
	w.idle(pane)
	w.idle(other)
	if !w.made("first.txt") || w.made("other.txt") {
		w.T.Errorf("first.txt made: %t, other.txt made: %t", w.made("first.txt"), w.made("other.txt"))
	}
	w.Verb("close", other)
	return pane
}

// Always is shown as OpenCode will keep it, and holds.
func (w *openWorld) standing(pane string) {
	d := w.prompt(pane, "always", "bash")
	if d.Standing == nil || d.Standing.Rule != "bash: echo *" {
		w.T.Errorf("always would save %+v", d.Standing)
	}
	w.answer(proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionAlways})
	w.result("toolu_always")
	w.idle(pane)
	asked := w.Events.Count(proto.EventDecisionAdded)
	w.Verb("send", pane, "#again", "--enter")
	w.result("toolu_again")
	w.idle(pane)
	if n := w.Events.Count(proto.EventDecisionAdded); n != asked || !w.made("again.txt") {
		w.T.Errorf("%d more decisions, again.txt made: %t", n-asked, w.made("again.txt"))
	}
}

// A denial that interrupts ends the turn.
func (w *openWorld) stops(pane string) {
	d := w.prompt(pane, "stop", "bash")
	w.answer(proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionDeny, Interrupt: true})
	w.idle(pane)
	for _, r := range w.model.Requests() {
		if _, told := r.Result("toolu_stop"); told {
			w.T.Error("the turn went on after an interruption")
		}
	}
}

func (w *openWorld) questions(pane string) {
	d := w.prompt(pane, "ask", "question")
	if d.Kind != proto.KindQuestion || len(d.Questions) != 2 || !d.Questions[1].Multi || !d.Questions[0].FreeText {
		w.T.Fatalf("asks %+v", d)
	}
	w.answer(proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionAnswer, Answers: [][]string{{"Green"}, {"S", "L"}}})
	if r := w.result("toolu_ask"); !strings.Contains(r.Text, `"Which colour?"="Green"`) || !strings.Contains(r.Text, `="S, L"`) {
		w.T.Errorf("the model got %q", r.Text)
	}
	w.Events.Confirmed(d)
	w.idle(pane)
}

// Answered in OpenCode's own dialog, behind signaltty's back.
func (w *openWorld) ownDialog(pane string) {
	d := w.prompt(pane, "own", "bash")
	w.asks(pane)
	w.agentKey(pane, "\r")
	if end, _ := w.Events.Ended(d); end.End != proto.EndMovedOn || end.Cause != "hook permission.replied" {
		w.T.Errorf("ended as %+v", end)
	}
	w.result("toolu_own")
	w.idle(pane)
}

func (w *openWorld) handedBack(pane string) {
	d := w.prompt(pane, "back", "bash")
	w.asks(pane)
	w.answer(proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionHandBack})
	w.stays(pane, "toolu_back")
}

func (w *openWorld) killedHook(pane string) {
	d := w.prompt(pane, "kill", "bash")
	w.asks(pane)
	for _, h := range w.Processes(func(args string) bool { return strings.Contains(args, "permission.asked") }) {
		signal(w.T, h.PID, syscall.SIGKILL)
		if !h.Ends() {
			w.T.Errorf("the hook stays: %s", h)
		}
	}
	if end, _ := w.Events.Ended(d); end.End != proto.EndHoldClosed {
		w.T.Errorf("ended as %+v", end)
	}
	w.stays(pane, "toolu_kill")
}

// stays expects OpenCode's own dialog where no decision waits any more, and
// answers in it.
func (w *openWorld) stays(pane, call string) {
	w.T.Helper()
	if s := w.Screen(pane); !opencode.Asks(s) {
		w.T.Fatalf("the agent's dialog is gone:\n%s", s)
	}
	if p := w.Pane(pane); p.State != proto.StateBlocked {
		w.T.Errorf("the pane is %s (%s) while the agent asks", p.State, p.Reason)
	}
	w.agentKey(pane, "\r")
	w.result(call)
	w.idle(pane)
}

// A subagent's ask is of its pane, under its name.
func (w *openWorld) subagent(pane string) {
	d := w.prompt(pane, "sub", "bash")
	if d.Subagent != "general" {
		w.T.Errorf("asked by %q", d.Subagent)
	}
	w.answer(proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce})
	w.result("toolu_sub")
	w.idle(pane)
	if !w.made("stop.txt") {
		w.T.Error("the subagent's tool left no file")
	}
}

// To reject one ask is to reject all that wait in the session: OpenCode says so
// of each, and none stays in the bar.
func (w *openWorld) pair(pane string) {
	seen := w.Events.Seq()
	one := w.prompt(pane, "pair", "bash")
	two, _ := place.Await(w.Events, proto.EventDecisionAdded, func(d proto.Decision) bool {
		return d.ID != one.ID && w.decidedAfter(d.ID, seen)
	})
	w.answer(proto.DecisionAnswer{Decision: one.ID, Option: proto.OptionDeny})
	if end, _ := w.Events.Ended(two); end.End != proto.EndMovedOn || end.Cause != "hook permission.replied" {
		w.T.Errorf("the other one ended as %+v", end)
	}
	w.idle(pane)
	if w.made("pair.txt") {
		w.T.Error("a rejected command ran")
	}
}

// Interrupted by its own key, OpenCode is at work no more.
func (w *openWorld) interrupted(pane string) {
	w.Verb("send", pane, "#slow", "--enter")
	w.Verb("wait", pane, "--until", "working", "--timeout", "60s")
	w.Until("it can be interrupted", func() bool { return w.Screen(pane).Has("esc interrupt") })
	w.agentKey(pane, "\x1b")
	w.Until("it wants the key again", func() bool { return w.Screen(pane).Has("again to interrupt") })
	w.agentKey(pane, "\x1b")
	w.idle(pane)
}

// The server crashes while it holds a decision of an OpenCode that is not its
// child. OpenCode's own dialog stays, and works.
func TestOpenCodeOutlivesTheServer(t *testing.T) {
	w := newOpenWorld(t, shell("go", "touch made.txt"))
	a, _ := adapters.Lookup("opencode")
	launched, err := a.Launch(adapters.Launch{Argv: []string{"--prompt", "#go"}, FilesDir: t.TempDir(), Self: binary, Env: w.Env})
	if err != nil {
		t.Fatal(err)
	}
	p := tty.Start(t, tty.Command{
		Argv: append([]string{filepath.Join(w.home.Bin, "opencode")}, launched.Argv[1:]...),
		Dir:  w.home.Work, Env: append(w.Env, launched.Env...), Size: proto.Size{Cols: 100, Lines: 30},
	})
	w.Events.Added("", "bash", "touch made.txt")
	p.WaitFor("the dialog", opencode.Asks)
	hooks := w.Hooks()
	w.Server.Kill()
	for _, h := range hooks {
		if !h.Ends() {
			t.Errorf("the hook outlives the server: %s", h)
		}
	}
	if s := p.Screen(); !opencode.Asks(s) {
		t.Fatalf("the dialog is gone:\n%s", s)
	}
	p.Press("enter")
	p.WaitText("The turn go is over.")
	if r := w.result("toolu_go"); r.IsError || !w.made("made.txt") {
		t.Errorf("the tool failed: %s", r.Text)
	}
}
