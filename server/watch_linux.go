package server

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// poller waits on pidfds (pidfd_open(2)), which stand for one process and not
// for its pid. They become readable when the process ends, waited for or not.
type poller struct {
	epoll, bell int
	events      [64]unix.EpollEvent
}

func newPoller() (*poller, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create: %w", err)
	}
	bell, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(epoll)
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	p := &poller{epoll: epoll, bell: bell}
	if err := p.listenTo(bell); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *poller) listenTo(fd int) error {
	ev := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}
	if err := unix.EpollCtl(p.epoll, unix.EPOLL_CTL_ADD, fd, &ev); err != nil {
		return fmt.Errorf("epoll_ctl: %w", err)
	}
	return nil
}

// add gives the descriptor that wait will name; errGone when there is no such process.
func (p *poller) add(pid int) (int, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return 0, errGone
	}
	if err != nil {
		return 0, fmt.Errorf("pidfd_open: %w", err)
	}
	if err := p.listenTo(fd); err != nil {
		unix.Close(fd)
		return 0, err
	}
	return fd, nil
}

func (p *poller) remove(fd int) { unix.Close(fd) }

func (p *poller) ended(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n == 1
}

// wait gives the descriptors of processes that have ended; none after wake.
func (p *poller) wait() ([]int, error) {
	n, err := unix.EpollWait(p.epoll, p.events[:], -1)
	if errors.Is(err, unix.EINTR) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("epoll_wait: %w", err)
	}
	var fds []int
	for _, ev := range p.events[:n] {
		if int(ev.Fd) == p.bell {
			var count [8]byte
			unix.Read(p.bell, count[:])
			continue
		}
		fds = append(fds, int(ev.Fd))
	}
	return fds, nil
}

func (p *poller) wake() { unix.Write(p.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

func (p *poller) close() error {
	return errors.Join(unix.Close(p.bell), unix.Close(p.epoll))
}
