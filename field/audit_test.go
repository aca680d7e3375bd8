//go:build linux

package field

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"signaltty/e2e/place"
	"signaltty/proto"
)

// envKills sets how often the server is killed; script/kills does it often.
const envKills = "SIGNALTTY_TEST_KILLS"

const (
	askers = 16  // that ask at the same time, one ask after the other
	worth  = 200 // verdicts at least before the server is killed
)

// A server that is killed while it answers hundreds of asks a second leaves an
// audit that verifies, each time, and no verdict had been released before its
// row was there.
func TestC16KilledWhileItAnswers(t *testing.T) {
	w := bareWorld(t)
	rounds, err := strconv.Atoi(os.Getenv(envKills))
	if err != nil {
		rounds = 3
	}
	released, asked := 0, 0
	var took time.Duration
	for round := range rounds {
		w.Serve()
		if !w.Person {
			t.Skip("this test runs below a coding agent, which may not answer")
		}
		began := time.Now()
		got := w.answersUntilKilled(worth + round*37%200)
		took += time.Since(began)
		if out := w.Verb("audit", "verify"); strings.Contains(out, "bad:") {
			t.Fatalf("round %d: %s", round, out)
		}
		rows := w.verdictRows()
		for id := range got {
			if !rows[id] {
				t.Errorf("round %d: the verdict of %s was released, and has no row", round, id)
			}
		}
		released, asked = released+len(got), asked+len(rows)
	}
	t.Logf("%d kills; %d verdicts released, %.0f a second", rounds, released, float64(released)/took.Seconds())
	w.Serve() // which settles what the last one left
	w.Verb("audit", "verify")
	w.everyAskEnded()
}

// answersUntilKilled has askers ask and a client answer, kills the server after
// n verdicts, and tells which decisions had got theirs.
func (w *world) answersUntilKilled(n int) map[string]bool {
	w.T.Helper()
	client, _ := w.Dial("answer")
	if err := client.Call(w.T.Context(), proto.MethodSubscribe, proto.None{}, nil); err != nil {
		w.T.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for id := uint64(100); ; {
			m, err := client.Read()
			if err != nil {
				return // the server was killed
			}
			var d proto.Decision
			if m.Event == proto.EventDecisionAdded && m.Decode(&d) == nil {
				id++
				_ = client.Send(id, proto.MethodDecisionAnswer, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce})
			}
		}
	})
	verdicts := make(chan string, 100*n)
	for i := range askers {
		work.Go(func() {
			for j := range 100_000 {
				v, err := w.askOnce(ask(fmt.Sprintf("s%d-%d", i, j)))
				if err != nil {
					return // the server was killed
				}
				if v.Behavior == proto.Allow {
					verdicts <- v.Decision
				}
			}
		})
	}
	got := map[string]bool{}
	ctx, cancel := place.Patience(w.T)
	defer cancel()
	for range n {
		select {
		case id := <-verdicts:
			got[id] = true
		case <-ctx.Done():
			w.T.Errorf("only %d verdicts came", len(got))
		}
	}
	w.Server.Kill()
	work.Wait()
	close(verdicts)
	for id := range verdicts {
		got[id] = true
	}
	return got
}

// askOnce asks on a connection of its own, as a hook does.
func (w *world) askOnce(ev proto.HookEvent) (proto.Verdict, error) {
	var v proto.Verdict
	c, _, err := proto.Dial(w.T.Context(), w.Socket, proto.Hello{Client: "hook"})
	if err != nil {
		return v, err
	}
	defer c.Close()
	return v, c.Call(w.T.Context(), proto.MethodHookEvent, ev, &v)
}

func ask(session string) proto.HookEvent {
	return proto.HookEvent{
		Agent: "claude", Event: "PermissionRequest", Moment: proto.MomentAsk, Session: session, Tool: "Bash", InputKey: "k", Wait: true,
		Ask: &proto.Ask{Kind: proto.KindPermission, Tool: "Bash", Summary: "make", Answerable: true, Dialog: proto.DialogBeside,
			Options: []proto.Option{{ID: proto.OptionOnce}, {ID: proto.OptionDeny, Message: true}}},
	}
}

