//go:build linux

package field

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"signaltty/e2e/place"
	"signaltty/proto"
)

// rounds is how many answers TestKeyToUnblocked measures; script/answers asks
// for more than a test of the behaviour needs.
var rounds = flag.Int("answers", 3, "how many answers to time")

// From the hook's start to its decision on the bar, and from the key to the
// end of the hook's process, which is when the agent goes on. The figures are
// in docs/performance.md; here they only must not be absurd.
func TestKeyToUnblocked(t *testing.T) {
	w := bareWorld(t) // alone: others would be measured too
	w.Serve()
	pane := w.idlePane()
	w.Attach(size)
	var bar, unblocked []time.Duration
	for i := range *rounds {
		command := fmt.Sprintf("make round-%d", i)
		began := time.Now()
		h := w.hook(pane, "PermissionRequest", bash(command))
		w.UI.WaitText("$ " + command)
		bar = append(bar, time.Since(began))
		w.UI.WaitText("waits 1 s") // its grace is over
		pressed := time.Now()
		w.UI.Press("ctrl+]", "y")
		h.says("allow")
		unblocked = append(unblocked, h.end.Sub(pressed))
	}
	told := func(what string, took []time.Duration) {
		slices.Sort(took)
		p50, p95 := took[len(took)/2], took[len(took)*95/100]
		t.Logf("%s: p50 %v, p95 %v, of %d", what, p50.Round(10*time.Microsecond), p95.Round(10*time.Microsecond), len(took))
		if p50 > 2*time.Second {
			t.Errorf("%s takes %v", what, p50)
		}
	}
	told("hook's start to bar", bar)
	told("key to the end of the hook", unblocked)
}

// A thousand decisions held at once stay answerable, the last one as the first.
func TestThousandHoldsAtOnce(t *testing.T) {
	const many = 1000
	w := bareWorld(t)
	w.Serve()
	pane := w.idlePane()
	w.Attach(size)
	before := resident(t, w.Server.PID())
	var holders []*hook
	for i := range many / holderHolds { // one process may not open so many
		argv := w.probeArgv("holder", pane, strconv.Itoa(i))
		cmd := w.Command()
		cmd.Path, cmd.Args = "/usr/bin/env", argv
		holders = append(holders, w.start("holder", cmd))
	}
	w.Until("all of them wait", func() bool { return w.Status().Decisions == many })
	held := resident(t, w.Server.PID())
	t.Logf("%d holds: the server grew by %d KiB, %d KiB each", many, (held-before)>>10, (held-before)/many>>10)
	most := 256 << 10
	if place.Raced() {
		most *= 8 // the detector's own
	}
	if each := (held - before) / many; each > most {
		t.Errorf("a hold takes %d bytes", each)
	}
	w.UI.WaitText("of 1000")
	list := w.waiting()
	var took []time.Duration
	for i, id := range list {
		began := time.Now()
		if err := w.Conn.Call(t.Context(), proto.MethodDecisionAnswer, proto.DecisionAnswer{Decision: id, Option: proto.OptionOnce}, nil); err != nil {
			t.Fatalf("the %d-th: %v", i+1, err)
		}
		took = append(took, time.Since(began))
	}
	for _, h := range holders {
		if h.ended(); h.out.String() != fmt.Sprintln(holderHolds, "allowed") {
			t.Errorf("a holder says %q", h.out.String())
		}
	}
	slices.Sort(took)
	t.Logf("an answer among them: p50 %v, p95 %v", took[len(took)/2].Round(10*time.Microsecond), took[len(took)*95/100].Round(10*time.Microsecond))
	w.NothingWaits()
}

// holderHolds is how many holds a holder has.
const holderHolds = 125

// holderProbe opens holds for the pane of its first argument and waits for
// their verdicts.
func holderProbe(args []string) int {
	var holds []*proto.Conn
	for i := range holderHolds {
		c, _, err := proto.Dial(context.Background(), os.Getenv(proto.EnvSocket), proto.Hello{Client: "hook"})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		command := fmt.Sprintf("make hold-%s-%d", args[1], i)
		if err := c.Send(99, proto.MethodHookEvent, holdsOn(args[0], "s"+args[1], command)); err != nil {
			fmt.Println(err)
			return 1
		}
		holds = append(holds, c)
	}
	allowed := 0
	for _, c := range holds {
		var v proto.Verdict
		if m, err := c.Read(); err == nil && m.Decode(&v) == nil && v.Behavior == proto.Allow {
			allowed++
		}
	}
	fmt.Println(allowed, "allowed")
	return 0
}

// holdsOn is the ask to run a command, as the hook's process sends it.
func holdsOn(pane, session, command string) proto.HookEvent {
	return proto.HookEvent{
		Agent: "claude", Event: "PermissionRequest", Moment: proto.MomentAsk, Session: session, Pane: pane, Tool: "Bash", Wait: true,
		Ask: &proto.Ask{
			Kind: proto.KindPermission, Tool: "Bash", Summary: command, Input: []byte(`{"command":"` + command + `"}`), Answerable: true,
			Detail: []proto.Detail{{Form: "command", Text: command}}, Dialog: proto.DialogBeside,
			Options: []proto.Option{{ID: proto.OptionOnce, Label: "Allow once"}, {ID: proto.OptionDeny, Label: "Deny", Message: true}},
		},
	}
}

// resident is a process's memory in bytes.
func resident(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("it has no resident memory")
	return 0
}
