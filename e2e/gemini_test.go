//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"signaltty/adapters"
	"signaltty/e2e/gemini"
	"signaltty/e2e/google"
	"signaltty/e2e/model"
	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// geminiWorld is what one person who works with Gemini CLI has.
type geminiWorld struct {
	scripted
	home gemini.Home
}

// Esc ends Gemini CLI's turn while our hook holds, and it tells nothing of
// that: the bar lets go at once all the same, and the tool does not run.
func TestGeminiInterrupted(t *testing.T) {
	w := newGeminiWorld(t, rule("#go", gemini.Shell("call_1", "touch made.txt")))
	if os.Getuid() != 0 {
		w.install()
	}
	w.Attach(proto.Size{Cols: 120, Lines: 40})
	pane := w.open("#go", "--decide")
	d := w.Events.Added(pane, "run_shell_command", "touch made.txt")
	w.Bar(d)
	w.UI.Type("\x1b")
	if end, _ := w.Events.Ended(d); end.End != proto.EndTurnedTo || end.Cause != "interrupted in the pane" {
		t.Errorf("ended as %+v", end)
	}
	w.UI.WaitFor("no bar", func(s tty.Screen) bool { return !place.OnBar(s, d) })
	w.Until("the turn is over", func() bool { return w.Screen(pane).Has("Request cancelled") && w.Pane(pane).State == proto.StateIdle })
	for _, h := range w.Hooks() {
		if !h.Ends() {
			t.Errorf("the hook stays: %s", h)
		}
	}
	if s := w.Screen(pane); gemini.Asks(s) || w.made("made.txt") {
		t.Errorf("made.txt made: %t; the screen is\n%s", w.made("made.txt"), s)
	}
	w.NothingWaits()
}

// newGeminiWorld starts a server. When the test ends the person's own settings
// must be as they were, to the byte.
func newGeminiWorld(t *testing.T, rules ...model.Rule) *geminiWorld {
	t.Helper()
	t.Parallel()
	api := google.Start(t, rules...)
	home := gemini.New(t, api.URL)
	w := &geminiWorld{home: home, scripted: scripted{model: api.Script, Place: place.New(t, place.Setup{
		Binary: binary, Dir: home.Dir, Work: home.Work, Env: home.Env(),
	})}}
	w.Serve()
	t.Cleanup(func() {
		home.Unchanged(t)
	})
	return w
}

// install puts our hooks into the person's own settings, and at the end takes
// them out: the way of those who are not root, from whom Gemini CLI takes no
// hooks for one pane.
func (w *geminiWorld) install() {
	w.T.Helper()
	w.Verb("integration", "install", "gemini")
	w.T.Cleanup(func() { w.Verb("integration", "uninstall", "gemini") })
}

// open starts Gemini CLI with a prompt in a new pane.
func (w *geminiWorld) open(prompt string, flags ...string) string {
	w.T.Helper()
	args := append([]string{"new", "--agent", "gemini", "--cwd", w.home.Work, "--size", "100x40"}, flags...)
	return strings.TrimSpace(w.Verb(append(args, "--", "-i", prompt)...))
}

// Decisions where the person chose them, in two panes at once: once and deny
// each reach the right one, a reading tool does not ask, a decision that is
// handed back is asked in Gemini CLI's own dialog, and the person's own hook
// runs beside ours. Where our hook is killed the tool runs: docs/adapters.md
// says so.
func TestGeminiDecides(t *testing.T) {
	const who = "echo $SIGNALTTY_PANE > "
	w := newGeminiWorld(t,
		rule("#left", gemini.Shell("call_l", who+"left.txt")), rule("#right", gemini.Shell("call_r", who+"right.txt")),
		rule("#read", model.Call{ID: "call_read", Name: "list_directory", Args: map[string]any{"dir_path": "."}}),
		rule("#back", gemini.Shell("call_b", "echo made > back.txt")), rule("#kill", gemini.Shell("call_k", "echo made > kill.txt")),
	)
	left, right := w.open("#left", "--decide"), w.open("#right", "--decide")
	dl, dr := w.Events.Added(left, "run_shell_command", who+"left.txt"), w.Events.Added(right, "run_shell_command", who+"right.txt")
	if w.made("left.txt") || dl.Dialog != proto.DialogAfter {
		t.Errorf("it ran before the answer: %t, its dialog is said to be %s", w.made("left.txt"), dl.Dialog)
	}
	w.Verb("answer", dr.ID, proto.OptionDeny, "--message", "Use the Makefile.")
	w.Verb("answer", dl.ID, proto.OptionOnce)
	if got := w.result("call_r"); !strings.Contains(got, "Use the Makefile.") {
		t.Errorf("the model was told %q", got)
	}
	w.result("call_l")
	w.over(left)
	w.over(right)
	w.Verb("close", right)
	got, err := os.ReadFile(filepath.Join(w.home.Work, "left.txt"))
	if err != nil || strings.TrimSpace(string(got)) != left || w.made("right.txt") {
		t.Errorf("left.txt holds %q (%v), right.txt made: %t", got, err, w.made("right.txt"))
	}
	if own, err := os.ReadFile(w.home.OwnHook()); err != nil || !strings.Contains(string(own), `"hook_event_name":"BeforeTool"`) {
		t.Errorf("the person's own hook was told %q, %v", own, err)
	}

	w.prompt(left, "#read")
	w.result("call_read")
	w.over(left)
	if n := w.Events.Count(proto.EventDecisionAdded); n != 2 {
		t.Errorf("%d decisions were raised, want 2", n)
	}

	w.prompt(left, "#back")
	d := w.Events.Added(left, "run_shell_command", "echo made > back.txt")
	w.Verb("answer", d.ID, proto.OptionHandBack)
	w.Until("Gemini's dialog is on the screen", func() bool { return gemini.Asks(w.Screen(left)) })
	w.Verb("wait", left, "--until", "blocked", "--timeout", "60s")
	again(t, "pressing 1", func() { w.Run("send", left, "1") }, func() bool { return w.made("back.txt") })
	w.over(left)

	w.Until("the prompt is empty", func() bool { return w.Screen(left).Has("Type your message") })
	w.prompt(left, "#kill")
	d = w.Events.Added(left, "run_shell_command", "echo made > kill.txt")
	for _, h := range w.hooks() {
		signal(t, h.PID, syscall.SIGKILL)
		h.Forget()
	}
	if end, _ := w.Events.Ended(d); end.End != proto.EndHoldClosed {
		t.Errorf("ended as %+v", end)
	}
	w.result("call_k")
	w.over(left)
}

