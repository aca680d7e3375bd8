package server

import (
	"bytes"
	"errors"
	"os"
	"sync"
	"time"

	"signaltty/adapters"
	"signaltty/proto"
	"signaltty/server/policy"
	"signaltty/server/term"
)

// pane is a pane: its process and its screen. The read loop is the only
// reader of the PTY.
type pane struct {
	id      string
	adapter *adapters.Adapter // nil for a plain program
	files   string            // directory of the files made for it
	shown   []string          // the command line that people are shown; nil when it is the whole one
	turn    *proto.TurnRecord // the turn that it was made for; nil for everything else
	limits  *policy.Limits    // of that turn

	sizing sizing
	life   sync.Mutex // held over the start and the end of its process

	mu        sync.Mutex
	run       *run // the process that runs now, or the last one
	term      *term.Terminal
	watchers  map[*client]*screen
	syncSince time.Time // when synchronized output began, zero when it is off
	heldUntil time.Time // the person's input is refused before then
	asked     *uint64   // the number of the cursor's row when the last decision arrived
}

// run is one process of a pane, from its start to its end.
type run struct {
	proc   process
	ended  chan struct{} // closed when the read loop has ended
	exited chan struct{} // closed when the end of the process is noted
	start  *starting     // nil for one that does not tell when it is ready
	quiet  *time.Timer   // for hooks that say nothing; nil for a plain program

	// Of the read loop alone: the directory that was found last, and whether
	// the program tells it by itself (OSC 7).
	dir  string
	told bool
}

func newRun(proc process) *run {
	return &run{proc: proc, ended: make(chan struct{}), exited: make(chan struct{})}
}

// process is the pane's process, which may have ended.
func (p *pane) process() process { return p.current().proc }

func (p *pane) current() *run {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run
}

// follow starts what goes with a process until its end.
func (s *Server) follow(p *pane, r *run) {
	go s.readLoop(p, r)
	go s.awaitExit(p, r)
}

// maxRead is how much is read from a PTY at once.
const maxRead = 64 << 10

// readLoop carries the PTY's bytes to the screen until the process is gone.
func (s *Server) readLoop(p *pane, r *run) {
	defer close(r.ended)
	buf := make([]byte, maxRead)
	for {
		n, err := r.proc.read(buf)
		if n > 0 {
			s.output(p, r, buf[:n])
		}
		if err != nil {
			break
		}
	}
}

// drainWait is how long output may still come after a pane's process ended,
// when something that it left behind keeps the PTY open.
const drainWait = 200 * time.Millisecond

// awaitExit notes the end of a pane's process, after its last output.
func (s *Server) awaitExit(p *pane, r *run) {
	defer close(r.exited)
	exit := r.proc.wait()
	drained := time.NewTimer(drainWait)
	defer drained.Stop()
	select {
	case <-r.ended:
	case <-drained.C:
	}
	if r.quiet != nil {
		r.quiet.Stop()
	}
	r.start.ready()
	s.store.PaneExited(p.id, exit)
}

// output writes bytes to the screen, and passes on what comes of them.
func (s *Server) output(p *pane, r *run, b []byte) {
	p.mu.Lock()
	p.draw(b)
	replies, events := p.term.Replies(), p.term.Events()
	title, cwd := p.term.Title(), p.term.Cwd()
	watchers := make([]*client, 0, 4)
	for c := range p.watchers {
		watchers = append(watchers, c)
	}
	p.mu.Unlock()

	if len(replies) > 0 {
		// A child that asks and does not read loses the answer, not the pane.
		_ = r.proc.write(replies)
	}
	if title == "" {
		r.start.drew()
	} else if r.start.ready() {
		s.store.Started(p.id)
	}
	for _, e := range events {
		r.told = r.told || e.Kind == term.CwdChanged
		s.tell(p, e, title, cwd)
	}
	if p.adapter == nil && !r.told {
		s.followDir(p, r)
	}
	for _, c := range watchers {
		c.changed(p)
	}
}

// followDir notes in which directory a plain program is, for those that do not
// tell: a shell prints its prompt when it has changed it.
func (s *Server) followDir(p *pane, r *run) {
	dir := workingDir(r.proc.pid())
	if dir == "" || dir == r.dir {
		return
	}
	r.dir = dir
	is, err := os.Stat(dir)
	if err != nil {
		return // it is removed, and has no name
	}
	// The person's own name for it may go through a link.
	view, _ := s.store.Pane(p.id)
	if was, err := os.Stat(view.Cwd); err != nil || !os.SameFile(was, is) {
		s.store.SetCwd(p.id, dir)
	}
}

