package mockagent

import (
	"bufio"
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signaltty/hook"
	"signaltty/proto"

	"github.com/creack/pty"
)

// TestMain makes the test binary the agent and its hooks, as signaltty is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "mock-agent":
			os.Exit(Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		case "hook-event":
			os.Exit(hook.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
		}
	}
	os.Exit(m.Run())
}

const patience = 20 * time.Second

// server stands for signaltty's: it tells what it hears, and hands out holds.
type server struct {
	t      *testing.T
	socket string
	events chan proto.HookEvent
	holds  chan *held
}

// held is an open permission hook.
type held struct {
	event  proto.HookEvent
	conn   *proto.Conn
	id     uint64
	closed chan struct{} // when the hook has gone
}

func (h *held) answer(b proto.Behavior, message string) {
	h.conn.Reply(h.id, proto.Verdict{Behavior: b, Message: message})
	h.conn.Close()
}

func newServer(t *testing.T) *server {
	s := &server{t: t, socket: filepath.Join(t.TempDir(), "s"), events: make(chan proto.HookEvent, 100), holds: make(chan *held, 100)}
	l, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(proto.NewConn(nc))
		}
	}()
	return s
}

func (s *server) serve(c *proto.Conn) {
	hello, _ := c.Read()
	c.Reply(hello.ID, proto.Welcome{Version: proto.Version})
	m, err := c.Read()
	var e proto.HookEvent
	if err != nil || m.Decode(&e) != nil {
		s.t.Errorf("a hook said %+v, %v", m, err)
		return
	}
	s.events <- e
	if !e.Wait {
		c.Reply(m.ID, proto.Verdict{Behavior: proto.NoVerdict})
		c.Close()
		return
	}
	h := &held{event: e, conn: c, id: m.ID, closed: make(chan struct{})}
	s.holds <- h
	c.Read()
	close(h.closed)
}

// next is the next hold; it fails the test when none comes.
func (s *server) next() *held {
	s.t.Helper()
	return receive(s.t, s.holds, "a hold")
}

// until reads events up to one of that name.
func (s *server) until(name string) proto.HookEvent {
	s.t.Helper()
	for {
		if e := receive(s.t, s.events, name); e.Event == name {
			return e
		}
	}
}

func receive[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("no %s came", what)
		panic("unreachable")
	}
}

func (s *server) agent(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"mock-agent"}, args...)...)
	cmd.Env = append(os.Environ(), proto.EnvSocket+"="+s.socket, proto.EnvPane+"=p1", "NO_COLOR=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

func script(t *testing.T, steps string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(file, []byte(steps), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// terminal is the agent on a PTY.
type terminal struct {
	t     *testing.T
	keys  *os.File
	lines chan string
	cmd   *exec.Cmd
}

func (s *server) onTerminal(args ...string) *terminal {
	s.t.Helper()
	cmd := s.agent(args...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		s.t.Fatal(err)
	}
	term := &terminal{t: s.t, keys: f, lines: make(chan string, 10000), cmd: cmd}
	go func() {
		defer close(term.lines)
		for scan := bufio.NewScanner(f); scan.Scan(); {
			term.lines <- scan.Text()
		}
	}()
	s.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait(); f.Close() })
	return term
}

func (x *terminal) wait(text string) {
	x.t.Helper()
	for {
		line := receive(x.t, x.lines, "line with "+text)
		if strings.Contains(line, text) {
			return
		}
	}
}

func (x *terminal) press(keys string) { x.keys.WriteString(keys) }

const oneAsk = `[{"do":"ask","asks":[{"tool":"Bash","input":{"command":"make all"},"output":"made"}]},{"do":"say","text":"went on"}]`

func TestStoryWithoutTerminal(t *testing.T) {
	s := newServer(t)
	cmd := s.agent("--auto")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.next().answer(proto.Allow, "")
	s.next().answer(proto.NoVerdict, "")
	s.next().answer(proto.Deny, "not with force")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, want := range []string{
		"ok   report   0.41s",
		"Bash(go test ./report/...): allowed by signaltty\n",
		"Write(report/json.go): nobody answered\n",
		"Bash(git push --force origin main): denied by signaltty: not with force\n",
		"● They pass.\n",
		"● Then nothing is written, and the command stays without the flag.\n",
		"● Then the branch stays here, and nothing is published.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.ContainsRune(out.String(), '\x1b') {
		t.Errorf("a transcript has escape sequences: %q", &out)
	}
	var events []string
	for len(s.events) > 0 {
		events = append(events, (<-s.events).Event)
	}
	want := []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolBatch",
		"PreToolUse", "PermissionRequest", "PostToolBatch", "PreToolUse", "PermissionRequest", "PostToolBatch", "Stop", "SessionEnd"}
	if !slices.Equal(events, want) {
		t.Errorf("events\n%q, want\n%q", events, want)
	}
}

func TestYesInTheDialogLeavesTheHook(t *testing.T) {
	s := newServer(t)
	term := s.onTerminal("--script", script(t, oneAsk))
	h := s.next()
	term.wait("Do you want to proceed?")
	term.press("1")
	if e := s.until("PostToolUse"); e.ToolUse == "" || e.InputKey != h.event.InputKey {
		t.Errorf("%+v does not end %+v", e, h.event)
	}
	select {
	case <-h.closed:
		t.Error("the hook was ended")
	default:
	}
	term.wait("allowed in the dialog")
	h.answer(proto.Deny, "late")
	term.wait("went on")
}

