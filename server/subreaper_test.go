//go:build linux

package server

import (
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func startReaper(t *testing.T) *reaper {
	t.Helper()
	r, err := newReaper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

// orphan gives the pid of a process that was left to this one.
func orphan(t *testing.T, program ...string) int {
	t.Helper()
	// The command substitution ends with its last writer, so the daemon's
	// output goes elsewhere.
	script := `setsid "$@" </dev/null >/dev/null 2>&1 & echo $!`
	out, err := exec.Command("sh", append([]string{"-c", script, "sh"}, program...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestOrphansAreFoundAndWaitedFor(t *testing.T) {
	r := startReaper(t)
	pid := orphan(t, "sleep", "1000")
	isOrphan := func(p proc) bool { return p.id.pid == pid }
	eventually(t, "the orphan among ours", func() bool { return slices.ContainsFunc(r.orphans(), isOrphan) })
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the zombie to go", func() bool { _, err := readProc(pid); return err != nil })
}

func TestExitStatusIsNeverTaken(t *testing.T) {
	r := startReaper(t)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			cmd := exec.Command("sh", "-c", "exit "+strconv.Itoa(i))
			// Half of them are as panes are: in a session of their own.
			if i%2 == 0 {
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
				if err := r.start(cmd); err != nil {
					t.Error(err)
					return
				}
				r.wait(cmd)
			} else {
				cmd.Run()
			}
			if got := cmd.ProcessState.ExitCode(); got != i {
				t.Errorf("exit code %d, want %d", got, i)
			}
		})
		orphan(t, "true")
	}
	wg.Wait()
	eventually(t, "the zombies to go", func() bool {
		return !slices.ContainsFunc(r.foreign(), func(p proc) bool { return p.dead })
	})
}

// A child that has ended stays for whoever will wait, however often is swept.
func TestSweepLeavesTheEndedToTheirOwner(t *testing.T) {
	r := startReaper(t)
	cmd := exec.Command("sh", "-c", "exit 7")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := r.start(cmd); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the zombie", func() bool { p, err := readProc(cmd.Process.Pid); return err == nil && p.dead })
	for range 10 {
		r.sweep()
	}
	if err := r.wait(cmd); cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("wait gave %v", err)
	}

	// The same child without the gate is an orphan to the sweep: the test can fail.
	cmd = exec.Command("sh", "-c", "exit 7")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the sweep to take it", func() bool { r.sweep(); _, err := readProc(cmd.Process.Pid); return err != nil })
	if err := cmd.Wait(); !errors.Is(err, syscall.ECHILD) {
		t.Errorf("wait gave %v, want ECHILD", err)
	}
}

func TestSweepKeepsOffWhileAStartIsUnderWay(t *testing.T) {
	r := startReaper(t)
	r.mu.Lock()
	r.starting++ // between fork and the note of the pid
	r.mu.Unlock()
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the zombie", func() bool { p, err := readProc(cmd.Process.Pid); return err == nil && p.dead })
	if r.sweep() {
		t.Error("a sweep waited for something during a start")
	}
	r.mu.Lock()
	r.own[cmd.Process.Pid] = true
	r.starting--
	r.mu.Unlock()
	if err := r.wait(cmd); err != nil {
		t.Error(err)
	}
}
