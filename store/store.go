package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"signaltty/proto"
)

// Options are the store's settings. The zero value of each means the default.
type Options struct {
	// WaitBeside is how long a decision waits whose dialog stands beside the
	// bar (default 24 h), WaitOnly how long the others do (default 120 s).
	WaitBeside time.Duration
	WaitOnly   time.Duration
	// AuditRows is how many rows the database keeps before the oldest are set
	// aside in files (default 200,000).
	AuditRows int
	// Anchor, if set, is told the head of the audit as a line, to keep it
	// where this user cannot change it: soon after rows are written, not more
	// often than every five seconds, and at the end.
	Anchor func(ctx context.Context, line string) error
	// Sink is a file or a FIFO that gets every row as a line of JSON; "" for none.
	Sink string
}

// The defaults.
const (
	DefaultWaitBeside = 24 * time.Hour
	DefaultWaitOnly   = 120 * time.Second
	DefaultAuditRows  = 200_000
)

// Store is the state. All its methods may be called from any goroutine.
type Store struct {
	opts  Options
	audit *audit
	boot  int64

	mu         sync.Mutex
	seq        uint64
	feeds      map[*Feed]struct{}
	ids        map[string]int // the last number given, by kind of id
	workspaces []*proto.Workspace
	panes      map[string]*pane
	order      []string // pane ids, oldest first
	sessions   map[sessionKey]*session
	decisions  []*decision // those that wait, oldest first
	held       int         // bytes of those
	consumed   consumed
	troubles   troubles
	stopping   bool
	found      layout // what the last server kept, until Restore
	last       layout // what is kept once the server stops

	layouts *layouts
	trusts  *trusts
	answers sync.WaitGroup // answers between consumption and release
}

// Open opens the database at path, making it if needed, and settles what an
// earlier server left unfinished: its decisions end as server_lost. Nothing
// that waited is restored as answerable.
func Open(path string, o Options) (*Store, error) {
	if o.WaitBeside == 0 {
		o.WaitBeside = DefaultWaitBeside
	}
	if o.WaitOnly == 0 {
		o.WaitOnly = DefaultWaitOnly
	}
	if o.AuditRows == 0 {
		o.AuditRows = DefaultAuditRows
	}
	s := &Store{
		opts:     o,
		feeds:    map[*Feed]struct{}{},
		ids:      map[string]int{},
		panes:    map[string]*pane{},
		sessions: map[sessionKey]*session{},
	}
	a, boot, err := openAudit(path, o, func(message string) { s.setTrouble(troubleAudit, message) })
	if err != nil {
		return nil, err
	}
	s.audit, s.boot = a, boot
	s.layouts, s.found, err = openLayouts(a.db, s.layout, func(message string) { s.setTrouble(troubleLayout, message) })
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	if err = openTurns(a.db); err != nil {
		return nil, err
	}
	if s.trusts, err = openTrusts(a.db); err != nil {
		return nil, errors.Join(err, s.layouts.close(), a.close())
	}
	return s, nil
}

// Close ends what still waits as server_stop, writes what is left of the
// layout and of the audit and closes the database.
func (s *Store) Close() error {
	s.Stop()
	s.EndFeeds()
	return errors.Join(s.layouts.close(), s.audit.close())
}

// Stop ends every decision as server_stop and takes no new ones; the layout
// stays as it is now. It returns when the answers that were under way are
// released.
func (s *Store) Stop() {
	s.transition(func(t *change) {
		if s.stopping {
			return
		}
		// What happens to the panes from here on is the end of the server, not
		// of the work in them.
		s.last = s.keep()
		s.stopping = true
		t.event(proto.EventServerStopping, proto.None{})
		for _, d := range slices.Clone(s.decisions) {
			s.retire(t, d, proto.EndServerStop, "server stop")
		}
		for _, p := range s.panes {
			p.unsettle()
		}
	})
	s.answers.Wait()
}

