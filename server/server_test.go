package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signaltty/proto"
	"signaltty/store"
)

// testServer is a server in this process. The test's own process launched
// it, so its connections are the person's.
type testServer struct {
	t      *testing.T
	socket string
	done   chan error
	stop   context.CancelFunc
}

func runServer(t *testing.T, o Options) *testServer {
	t.Helper()
	dir, err := os.MkdirTemp("", "stty")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	o.Socket, o.Database, o.Build = filepath.Join(dir, "s"), filepath.Join(dir, "db", "a.db"), "test"
	ready := make(chan error, 1)
	o.Ready = func(err error) { ready <- err }
	ctx, cancel := context.WithCancel(context.Background())
	s := &testServer{t: t, socket: o.Socket, done: make(chan error, 1), stop: cancel}
	go func() { s.done <- Run(ctx, o) }()
	if err := <-ready; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.shut)
	return s
}

func (s *testServer) shut() {
	s.stop()
	select {
	case err := <-s.done:
		if err != nil {
			s.t.Errorf("the server ended in %v", err)
		}
		s.done <- nil
	case <-time.After(30 * time.Second):
		s.t.Error("the server did not stop")
	}
}

// testConn is a client that makes one request at a time and keeps the events
// that come between.
type testConn struct {
	t      *testing.T
	c      *proto.Conn
	id     uint64
	events []proto.Message
}

func (s *testServer) dial(kind string) *testConn {
	s.t.Helper()
	c, _, err := proto.Dial(s.t.Context(), s.socket, proto.Hello{Client: kind})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	_ = c.NetConn().SetReadDeadline(time.Now().Add(60 * time.Second))
	return &testConn{t: s.t, c: c}
}

// try makes a request.
func (c *testConn) try(method string, params, result any) error {
	c.t.Helper()
	c.id++
	if err := c.c.Send(c.id, method, params); err != nil {
		c.t.Fatal(err)
	}
	for {
		m := c.read()
		if m.Event != "" {
			c.events = append(c.events, m)
			continue
		}
		if m.Error != nil {
			return m.Error
		}
		if result == nil {
			return nil
		}
		return m.Decode(result)
	}
}

// call makes a request that must succeed.
func (c *testConn) call(method string, params, result any) {
	c.t.Helper()
	if err := c.try(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *testConn) read() proto.Message {
	c.t.Helper()
	m, err := c.c.Read()
	if err != nil {
		c.t.Fatalf("reading from the server: %v", err)
	}
	return m
}

// await reads events until one satisfies ok.
func (c *testConn) await(name string, ok func(m proto.Message) bool) proto.Message {
	c.t.Helper()
	for {
		var m proto.Message
		if len(c.events) > 0 {
			m, c.events = c.events[0], c.events[1:]
		} else {
			m = c.read()
		}
		if m.Event == name && (ok == nil || ok(m)) {
			return m
		}
	}
}

// pane starts a shell script in a pane.
func (c *testConn) pane(script string) proto.Pane {
	c.t.Helper()
	var p proto.Pane
	c.call(proto.MethodPaneNew, proto.PaneNew{Argv: []string{"/bin/sh", "-c", script}, Cwd: os.TempDir()}, &p)
	return p
}

// awaitText waits until the pane's screen has text.
func (c *testConn) awaitText(pane, text string) {
	c.t.Helper()
	for {
		var got proto.PaneCaptured
		c.call(proto.MethodPaneCapture, proto.PaneCapture{Pane: pane}, &got)
		if strings.Contains(strings.Join(got.Lines, "\n"), text) {
			return
		}
		c.await(proto.EventFrame, nil)
	}
}

// ask is a hook event that waits for a verdict.
func ask(session, pane, key string) proto.HookEvent {
	return proto.HookEvent{
		Agent: "claude", Event: "PermissionRequest", Moment: proto.MomentAsk, Session: session, Pane: pane, Tool: "Bash", InputKey: key, Wait: true,
		Ask: &proto.Ask{
			Kind: proto.KindPermission, Tool: "Bash", Summary: "make", Answerable: true, Dialog: proto.DialogBeside,
			Options: []proto.Option{{ID: "once", Label: "Once"}, {ID: "deny", Label: "Deny", Message: true}, {ID: "handback", Label: "Hand back"}},
		},
	}
}

// hold opens a hook connection that waits, and gives its decision.
func (s *testServer) hold(watcher *testConn, ev proto.HookEvent) (*testConn, proto.Decision) {
	s.t.Helper()
	h := s.dial("hook")
	if err := h.c.Send(7, proto.MethodHookEvent, ev); err != nil {
		s.t.Fatal(err)
	}
	var d proto.Decision
	m := watcher.await(proto.EventDecisionAdded, nil)
	if err := m.Decode(&d); err != nil {
		s.t.Fatal(err)
	}
	return h, d
}

// verdict reads the verdict that a hold gets.
func (c *testConn) verdict() proto.Verdict {
	c.t.Helper()
	m := c.read()
	var v proto.Verdict
	if m.ID != 7 {
		c.t.Fatalf("the hook got %+v", m)
	}
	if err := m.Decode(&v); err != nil {
		c.t.Fatal(err)
	}
	return v
}

func (c *testConn) subscribe() proto.Snapshot {
	c.t.Helper()
	var snap proto.Snapshot
	c.call(proto.MethodSubscribe, proto.None{}, &snap)
	return snap
}

func (c *testConn) awaitEnd(decision string) proto.DecisionEnded {
	c.t.Helper()
	var e proto.DecisionEnded
	c.await(proto.EventDecisionEnded, func(m proto.Message) bool {
		return m.Decode(&e) == nil && e.Decision == decision
	})
	return e
}

func wantCode(t *testing.T, err error, code proto.Code) {
	t.Helper()
	var e *proto.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error is %v, want code %s", err, code)
	}
}