// What the agent says after an outcome is true of that outcome.
func TestStoryIsTrueWhateverIsAnswered(t *testing.T) {
	for behavior, allowed := range map[proto.Behavior]bool{proto.Allow: true, proto.Deny: false, proto.NoVerdict: false} {
		t.Run(string(behavior), func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			cmd := s.agent("--auto")
			var out bytes.Buffer
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				s.next().answer(behavior, "no")
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			for _, step := range story() {
				for _, a := range step.Asks {
					if a.Allowed == "" || a.Denied == "" {
						t.Errorf("%s has nothing to say after its outcome", a.subject())
					}
					if strings.Contains(out.String(), a.Allowed) != allowed || strings.Contains(out.String(), a.Denied) == allowed {
						t.Errorf("after %q %s is told wrong:\n%s", behavior, a.subject(), &out)
					}
				}
			}
		})
	}
}

func TestEscInTheDialogEndsTheHook(t *testing.T) {
	for name, key := range map[string]string{"esc": "\x1b", "no": "2", "down and enter": "\x1b[B\r"} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			term := s.onTerminal("--script", script(t, oneAsk))
			h := s.next()
			term.wait("Do you want to proceed?")
			term.press(key)
			receive(t, h.closed, "end of the hook")
			term.wait("rejected in the dialog")
			if e := s.until("SessionEnd"); e.Source == "" {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestVerdictClosesTheDialog(t *testing.T) {
	s := newServer(t)
	term := s.onTerminal("--script", script(t, oneAsk))
	h := s.next()
	term.wait("Do you want to proceed?")
	h.answer(proto.Deny, "use the other target")
	term.wait("denied by signaltty: use the other target")
	term.wait("went on")
}

func TestHandedBackLeavesTheDialog(t *testing.T) {
	s := newServer(t)
	term := s.onTerminal("--script", script(t, oneAsk))
	s.next().answer(proto.NoVerdict, "")
	term.wait("Do you want to proceed?")
	term.press("y")
	term.wait("allowed in the dialog")
}

func TestSubagentHasNoDialogDuringTheHold(t *testing.T) {
	s := newServer(t)
	term := s.onTerminal("--script", script(t, `[{"do":"ask","asks":[{"tool":"Bash","input":{"command":"x"},"agent_id":"a1","agent_type":"explorer"}]}]`))
	h := s.next()
	if h.event.Ask.Dialog != proto.DialogAfter || h.event.Subagent != "explorer" {
		t.Errorf("%+v", h.event)
	}
	term.press("1") // nothing is there to take it
	h.answer(proto.NoVerdict, "")
	term.wait("from the explorer agent")
	term.press("1")
	term.wait("allowed in the dialog")
}

func TestParallelAsks(t *testing.T) {
	s := newServer(t)
	cmd := s.agent("--auto", "--script", script(t, `[{"do":"ask","asks":[
		{"tool":"Read","input":{"file_path":"/a"}},{"tool":"Read","input":{"file_path":"/b"}},{"tool":"Read","input":{"file_path":"/b"}}]}]`))
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	holds := []*held{s.next(), s.next(), s.next()} // all are open at once
	for _, h := range slices.Backward(holds) {
		h.answer(proto.Allow, "")
	}
	if err := cmd.Wait(); err != nil || strings.Count(out.String(), "  Read(/b): allowed") != 2 {
		t.Errorf("%v\n%s", err, &out)
	}
	if e := s.until("PostToolBatch"); len(e.ToolUses) != 3 {
		t.Errorf("%+v", e)
	}
}

func TestCrashLeavesTheHook(t *testing.T) {
	s := newServer(t)
	cmd := s.agent("--auto", "--script", script(t, `[{"do":"ask","leave":true,"asks":[{"tool":"Bash","input":{"command":"x"}}]},{"do":"crash"}]`))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if state := cmd.ProcessState.String(); state != "signal: killed" {
		t.Errorf("the agent ended by %s", state)
	}
	h := s.next()
	h.answer(proto.NoVerdict, "")
	receive(t, h.closed, "end of the hook")
}

func TestStepsByName(t *testing.T) {
	s := newServer(t)
	cmd := s.agent("--auto", "--script", script(t, `[
		{"do":"ask","leave":true,"asks":[{"name":"a","tool":"Bash","input":{"command":"x"}},{"name":"b","tool":"Bash","input":{"command":"y"}}]},
		{"do":"join","of":"a"},{"do":"abort","of":"b"},{"do":"join","of":"b"},{"do":"end","of":"a"},
		{"do":"hook","event":"Notification","fields":{"message":"hm","notification_type":"idle_prompt"}},
		{"do":"emit","text":"\u001b[1m"},{"do":"exit","code":9}]`))
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a, b := s.next(), s.next()
	if a.event.InputKey > "" && a.event.Ask.Summary != "x" {
		a, b = b, a
	}
	a.answer(proto.Deny, "no x")
	receive(t, b.closed, "end of the aborted hook")
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 9 {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"a: deny no x\n", "b: no verdict\n", "\x1b[1m"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, &out)
		}
	}
	if e := s.until("Notification"); e.Source != "idle_prompt" || e.Message != "hm" {
		t.Errorf("%+v", e)
	}
}
