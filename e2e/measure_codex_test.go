//go:build linux && measure

package e2e

import (
	"bufio"
	wire "encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signaltty/e2e/codex"
	"signaltty/e2e/openai"
	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// rounds is how many asks are measured on each channel.
const rounds = 10

// The figures of docs/adr/0010-codex-channel.md: what a decision costs by
// Codex's hooks, and by an app-server that its screen and we are clients of.
//
//	go test -tags measure ./e2e -run TestMeasureCodexChannels -v
func TestMeasureCodexChannels(t *testing.T) {
	t.Run("hooks", func(t *testing.T) {
		w := newCodexWorld(t)
		for i := range rounds {
			w.model.Add(rule(fmt.Sprintf("#go%02d.", i), codex.Escalated(fmt.Sprintf("call_%d", i), fmt.Sprintf("echo made > made%d.txt", i))))
		}
		began := time.Now()
		pane := strings.TrimSpace(w.Verb("new", "--agent", "codex", "--cwd", w.home.Work))
		w.Verb("wait", pane, "--until", "idle", "--timeout", "60s")
		t.Logf("ready after %v, %d MiB", time.Since(began), tree(w.Pane(pane).PID)>>20)
		var ask, run []time.Duration
		for i := range rounds {
			began := w.typed(pane, fmt.Sprintf("#go%02d.", i))
			d := w.Events.Added(pane, "Bash", fmt.Sprintf("echo made > made%d.txt", i))
			ask = append(ask, time.Since(began))
			if codex.Asks(w.Screen(pane)) {
				t.Error("Codex's dialog stands beside")
			}
			began = time.Now()
			place.Ask[proto.DecisionAnswered](w.Place, proto.MethodDecisionAnswer, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce})
			awaitFile(filepath.Join(w.home.Work, fmt.Sprintf("made%d.txt", i)))
			run = append(run, time.Since(began))
			w.over(pane)
		}
		t.Logf("from the prompt to the decision %v; from the answer to the command's effect %v; %d MiB", median(ask), median(run), tree(w.Pane(pane).PID)>>20)
	})
	t.Run("app-server", measureAppServer)
}

func (w *codexWorld) typed(pane, text string) time.Time {
	w.T.Helper()
	w.Verb("send", pane, text)
	w.Until("the prompt shows", func() bool { return w.Screen(pane).Has("› " + text) })
	began := time.Now()
	w.Verb("send", pane, "", "--enter")
	return began
}

func measureAppServer(t *testing.T) {
	t.Parallel()
	api := openai.Start(t)
	for i := range rounds {
		api.Add(rule(fmt.Sprintf("#go%02d.", i), codex.Escalated(fmt.Sprintf("call_%d", i), fmt.Sprintf("echo made > made%d.txt", i))))
	}
	home := codex.New(t, api.URL)
	socket := filepath.Join(home.Dir, "as.sock")
	began := time.Now()
	srv := tty.Start(t, tty.Command{Argv: []string{filepath.Join(home.Bin, "codex"), "app-server", "--listen", "unix://" + socket}, Dir: home.Work, Env: home.Env()})
	awaitFile(socket)
	ui := tty.Start(t, tty.Command{Argv: []string{filepath.Join(home.Bin, "codex"), "--remote", "unix://" + socket}, Dir: home.Work, Env: home.Env(),
		Size: proto.Size{Cols: 100, Lines: 40}})
	ui.WaitFor("a title", func(s tty.Screen) bool { return s.Title != "" })
	t.Logf("ready after %v, %d MiB", time.Since(began), (tree(srv.PID())+tree(ui.PID()))>>20)

	c := dialRPC(t, socket)
	c.call("initialize", map[string]any{"clientInfo": map[string]any{"name": "measure", "title": "measure", "version": "1"}, "capabilities": map[string]any{"experimentalApi": true}})
	c.send(map[string]any{"method": "initialized"})
	var ask, run []time.Duration
	joined := false
	for i := range rounds {
		text := fmt.Sprintf("#go%02d.", i)
		ui.Type(text)
		ui.WaitText("› " + text)
		began := time.Now()
		ui.Press("enter")
		for !joined {
			list := c.call("thread/loaded/list", map[string]any{})
			var loaded struct{ Data []string }
			if err := json.Unmarshal(list, &loaded); err != nil {
				t.Fatal(err)
			}
			for _, id := range loaded.Data {
				// A thread can be joined once its first turn is written down.
				joined = c.call("thread/resume", map[string]any{"threadId": id}) != nil
			}
		}
		id := c.approval()
		ask = append(ask, time.Since(began))
		ui.WaitFor("Codex's dialog", codex.Asks)
		began = time.Now()
		c.send(map[string]any{"id": id, "result": map[string]any{"decision": "accept"}})
		awaitFile(filepath.Join(home.Work, fmt.Sprintf("made%d.txt", i)))
		run = append(run, time.Since(began))
		ui.WaitFor("the end", func(s tty.Screen) bool {
			return !codex.Asks(s) && !strings.ContainsAny(s.Title, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
		})
	}
	c.session(api, home, ui)
	t.Logf("from the prompt to the decision %v; from the answer to the command's effect %v; %d MiB", median(ask), median(run), (tree(srv.PID())+tree(ui.PID()))>>20)
}

// awaitFile looks for a file each millisecond.
func awaitFile(path string) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
}

