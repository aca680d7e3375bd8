//go:build linux

package field

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"signaltty/e2e/place"
)

// Panes and processes that do nothing cost the server nothing: it does not
// look at them by the clock. What it wakes for is counted, whatever else the
// machine does.
func TestD18NothingIsDoneForIdlePanes(t *testing.T) {
	w := newWorld(t)
	const panes, sleepers = 14, 300
	for range panes {
		w.idlePane()
	}
	sleeping := w.open("--", "sh", "-c", fmt.Sprintf("i=0; while [ $i -lt %d ]; do sleep 100000 & i=$((i+1)); done; echo all sleep; exec sleep 100000", sleepers))
	w.Attach(size)
	w.Until("all sleep", func() bool { return w.Screen(sleeping).Has("all sleep") })
	const window, most = 3 * time.Second, 60
	w.Until("the server rests", func() bool {
		before := switches(t, w.Server.PID())
		<-time.After(window)
		after := switches(t, w.Server.PID())
		t.Logf("%d wakeups in %v", after-before, window)
		return after-before <= most
	})
}

// switches is how often a process has gone to sleep by itself, all its
// threads together: as often it was woken.
func switches(t *testing.T, pid int) int {
	t.Helper()
	n := 0
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // a thread that has ended
		}
		for line := range strings.Lines(string(text)) {
			if v, ok := strings.CutPrefix(line, "voluntary_ctxt_switches:"); ok {
				k, _ := strconv.Atoi(strings.TrimSpace(v))
				n += k
			}
		}
	}
	return n
}

// Output without an end leaves the server as large as it was: what a pane
// keeps is bounded by lines and by bytes.
func TestD19OutputLeavesTheServerAsLargeAsItWas(t *testing.T) {
	w := newWorld(t)
	pane := w.open("--", "sh", "-c", `while read n; do seq -f "%.0f of lines that are long enough to fill most of a row of the screen" "$n"; echo "done $n"; done`)
	pump := func(lines int) int {
		w.Verb("send", pane, strconv.Itoa(lines), "--enter")
		w.Until("all of it is out", func() bool { return w.Screen(pane).Has(fmt.Sprintf("done %d", lines)) })
		return resident(t, w.Server.PID())
	}
	full := pump(100_000) // the scrollback is full, and the collector has its pace
	after := pump(600_000)
	most := 32 << 20
	if place.Raced() {
		most *= 4
	}
	if after-full > most {
		t.Errorf("the server grew from %d to %d MiB", full>>20, after>>20)
	}
}
