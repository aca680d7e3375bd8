//go:build linux

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"signaltty/adapters"
	"signaltty/e2e/codex"
	"signaltty/e2e/model"
	"signaltty/e2e/openai"
	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// codexWorld is what one person who works with Codex has.
type codexWorld struct {
	scripted
	home codex.Home
}

// newCodexWorld starts a server. When the test ends the person's own
// configuration must be as it was, to the byte.
func newCodexWorld(t *testing.T, rules ...model.Rule) *codexWorld {
	t.Helper()
	t.Parallel()
	api := openai.Start(t, rules...)
	home := codex.New(t, api.URL)
	w := &codexWorld{home: home, scripted: scripted{model: api.Script, Place: place.New(t, place.Setup{
		Binary: binary, Dir: home.Dir, Work: home.Work, Env: home.Env(),
	})}}
	w.Serve()
	t.Cleanup(func() {
		home.Unchanged(t)
		if t.Failed() {
			w.ShowPanes()
		}
	})
	return w
}

func (w *codexWorld) read(file string) []byte {
	w.T.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		w.T.Fatal(err)
	}
	return b
}

// open starts Codex with a prompt in a new pane and returns its id.
func (w *codexWorld) open(prompt string) string {
	w.T.Helper()
	return strings.TrimSpace(w.Verb("new", "--agent", "codex", "--cwd", w.home.Work, "--", prompt))
}

// rule is a model that makes calls one after the other, then ends its turn.
func rule(match string, calls ...model.Call) model.Rule {
	r := model.Rule{Match: match}
	for _, c := range calls {
		r.Turns = append(r.Turns, model.Turn{Calls: []model.Call{c}})
	}
	r.Turns = append(r.Turns, model.Turn{Text: "The turn is over."})
	return r
}

// esc is the key as Codex asks for it (kitty keyboard protocol, CSI >7u). A bare
// escape byte may wait in its parser for what follows.
const esc = "\x1b[27u"

// hooksEnd waits for the end of hook processes that were seen.
func hooksEnd(t *testing.T, hooks []place.Process) {
	t.Helper()
	if len(hooks) == 0 {
		t.Error("no hook process was seen")
	}
	for _, h := range hooks {
		if !h.Ends() {
			t.Errorf("the hook stays: %s", h)
		}
	}
}

// Each kind of call that Codex asks about, allowed by a key on the bar. The
// person's own hook runs beside ours.
func TestCodexOnceByKey(t *testing.T) {
	outside := func(w *codexWorld) string { return filepath.Join(w.home.Dir, "made.txt") }
	tests := []struct {
		tool   string
		call   func(w *codexWorld) model.Call
		prompt func(w *codexWorld) string
	}{
		{"Bash",
			func(w *codexWorld) model.Call { return codex.Escalated("call_1", "echo made > "+outside(w)) },
			func(w *codexWorld) string { return "echo made > " + outside(w) }},
		{"apply_patch",
			func(w *codexWorld) model.Call { return codex.Patch("call_1", outside(w), "made") },
			outside},
	}
	for _, tt := range tests {
		t.Run(tt.tool, func(t *testing.T) {
			w := newCodexWorld(t)
			w.model.Add(rule("#go", tt.call(w)))
			w.Attach(proto.Size{Cols: 120, Lines: 40})
			pane := w.open("#go")
			d := w.Events.Added(pane, tt.tool, tt.prompt(w))
			if d.Dialog != proto.DialogAfter || codex.Asks(w.Screen(pane)) {
				t.Errorf("its dialog is said to be %s:\n%s", d.Dialog, w.Screen(pane))
			}
			w.Bar(d)
			if _, err := os.Stat(outside(w)); err == nil {
				t.Fatal("it ran before the answer")
			}
			if end := w.Press(d, "ctrl+]", "y"); end.End != proto.EndAnswered || end.Option != proto.OptionOnce {
				t.Errorf("ended as %+v", end)
			}
			w.Events.Confirmed(d)
			w.over(pane)
			if got := string(w.read(outside(w))); got != "made\n" {
				t.Errorf("it wrote %q", got)
			}
			if own := string(w.read(w.home.OwnHook())); !strings.Contains(own, `"hook_event_name":"PreToolUse"`) {
				t.Errorf("the person's own hook was told %q", own)
			}
		})
	}
}

