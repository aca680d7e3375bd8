//go:build linux

// Package e2e proves the main job on real parts: the built binary, its
// server, its TUI on a PTY, and the real Claude Code against a scripted model.
//
// Nothing in it sleeps. Every wait is for a fact: an event of the server, a
// request at the model, a screen, the end of a process.
package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"signaltty/e2e/anthropic"
	"signaltty/e2e/claude"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// binary is the signaltty under test.
var binary string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "signaltty-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "signaltty")
	args := []string{"build", "-o", binary, "signaltty"}
	if raced() {
		args = slices.Insert(args, 1, "-race")
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building signaltty: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// raced says whether the tests run under the race detector; then the product
// does too.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// world is what one person has: a private server, a home for the agent, the
// model that the agent talks to, and the TUI, once attached.
type world struct {
	t      *testing.T
	home   claude.Home
	model  *anthropic.Server
	env    []string
	socket string
	server *service
	events *events
	conn   *proto.Conn // the test's own, for what no verb does
	person bool        // whether the server takes the test for the person
	ui     *tty.Program
}

// newWorld starts a server. Whatever of it is left when the test has ended is
// a failure.
func newWorld(t *testing.T, rules ...anthropic.Rule) *world {
	t.Helper()
	t.Parallel()
	model := anthropic.Start(t, rules...)
	w := &world{t: t, model: model, home: claude.New(t, model.URL)}
	run := filepath.Join(w.home.Dir, "run")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	w.socket = filepath.Join(run, "s.sock")
	w.env = append(w.home.Env(),
		"XDG_RUNTIME_DIR="+run,
		"XDG_STATE_HOME="+filepath.Join(w.home.Dir, "state"),
		"XDG_CONFIG_HOME="+filepath.Join(w.home.Dir, "config"),
		proto.EnvSocket+"="+w.socket,
		// Under the race detector every hook would end a second late.
		"GORACE=atexit_sleep_ms=0",
	)
	t.Cleanup(w.leavesNothing)
	w.server = serve(t, w.command("server"))
	w.events = watch(t, w.socket)
	conn, welcome := dial(t, w.socket)
	w.conn, w.person = conn, welcome.Person
	return w
}

// attach opens the TUI.
func (w *world) attach() {
	w.t.Helper()
	w.ui = tty.Start(w.t, tty.Command{
		Argv: []string{binary, "attach"},
		Dir:  w.home.Work,
		Env:  w.env,
		Size: proto.Size{Cols: 120, Lines: 40},
	})
}

// leavesNothing looks for processes that outlive the server.
func (w *world) leavesNothing() {
	for _, p := range processes("HOME=" + w.home.Dir) {
		if !p.ends() {
			w.t.Errorf("left behind: %s", p)
			p.kill()
		}
	}
}

func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Env, cmd.Dir = w.env, w.home.Work
	return cmd
}

// verb runs a verb that must succeed, and returns what it printed.
func (w *world) verb(args ...string) string {
	w.t.Helper()
	var stderr strings.Builder
	cmd := w.command(args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("signaltty %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// open starts Claude Code with a prompt in a new pane and returns its id.
func (w *world) open(prompt string) string {
	w.t.Helper()
	return strings.TrimSpace(w.verb("new", "--agent", "claude", "--cwd", w.home.Work, "--", prompt))
}

// ask makes a request of the server.
func ask[T any](w *world, method string, params any) T {
	w.t.Helper()
	var result T
	if err := w.conn.Call(w.t.Context(), method, params, &result); err != nil {
		w.t.Fatalf("%s: %v", method, err)
	}
	return result
}

// status is the server's health and counts.
func (w *world) status() proto.Status {
	w.t.Helper()
	return ask[proto.Status](w, proto.MethodStatus, proto.None{})
}

// pane returns a pane as it is now.
func (w *world) pane(id string) proto.Pane {
	w.t.Helper()
	panes := ask[proto.PaneList](w, proto.MethodPaneList, proto.None{}).Panes
	i := slices.IndexFunc(panes, func(p proto.Pane) bool { return p.ID == id })
	if i < 0 {
		w.t.Fatalf("there is no pane %s", id)
	}
	return panes[i]
}

// until asks again and again, by requests to the server that pace it, for
// what no event tells.
func (w *world) until(what string, holds func() bool) {
	w.t.Helper()
	ctx, cancel := patience(w.t)
	defer cancel()
	for !holds() {
		if ctx.Err() != nil {
			w.t.Fatalf("it never came to this: %s", what)
		}
		w.status()
	}
}

// screen is the text of a pane's screen.
func (w *world) screen(pane string) tty.Screen {
	w.t.Helper()
	return tty.Screen{Lines: strings.Split(w.verb("capture", pane), "\n")}
}

// result waits for the result of a tool call, as the model gets it.
func (w *world) result(id string) anthropic.Result {
	w.t.Helper()
	ctx, cancel := patience(w.t)
	defer cancel()
	r, err := w.model.Result(ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// bar waits until the TUI's decision bar shows the decision.
func (w *world) bar(d proto.Decision) {
	w.t.Helper()
	w.ui.WaitFor("the bar for "+d.Prompt, func(s tty.Screen) bool { return onBar(s, d) })
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
	w.t.Helper()
	w.bar(d)
	ctx, cancel := patience(w.t)
	defer cancel()
	for {
		w.ui.Press(append([]string{"ctrl+]"}, keys...)...)
		if end, ok := w.endsSoon(ctx, d); ok {
			return end
		}
		if ctx.Err() != nil {
			w.t.Fatalf("%v never answered %s; the screen is\n%s", keys, d.Prompt, w.ui.Screen())
		}
	}
}

func (w *world) endsSoon(ctx context.Context, d proto.Decision) (proto.DecisionEnded, bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	end, _, err := find(ctx, w.events, proto.EventDecisionEnded, func(x proto.DecisionEnded) bool { return x.Decision == d.ID })
	return end, err == nil
}

// agentKey presses a key in a pane in such a way that the server does not take
// it for the person's turn to the pane: what is left is the agent's own
// dialog, answered behind signaltty's back.
func (w *world) agentKey(pane, key string) {
	w.t.Helper()
	if !w.person {
		w.t.Skip("this test runs below a coding agent, which may not type into panes")
	}
	ask[proto.None](w, proto.MethodPaneInput, proto.PaneInput{Pane: pane, Data: []byte(key), Passive: true})
}

func patience(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), tty.Patience)
}