func TestEveryRequestKindHasAHandler(t *testing.T) {
	for _, k := range proto.Kinds {
		_, ok := handlers[k.Name]
		want := k.Form == proto.Request && !slices.Contains([]string{proto.MethodHello, proto.MethodHookEvent, proto.MethodHookAbort}, k.Name)
		if ok != want {
			t.Errorf("%s: has a handler: %v, want %v", k.Name, ok, want)
		}
	}
}

func TestAskIsHeldAndAnswered(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	for option, want := range map[string]proto.Behavior{"once": proto.Allow, "deny": proto.Deny, "handback": proto.NoVerdict} {
		h, d := s.hold(c, ask("s-"+option, "", "k"))
		c.call(proto.MethodDecisionAnswer, proto.DecisionAnswer{Decision: d.ID, Option: option}, nil)
		if got := h.verdict(); got.Behavior != want {
			t.Errorf("%s: the hook got %+v", option, got)
		}
		c.awaitEnd(d.ID)
	}
}

func TestHoldsThatClose(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	t.Run("the hook goes away", func(t *testing.T) {
		h, d := s.hold(c, ask("s1", "", "k"))
		h.c.Close()
		if e := c.awaitEnd(d.ID); e.End != proto.EndHoldClosed {
			t.Errorf("it ended as %+v", e)
		}
	})
	t.Run("the hook sends a second line", func(t *testing.T) {
		h, d := s.hold(c, ask("s1", "", "k"))
		if err := h.c.Send(8, proto.MethodStatus, proto.None{}); err != nil {
			t.Fatal(err)
		}
		if e := c.awaitEnd(d.ID); e.End != proto.EndHoldClosed {
			t.Errorf("it ended as %+v", e)
		}
	})
	t.Run("the agent ends the hook", func(t *testing.T) {
		h, d := s.hold(c, ask("s1", "", "k"))
		if err := h.c.Send(8, proto.MethodHookAbort, proto.None{}); err != nil {
			t.Fatal(err)
		}
		if e := c.awaitEnd(d.ID); e.End != proto.EndHoldClosed || !strings.Contains(e.Cause, "withdrew") {
			t.Errorf("it ended as %+v", e)
		}
	})
	t.Run("half a line does not", func(t *testing.T) {
		h, d := s.hold(c, ask("s1", "", "k"))
		if _, err := h.c.NetConn().Write([]byte(`{"id":9,"meth`)); err != nil {
			t.Fatal(err)
		}
		c.call(proto.MethodDecisionAnswer, proto.DecisionAnswer{Decision: d.ID, Option: "once"}, nil)
		if got := h.verdict(); got.Behavior != proto.Allow {
			t.Errorf("the hook got %+v", got)
		}
	})
}