// A deny reaches the model in the person's words.
func TestCodexDeny(t *testing.T) {
	const reason = `Use the <Makefile> & its "flags".`
	w := newCodexWorld(t, rule("#go", codex.Escalated("call_1", "echo made > made.txt")))
	pane := w.open("#go")
	d := w.Events.Added(pane, "Bash", "")
	w.Verb("answer", d.ID, proto.OptionDeny, "--message", reason)
	if got := w.result("call_1"); !strings.Contains(got, "Makefile") || !strings.Contains(got, "flags") {
		t.Errorf("the model was told %q", got)
	}
	w.Events.Confirmed(d)
	w.over(pane)
	if w.made("made.txt") {
		t.Error("the denied command ran")
	}
}

// Handed back, the question is Codex's own: its dialog appears, the pane is
// blocked for as long, and an answer there is told by what follows.
func TestCodexHandBack(t *testing.T) {
	w := newCodexWorld(t, rule("#go", codex.Escalated("call_1", "echo made > made.txt")))
	pane := w.open("#go")
	d := w.Events.Added(pane, "Bash", "")
	hooks := w.hooks()
	w.Verb("answer", d.ID, proto.OptionHandBack)
	hooksEnd(t, hooks)
	w.dialog(pane)
	if p := w.Pane(pane); p.State != proto.StateBlocked {
		t.Errorf("the pane is %s (%s) at its dialog", p.State, p.Reason)
	}
	w.press(pane, "y", func() bool { return w.made("made.txt") })
	w.over(pane)
}

// press presses a key in a pane until that has shown in what it does: a dialog
// that only just came up takes none.
func (w *codexWorld) press(pane, key string, shows func() bool) {
	w.T.Helper()
	again(w.T, "pressing "+key, func() { w.Run("send", pane, key) }, shows)
}

// again does something until it has come to hold.
func again(t *testing.T, what string, do func(), holds func() bool) {
	t.Helper()
	ctx, cancel := place.Patience(t)
	defer cancel()
	for ctx.Err() == nil {
		do()
		if soon(ctx, holds) {
			return
		}
	}
	t.Fatalf("%s does not help", what)
}