// Hooks in the person's own settings do the same. Without decisions they tell
// the state, and Gemini CLI asks in its own dialog, which the title tells; with
// them there is one decision, whatever else runs.
func TestGeminiInstalled(t *testing.T) {
	w := newGeminiWorld(t, rule("#go", gemini.Shell("call_1", "echo made > made.txt")), rule("#two", gemini.Shell("call_2", "echo made > two.txt")))
	if os.Getuid() == 0 {
		w.install()
	}
	pane := w.open("#go")
	w.Verb("wait", pane, "--until", "blocked", "--timeout", "60s")
	w.Until("Gemini's dialog is on the screen", func() bool { return gemini.Asks(w.Screen(pane)) })
	again(t, "pressing 1", func() { w.Run("send", pane, "1") }, func() bool { return w.made("made.txt") })
	w.over(pane)
	if p := w.Pane(pane); p.Session == "" || w.Events.Count(proto.EventDecisionAdded) != 0 {
		t.Errorf("session %q, %d decisions", p.Session, w.Events.Count(proto.EventDecisionAdded))
	}
	w.Verb("close", pane)

	pane = w.open("#two", "--decide")
	w.Verb("answer", w.Events.Added(pane, "run_shell_command", "echo made > two.txt").ID, proto.OptionOnce)
	w.result("call_2")
	w.over(pane)
	if n := w.Events.Count(proto.EventDecisionAdded); n != 1 || !w.made("two.txt") {
		t.Errorf("%d decisions, two.txt made: %t", n, w.made("two.txt"))
	}
}

// The server crashes while it holds a decision: in the yolo mode nothing else
// would ask, so the tool is denied.
func TestGeminiServerKilled(t *testing.T) {
	w := newGeminiWorld(t, rule("#go", gemini.Shell("call_1", "echo made > made.txt")))
	a, _ := adapters.Lookup("gemini")
	c, err := a.Launch(adapters.Launch{Argv: []string{"-i", "#go"}, Self: binary, Dir: w.home.Work, FilesDir: w.home.Dir, Env: w.Env, Decide: true})
	if err != nil {
		t.Fatal(err)
	}
	p := tty.Start(t, tty.Command{
		Argv: append([]string{filepath.Join(w.home.Bin, "gemini")}, c.Argv[1:]...), Dir: w.home.Work, Env: append(w.Env, c.Env...),
		Size: proto.Size{Cols: 100, Lines: 40},
	})
	w.Events.Added("", "run_shell_command", "")
	w.Server.Kill()
	if got := w.result("call_1"); !strings.Contains(got, "signaltty denies this") {
		t.Errorf("the model was told %q", got)
	}
	p.WaitText("The turn is over.")
	if w.made("made.txt") {
		t.Error("the command ran")
	}
}

// A26: Gemini CLI started by hand in a shell pane is known by the hooks in its
// own settings, the doctor proves them, and taking them out leaves the bytes.
func TestGeminiInstalledInAShell(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("there the settings have hooks already")
	}
	w := newGeminiWorld(t, rule("#go"))
	w.Verb("integration", "install", "gemini")
	if out := w.Verb("doctor", "gemini"); strings.Count(out, "the answer arrives") != 2 {
		t.Errorf("the doctor says\n%s", out)
	}
	pane := strings.TrimSpace(w.Verb("new", "--cwd", w.home.Work, "--size", "100x40", "--", "/bin/sh", "-c", "gemini -i '#go'; echo the shell goes on; read x"))
	w.Verb("wait", pane, "--until", "done", "--timeout", "80s")
	p := w.Pane(pane)
	if p.Session == "" || p.Reason != "hook AfterAgent" {
		t.Errorf("the pane is %+v", p)
	}
	w.Verb("integration", "uninstall", "gemini")
}
