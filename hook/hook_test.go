package hook

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"signaltty/adapters"
	"signaltty/budget"
	"signaltty/proto"
)

// TestMain runs the hook itself when the test binary is started as one.
func TestMain(m *testing.M) {
	if os.Getenv("HOOK_TEST_MAIN") != "" {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
	}
	os.Exit(m.Run())
}

const (
	bash = `{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}}`
	plan = `{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"ExitPlanMode","tool_input":{"plan":"p"}}`
	stop = `{"session_id":"s","hook_event_name":"Stop"}`
)

var held = []string{"--agent", "claude", "--event", "PermissionRequest", "--payload-stdin", "--wait-for-answer"}

func told(event string) []string {
	return []string{"--agent", "claude", "--event=" + event, "--payload-stdin"}
}

// serve answers connections with answer, on a socket whose path it returns.
func serve(t *testing.T, answer func(*proto.Conn)) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			c := proto.NewConn(nc)
			answer(c)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return socket
}

// welcome reads hello and the event, and greets.
func welcome(t *testing.T, c *proto.Conn) proto.HookEvent {
	hello, err := c.Read()
	if err != nil || hello.Method != proto.MethodHello {
		t.Errorf("hello is %+v, %v", hello, err)
	}
	var e proto.HookEvent
	m, err := c.Read()
	if err != nil || m.Method != proto.MethodHookEvent || m.Decode(&e) != nil {
		t.Errorf("event is %+v, %v", m, err)
	}
	c.Reply(hello.ID, proto.Welcome{Version: proto.Version})
	return e
}

func with(t *testing.T, v proto.Verdict) func(*proto.Conn) {
	return func(c *proto.Conn) {
		welcome(t, c)
		c.Event("of.the.future", 1, nil)
		c.Reply(eventID, v)
	}
}

type said struct {
	code           int
	stdout, stderr string
}

func run(args []string, stdin io.Reader, env map[string]string) said {
	var out, diag bytes.Buffer
	code := Main(args, stdin, &out, &diag, func(name string) string { return env[name] })
	return said{code, out.String(), diag.String()}
}

