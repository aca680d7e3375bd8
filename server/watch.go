package server

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// watcher tells when processes end, whoever's children they are. One goroutine
// serves all of them; watches on one process share one descriptor.
type watcher struct {
	poll *poller
	wg   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	byPID  map[int]*watched // the process that has the pid now
	byFD   map[int]*watched // by the poller's descriptor
	gone   []func()         // for processes that were dead when asked about
}

// watched is one process. A later process with its pid is another one.
type watched struct {
	pid, fd int
	died    map[*func()]func()
}

func newWatcher() (*watcher, error) {
	poll, err := newPoller()
	if err != nil {
		return nil, fmt.Errorf("watching processes: %w", err)
	}
	w := &watcher{poll: poll, byPID: map[int]*watched{}, byFD: map[int]*watched{}}
	w.wg.Go(w.loop)
	return w, nil
}

// close ends all watches without calling them and joins the goroutine. It must
// not be called from a died.
func (w *watcher) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.poll.wake()
	w.wg.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.byFD {
		w.poll.remove(p.fd)
	}
	clear(w.byFD)
	clear(w.byPID)
	return w.poll.close()
}

// watch calls died once when the process ends; at once when there is none with
// this pid. A zombie has ended. died runs on the watcher's goroutine, never
// inside watch and under no lock, so it must be short. After cancel it is not
// called any more, unless it is running already. When the process cannot be
// watched (no descriptors left), died is never called.
func (w *watcher) watch(pid int, died func()) (cancel func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return func() {}
	}
	p, err := w.find(pid)
	if errors.Is(err, errGone) {
		w.gone = append(w.gone, died)
		w.poll.wake()
	}
	if err != nil {
		return func() {}
	}
	key := &died
	p.died[key] = died
	return func() { w.cancel(p, key) }
}

// find gives the watched process that has the pid now.
func (w *watcher) find(pid int) (*watched, error) {
	// One that is dead and was not served yet may have left its pid to another.
	if p, ok := w.byPID[pid]; ok && !w.poll.ended(p.fd) {
		return p, nil
	}
	fd, err := w.poll.add(pid)
	if err != nil {
		return nil, err
	}
	p := &watched{pid: pid, fd: fd, died: map[*func()]func(){}}
	w.byPID[pid], w.byFD[fd] = p, p
	return p, nil
}

func (w *watcher) cancel(p *watched, key *func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(p.died, key)
	if len(p.died) == 0 && w.byFD[p.fd] == p {
		w.drop(p)
	}
}

func (w *watcher) drop(p *watched) {
	w.poll.remove(p.fd)
	delete(w.byFD, p.fd)
	if w.byPID[p.pid] == p {
		delete(w.byPID, p.pid)
	}
}

func (w *watcher) loop() {
	for {
		fds, err := w.poll.wait()
		if err != nil {
			return // only when the descriptor is wrong: close was called
		}
		due, closed := w.take(fds)
		if closed {
			return
		}
		for _, died := range due {
			died()
		}
	}
}

// take removes the ended processes and gives what is to be called for them.
func (w *watcher) take(fds []int) (due []func(), closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	due, w.gone = w.gone, nil
	for _, fd := range fds {
		// The number may have passed to another process since wait returned.
		p, ok := w.byFD[fd]
		if !ok || !w.poll.ended(fd) {
			continue
		}
		due = slices.AppendSeq(due, maps.Values(p.died))
		clear(p.died)
		w.drop(p)
	}
	return due, w.closed
}