// row is a row of an export.
type row struct{ Kind, Decision, Option string }

func (w *world) rows(args ...string) []row {
	w.T.Helper()
	var list []row
	lines := bufio.NewScanner(strings.NewReader(w.Verb(append([]string{"audit", "export"}, args...)...)))
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			w.T.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// verdictRows are the decisions that have the row of an allow.
func (w *world) verdictRows() map[string]bool {
	w.T.Helper()
	rows := map[string]bool{}
	for _, r := range w.rows("--verdict", "allow", "--kind", "verdict") {
		rows[r.Decision] = r.Option == proto.OptionOnce
	}
	return rows
}

// everyAskEnded checks that each ask has exactly one end.
func (w *world) everyAskEnded() {
	w.T.Helper()
	ends := map[string]int{}
	asks := 0
	for _, r := range w.rows("--kind", "ask,end") {
		if r.Kind == "ask" {
			asks++
			continue
		}
		ends[r.Decision]++
	}
	for id, n := range ends {
		if n != 1 {
			w.T.Errorf("%s ended %d times", id, n)
		}
	}
	if asks != len(ends) {
		w.T.Errorf("%d asks, %d of them ended", asks, len(ends))
	}
}

// A FIFO that a collector reads gets every record, with its agent, each on a
// line of its own. One that nobody reads costs nothing but the records.
func TestC16Sink(t *testing.T) {
	w := bareWorld(t)
	fifo := filepath.Join(w.Dir, "collector")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(w.Dir, "config", "signaltty", "config.toml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "[audit]\nsink = %q\n", fifo), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Serve()
	pane := w.idlePane()
	h, d := w.asks(pane, bash("make"))
	w.Verb("answer", d.ID, proto.OptionOnce) // nobody reads, and it goes on
	h.says("allow")
	w.Until("the status tells that nobody reads", func() bool {
		return strings.Contains(w.Status().Audit.Trouble, "nobody reads the FIFO "+fifo)
	})
	cat := exec.Command("cat", fifo)
	out, err := cat.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cat.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	kinds := ""
	for lines.Scan() {
		var record map[string]any
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		if _, ok := record["agent"].(string); !ok {
			t.Errorf("it has no agent: %s", lines.Text())
		}
		kinds += fmt.Sprint(record["kind"], " ")
		if record["kind"] == "end" {
			break
		}
	}
	if kinds != "server_start pane_spawn ask verdict end " {
		t.Errorf("the collector got %s", kinds)
	}
	_ = cat.Process.Kill()
	_ = cat.Wait() // it was killed
	if s := w.Status().Audit; s.Dropped != 0 || s.Rows < 5 {
		t.Errorf("the status is %+v", s)
	}
}

// Each head that the person's command was told is one of the chain, and shows
// a rewrite that takes the anchor along.
func TestC16AnchorCommand(t *testing.T) {
	w := bareWorld(t)
	heads := filepath.Join(w.Dir, "heads")
	config := filepath.Join(w.Dir, "config", "signaltty", "config.toml")
	text := fmt.Sprintf("[audit]\nanchor = [\"sh\", \"-c\", \"cat >> %s\"]\n", heads)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Serve()
	w.idlePane()
	w.Server.Stop()
	if out := w.Verb("audit", "verify", "--heads", heads); !strings.Contains(out, " rows, 1 to ") {
		t.Errorf("verify says %q", out)
	}
	told, err := os.ReadFile(heads)
	if err != nil {
		t.Fatal(err)
	}
	last := strings.Split(strings.TrimSpace(string(told)), "\n")
	forged := strings.Replace(last[len(last)-1], "signaltty-audit 1 0", "signaltty-audit 1 9", 1)
	if err := os.WriteFile(heads, []byte(forged+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := w.exits(proto.ExitFailed, "audit", "verify", "--heads", heads); !strings.Contains(said, "missing at the end") {
		t.Errorf("verify says %q", said)
	}
}
