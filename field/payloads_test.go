//go:build linux

package field

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"signaltty/e2e/place"
	"signaltty/proto"
)

// head begins a payload whose content follows.
const head = `{"session_id":"s1","cwd":"/src","hook_event_name":"PermissionRequest","tool_name":"Write","tool_input":{"file_path":"/src/big","content":"`

// endless is a payload without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func payloadOf(bytes int64) io.Reader {
	return io.MultiReader(strings.NewReader(head), io.LimitReader(endless{}, bytes), strings.NewReader(`"}}`))
}

// maxPeak is the memory that a hook may take at its worst: a few times the
// largest payload that is decided on. Much of it is what the race detector
// adds, when the tests run under it.
const maxPeak = 400 << 20

// A large payload is decided on from its path, size and hash.
func TestLargePayload(t *testing.T) {
	w := newWorld(t)
	h := w.measured(payloadOf(1 << 20))
	d, _ := place.Await(w.Events, proto.EventDecisionAdded, func(d proto.Decision) bool { return d.Prompt == "/src/big" })
	if d.Truncated == nil || d.Truncated.Bytes < 1<<20 || d.Truncated.Path != "/src/big" || len(d.Truncated.SHA256) != 64 || len(d.Input) > proto.MaxInput {
		t.Errorf("1 MiB is told as %+v, with %d bytes of input", d.Truncated, len(d.Input))
	}
	w.Verb("answer", d.ID, proto.OptionOnce)
	h.says("allow")
	h.small(t)
}

// One that is too large is left to the agent's own dialog, whether it ends or
// not, in bounded time and memory.
func TestHugePayloads(t *testing.T) {
	payloads := map[string]io.Reader{
		"20 MiB":          payloadOf(20 << 20),
		"endless":         io.MultiReader(strings.NewReader(head), endless{}),
		"endless garbage": endless{},
	}
	for name, stdin := range payloads {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			h := w.measured(stdin)
			h.leavesIt()
			if !strings.Contains(h.said.String(), "8 MiB") || !strings.Contains(h.said.String(), "own dialog") {
				t.Errorf("it says %q", h.said.String())
			}
			h.small(t)
			w.counts(0)
		})
	}
}

// measured is the hook of an ask whose memory is measured.
func (w *world) measured(stdin io.Reader) *hook {
	w.T.Helper()
	cmd := w.hookCommand(w.idlePane(), "PermissionRequest", stdin)
	cmd.Path, cmd.Args = "/usr/bin/env", w.probeArgv("peak", append([]string{w.peakFile()}, cmd.Args...)...)
	return w.start("PermissionRequest", cmd)
}

func (w *world) peakFile() string { return filepath.Join(w.Dir, "peak") }

// peakProbe runs a command and writes the memory that it took at its worst, in
// bytes, to the file of the first argument. Linux counts the memory of the
// process that starts another one as that one's: the test's own is too large.
func peakProbe(args []string) int {
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	if err := os.WriteFile(args[0], fmt.Append(nil, peak), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (h *hook) small(t *testing.T) {
	t.Helper()
	h.ended()
	told, err := os.ReadFile(h.w.peakFile())
	if err != nil {
		t.Fatal(err)
	}
	if peak, err := strconv.ParseInt(string(told), 10, 64); err != nil || peak > maxPeak {
		t.Errorf("the hook took %d bytes of memory, %v", peak, err)
	}
}

// Half a payload and then silence, or an end, raises nothing and ends by itself.
func TestHalfAPayload(t *testing.T) {
	t.Run("and the end", func(t *testing.T) {
		w := newWorld(t)
		w.hookOn(w.idlePane(), "PermissionRequest", strings.NewReader(head)).leavesIt()
		w.NothingWaits()
	})
	t.Run("and silence", func(t *testing.T) {
		w := newWorld(t)
		r, silent, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer silent.Close()
		if _, err := silent.WriteString(head); err != nil {
			t.Fatal(err)
		}
		h := w.measured(r)
		h.leavesIt()
		h.small(t)
	})
}

// Half a line and then silence costs nobody else anything, and a connection
// that never says hello is cut.
func TestHalfALineThenSilence(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	silent, err := net.Dial("unix", w.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	greeted, _ := w.Dial("hook")
	for _, c := range []net.Conn{silent, greeted.NetConn()} {
		if _, err := io.WriteString(c, `{"id":1,"method":"he`); err != nil {
			t.Fatal(err)
		}
	}
	h, d := w.asks(pane, bash("make"))
	w.Verb("answer", d.ID, proto.OptionOnce)
	h.says("allow")
	if _, err := io.Copy(io.Discard, silent); err != nil {
		t.Errorf("the silent connection: %v", err)
	}
}

// A line without an end is cut off when it is too long; what it said is not kept.
func TestC15EndlessLine(t *testing.T) {
	w := newWorld(t)
	before := peak(t, w.Server.PID())
	for range 4 {
		c, _ := w.Dial("attach")
		_, err := io.Copy(c.NetConn(), io.LimitReader(endless{}, 1<<30))
		if err == nil {
			t.Error("1 GiB without a line end was taken")
		}
	}
	if grown := peak(t, w.Server.PID()) - before; grown > 16*proto.MaxLine {
		t.Errorf("the server grew by %d MiB", grown>>20)
	}
	w.Status()
}

// peak is the most memory that a process has had, in bytes.
func peak(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kib int
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	t.Fatalf("there is no peak in\n%s", status)
	return 0
}

// A client that does not read delays nobody: not the pane that it watches, not
// the client beside it, not a decision. Of the events, which cannot be
// skipped, it is cut off in the end.
func TestClientThatDoesNotRead(t *testing.T) {
	w := newWorld(t)
	pane := w.shell("read go; seq 1 300000; echo the last line; read stay")
	deaf, _ := w.Dial("attach")
	for id, method := range []string{proto.MethodSubscribe, proto.MethodPaneWatch} {
		if err := deaf.Send(uint64(id+1), method, proto.PaneWatch{Pane: pane}); err != nil {
			t.Fatal(err)
		}
	}
	w.Attach(size)
	w.Verb("send", pane, "go", "--enter")
	h, d := w.asks(pane, bash("make").with("agent_id", "a1", "agent_type", "writer"))
	w.Verb("answer", d.ID, proto.OptionOnce)
	h.says("allow")
	w.UI.WaitText("the last line")
	w.Until("the screen has it too", func() bool { return w.Screen(pane).Has("the last line") })

	clients := w.Status().Clients
	for i := 0; w.Status().Clients == clients; i++ {
		if i > 20_000 {
			t.Fatal("the deaf client is never cut off")
		}
		place.Ask[proto.None](w.Place, proto.MethodPaneRename, proto.PaneRename{Pane: pane, Name: fmt.Sprintf("%0150d", i)})
	}
	if _, err := io.Copy(io.Discard, deaf.NetConn()); err != nil {
		t.Errorf("it is not the deaf one that was cut: %v", err)
	}
}
