package server

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// poller waits on a kqueue (kqueue(2)). Its descriptors are the pids.
type poller struct {
	queue  int
	events [64]unix.Kevent_t
}

// bell is the user event that wake triggers.
const bell = 1

func newPoller() (*poller, error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return nil, fmt.Errorf("kqueue: %w", err)
	}
	unix.CloseOnExec(queue)
	p := &poller{queue: queue}
	if err := p.change(bell, unix.EVFILT_USER, unix.EV_ADD|unix.EV_CLEAR, 0); err != nil {
		p.close()
		return nil, fmt.Errorf("kevent: %w", err)
	}
	return p, nil
}

func (p *poller) change(ident, filter, flags int, notes uint32) error {
	var ev unix.Kevent_t
	unix.SetKevent(&ev, ident, filter, flags)
	ev.Fflags = notes
	_, err := unix.Kevent(p.queue, []unix.Kevent_t{ev}, nil, nil)
	return err
}

// add gives the descriptor that wait will name; errGone when there is no such process.
func (p *poller) add(pid int) (int, error) {
	err := p.change(pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT, unix.NOTE_EXIT)
	if errors.Is(err, unix.ESRCH) {
		return 0, errGone
	}
	if err != nil {
		return 0, fmt.Errorf("kevent: %w", err)
	}
	return pid, nil
}

func (p *poller) remove(pid int) { p.change(pid, unix.EVFILT_PROC, unix.EV_DELETE, 0) }

func (p *poller) ended(pid int) bool {
	found, err := readProc(pid)
	return err != nil || found.dead
}

// wait gives the descriptors of processes that have ended; none after wake.
func (p *poller) wait() ([]int, error) {
	n, err := unix.Kevent(p.queue, nil, p.events[:], nil)
	if errors.Is(err, unix.EINTR) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("kevent: %w", err)
	}
	var pids []int
	for _, ev := range p.events[:n] {
		if ev.Filter == unix.EVFILT_PROC {
			pids = append(pids, int(ev.Ident))
		}
	}
	return pids, nil
}

func (p *poller) wake() { p.change(bell, unix.EVFILT_USER, 0, unix.NOTE_TRIGGER) }

func (p *poller) close() error { return unix.Close(p.queue) }
