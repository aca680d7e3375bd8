//go:build linux

package place

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"signaltty/proto"
)

// Events is what the server told a subscriber, from its first moment on.
type Events struct {
	t    *testing.T
	conn *proto.Conn
	wg   sync.WaitGroup

	mu   sync.Mutex
	all  []proto.Message
	more chan struct{} // closed when all grows, and replaced; closed for good at the end
	end  error
}

// watch subscribes until the test ends.
func watch(t *testing.T, socket string) *Events {
	t.Helper()
	conn, _ := dial(t, socket, "test")
	e := &Events{t: t, conn: conn, more: make(chan struct{})}
	var s proto.Snapshot
	if err := conn.Call(t.Context(), proto.MethodSubscribe, proto.None{}, &s); err != nil {
		t.Fatal(err)
	}
	e.wg.Go(e.read)
	t.Cleanup(func() {
		conn.Close()
		e.wg.Wait()
	})
	return e
}

// dial connects as a client of the test's own, for what no verb does.
func dial(t *testing.T, socket, client string) (*proto.Conn, proto.Welcome) {
	t.Helper()
	conn, welcome, err := proto.Dial(t.Context(), socket, proto.Hello{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn, welcome
}

func (e *Events) read() {
	for {
		m, err := e.conn.Read()
		e.mu.Lock()
		if err != nil {
			e.end = err
			close(e.more)
			e.mu.Unlock()
			return
		}
		e.all = append(e.all, m)
		close(e.more)
		e.more = make(chan struct{})
		e.mu.Unlock()
	}
}

// At is the event with this index, from 0, which was there already.
func (e *Events) At(i int) proto.Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all[i]
}

// Len is how many events have arrived.
func (e *Events) Len() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.all)
}

// Seq is the number of the last event that has arrived, 0 before the first.
func (e *Events) Seq() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.all) == 0 {
		return 0
	}
	return e.all[len(e.all)-1].Seq
}

// nth waits for the event with this index, from 0.
func (e *Events) nth(ctx context.Context, i int) (proto.Message, error) {
	for {
		e.mu.Lock()
		more, end := e.more, e.end
		if i < len(e.all) {
			m := e.all[i]
			e.mu.Unlock()
			return m, nil
		}
		e.mu.Unlock()
		if end != nil {
			return proto.Message{}, fmt.Errorf("the events ended: %w", end)
		}
		select {
		case <-more:
		case <-ctx.Done():
			return proto.Message{}, context.Cause(ctx)
		}
	}
}

// Find returns the first event of this name whose data fits, with its index.
// It has waited for it if need be.
func Find[T any](ctx context.Context, e *Events, name string, fits func(T) bool) (T, int, error) {
	var none T
	for i := 0; ; i++ {
		m, err := e.nth(ctx, i)
		if err != nil {
			return none, 0, fmt.Errorf("waiting for %s: %w", name, err)
		}
		if m.Event != name {
			continue
		}
		var v T
		if err := m.Decode(&v); err != nil {
			return none, 0, err
		}
		if fits(v) {
			return v, i, nil
		}
	}
}

// Await is Find that fails its test when the event does not come.
func Await[T any](e *Events, name string, fits func(T) bool) (T, int) {
	e.t.Helper()
	ctx, cancel := Patience(e.t)
	defer cancel()
	v, i, err := Find(ctx, e, name, fits)
	if err != nil {
		e.t.Fatalf("%v; there were\n%s", err, e)
	}
	return v, i
}

// Added waits for the decision of a pane that asks for a tool's use on what
// its prompt says.
func (e *Events) Added(pane, tool, prompt string) proto.Decision {
	e.t.Helper()
	d, _ := Await(e, proto.EventDecisionAdded, func(d proto.Decision) bool {
		return d.Pane == pane && d.Tool == tool && (prompt == "" || d.Prompt == prompt)
	})
	return d
}

// Ended waits for the end of a decision and returns it with its index.
func (e *Events) Ended(d proto.Decision) (proto.DecisionEnded, int) {
	e.t.Helper()
	return Await(e, proto.EventDecisionEnded, func(x proto.DecisionEnded) bool { return x.Decision == d.ID })
}

// Confirmed waits until the agent has shown that it took the answer.
func (e *Events) Confirmed(d proto.Decision) proto.DecisionConfirmed {
	e.t.Helper()
	c, _ := Await(e, proto.EventDecisionConfirmed, func(x proto.DecisionConfirmed) bool { return x.Decision == d.ID })
	return c
}

// Count counts the events of this name so far.
func (e *Events) Count(name string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := 0
	for _, m := range e.all {
		if m.Event == name {
			n++
		}
	}
	return n
}

func (e *Events) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := ""
	for _, m := range e.all {
		s += fmt.Sprintf("%d %s %s\n", m.Seq, m.Event, m.Body)
	}
	return s
}
