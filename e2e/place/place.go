//go:build linux

// Package place gives a test the built binary and a place of its own to run
// it in: a home, a private server, what that server tells, and its processes.
//
// It owns that place. It promises that nothing in it waits for a clock (every
// wait is for a fact, and fails after tty.Patience), that the server must end
// well, and that a process of the place which outlives the server fails the
// test.
//
// It may import proto, e2e/tty and golang.org/x/sys/unix.
package place

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signaltty/e2e/tty"
	"signaltty/proto"
)

// Setup is what a place is made from.
type Setup struct {
	Binary string // as Build made it
	Dir    string // HOME, which every process of the place has to itself
	Work   string // where programs start
	// Env is what the environment has beside HOME, the socket and the XDG
	// directories: "NAME=value" each.
	Env    []string
	Config string // the text of config.toml; "" for none
}

// Place is a home and, once Serve was called, its server.
type Place struct {
	Setup
	T      *testing.T
	Socket string
	Server *Server
	Events *Events
	Conn   *proto.Conn // the test's own, for what no verb does
	Person bool        // whether the server takes the test for the person
	UI     *tty.Program
}

// New makes a place without a server.
func New(t *testing.T, s Setup) *Place {
	t.Helper()
	run := filepath.Join(s.Dir, "run")
	config := filepath.Join(s.Dir, "config", "signaltty")
	for dir, mode := range map[string]os.FileMode{run: 0o700, config: 0o755} {
		if err := os.MkdirAll(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	if s.Config != "" {
		if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte(s.Config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := &Place{T: t, Setup: s, Socket: filepath.Join(run, "s.sock")}
	p.Env = append(slices.Clone(s.Env),
		"HOME="+s.Dir,
		"XDG_RUNTIME_DIR="+run,
		"XDG_STATE_HOME="+filepath.Join(s.Dir, "state"),
		"XDG_CONFIG_HOME="+filepath.Join(s.Dir, "config"),
		proto.EnvSocket+"="+p.Socket,
		// Under the race detector every process would end a second late.
		"GORACE=atexit_sleep_ms=0",
	)
	t.Cleanup(p.leavesNothing)
	return p
}

// Serve starts the server, or the command line that is given, and listens to
// its events. It may be called again when the server has ended.
func (p *Place) Serve(argv ...string) {
	p.T.Helper()
	cmd := p.Command("server")
	if len(argv) > 0 {
		cmd = exec.Command(argv[0], argv[1:]...)
		cmd.Env, cmd.Dir = p.Env, p.Work
	}
	p.Server = serve(p.T, cmd)
	p.Events = watch(p.T, p.Socket)
	conn, welcome := p.Dial("test")
	p.Conn, p.Person = conn, welcome.Person
}

// Dial connects as a client of that kind until the test ends.
func (p *Place) Dial(client string) (*proto.Conn, proto.Welcome) {
	p.T.Helper()
	return dial(p.T, p.Socket, client)
}

// Attach opens the TUI at a size, with more in its environment.
func (p *Place) Attach(size proto.Size, env ...string) *tty.Program {
	p.T.Helper()
	p.UI = tty.Start(p.T, tty.Command{
		Argv: []string{p.Binary, "attach"},
		Dir:  p.Work,
		Env:  append(slices.Clone(p.Env), env...),
		Size: size,
	})
	return p.UI
}

// Command is a run of the binary in this place.
func (p *Place) Command(args ...string) *exec.Cmd {
	cmd := exec.Command(p.Binary, args...)
	cmd.Env, cmd.Dir = p.Env, p.Work
	return cmd
}

// Result is how a run of the binary ended.
type Result struct {
	Stdout, Stderr string
	Exit           int // -1 when a signal ended it
}

// Run runs a verb to its end.
func (p *Place) Run(args ...string) Result {
	p.T.Helper()
	var stdout, stderr strings.Builder
	cmd := p.Command(args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		p.T.Fatalf("signaltty %s: %v", strings.Join(args, " "), err)
	}
	return Result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// Verb runs a verb that must succeed, and returns what it printed.
func (p *Place) Verb(args ...string) string {
	p.T.Helper()
	r := p.Run(args...)
	if r.Exit != 0 {
		p.T.Fatalf("signaltty %s exits %d\n%s", strings.Join(args, " "), r.Exit, r.Stderr)
	}
	return r.Stdout
}

// Ask makes a request of the server on the test's own connection.
func Ask[T any](p *Place, method string, params any) T {
	p.T.Helper()
	var result T
	if err := p.Conn.Call(p.T.Context(), method, params, &result); err != nil {
		p.T.Fatalf("%s: %v", method, err)
	}
	return result
}

// Status is the server's health and counts.
func (p *Place) Status() proto.Status {
	p.T.Helper()
	return Ask[proto.Status](p, proto.MethodStatus, proto.None{})
}

// Panes are all panes as they are now.
func (p *Place) Panes() []proto.Pane {
	p.T.Helper()
	return Ask[proto.PaneList](p, proto.MethodPaneList, proto.None{}).Panes
}

// Saved says whether the server has written a text, as it stands there, to
// its database.
func (p *Place) Saved(text string) bool {
	p.T.Helper()
	for _, file := range []string{"state.db-wal", "state.db"} {
		data, err := os.ReadFile(filepath.Join(p.Dir, "state", "signaltty", file))
		if err == nil && bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}

// Pane returns a pane as it is now.
func (p *Place) Pane(id string) proto.Pane {
	p.T.Helper()
	panes := p.Panes()
	i := slices.IndexFunc(panes, func(p proto.Pane) bool { return p.ID == id })
	if i < 0 {
		p.T.Fatalf("there is no pane %s", id)
	}
	return panes[i]
}

// pace is the time between two looks of Until: the machine is the agents'.
const pace = 20 * time.Millisecond

// Until looks again and again for what no event tells.
func (p *Place) Until(what string, holds func() bool) {
	p.T.Helper()
	ctx, cancel := Patience(p.T)
	defer cancel()
	look := time.NewTicker(pace)
	defer look.Stop()
	for !holds() {
		select {
		case <-look.C:
		case <-ctx.Done():
			p.ShowPanes()
			p.T.Fatalf("it never came to this: %s", what)
		}
	}
}

// NothingWaits waits until no decision and no hold is left.
func (p *Place) NothingWaits() {
	p.T.Helper()
	p.Until("no decision waits and no hold is open", func() bool {
		s := p.Status()
		return s.Decisions == 0 && s.Holds == 0
	})
}

// ShowPanes logs what stands in each pane, for a test that failed.
func (p *Place) ShowPanes() {
	for id := range strings.FieldsSeq(p.Run("ls", "--json").Stdout) {
		_, id, ok := strings.Cut(id, `"id":"`)
		if id, _, _ = strings.Cut(id, `"`); ok {
			p.T.Logf("pane %s:\n%s", id, p.Run("capture", id).Stdout)
		}
	}
}

// Screen is the text of a pane's screen.
func (p *Place) Screen(pane string) tty.Screen {
	p.T.Helper()
	captured := Ask[proto.PaneCaptured](p, proto.MethodPaneCapture, proto.PaneCapture{Pane: pane})
	return tty.Screen{Lines: captured.Lines, Cursor: captured.Cursor}
}

// Processes are those of this place that live and whose command line fits. Each
// is to be waited for, or forgotten.
func (p *Place) Processes(fits func(args string) bool) []Process {
	return processes("HOME="+p.Dir, fits)
}

// Hooks are the hook processes of this place that live.
func (p *Place) Hooks() []Process {
	return p.Processes(func(args string) bool { return strings.Contains(args, "hook-event") })
}

// Crash kills the server and waits until what ran in its panes is gone too: an
// agent may save its conversation as it goes.
func (p *Place) Crash() {
	p.T.Helper()
	in := map[int]bool{}
	for _, pane := range p.Panes() {
		in[pane.PID] = true
	}
	all := p.Processes(func(string) bool { return true })
	p.Server.Kill()
	for _, x := range all {
		switch {
		case !in[x.PID]:
			x.Forget()
		case !x.Ends():
			p.T.Fatalf("%s outlives its server", x)
		}
	}
}

// leavesNothing looks for processes that outlive the server.
func (p *Place) leavesNothing() {
	for _, x := range p.Processes(func(string) bool { return true }) {
		if !x.Ends() {
			p.T.Errorf("left behind: %s", x)
			x.kill()
		}
	}
}

// Patience bounds a wait. A wait that ends in it is a fault.
func Patience(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), tty.Patience)
}
