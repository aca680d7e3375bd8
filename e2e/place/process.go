//go:build linux

package place

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"signaltty/e2e/tty"
)

// Process is a process that was seen, held by a pidfd: its number cannot come
// to mean another one.
type Process struct {
	PID  int
	Args string
	fd   int
}

// processes are those that live, have this in their environment
// ("NAME=value"), and whose command line fits.
func processes(variable string, fits func(args string) bool) []Process {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var found []Process
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		// What cannot be read is another user's, or gone.
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), variable) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		args := string(bytes.ReplaceAll(bytes.TrimRight(line, "\x00"), []byte{0}, []byte{' '}))
		if !fits(args) {
			continue
		}
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			found = append(found, Process{pid, args, fd})
		}
	}
	return found
}

// Forget lets go of a process without waiting for its end.
func (p Process) Forget() { unix.Close(p.fd) }

// Ends waits for the process to end and tells whether it did.
func (p Process) Ends() bool {
	defer unix.Close(p.fd)
	fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}
	for deadline := time.Now().Add(tty.Patience / 3); ; {
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		n, err := unix.Poll(fds, int(left.Milliseconds())+1)
		if err != unix.EINTR {
			return n > 0
		}
	}
}

func (p Process) kill() { _ = unix.Kill(p.PID, unix.SIGKILL) }

func (p Process) String() string { return fmt.Sprintf("%d %s", p.PID, p.Args) }

// Child is the only child of a process.
func Child(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	c, err := strconv.Atoi(strings.TrimSpace(string(list)))
	if err != nil {
		t.Fatalf("%d has not one child but %q", pid, list)
	}
	return c
}

// Descriptors counts a process's open file descriptors.
func Descriptors(pid int) int {
	fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(fds)
}
