package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"signaltty/proto"
	"signaltty/store"
)

// client is one connection. Its reader goroutine takes requests in order; its
// writer goroutine sends events and frames, so that requests never wait for
// them. Replies are written by whoever made them.
type client struct {
	s    *Server
	conn *proto.Conn
	id   string
	kind string
	peer peer

	personOnce sync.Once
	person     bool
	whyNot     string

	slow       chan struct{}  // tokens of the requests that may take long
	jobs       sync.WaitGroup // those requests
	feed       chan *store.Feed
	subscribed bool   // the reader's own
	line       []byte // of the last frame; the writer's own
	paste      *paste // under way; the reader's own
	hold       string // the decision that this connection holds; the reader's own
	// cancels end the watches of the processes behind the hold.
	cancels []func()

	mu       sync.Mutex
	screens  map[*pane]*screen // of the panes it watches
	wants    map[string]proto.Size
	colors   *proto.ClientColors // of its terminal; nil when it has not told
	keyUntil time.Time           // frames are not delayed before then
	dirty    chan struct{}
}

const (
	// maxSlow is how many long requests one connection may have under way.
	maxSlow = 32
	// maxPerPeer is how many connections one process may have open.
	maxPerPeer = 256
	// helloWait is how long a connection may take for its first line.
	helloWait = 10 * time.Second
)

// serve runs one connection to its end.
func (s *Server) serve(ctx context.Context, nc net.Conn) {
	c := &client{
		s: s, conn: proto.NewConn(nc), slow: make(chan struct{}, maxSlow), feed: make(chan *store.Feed, 1),
		screens: map[*pane]*screen{}, wants: map[string]proto.Size{}, dirty: make(chan struct{}, 1),
	}
	defer c.conn.Close()
	// One that has not said hello is cut when the server ends.
	greeted := context.AfterFunc(ctx, func() { nc.Close() })
	if err := c.greet(nc); err != nil || !greeted() {
		return
	}
	// Later ones outlive ctx: they still have to hear how things end.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if !s.join(c) {
		return
	}
	defer s.leave(c)

	var writer sync.WaitGroup
	if c.kind != clientHook {
		writer.Go(func() {
			c.write(ctx)
			// A writer that gives up takes the connection with it.
			c.conn.Close()
		})
	}
	c.read(ctx)
	cancel()
	c.conn.Close()
	c.jobs.Wait()
	writer.Wait()
}

// clientHook is the kind of a connection that brings hook events only.
const clientHook = "hook"

// greet checks the peer and exchanges hello.
func (c *client) greet(nc net.Conn) error {
	p, err := peerOf(nc)
	if err != nil {
		return err
	}
	c.peer = p
	// Best effort: a connection without deadlines is cut by its end.
	_ = nc.SetReadDeadline(time.Now().Add(helloWait))
	m, err := c.conn.Read()
	if err != nil {
		c.refuse(0, err)
		return err
	}
	_ = nc.SetReadDeadline(time.Time{})
	var h proto.Hello
	if m.Method != proto.MethodHello {
		err = proto.Errorf(proto.CodeVersion, "the first line must be hello")
	} else if err = m.Decode(&h); err == nil && h.Version != proto.Version {
		err = proto.Errorf(proto.CodeVersion, "this server speaks protocol %d (signaltty %s) and the client %d (%s); run `signaltty stop`, then start it again with the newer one",
			proto.Version, c.s.opts.Build, h.Version, h.Build)
	}
	if err != nil {
		c.refuse(m.ID, err)
		return err
	}
	c.kind = h.Client
	s := c.s
	s.mu.Lock()
	s.conns++
	c.id = fmt.Sprintf("c%d", s.conns)
	s.mu.Unlock()
	w := proto.Welcome{Version: proto.Version, Build: s.opts.Build, PID: pid(), ClientID: c.id}
	if c.kind != clientHook {
		// Hooks are in a hurry and never need to be the person.
		w.Person = c.isPerson()
		w.Inside, _ = s.kin.above(s.kin.chain(c.peer))
	}
	return c.conn.Reply(m.ID, w)
}