func TestPaneEndsRetireItsDecisions(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	for _, tt := range []struct {
		name string
		end  proto.End
		do   func(p proto.Pane)
	}{
		{"exit", proto.EndPaneExited, func(p proto.Pane) {
			c.call(proto.MethodPaneInput, proto.PaneInput{Pane: p.ID, Data: []byte("x\n"), Passive: true}, nil)
		}},
		{"close", proto.EndPaneClosed, func(p proto.Pane) { c.call(proto.MethodPaneClose, proto.PaneRef{Pane: p.ID}, nil) }},
		{"input", proto.EndTurnedTo, func(p proto.Pane) {
			c.call(proto.MethodPaneInput, proto.PaneInput{Pane: p.ID, Data: []byte("x")}, nil)
		}},
		{"paste", proto.EndTurnedTo, func(p proto.Pane) {
			c.call(proto.MethodPanePaste, proto.PanePaste{Pane: p.ID, Text: "x"}, nil)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := c.pane("read line; exit 3")
			h, d := s.hold(c, ask("s-"+tt.name, p.ID, "k"))
			if d.Pane != p.ID {
				t.Fatalf("the decision is of pane %q", d.Pane)
			}
			tt.do(p)
			if got := h.verdict(); got.Behavior != proto.NoVerdict || got.End != tt.end {
				t.Errorf("the hook got %+v", got)
			}
			if e := c.awaitEnd(d.ID); e.End != tt.end {
				t.Errorf("it ended as %+v", e)
			}
		})
	}
}

func TestWhatIsNotInputKeepsADecision(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	p := c.pane("cat >/dev/null")
	_, d := s.hold(c, ask("s1", p.ID, "k"))
	c.call(proto.MethodPaneResize, proto.PaneResize{Pane: p.ID, Size: proto.Size{Cols: 100, Lines: 30}}, nil)
	c.call(proto.MethodPaneInput, proto.PaneInput{Pane: p.ID, Data: []byte("\x1b[I"), Passive: true}, nil)
	c.call(proto.MethodPaneSeen, proto.PaneRef{Pane: p.ID}, nil)
	c.call(proto.MethodPaneRename, proto.PaneRename{Pane: p.ID, Name: "x"}, nil)
	c.call(proto.MethodPaneWatch, proto.PaneWatch{Pane: p.ID}, nil)
	c.call(proto.MethodPaneUnwatch, proto.PaneRef{Pane: p.ID}, nil)
	var list proto.DecisionList
	c.call(proto.MethodDecisionList, proto.None{}, &list)
	if len(list.Decisions) != 1 || list.Decisions[0].ID != d.ID {
		t.Fatalf("waiting are %+v", list.Decisions)
	}
}

func TestServerStopReleasesHoldsAndPanes(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	p := c.pane("trap '' HUP TERM; while :; do read x; done")
	h, _ := s.hold(c, ask("s1", p.ID, "k"))
	c.call(proto.MethodStop, proto.None{}, nil)
	if got := h.verdict(); got.End != proto.EndServerStop || got.Behavior != proto.NoVerdict {
		t.Errorf("the hook got %+v", got)
	}
	s.shut()
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", p.PID)); err == nil {
		t.Error("the pane's process lives on")
	}
	if _, err := os.Stat(s.socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestDeadlineOfAHold(t *testing.T) {
	s := runServer(t, Options{Store: store.Options{WaitBeside: time.Millisecond}})
	c := s.dial("attach")
	c.subscribe()
	h, d := s.hold(c, ask("s1", "", "k"))
	if got := h.verdict(); got.End != proto.EndDeadline || got.Behavior != proto.NoVerdict {
		t.Errorf("the hook got %+v", got)
	}
	c.awaitEnd(d.ID)
}

func TestHello(t *testing.T) {
	s := runServer(t, Options{})
	for _, tt := range []struct{ name, line, code, text string }{
		{"old client", `{"id":1,"method":"hello","params":{"version":0,"client":"attach"}}`, "VERSION", "signaltty stop"},
		{"no hello", `{"id":1,"method":"status"}`, "VERSION", "first line"},
		{"wrong type", `{"id":1,"method":"hello","params":{"version":"1"}}`, "BAD_REQUEST", `"version"`},
		{"no JSON", `hello`, "BAD_REQUEST", "invalid character"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			nc, err := net.Dial("unix", s.socket)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			fmt.Fprintln(nc, tt.line)
			line, err := bufio.NewReader(nc).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var reply struct {
				Error struct{ Code, Message string }
			}
			if err := json.Unmarshal([]byte(line), &reply); err != nil || reply.Error.Code != tt.code || !strings.Contains(reply.Error.Message, tt.text) {
				t.Errorf("the server said %s", line)
			}
		})
	}
}