func TestVerdicts(t *testing.T) {
	allow := `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}` + "\n"
	deny := `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no <npm>"}}}` + "\n"
	tests := []struct {
		name, payload string
		args          []string
		verdict       proto.Verdict
		want          said
	}{
		{"allow", bash, held, proto.Verdict{Behavior: proto.Allow}, said{0, allow, ""}},
		{"deny", bash, held, proto.Verdict{Behavior: proto.Deny, Message: "no <npm>"}, said{0, deny, ""}},
		{"handed back", bash, held, proto.Verdict{Behavior: proto.NoVerdict, End: proto.EndHandedBack}, said{}},
		{"a plan is never just allowed", plan, held, proto.Verdict{Behavior: proto.Allow}, said{0, "", "signaltty: the answer cannot be given to claude: a plan is approved in a mode that the person chose; answer in the pane\n"}},
		{"told", stop, told("Stop"), proto.Verdict{Behavior: proto.NoVerdict}, said{}},
		{"told, and allowed", stop, told("Stop"), proto.Verdict{Behavior: proto.Allow}, said{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			socket := serve(t, with(t, test.verdict))
			got := run(test.args, strings.NewReader(test.payload), map[string]string{proto.EnvSocket: socket})
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestWhatTheServerHears(t *testing.T) {
	heard := make(chan proto.HookEvent, 1)
	socket := serve(t, func(c *proto.Conn) {
		heard <- welcome(t, c)
		c.Reply(eventID, proto.Verdict{Behavior: proto.NoVerdict})
	})
	run(held, strings.NewReader(bash), map[string]string{proto.EnvSocket: socket, proto.EnvPane: "p7"})
	e := <-heard
	if e.Agent != "claude" || e.Event != "PermissionRequest" || e.Pane != "p7" || !e.Wait || e.Ask == nil || e.InputKey == "" {
		t.Errorf("heard %+v", e)
	}
}

// Whatever fails, a permission's hook says nothing on stdout, one line on
// stderr, and ends in 0: the agent's own dialog stays.
func TestFailures(t *testing.T) {
	fail := func(answer func(*proto.Conn)) string { return serve(t, answer) }
	silent := fail(func(*proto.Conn) {})
	tests := []struct {
		name   string
		args   []string
		stdin  io.Reader
		socket string
		want   string // in the line
	}{
		{"no server", held, strings.NewReader(bash), filepath.Join(t.TempDir(), "none"), "no server is running; answer in the agent's own dialog"},
		{"no server, told", told("Stop"), strings.NewReader(stop), filepath.Join(t.TempDir(), "none"), "goes on without"},
		{"gone at once", held, strings.NewReader(bash), silent, "went away"},
		{"gone midway", held, strings.NewReader(bash), fail(func(c *proto.Conn) { welcome(t, c) }), "went away"},
		{"half a reply", held, strings.NewReader(bash), fail(func(c *proto.Conn) {
			welcome(t, c)
			c.NetConn().Write([]byte(`{"id":2,"result":{"beh`))
		}), "went away"},
		{"garbage", held, strings.NewReader(bash), fail(func(c *proto.Conn) {
			welcome(t, c)
			c.WriteLine([]byte("\x00\x1b[2J garbage"))
		}), "message"},
		{"wrong type", held, strings.NewReader(bash), fail(func(c *proto.Conn) {
			welcome(t, c)
			c.Reply(eventID, map[string]any{"behavior": 7})
		}), "behavior"},
		{"unknown verdict", held, strings.NewReader(bash), fail(with(t, proto.Verdict{Behavior: "perhaps"})), "perhaps"},
		{"refused", held, strings.NewReader(bash), fail(func(c *proto.Conn) {
			welcome(t, c)
			c.Fail(eventID, proto.Errorf(proto.CodeTooLarge, "two\nlines"))
		}), "two lines"},
		{"another version", held, strings.NewReader(bash), fail(func(c *proto.Conn) {
			c.Read()
			c.Fail(helloID, proto.Errorf(proto.CodeVersion, "speak 2"))
			c.Read()
		}), "speak 2"},
		{"unknown agent", []string{"--agent", "hal", "--event", "Stop", "--payload-stdin"}, strings.NewReader(stop), silent, `no agent "hal"; --agent is one of claude`},
		{"unknown event", told("Elevenses"), strings.NewReader(stop), silent, `no hook event "Elevenses"`},
		{"unknown flag", append(held[:len(held):len(held)], "--yes"), strings.NewReader(bash), silent, `does not know "--yes"`},
		{"no value", []string{"--payload-stdin", "--agent", "claude", "--event"}, strings.NewReader(bash), silent, "needs a value"},
		{"no payload flag", held[:4], strings.NewReader(bash), silent, "--payload-stdin"},
		{"no arguments", nil, strings.NewReader(bash), silent, "no agent"},
		{"empty payload", held, strings.NewReader(""), silent, "empty"},
		{"malformed payload", held, strings.NewReader(bash[:30]), silent, "PermissionRequest"},
		{"20 MiB", held, io.LimitReader(zeros{}, 20<<20), silent, "larger than 8 MiB"},
		{"endless", held, zeros{}, silent, "larger than 8 MiB"},
		{"stdin breaks", held, broken{}, silent, "pulled out"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := run(test.args, test.stdin, map[string]string{proto.EnvSocket: test.socket})
			if got.code != 0 || got.stdout != "" {
				t.Errorf("exit %d, stdout %q", got.code, got.stdout)
			}
			if strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, test.want) {
				t.Errorf("stderr %q, want one line with %q", got.stderr, test.want)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("pulled out") }

// A gate takes the other direction: every failure stops the tool.
func TestGateFailsClosed(t *testing.T) {
	a, _ := adapters.Lookup("claude")
	gate, _ := a.Event("PreToolUse")
	gate.Fail = adapters.FailDeny
	h := hook{adapter: a, event: gate, socket: filepath.Join(t.TempDir(), "none")}
	for name, stdin := range map[string]io.Reader{
		"no server": strings.NewReader(`{"session_id":"s","tool_name":"Bash","tool_input":{}}`),
		"malformed": strings.NewReader("{"), "endless": zeros{}, "empty": strings.NewReader(""),
	} {
		out := h.run(t.Context(), stdin)
		if out.Exit != 2 || out.Stderr == "" || len(out.Stdout) > 0 {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

func TestOutsideAPaneNothingHappens(t *testing.T) {
	if got := run(held, broken{}, nil); got != (said{}) {
		t.Errorf("got %+v", got)
	}
}

func TestSilentPayload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		go w.Write([]byte(bash[:20]))
		began := time.Now()
		_, err := readPayload(t.Context(), r, payloadWait)
		if err == nil || time.Since(began) != payloadWait {
			t.Errorf("ended after %v with %v", time.Since(began), err)
		}
		w.Close()
	})
}

// A frozen server is noticed at hello, not after the day that a hold may last.
func TestFrozenServer(t *testing.T) {
	thaw := make(chan struct{})
	socket := serve(t, func(c *proto.Conn) { <-thaw })
	defer close(thaw)
	end := time.Now().Add(50 * time.Millisecond)
	_, err := deliver(t.Context(), socket, proto.HookEvent{}, end)
	if err == nil || !strings.Contains(err.Error(), "in time") {
		t.Errorf("got %v", err)
	}
}

func TestDeadlineEndsAHold(t *testing.T) {
	thaw := make(chan struct{})
	socket := serve(t, func(c *proto.Conn) { welcome(t, c); <-thaw })
	defer close(thaw)
	_, err := deliver(t.Context(), socket, proto.HookEvent{}, time.Now().Add(200*time.Millisecond))
	if err == nil || !strings.Contains(err.Error(), "in time") {
		t.Errorf("got %v", err)
	}
}

func TestCancelledContextEndsAHold(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	socket := serve(t, func(c *proto.Conn) {
		welcome(t, c)
		cancel()
		if m, err := c.Read(); err != nil || m.Method != proto.MethodHookAbort {
			t.Errorf("the hook's last word is %+v, %v", m, err)
		}
		if m, err := c.Read(); err == nil {
			t.Errorf("the hook still speaks: %+v", m)
		}
	})
	if _, err := deliver(ctx, socket, proto.HookEvent{}, time.Now().Add(time.Minute)); err == nil {
		t.Error("a verdict came")
	}
}

// SIGTERM is how Claude Code says that no verdict is wanted any more.
func TestTerminated(t *testing.T) {
	pid := make(chan struct{})
	socket := serve(t, func(c *proto.Conn) {
		welcome(t, c)
		close(pid)
		c.Read()
	})
	cmd := exec.Command(os.Args[0], held...)
	cmd.Env = []string{"HOOK_TEST_MAIN=1", "GORACE=atexit_sleep_ms=0", proto.EnvSocket + "=" + socket}
	cmd.Stdin = strings.NewReader(bash)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-pid
	cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil || out.Len() > 0 {
		t.Errorf("%v, said %q", err, &out)
	}
}

// With nothing in its environment but the pane, the hook finds the socket by itself.
func TestBareEnvironment(t *testing.T) {
	cmd := exec.Command(os.Args[0], held...)
	cmd.Env = []string{"HOOK_TEST_MAIN=1", "GORACE=atexit_sleep_ms=0", proto.EnvPane + "=p1", "TMPDIR=" + t.TempDir()}
	cmd.Stdin = strings.NewReader(bash)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "signaltty: no server is running") {
		t.Errorf("%v, said %q", err, out)
	}
}

func TestCommandLineOfTheInstalledHooks(t *testing.T) {
	for a := range adapters.All() {
		for _, e := range a.Events {
			h, err := parse(a.HookArgs(e)[1:])
			if err != nil || h.adapter.Name != a.Name || h.event.Name != e.Name || h.wait != e.Hold {
				t.Errorf("%q: %+v, %v", a.HookArgs(e), h, err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("--agent\nclaude\n--event\nStop\n--payload-stdin")
	f.Add("--agent=\n=\n--event")
	f.Fuzz(func(t *testing.T, line string) {
		budget.Keep(t, len(line), 500, func() {
			h, err := parse(strings.Split(line, "\n"))
			if err == nil && (h.adapter.Decode == nil || h.event.Name == "") {
				t.Errorf("%q was taken as %+v", line, h)
			}
		})
	})
}
