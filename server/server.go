package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"signaltty/adapters"
	"signaltty/proto"
	"signaltty/store"
)

// Options say how to run a server.
type Options struct {
	Socket   string // path of the socket
	Database string // path of the database
	Policy   string // path of policy.toml; "" for none
	Build    string // this binary's version
	// HistoryLines is how many lines of scrollback a pane keeps; 0 means the
	// emulator's default.
	HistoryLines int
	// OnDecision is the command and its arguments that is told each new
	// decision; nil for none.
	OnDecision []string
	// Silence is how long a new agent may say nothing by its hooks before its
	// pane says so; 0 means store.DefaultSilence.
	Silence time.Duration
	// Kernel tells why the kernel cannot limit what a pane writes, nil when it
	// can; a nil Kernel asks the kernel itself.
	Kernel func() error
	Store  store.Options
	// Ready is called once: with nil when the server listens, or with the
	// error that kept it from it.
	Ready func(error)
}

// Server is a running server.
type Server struct {
	opts     Options
	self     string // this binary
	began    time.Time
	store    *store.Store
	gate     *gate
	keep     keeper
	kin      *kin
	watch    *watcher
	announce *announcer
	stop     context.CancelFunc

	canaries canaries

	turnsStart sync.RWMutex // read-held while a turn's pane is started and not known yet

	mu      sync.Mutex
	panes   map[string]*pane
	clients map[*client]struct{}
	active  *client // whose sizes and colours count
	colors  proto.ClientColors
	conns   int // connections so far, for their ids
	closing bool
	ending  chan struct{} // closed when the last event has been told

	work sync.WaitGroup // connections
}

// Run serves until ctx ends or a client asks to stop. It returns when every
// decision has ended, every pane is closed and the database is written.
func Run(ctx context.Context, o Options) error {
	s, l, err := open(o)
	if o.Ready != nil {
		o.Ready(err)
	}
	if err != nil {
		return err
	}
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	stopListening := context.AfterFunc(ctx, func() { _ = l.SetDeadline(time.Unix(1, 0)) })
	defer stopListening()
	for {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() == nil {
				// Out of descriptors, most likely: the connections that are
				// open go on, new ones are tried again.
				select {
				case <-time.After(50 * time.Millisecond):
					continue
				case <-ctx.Done():
				}
			}
			break
		}
		s.work.Go(func() { s.serve(ctx, c) })
	}
	return s.close(l)
}

func open(o Options) (*Server, *listener, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("finding this binary: %w", err)
	}
	l, err := listen(o.Socket)
	if err != nil {
		return nil, nil, err
	}
	// What a server that was killed left of its panes' files.
	if err := os.RemoveAll(filepath.Join(filepath.Dir(o.Socket), "panes")); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("removing the files of old panes: %w", err), l.Close())
	}
	st, err := store.Open(o.Database, o.Store)
	if err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	s := &Server{
		opts: o, self: self, began: time.Now(), store: st,
		panes: map[string]*pane{}, clients: map[*client]struct{}{}, ending: make(chan struct{}),
	}
	s.gate = newGate(s, o.Policy)
	if err := s.openProcesses(); err != nil {
		return nil, nil, errors.Join(err, st.Close(), l.Close())
	}
	s.restore()
	return s, l, nil
}

// openProcesses gets ready to start, watch and tell apart processes.
func (s *Server) openProcesses() error {
	k, err := newKin(agentBinaries())
	if err != nil {
		return err
	}
	w, err := newWatcher()
	if err != nil {
		return err
	}
	keep, err := newKeeper(w)
	if err != nil {
		return errors.Join(err, w.close())
	}
	s.kin, s.watch, s.keep = k, w, keep
	s.announce = announce(s.opts.OnDecision, s.opts.Socket, s.store, keep.reap)
	return nil
}

// agentBinaries are the names by which a process is known to be an agent.
func agentBinaries() []string {
	// Known by name although there is no adapter for them yet.
	names := []string{"codex", "opencode", "gemini"}
	for a := range adapters.All() {
		if a.Binary != "" {
			names = append(names, filepath.Base(a.Binary))
		}
	}
	return names
}

// close ends everything, in this order: no new connections; every decision
// ends and its hold is released; panes are closed; the database is written;
// the socket is free for another server; clients hear the last events, are
// cut, and their goroutines are joined. A client that sees its connection end
// can start another server at once.
func (s *Server) close(l *listener) error {
	s.store.Stop()
	s.mu.Lock()
	s.closing = true
	panes := make([]*pane, 0, len(s.panes))
	for _, p := range s.panes {
		panes = append(panes, p)
	}
	s.mu.Unlock()

	var closing sync.WaitGroup
	for _, p := range panes {
		closing.Go(func() { s.endPane(p) })
	}
	closing.Wait()
	s.announce.close()
	err := errors.Join(s.keep.close(), s.store.Close(), l.Close())

	close(s.ending)
	s.mu.Lock()
	for c := range s.clients {
		c.end()
	}
	s.mu.Unlock()
	s.work.Wait()
	return errors.Join(err, s.watch.close())
}

func (s *Server) pane(id string) (*pane, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.panes[id]; p != nil {
		return p, nil
	}
	return nil, proto.Errorf(proto.CodeNoSuchPane, "no pane %q; `signaltty ls` lists them", id)
}

func status(c *client, ctx context.Context, _ proto.None) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	c.s.store.Settle(ctx)
	return c.s.status(), nil
}

// statusWait bounds how long a status waits for the audit's rows.
const statusWait = time.Second

func (s *Server) status() proto.Status {
	snap := s.store.Snapshot()
	s.mu.Lock()
	clients, holds := 0, 0
	for c := range s.clients {
		if c.kind == "hook" {
			holds++
		} else {
			clients++
		}
	}
	s.mu.Unlock()
	unbound := 0
	for _, d := range snap.Decisions {
		if d.Pane == "" {
			unbound++
		}
	}
	return proto.Status{
		Version: s.opts.Build, PID: os.Getpid(), Socket: s.opts.Socket, Database: s.opts.Database,
		Uptime: time.Since(s.began).Seconds(), Panes: len(snap.Panes), Clients: clients, Decisions: len(snap.Decisions),
		Holds: holds, Unbound: unbound, Trouble: snap.Trouble, Unconfined: s.unconfined(), Audit: s.store.AuditStatus(),
	}
}