func TestBadRequestsAreAnsweredAndTheConnectionGoesOn(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("test")
	wantCode(t, c.try("no.such", proto.None{}, nil), proto.CodeUnknownMethod)
	wantCode(t, c.try("frame", proto.None{}, nil), proto.CodeUnknownMethod)
	wantCode(t, c.try(proto.MethodHello, proto.Hello{Version: 1}, nil), proto.CodeUnknownMethod)
	wantCode(t, c.try(proto.MethodPaneResize, map[string]any{"size": map[string]any{"cols": "wide"}}, nil), proto.CodeBadRequest)
	wantCode(t, c.try(proto.MethodPaneNew, proto.PaneNew{Size: proto.Size{Cols: 100000, Lines: 100000}}, nil), proto.CodeTooLarge)
	wantCode(t, c.try(proto.MethodPaneNew, proto.PaneNew{Cwd: "/no/such/dir"}, nil), proto.CodeSpawn)
	wantCode(t, c.try(proto.MethodPaneNew, proto.PaneNew{Agent: "nobody"}, nil), proto.CodeSpawn)
	wantCode(t, c.try(proto.MethodPaneNew, proto.PaneNew{Argv: []string{"no-such-program"}, Cwd: "/"}, nil), proto.CodeSpawn)
	for _, m := range []string{proto.MethodPaneClose, proto.MethodPaneInput, proto.MethodPanePaste, proto.MethodPaneWatch, proto.MethodPaneCapture, proto.MethodPaneRename} {
		wantCode(t, c.try(m, proto.PaneRef{Pane: "p9-9"}, nil), proto.CodeNoSuchPane)
	}
	c.call(proto.MethodStatus, proto.None{}, nil)
}

func TestEndlessLineIsCut(t *testing.T) {
	s := runServer(t, Options{})
	nc, err := net.Dial("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	chunk := []byte(strings.Repeat("x", 1<<20))
	sent := 0
	for range 1024 {
		n, err := nc.Write(chunk)
		if sent += n; err != nil {
			break
		}
	}
	if sent > 2*proto.MaxLine+16<<20 {
		t.Fatalf("the server took %d bytes of one line", sent)
	}
}

// One client does not read; the other sees all, at its own pace.
func TestSlowClientDelaysNobody(t *testing.T) {
	s := runServer(t, Options{})
	slow, fast := s.dial("attach"), s.dial("attach")
	slow.subscribe()
	fast.subscribe()
	p := fast.pane("read go; i=0; while [ $i -lt 3000 ]; do echo line $i xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; i=$((i+1)); done; printf 'all %s\\n' done; cat")
	for _, c := range []*testConn{slow, fast} {
		c.call(proto.MethodPaneWatch, proto.PaneWatch{Pane: p.ID}, nil)
	}
	fast.call(proto.MethodPaneInput, proto.PaneInput{Pane: p.ID, Data: []byte("go\n")}, nil)
	fast.awaitText(p.ID, "all done")
	for i := range 2000 {
		fast.call(proto.MethodPaneRename, proto.PaneRename{Pane: p.ID, Name: fmt.Sprint(i)}, nil)
	}
	_, d := s.hold(fast, ask("s1", p.ID, "k"))
	fast.call(proto.MethodDecisionAnswer, proto.DecisionAnswer{Decision: d.ID, Option: "once"}, nil)
}

func TestChildThatDoesNotReadCostsABoundedQueue(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	p := c.pane("stty raw -echo; exec sleep 1000")
	data := []byte(strings.Repeat("x", 1<<20))
	var err error
	for range 40 {
		if err = c.try(proto.MethodPaneInput, proto.PaneInput{Pane: p.ID, Data: data}, nil); err != nil {
			break
		}
	}
	wantCode(t, err, proto.CodePaneBusy)
	c.call(proto.MethodStatus, proto.None{}, nil)
	c.call(proto.MethodPaneClose, proto.PaneRef{Pane: p.ID}, nil)
}