// change collects what one transition has to tell and to do.
type change struct {
	s        *Store
	releases []release
	ticket   ticket // of the last audit row
}

type release struct {
	hold    Hold
	verdict proto.Verdict
}

// transition runs f under the lock and then, unlocked, releases the holds
// that f let go.
func (s *Store) transition(f func(t *change)) {
	t := &change{s: s}
	func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		f(t)
	}()
	var releases sync.WaitGroup
	for _, r := range t.releases {
		// Side by side, so that a hook which does not read costs the others
		// nothing. One that is gone needs no answer: its decision has ended.
		releases.Go(func() { _ = r.hold.Release(r.verdict) })
	}
	releases.Wait()
}

// event numbers an event and gives it to every feed.
func (t *change) event(name string, data any) {
	s := t.s
	s.seq++
	e := Event{Name: name, Seq: s.seq, Data: data}
	for f := range s.feeds {
		select {
		case f.c <- e:
		default:
			close(f.behind)
			s.dropFeed(f)
		}
	}
}

func (t *change) record(r Row) { t.ticket = t.s.audit.push(r) }

// Event is one event as it goes to a client.
type Event struct {
	Name string
	Seq  uint64
	Data any // a value of the type that proto.Kinds gives for Name; never changed again
}

// feedSize is how many events a client may be behind before it is dropped.
const feedSize = 4096

// Feed is one subscriber's events. Its channel is closed by Unsubscribe, by
// Close, and when the subscriber falls feedSize events behind.
type Feed struct {
	C <-chan Event
	// Behind is closed when that last thing happens, which a reader that is
	// stuck in what it read before cannot see in C.
	Behind <-chan struct{}

	c      chan Event
	behind chan struct{}
}

// Subscribe gives the whole state and a feed of every event after it.
func (s *Store) Subscribe() (proto.Snapshot, *Feed) {
	c, behind := make(chan Event, feedSize), make(chan struct{})
	f := &Feed{C: c, Behind: behind, c: c, behind: behind}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feeds[f] = struct{}{}
	return s.snapshot(), f
}

// Unsubscribe ends a feed.
func (s *Store) Unsubscribe(f *Feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropFeed(f)
}

func (s *Store) dropFeed(f *Feed) {
	if _, ok := s.feeds[f]; ok {
		delete(s.feeds, f)
		close(f.c)
	}
}

// EndFeeds ends every feed. What is in them can still be read.
func (s *Store) EndFeeds() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.feeds {
		s.dropFeed(f)
	}
}

// Snapshot is the whole state.
func (s *Store) Snapshot() proto.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot()
}

func (s *Store) snapshot() proto.Snapshot {
	out := proto.Snapshot{Seq: s.seq, Trouble: s.troubles.String(), Workspaces: []proto.Workspace{}, Panes: []proto.Pane{}}
	for _, w := range s.workspaces {
		out.Workspaces = append(out.Workspaces, copyWorkspace(w))
	}
	for _, id := range s.order {
		out.Panes = append(out.Panes, s.panes[id].view())
	}
	out.Decisions = s.listed()
	return out
}

// id mints an id that no earlier server has given: a letter for its kind, the
// number of this start, and a counter.
func (s *Store) id(kind string) string {
	s.ids[kind]++
	return fmt.Sprintf("%s%d-%d", kind, s.boot, s.ids[kind])
}

// troubles are what is wrong with the server, by what has the trouble.
type troubles [3]string

const (
	troubleAudit = iota
	troubleLayout
	troublePolicy
)

func (t troubles) String() string {
	return strings.Join(slices.DeleteFunc(t[:], func(s string) bool { return s == "" }), "; ")
}

// setTrouble tells every client what is wrong with the server, or that it is
// well again.
func (s *Store) setTrouble(of int, message string) {
	s.transition(func(t *change) {
		if s.troubles[of] == message {
			return
		}
		s.troubles[of] = message
		t.event(proto.EventServerTrouble, proto.Trouble{Message: s.troubles.String()})
	})
}
