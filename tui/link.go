package tui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// Sizes and times of the link.
const (
	linkQueue     = 1024 // requests that wait to be written
	retryFirst    = 250 * time.Millisecond
	retryLast     = 2 * time.Second
	subscribeWait = 10 * time.Second
)

// Dialer connects to the server and says hello.
type Dialer func(context.Context) (*proto.Conn, proto.Welcome, error)

// link owns the connection to the server: it dials, subscribes, hands what
// arrives to the model, and writes what the model posts. It dials
// again when the connection is lost.
type link struct {
	dial  Dialer
	start Dialer        // dials and starts a server if need be; may be nil
	out   chan request  // posted, not yet written
	again chan struct{} // the person asks for another try
	send  func(tea.Msg)
	// crash puts the terminal right when one of the goroutines panics.
	crash func()
}

// request is one line to the server.
type request struct {
	id     uint64
	method string
	params any
}

// What the link tells the model.
type (
	linkUp struct {
		welcome  proto.Welcome
		snapshot proto.Snapshot
	}
	linkDown struct {
		err     error
		waiting bool // it tries again by itself
	}
	event struct {
		name string
		data any
	}
	reply struct {
		id  uint64
		msg proto.Message
	}
)

func newLink(dial, start Dialer, send func(tea.Msg)) *link {
	if start == nil {
		start = dial
	}
	return &link{dial: dial, start: start, out: make(chan request, linkQueue), again: make(chan struct{}, 1), send: send}
}

// post queues a request; false says that the queue is full.
func (l *link) post(r request) bool {
	select {
	case l.out <- r:
		return true
	default:
		return false
	}
}

// retry dials now, and starts a server where there is none.
func (l *link) retry() {
	select {
	case l.again <- struct{}{}:
	default:
	}
}

// guard is deferred in every goroutine of the link: a panic goes on, but not
// over a terminal in raw mode.
func (l *link) guard() {
	if r := recover(); r != nil {
		l.crash()
		panic(r)
	}
}

// run keeps the connection until ctx ends.
func (l *link) run(ctx context.Context) {
	wait, dial := retryFirst, l.dial
	for {
		conn, welcome, err := dial(ctx)
		if err == nil {
			wait = retryFirst
			var stopped bool
			stopped, err = l.serve(ctx, conn, welcome)
			if stopped { // on purpose: only the person brings it back
				wait = 0
			}
		}
		if ctx.Err() != nil {
			return
		}
		l.send(linkDown{err, wait > 0})
		dial = l.pause(ctx, wait)
		if dial == nil {
			return
		}
		wait = min(2*wait, retryLast)
	}
}

// pause waits, for ever when wait is 0, and says how to dial next; nil when
// ctx ended.
func (l *link) pause(ctx context.Context, wait time.Duration) Dialer {
	var timer <-chan time.Time
	if wait > 0 {
		timer = time.After(wait)
	}
	select {
	case <-ctx.Done():
		return nil
	case <-l.again:
		return l.start
	case <-timer:
		return l.dial
	}
}

// serve carries one connection until it ends, and says whether the server
// stopped on purpose.
func (l *link) serve(ctx context.Context, conn *proto.Conn, welcome proto.Welcome) (stopped bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer conn.Close()
	defer cancel()

	var up linkUp
	up.welcome = welcome
	greet, done := context.WithTimeout(ctx, subscribeWait)
	err = conn.Call(greet, proto.MethodSubscribe, proto.None{}, &up.snapshot)
	done()
	if err != nil {
		return false, err
	}
	l.drain()
	l.send(up)

	wg.Go(func() {
		defer l.guard()
		l.write(ctx, conn)
	})
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	err = read(conn, func(v any) {
		if e, ok := v.(event); ok && e.name == proto.EventServerStopping {
			stopped = true
		}
		l.send(v)
	})
	return stopped, err
}

// drain drops what was posted for a connection that is gone.
func (l *link) drain() {
	for {
		select {
		case <-l.out:
		default:
			return
		}
	}
}

func (l *link) write(ctx context.Context, conn *proto.Conn) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-l.out:
			if conn.Send(r.id, r.method, r.params) != nil {
				conn.Close() // the reader tells
				return
			}
		}
	}
}

// read decodes what arrives and gives it to take, one after the other, until
// the connection ends. A model that is busy holds the reading up, and the
// server then sends it fewer and larger frames.
func read(conn *proto.Conn, take func(any)) error {
	for {
		m, err := conn.Read()
		if err != nil {
			return err
		}
		if m.Event == "" {
			take(reply{m.ID, m})
		} else if e, ok := decodeEvent(m); ok { // else a newer server's
			take(e)
		}
	}
}

func decodeEvent(m proto.Message) (event, bool) {
	var data any
	switch m.Event {
	case proto.EventFrame:
		data = new(proto.Frame)
	case proto.EventPaneUpdated:
		data = new(proto.Pane)
	case proto.EventPaneRemoved:
		data = new(proto.PaneRef)
	case proto.EventPaneNotice:
		data = new(proto.PaneNotice)
	case proto.EventPaneCopied:
		data = new(proto.PaneCopied)
	case proto.EventWorkspaceUpdated:
		data = new(proto.Workspace)
	case proto.EventWorkspaceRemoved:
		data = new(proto.WorkspaceRef)
	case proto.EventDecisionAdded, proto.EventDecisionUpdated:
		data = new(proto.Decision)
	case proto.EventDecisionEnded:
		data = new(proto.DecisionEnded)
	case proto.EventDecisionConfirmed:
		data = new(proto.DecisionConfirmed)
	case proto.EventServerTrouble:
		data = new(proto.Trouble)
	case proto.EventServerStopping:
		data = new(proto.None)
	default:
		return event{}, false
	}
	return event{m.Event, data}, m.Decode(data) == nil
}