// soon says whether something comes to hold within a second.
func soon(ctx context.Context, holds func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (w *codexWorld) dialog(pane string) {
	w.T.Helper()
	w.Until("Codex's dialog is on the screen", func() bool { return codex.Asks(w.Screen(pane)) })
}

// Esc while a decision is held reaches Codex, since no dialog stands beside
// it: Codex kills the hook and ends the turn, and so the decision ends.
func TestCodexEsc(t *testing.T) {
	w := newCodexWorld(t, rule("#go", codex.Escalated("call_1", "echo made > made.txt")))
	pane := w.open("#go")
	d := w.Events.Added(pane, "Bash", "")
	hooks := w.hooks()
	w.Verb("send", pane, esc)
	if end, _ := w.Events.Ended(d); end.End != proto.EndHoldClosed && end.End != proto.EndMovedOn {
		t.Errorf("ended as %+v", end)
	}
	hooksEnd(t, hooks)
	w.Until("Codex says so", func() bool { return w.Screen(pane).Has("Conversation interrupted") })
	w.over(pane)
	if w.made("made.txt") {
		t.Error("the command ran")
	}
}

// A hook that is killed leaves the question to Codex's own dialog.
func TestCodexHookKilled(t *testing.T) {
	w := newCodexWorld(t, rule("#go", codex.Escalated("call_1", "echo made > made.txt")))
	pane := w.open("#go")
	d := w.Events.Added(pane, "Bash", "")
	for _, h := range w.hooks() {
		signal(t, h.PID, syscall.SIGKILL)
		h.Forget()
	}
	if end, _ := w.Events.Ended(d); end.End != proto.EndHoldClosed {
		t.Errorf("ended as %+v", end)
	}
	w.dialog(pane)
	w.press(pane, esc, func() bool { return !codex.Asks(w.Screen(pane)) })
	w.over(pane)
	if w.made("made.txt") {
		t.Error("the command ran")
	}
}

// The server crashes while it holds a decision of a Codex that is not its
// child: Codex asks in its own dialog.
func TestCodexServerKilled(t *testing.T) {
	w := newCodexWorld(t, rule("#go", codex.Escalated("call_1", "echo made > made.txt")))
	argv := w.launch("#go")
	p := tty.Start(t, tty.Command{Argv: append([]string{filepath.Join(w.home.Bin, "codex")}, argv[1:]...), Dir: w.home.Work, Env: w.Env})
	w.Events.Added("", "Bash", "")
	hooks := w.hooks()
	w.Server.Kill()
	hooksEnd(t, hooks)
	p.WaitFor("the dialog", codex.Asks)
	again(w.T, "pressing y", func() { p.Press("y") }, func() bool { return w.made("made.txt") })
	p.WaitText("The turn is over.")
	if !w.made("made.txt") {
		t.Error("the command did not run")
	}
}

// launch is the command line that a pane's Codex is started with.
func (w *codexWorld) launch(args ...string) []string {
	w.T.Helper()
	a, _ := adapters.Lookup("codex")
	c, err := a.Launch(adapters.Launch{Argv: args, Self: binary, Dir: w.home.Work})
	if err != nil {
		w.T.Fatal(err)
	}
	return c.Argv
}

// Two Codex ask at the same time: each gets its own answer, and each runs its
// tool in the environment of its own pane.
func TestCodexTwoPanes(t *testing.T) {
	const who = "echo $SIGNALTTY_PANE > "
	w := newCodexWorld(t, rule("#left", codex.Escalated("call_l", who+"left.txt")), rule("#right", codex.Escalated("call_r", who+"right.txt")),
		rule("#more", codex.Escalated("call_m", who+"more.txt")))
	left, right := w.open("#left"), w.open("#right")
	dl, dr := w.Events.Added(left, "Bash", who+"left.txt"), w.Events.Added(right, "Bash", who+"right.txt")
	w.Verb("answer", dr.ID, proto.OptionDeny)
	w.Verb("answer", dl.ID, proto.OptionOnce)
	w.over(left)
	w.over(right)
	if w.made("right.txt") {
		t.Error("the denied command ran")
	}
	w.prompt(right, "#more")
	w.Verb("answer", w.Events.Added(right, "Bash", who+"more.txt").ID, proto.OptionOnce)
	w.Until("the command has run", func() bool { return w.made("more.txt") })
	w.over(right)
	for file, pane := range map[string]string{"left.txt": left, "more.txt": right} {
		if got := strings.TrimSpace(string(w.read(filepath.Join(w.home.Work, file)))); got != pane {
			t.Errorf("%s was written in pane %q, want %q", file, got, pane)
		}
	}
}

// A question before Codex starts, here about a newer model, is told by no
// title and no hook: the pane is blocked all the same, and nothing answers it.
func TestCodexAsksBeforeItStarts(t *testing.T) {
	w := newCodexWorld(t)
	w.home.ForgetModel(t)
	pane := strings.TrimSpace(w.Verb("new", "--agent", "codex", "--cwd", w.home.Work))
	w.Verb("wait", pane, "--until", "blocked", "--timeout", "60s")
	if s := w.Screen(pane); !s.Has("Use existing model") {
		t.Errorf("it is blocked at\n%s", s)
	}
	w.Verb("send", pane, "2")
	w.Verb("wait", pane, "--until", "idle", "--timeout", "60s")
}

// Codex itself says of every hook of ours that it is trusted.
func TestCodexTrustsEachHook(t *testing.T) {
	w := newCodexWorld(t)
	a, _ := adapters.Lookup("codex")
	trust := w.home.Trust(t, w.launch())
	for _, e := range a.Events {
		if got := trust[e.Name]; e.TimeoutSeconds > 0 && got != "trusted" {
			t.Errorf("%s is %q", e.Name, got)
		}
	}
	if trust["own"] != "trusted" {
		t.Errorf("the person's own hook is %q", trust["own"])
	}
}
