package server

import (
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
)

// reaper makes the server the parent of its panes' orphans, so that they stay
// its descendants, and waits for those orphans so that no zombie stays.
//
// A child that the server itself started belongs to whoever waits for it, and
// its exit status must not be taken away. What starts a session of its own
// therefore goes through start and wait: a sweep touches nothing while a start
// is under way, and no child that was started and not waited for. Children in
// the server's own session (any plain exec.Cmd) are never touched, since what
// descends from a pane is always in another.
type reaper struct {
	session int // the server's own

	mu       sync.Mutex
	own      map[int]bool // started by us, not waited for yet
	starting int          // starts under way
	starts   int          // starts that ever began

	wake chan os.Signal // capacity 1
	stop chan struct{}
	wg   sync.WaitGroup
}

// newReaper makes this process a child subreaper, where the system has such a
// thing, and starts waiting for orphans.
func newReaper() (*reaper, error) {
	self, err := readProc(os.Getpid())
	if err != nil {
		return nil, err
	}
	if err := becomeSubreaper(); err != nil {
		return nil, err
	}
	r := &reaper{session: self.session, own: map[int]bool{}, wake: make(chan os.Signal, 1), stop: make(chan struct{})}
	signal.Notify(r.wake, syscall.SIGCHLD)
	r.wg.Go(r.loop)
	return r, nil
}

// close ends the sweeps. Children that were started can still be waited for.
func (r *reaper) close() {
	signal.Stop(r.wake)
	close(r.stop)
	r.wg.Wait()
}

// start starts cmd as a child whose exit status is kept for wait.
func (r *reaper) start(cmd *exec.Cmd) error {
	r.mu.Lock()
	r.starting++
	r.starts++
	r.mu.Unlock()
	err := cmd.Start()
	r.mu.Lock()
	r.starting--
	if err == nil {
		r.own[cmd.Process.Pid] = true
	}
	r.mu.Unlock()
	r.nudge() // a sweep that met the start did nothing
	return err
}

// wait waits for a command that start started, as cmd.Wait does.
func (r *reaper) wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.own, cmd.Process.Pid)
	return err
}

// orphans lists the living processes that were left to us. It may miss one
// that arrives meanwhile, or while a start is under way.
func (r *reaper) orphans() []proc {
	return slices.DeleteFunc(r.foreign(), func(p proc) bool { return p.dead || r.isOwn(p.id.pid) })
}

// foreign lists the children, dead ones too, that are not in our session.
func (r *reaper) foreign() []proc {
	var found []proc
	for _, pid := range childrenOf(os.Getpid()) {
		if p, err := readProc(pid); err == nil && p.session != r.session {
			found = append(found, p)
		}
	}
	return found
}

func (r *reaper) isOwn(pid int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.starting > 0 || r.own[pid]
}

func (r *reaper) nudge() {
	select {
	case r.wake <- syscall.SIGCHLD:
	default:
	}
}

func (r *reaper) loop() {
	for {
		select {
		case <-r.stop:
			return
		case <-r.wake:
		}
		for r.sweep() {
		}
	}
}

// sweep waits for the dead among the orphans and tells whether there were any.
func (r *reaper) sweep() bool {
	r.mu.Lock()
	before := r.starts
	r.mu.Unlock()
	children := r.foreign()

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.starting > 0 || r.starts != before {
		// Among the children may be one that is not in own yet. The start
		// wakes the loop again when it is done.
		return false
	}
	// Nothing can be started while the lock is held, so what is not in own is
	// an orphan, or is gone. The calls below do not block.
	reaped := false
	for _, p := range children {
		if p.dead && !r.own[p.id.pid] && reap(p.id.pid) {
			reaped = true
		}
	}
	return reaped
}

// reap waits for a child if it has ended.
func reap(pid int) bool {
	got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
	return err == nil && got == pid
}