// isPerson says whether the peer may do what only the person may.
func (c *client) isPerson() bool {
	c.personOnce.Do(func() { c.person, c.whyNot = c.s.kin.person(c.peer) })
	return c.person
}

func (s *Server) join(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	same := 0
	for other := range s.clients {
		if other.peer.procID == c.peer.procID {
			same++
		}
	}
	if same >= maxPerPeer {
		return false
	}
	s.clients[c] = struct{}{}
	return true
}

// leave forgets a connection: its hold closes, its frames end, and the sizes
// of its panes fall to a client that is left.
func (s *Server) leave(c *client) {
	if c.hold != "" {
		s.store.Retire(c.hold, proto.EndHoldClosed, "the hook's connection closed")
	}
	for _, cancel := range c.cancels {
		cancel()
	}
	c.unwatchAll()
	s.mu.Lock()
	delete(s.clients, c)
	s.mu.Unlock()
	s.resign(c)
}

// read takes requests until the connection ends or says something that
// cannot be understood.
func (c *client) read(ctx context.Context) {
	for {
		m, err := c.conn.Read()
		if c.hold != "" {
			// A hook that is held has nothing to say: a further line, like the
			// connection's end, closes the hold. leave does that.
			switch {
			case err == nil && m.Method == proto.MethodHookAbort:
				c.s.store.Abort(c.hold)
			case err == nil:
				c.s.store.Retire(c.hold, proto.EndHoldClosed, "the hook spoke while it was held")
			}
			return
		}
		if err != nil {
			var bad *proto.Error
			if errors.As(err, &bad) {
				c.refuse(0, bad)
				continue
			}
			if errors.Is(err, proto.ErrTooLong) {
				c.refuse(0, proto.Errorf(proto.CodeTooLarge, "%v", err))
			}
			return
		}
		if m.Method == "" {
			c.refuse(m.ID, proto.Errorf(proto.CodeBadRequest, "only requests are taken here"))
			continue
		}
		if !c.handle(ctx, m) {
			return
		}
	}
}

// refuse answers with an error, whatever err is. When that cannot be written
// the reader finds out by itself.
func (c *client) refuse(id uint64, err error) {
	var e *proto.Error
	if !errors.As(err, &e) {
		e = proto.Errorf(proto.CodeInternal, "%v", err)
	}
	_ = c.conn.Fail(id, e)
}

// lastWords bounds what a client can delay the server's end.
const lastWords = time.Second

// end ends a connection with the server: once its last events are written,
// when it has a writer.
func (c *client) end() {
	if c.kind == clientHook {
		c.conn.Close()
		return
	}
	// A connection that takes no deadline is gone already.
	_ = c.conn.NetConn().SetWriteDeadline(time.Now().Add(lastWords))
}

// drain sends what is left in a feed that has ended.
func (c *client) drain(feed *store.Feed) {
	if feed == nil {
		return
	}
	for e := range feed.C {
		if c.conn.Event(e.Name, e.Seq, e.Data) != nil {
			return
		}
	}
}

// write sends the state's events and the watched panes' frames.
func (c *client) write(ctx context.Context) {
	var events <-chan store.Event
	var feed *store.Feed
	defer func() {
		if feed != nil {
			c.s.store.Unsubscribe(feed)
		}
	}()
	pace := newPace()
	defer pace.stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.s.ending:
			c.drain(feed)
			return
		case feed = <-c.feed:
			events = feed.C
		case e, ok := <-events:
			if !ok || c.conn.Event(e.Name, e.Seq, e.Data) != nil {
				return
			}
		case <-c.dirty:
			if !pace.ready(c.hasKeyCredit()) {
				continue
			}
			if c.sendFrames(pace) != nil {
				return
			}
		case <-pace.timer.C:
			if c.sendFrames(pace) != nil {
				return
			}
		}
	}
}
