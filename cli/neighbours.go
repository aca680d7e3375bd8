package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"signaltty/proto"
)

const (
	// maxPlaces bounds how many places of other panes are remembered.
	maxPlaces = 4096
	// listRequest is the number of the request for the panes at the end.
	listRequest = 2
	// catchUp bounds the wait for events that the server has sent already.
	catchUp = 10 * time.Second
)

// neighbours are the other panes of the server during a turn, and where they
// were. A pane that came and went in between counts as well.
type neighbours struct {
	socket, pane string
	gated        func(proto.TurnGated) // takes what became of the turn's own calls

	events *proto.Conn
	ended  chan struct{} // closed when nothing more is read
	// Of listen alone until ended is closed.
	places map[string]string // directory to the id of a pane that was there
	err    error
}

// begin notes who is there and goes on to listen.
func (n *neighbours) begin(ctx context.Context) error {
	c, _, err := proto.Dial(ctx, n.socket, proto.Hello{Client: "turn", Build: build()})
	if err != nil {
		return err
	}
	var snap proto.Snapshot
	if err := c.Call(ctx, proto.MethodSubscribe, proto.None{}, &snap); err != nil {
		return errors.Join(err, c.Close())
	}
	n.events, n.ended, n.places = c, make(chan struct{}), map[string]string{}
	for _, p := range snap.Panes {
		n.see(p)
	}
	go n.listen(snap.Seq)
	return nil
}

// see notes where a pane is while it lives.
func (n *neighbours) see(p proto.Pane) {
	switch {
	case p.ID == n.pane || p.Exit != nil || p.Cwd == "":
	case len(n.places) < maxPlaces:
		n.places[p.Cwd] = p.ID
	default:
		n.err = errors.New("too many panes")
	}
}

// listen takes every event until the answer to end's request, and then those
// that came before it: events and answers have no order among each other.
func (n *neighbours) listen(last uint64) {
	defer close(n.ended)
	var list proto.PaneList
	for answered := false; !answered || last < list.Seq; {
		m, err := n.events.Read()
		switch {
		case err != nil:
			n.err = errors.Join(n.err, fmt.Errorf("the server told no more: %w", err))
			return
		case m.Event == "":
			answered = true
			if m.Error != nil {
				err = m.Error
			} else {
				err = m.Decode(&list)
			}
		case m.Event == proto.EventPaneUpdated:
			var p proto.Pane
			err = m.Decode(&p)
			n.see(p)
		}
		if m.Event == proto.EventTurnGated {
			var g proto.TurnGated
			if err = m.Decode(&g); err == nil && g.Pane == n.pane {
				n.gated(g)
			}
		}
		last = max(last, m.Seq)
		n.err = errors.Join(n.err, err)
	}
}

// end is the id of another pane that was in the tree; "" when there was none.
func (n *neighbours) end(ctx context.Context, root string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, catchUp)
	defer cancel()
	defer context.AfterFunc(ctx, func() { n.events.Close() })()
	err := n.events.Send(listRequest, proto.MethodPaneList, proto.None{})
	if err != nil {
		n.events.Close()
	}
	<-n.ended
	n.events.Close()
	if err := errors.Join(err, n.err); err != nil {
		return "", err
	}
	for dir, id := range n.places {
		if below(real(dir), []string{strings.TrimSuffix(root, "/")}) {
			return id, nil
		}
	}
	return "", nil
}

// close stops listening without asking.
func (n *neighbours) close() {
	n.events.Close()
	<-n.ended
}