// session answers for the session, and sees that the same command is not asked
// about again.
func (c *appClient) session(api *openai.Server, home codex.Home, ui *tty.Program) {
	file := filepath.Join(home.Work, "same.txt")
	for i, text := range []string{"#first.", "#second."} {
		api.Add(rule(text, codex.Escalated(fmt.Sprintf("call_same%d", i), "echo made > same.txt")))
		ui.Type(text)
		ui.WaitText("› " + text)
		ui.Press("enter")
		if i == 0 {
			c.send(map[string]any{"id": c.approval(), "result": map[string]any{"decision": "acceptForSession"}})
		}
		awaitFile(file)
		os.Remove(file)
		ui.WaitFor("the end", func(s tty.Screen) bool { return !strings.ContainsAny(s.Title, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") })
	}
	c.t.Log("accept for session: not asked again")
}

func median(d []time.Duration) string {
	for i := range d {
		for j := i; j > 0 && d[j] < d[j-1]; j-- {
			d[j], d[j-1] = d[j-1], d[j]
		}
	}
	return fmt.Sprintf("%v (%v to %v)", d[len(d)/2].Round(time.Millisecond), d[0].Round(time.Millisecond), d[len(d)-1].Round(time.Millisecond))
}

// tree is the memory of a process, resident and its own, in bytes.
func tree(pid int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	sum := 0
	for line := range strings.Lines(string(data)) {
		var kb int
		if n, _ := fmt.Sscanf(line, "Pss: %d kB", &kb); n == 1 {
			sum += kb << 10
		}
	}
	return sum
}

// appClient is a client of an app-server: JSON in WebSocket frames.
type appClient struct {
	t    *testing.T
	nc   net.Conn
	r    *bufio.Reader
	last int
	asks []json.RawMessage
}

func dialRPC(t *testing.T, socket string) *appClient {
	t.Helper()
	nc, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(tty.Patience))
	fmt.Fprint(nc, "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n")
	r := bufio.NewReader(nc)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == "\r\n" {
			return &appClient{t: t, nc: nc, r: r}
		}
	}
}

// send sends a text frame, masked with zeros.
func (c *appClient) send(v any) {
	line, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	head := []byte{0x81, 0x80 | 126, byte(len(line) >> 8), byte(len(line)), 0, 0, 0, 0}
	if _, err := c.nc.Write(append(head, line...)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *appClient) read() []byte {
	var whole []byte
	for {
		var head [2]byte
		if _, err := io.ReadFull(c.r, head[:]); err != nil {
			c.t.Fatal(err)
		}
		n := uint64(head[1] & 0x7f)
		switch n {
		case 126:
			var b [2]byte
			io.ReadFull(c.r, b[:])
			n = uint64(wire.BigEndian.Uint16(b[:]))
		case 127:
			var b [8]byte
			io.ReadFull(c.r, b[:])
			n = wire.BigEndian.Uint64(b[:])
		}
		part := make([]byte, n)
		if _, err := io.ReadFull(c.r, part); err != nil {
			c.t.Fatal(err)
		}
		if head[0]&0x0f > 2 {
			continue // ping, pong
		}
		if whole = append(whole, part...); head[0]&0x80 != 0 {
			return whole
		}
	}
}

type rpcMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (c *appClient) call(method string, params any) json.RawMessage {
	c.last++
	c.send(map[string]any{"id": c.last, "method": method, "params": params})
	for {
		var m rpcMessage
		if err := json.Unmarshal(c.read(), &m); err != nil {
			c.t.Fatal(err)
		}
		switch {
		case m.Method != "" && m.ID != nil:
			c.asks = append(c.asks, m.ID)
		case m.Method == "" && string(m.ID) == fmt.Sprint(c.last):
			if m.Error != nil {
				c.t.Logf("%s: %s", method, m.Error)
			}
			return m.Result
		}
	}
}

// approval waits for a request of the server and returns its id.
func (c *appClient) approval() json.RawMessage {
	for {
		if n := len(c.asks); n > 0 {
			id := c.asks[0]
			c.asks = c.asks[1:]
			return id
		}
		var m rpcMessage
		if err := json.Unmarshal(c.read(), &m); err != nil {
			c.t.Fatal(err)
		}
		if m.Method != "" && m.ID != nil {
			return m.ID
		}
	}
}
