package server

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"signaltty/proto"
)

// fifo makes a named pipe. Whoever opens it waits for the other side, so the
// tests below wait for what a command does and for nothing else.
func fifo(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openFile(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestOnDecision(t *testing.T) {
	out := fifo(t, "out")
	s := runServer(t, Options{OnDecision: []string{"/bin/sh", "-c", `{ cat; echo "$SIGNALTTY_SOCKET"; } > "$0"`, out}})
	watcher := s.dial("test")
	watcher.subscribe()
	_, d := s.hold(watcher, ask("s1", "", "k"))
	said := bufio.NewReader(openFile(t, out))
	line, err := said.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var told proto.Decision
	if err := json.Unmarshal(line, &told); err != nil || told.ID != d.ID || told.Prompt != d.Prompt || len(told.Options) == 0 {
		t.Errorf("the command was told %s (%v)", line, err)
	}
	if socket, _ := said.ReadString('\n'); socket != s.socket+"\n" {
		t.Errorf("its socket is %q", socket)
	}
}

// Many decisions at once start a few commands at a time, and one whose
// decision has ended before its turn starts none.
func TestOnDecisionIsBounded(t *testing.T) {
	out, gate := fifo(t, "out"), fifo(t, "gate")
	s := runServer(t, Options{OnDecision: []string{"/bin/sh", "-c", `echo run > "$0"; read x < "$1"`, out, gate}})
	// Open for both, so that neither side ever waits to open.
	runs, err := os.OpenFile(out, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer runs.Close()
	watcher := s.dial("test")
	watcher.subscribe()
	var last proto.Decision
	for i := range announceRuns + 1 {
		_, last = s.hold(watcher, ask("s"+strconv.Itoa(i), "", "k"))
	}
	lines := bufio.NewReader(runs)
	for range announceRuns {
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	client := s.dial("answer")
	client.call(proto.MethodDecisionAnswer, proto.DecisionAnswer{Decision: last.ID, Option: proto.OptionDeny}, nil)
	s.shut() // kills those that wait at the gate
	if n := lines.Buffered(); n != 0 {
		t.Errorf("%d bytes more were said", n)
	}
	if err := runs.SetReadDeadline(time.Now()); err == nil {
		if n, _ := runs.Read(make([]byte, 1)); n != 0 {
			t.Error("more than the bound ran at once")
		}
	}
}

// A command that does not end is killed, with all of its group.
func TestOnDecisionIsTimedOut(t *testing.T) {
	out := fifo(t, "out")
	w := startWatcher(t)
	k, err := newKeeper(w)
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	a := &announcer{
		argv: []string{"/bin/sh", "-c", `exec > "$0"; echo started; sleep 1000 & wait`, out},
		env:  os.Environ(), wait: 50 * time.Millisecond, reap: k.reap, stop: make(chan struct{}),
	}
	ended := make(chan error, 1)
	go func() { ended <- a.run(proto.Decision{ID: "d1"}) }()
	// The end of the file comes when nobody of the group holds it any more.
	said, err := io.ReadAll(openFile(t, out))
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Errorf("it ended well, and said %q", said)
	}
}

// What the command says goes nowhere, and its failures harm nobody.
func TestOnDecisionThatFails(t *testing.T) {
	for _, argv := range [][]string{{"/nonexistent/command"}, {"/bin/sh", "-c", "echo noise; exit 3"}} {
		s := runServer(t, Options{OnDecision: argv})
		watcher := s.dial("test")
		watcher.subscribe()
		hook, d := s.hold(watcher, ask("s1", "", "k"))
		s.dial("answer").call(proto.MethodDecisionAnswer, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce}, nil)
		if v := hook.verdict(); v.Behavior != proto.Allow {
			t.Errorf("%v: the verdict is %+v", argv, v)
		}
	}
}
