package server

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"signaltty/proto"
)

// killWait is how long a killed process may take to go.
const killWait = time.Second

// endAll ends the process and all that it started and that can be found.
func (p *ptyProcess) endAll(grace time.Duration) {
	steps := []struct {
		sig  syscall.Signal
		wait time.Duration
	}{
		{unix.SIGHUP, grace / 2},
		{unix.SIGTERM, grace - grace/2},
		{unix.SIGKILL, killWait},
		// What was started while the others were killed.
		{unix.SIGKILL, killWait},
		{unix.SIGKILL, killWait},
	}
	var prey []proc
	for _, step := range steps {
		prey = p.family(prey)
		if len(prey) == 0 {
			return
		}
		if !p.hasEnded() {
			unix.Kill(-p.pid(), step.sig) // reaches also who is being forked now
		}
		for _, x := range prey {
			signalProc(x, step.sig)
		}
		p.keeper.awaitGone(prey, step.wait)
	}
}

// family lists the living processes of the pane: its leader and the leader's
// descendants, the orphans that carry the pane's name or are in its session,
// and those that were found before, wherever they are now. A daemon with a
// new session and a cleared environment is not found.
func (p *ptyProcess) family(before []proc) []proc {
	roots := slices.Concat([]proc{p.leader}, before)
	for _, orphan := range p.keeper.reap.orphans() {
		if orphan.session == p.leader.id.pid || p.named(orphan) {
			roots = append(roots, orphan)
		}
	}
	seen := map[procID]bool{}
	var found []proc
	for len(roots) > 0 {
		x := roots[0]
		roots = roots[1:]
		now, err := readProc(x.id.pid)
		if err != nil || now.id != x.id || now.dead || seen[x.id] {
			continue
		}
		seen[x.id] = true
		found = append(found, now)
		for _, child := range childrenOf(x.id.pid) {
			if c, err := readProc(child); err == nil && c.parent == x.id.pid {
				roots = append(roots, c)
			}
		}
	}
	return found
}

// named tells whether a process was started with this pane's name in its
// environment. The socket has to be ours too: a signaltty inside the pane
// gives names of its own.
func (p *ptyProcess) named(x proc) bool {
	env, err := environOf(x.id.pid)
	if err != nil {
		return false
	}
	for _, name := range []string{proto.EnvPane, proto.EnvSocket} {
		ours, ok := lookupEnv(p.cmd.Env, name)
		theirs, _ := lookupEnv(env, name)
		if !ok || ours != theirs {
			return false
		}
	}
	return true
}

// awaitGone waits until the processes have ended, d at most.
func (k *localKeeper) awaitGone(prey []proc, d time.Duration) {
	gone := make(chan struct{}, len(prey))
	for _, x := range prey {
		cancel := k.watcher.watch(x.id.pid, func() { gone <- struct{}{} })
		defer cancel()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	for range prey {
		select {
		case <-gone:
		case <-timer.C:
			return
		}
	}
}

// signalProc signals the process that x names and no later one with its pid.
func signalProc(x proc, sig syscall.Signal) {
	handle, err := os.FindProcess(x.id.pid)
	if err != nil {
		return
	}
	defer handle.Release()
	// The handle stands for one process; now it is known which.
	if now, err := readProc(x.id.pid); err != nil || now.id != x.id {
		return
	}
	if err := handle.Signal(sig); errors.Is(err, os.ErrProcessDone) {
		return
	}
	handle.Signal(unix.SIGCONT) // a stopped process would not get to handle it
}
