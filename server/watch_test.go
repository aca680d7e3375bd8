package server

import (
	"os/exec"
	"sync/atomic"
	"testing"
)

func startWatcher(t *testing.T) *watcher {
	t.Helper()
	w, err := newWatcher()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.close() })
	return w
}

func openWatches(w *watcher) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.byFD)
}

// sleeper starts a process that ends when end is called; it is not waited for
// before the test ends.
func sleeper(t *testing.T) (pid int, end func()) {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd.Process.Pid, func() { cmd.Process.Kill() }
}

func TestWatchManyOfOneProcess(t *testing.T) {
	w := startWatcher(t)
	pid, end := sleeper(t)
	const n = 1000
	died := make(chan int, n)
	for i := range n {
		w.watch(pid, func() { died <- i })
	}
	if n := openWatches(w); n != 1 {
		t.Errorf("%d descriptors for one process", n)
	}
	select {
	case <-died:
		t.Fatal("told dead while it lives")
	default:
	}
	end() // and it stays a zombie, which has ended too
	seen := map[int]bool{}
	for range n {
		seen[within(t, "a death", died)] = true
	}
	if len(seen) != n {
		t.Errorf("%d of %d watches were called", len(seen), n)
	}
}

func TestWatchManyProcesses(t *testing.T) {
	w := startWatcher(t)
	const n = 100 // more than one round of the poller
	died := make(chan int, n)
	var ends []func()
	for i := range n {
		pid, end := sleeper(t)
		w.watch(pid, func() { died <- i })
		ends = append(ends, end)
	}
	for i := range n / 2 {
		ends[i]()
	}
	for range n / 2 {
		if i := within(t, "a death", died); i >= n/2 {
			t.Errorf("process %d lives and was told dead", i)
		}
	}
}

func TestWatchOfTheDeadCallsAtOnce(t *testing.T) {
	w := startWatcher(t)
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	died := make(chan bool, 1)
	w.watch(cmd.Process.Pid, func() { died <- true })
	within(t, "the call for a process that is gone", died)
}

func TestWatchCancel(t *testing.T) {
	w := startWatcher(t)
	pid, end := sleeper(t)
	var canceled atomic.Bool
	died := make(chan bool, 1)
	cancel := w.watch(pid, func() { canceled.Store(true) })
	w.watch(pid, func() { died <- true })
	cancel()
	cancel()
	end()
	within(t, "the other watch", died)
	if canceled.Load() {
		t.Error("a canceled watch was called")
	}

	pid, _ = sleeper(t)
	w.watch(pid, func() {})()
	if n := openWatches(w); n != 0 {
		t.Errorf("%d descriptors are kept with no watch", n)
	}
}

// A pid whose process is dead and not served yet belongs to nobody, or to
// another process: its watches are not joined.
func TestWatchDoesNotJoinTheDead(t *testing.T) {
	w := startWatcher(t)
	pid, end := sleeper(t)
	blocked, release := make(chan bool), make(chan bool)
	first, endFirst := sleeper(t)
	w.watch(first, func() { // holds the watcher's goroutine up
		close(blocked)
		<-release
	})
	died := make(chan string, 2)
	w.watch(pid, func() { died <- "old" })
	endFirst()
	within(t, "the goroutine to be held up", blocked)
	end()
	eventually(t, "the zombie", func() bool { p, err := readProc(pid); return err == nil && p.dead })
	w.watch(pid, func() { died <- "new" })
	if n := openWatches(w); n != 2 {
		t.Errorf("%d descriptors, want one for the dead and one for its successor", n)
	}
	close(release)
	within(t, "the first death", died)
	within(t, "the second death", died)
}

func TestWatchAfterClose(t *testing.T) {
	w, err := newWatcher()
	if err != nil {
		t.Fatal(err)
	}
	pid, end := sleeper(t)
	w.watch(pid, func() { t.Error("called after close") })
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	end()
	w.watch(pid, func() { t.Error("called by a closed watcher") })()
}