// endOfUpdate ends a synchronized update.
var endOfUpdate = []byte("\x1b[?2026l")

// draw gives bytes to the emulator. Where an update ends, its picture is kept
// for those who watch: before they come for it the next one may have begun.
func (p *pane) draw(b []byte) {
	for len(b) > 0 {
		n, ended := len(b), false
		if i := bytes.Index(b, endOfUpdate); i >= 0 {
			n, ended = i+len(endOfUpdate), true
		}
		// The emulator takes any bytes; there is nothing to fail.
		_, _ = p.term.Write(b[:n])
		b = b[n:]
		switch sync := p.term.Synchronized(); {
		case sync && p.syncSince.IsZero():
			p.syncSince = time.Now()
		case !sync:
			p.syncSince = time.Time{}
		}
		if ended && p.syncSince.IsZero() {
			for _, sc := range p.watchers {
				sc.keep(p.term)
			}
		}
	}
}

// tell passes on what an application said beside its text.
func (s *Server) tell(p *pane, e term.Event, title, cwd string) {
	switch e.Kind {
	case term.TitleChanged:
		var hint proto.State
		if p.adapter != nil && p.adapter.TitleState != nil {
			hint = p.adapter.TitleState(title)
		}
		s.store.SetTitle(p.id, title, hint)
	case term.CwdChanged:
		s.store.SetCwd(p.id, cwd)
	case term.Bell:
		s.store.Notice(proto.PaneNotice{Pane: p.id, Bell: true})
	case term.Notified:
		s.store.Notice(proto.PaneNotice{Pane: p.id, Title: e.Title, Body: e.Body})
	case term.Progressed:
		s.store.SetProgress(p.id, progressOf(e))
	case term.Status:
		s.store.SetStatus(p.id, e.State, e.Reason)
		if e.Body != "" {
			s.store.Notice(proto.PaneNotice{Pane: p.id, Title: e.Title, Body: e.Body})
		}
	case term.Copied:
		s.copied(p, e.Body)
	}
}

// progressOf reads the numbers of OSC 9;4.
func progressOf(e term.Event) proto.Progress {
	states := [...]string{"", "normal", "error", "indeterminate", "paused"}
	if e.Progress <= 0 || e.Progress >= len(states) {
		return proto.Progress{}
	}
	return proto.Progress{State: states[e.Progress], Percent: e.Percent}
}

func (p *pane) addWatcher(c *client, sc *screen) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watchers[c] = sc
}

func (p *pane) removeWatcher(c *client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.watchers, c)
}

// fill puts what is new since the client's view into its frame. It says
// whether there was anything, or how long to wait for the application to
// complete what it draws.
func (p *pane) fill(sc *screen) (changed bool, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sc.kept {
		sc.kept, sc.busy, sc.old = false, true, true
		return true, 0
	}
	if !p.syncSince.IsZero() {
		if wait = syncWait - time.Since(p.syncSince); wait > 0 {
			return false, wait
		}
		p.term.EndSync()
		p.syncSince = time.Time{}
	}
	sc.busy, sc.old = p.term.Frame(&sc.view, &sc.frame), false
	return sc.busy, 0
}

// sent notes that a frame is on its way, and says whether there may be more.
func (p *pane) sent(sc *screen) (more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sc.busy = false
	return sc.frame.More || sc.old
}

// hold refuses the person's input for a while: a dialog is about to appear
// under the fingers.
func (p *pane) hold(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heldUntil = time.Now().Add(d)
}

func (p *pane) held() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Before(p.heldUntil)
}

// closeGrace is how long a closed pane's processes have to end by themselves.
const closeGrace = 2 * time.Second

// endPane ends a pane's process and forgets the pane.
func (s *Server) endPane(p *pane) proto.Exit {
	p.life.Lock()
	defer p.life.Unlock()
	s.store.PaneClosing(p.id)
	p.sizing.end()
	r := p.current()
	exit := r.proc.close(closeGrace)
	<-r.ended
	<-r.exited
	s.mu.Lock()
	delete(s.panes, p.id)
	s.mu.Unlock()
	s.store.RemovePane(p.id)
	s.kin.removeLeader(r.proc.pid())
	if p.files != "" {
		if err := os.RemoveAll(p.files); err != nil && !errors.Is(err, os.ErrNotExist) {
			report("removing the files of pane %s: %v", p.id, err)
		}
	}
	return exit
}
