package server

import (
	"context"
	"errors"
	"os"

	"signaltty/proto"
	"signaltty/store"
)

func pid() int { return os.Getpid() }

// handler does one request. It returns the result, or an error that the
// client gets.
type handler struct {
	do func(c *client, ctx context.Context, m proto.Message) (any, error)
	// slow handlers run beside the connection's reader.
	slow bool
}

// handlers has a row for each request kind of proto.Kinds except hello and
// the hook's own, which are more than a request and a reply.
var handlers = map[string]handler{
	proto.MethodSubscribe:      {do: subscribe},
	proto.MethodStatus:         {do: on(status), slow: true},
	proto.MethodStop:           {do: on(func(c *client, _ context.Context, _ proto.None) (any, error) { return proto.None{}, nil })},
	proto.MethodPaneList:       {do: on(paneList)},
	proto.MethodPaneNew:        {do: on(paneNew), slow: true},
	proto.MethodPaneClose:      {do: on(paneClose), slow: true},
	proto.MethodPaneResume:     {do: on(paneResume), slow: true},
	proto.MethodPaneExplain:    {do: on(paneExplain)},
	proto.MethodPaneRename:     {do: on(paneRename)},
	proto.MethodPaneInput:      {do: on(paneInput)},
	proto.MethodPanePaste:      {do: on(panePaste)},
	proto.MethodPaneResize:     {do: on(paneResize)},
	proto.MethodPaneWatch:      {do: on(paneWatch)},
	proto.MethodPaneUnwatch:    {do: on(paneUnwatch)},
	proto.MethodPaneSeen:       {do: on(paneSeen)},
	proto.MethodPaneCapture:    {do: on(paneCapture)},
	proto.MethodPaneHistory:    {do: on(paneHistory)},
	proto.MethodClientColors:   {do: on(clientColors)},
	proto.MethodTabArrange:     {do: on(tabArrange)},
	proto.MethodDecisionList:   {do: on(decisionList)},
	proto.MethodDecisionGet:    {do: on(decisionGet)},
	proto.MethodDecisionAnswer: {do: on(decisionAnswer), slow: true},
	proto.MethodDecisionPast:   {do: on(decisionPast), slow: true},
	proto.MethodTurnStart:      {do: on(turnStart), slow: true},
	proto.MethodTurnCalls:      {do: on(turnCalls)},
	proto.MethodTurnEnd:        {do: on(turnEnd), slow: true},
	proto.MethodTurnList:       {do: on(turnList), slow: true},
	proto.MethodPolicyTrust:    {do: on(policyTrust), slow: true},
	proto.MethodHookCanary:     {do: on(hookCanary)},
}

// on makes a handler of a function with typed parameters.
func on[P any](f func(*client, context.Context, P) (any, error)) func(*client, context.Context, proto.Message) (any, error) {
	return func(c *client, ctx context.Context, m proto.Message) (any, error) {
		var params P
		if err := m.Decode(&params); err != nil {
			return nil, err
		}
		return f(c, ctx, params)
	}
}

// handle does one request and says whether to go on reading.
func (c *client) handle(ctx context.Context, m proto.Message) bool {
	kind, known := proto.Lookup(m.Method)
	if !known || kind.Form != proto.Request || m.Method == proto.MethodHello {
		c.refuse(m.ID, proto.Errorf(proto.CodeUnknownMethod, "there is no method %q; `signaltty schema` lists them", m.Method))
		return true
	}
	if kind.Access == proto.Person && !c.isPerson() {
		c.refuse(m.ID, proto.Errorf(proto.CodeRefused, "%s is for the person only: %s; do it from a terminal or a shell pane that no agent runs in", m.Method, c.whyNot))
		return true
	}
	switch m.Method {
	case proto.MethodHookEvent:
		return c.hookEvent(m)
	case proto.MethodHookAbort:
		// Of a hook that is not held there is nothing to end.
		return false
	}
	if c.kind == clientHook {
		// Nothing else is ever in a hook's socket, so that its verdict finds room.
		c.refuse(m.ID, proto.Errorf(proto.CodeRefused, "a hook delivers events and nothing else"))
		return false
	}
	h := handlers[m.Method]
	if !h.slow {
		c.reply(ctx, h, m)
		if m.Method == proto.MethodStop {
			c.s.stop()
		}
		return true
	}
	select {
	case c.slow <- struct{}{}:
	default:
		c.refuse(m.ID, proto.Errorf(proto.CodeTooLarge, "%d requests of this connection are under way already", maxSlow))
		return true
	}
	c.jobs.Go(func() {
		c.reply(ctx, h, m)
		<-c.slow
	})
	return true
}

func (c *client) reply(ctx context.Context, h handler, m proto.Message) {
	result, err := h.do(c, ctx, m)
	if err != nil {
		c.refuse(m.ID, err)
		return
	}
	if result != nil {
		// A client that is gone needs no reply; the reader finds out.
		if err := c.conn.Reply(m.ID, result); errors.Is(err, proto.ErrTooLong) {
			c.refuse(m.ID, proto.Errorf(proto.CodeTooLarge, "the result of %s is too large for a line", m.Method))
		}
	}
}

// subscribe replies before the first event can go out. A client that falls too
// far behind is cut off: its writer cannot do that, stuck as it is.
func subscribe(c *client, ctx context.Context, m proto.Message) (any, error) {
	if c.subscribed {
		return nil, proto.Errorf(proto.CodeBadRequest, "this connection has subscribed already")
	}
	c.subscribed = true
	snap, feed := c.s.store.Subscribe()
	snap.Unconfined = c.s.unconfined()
	if err := c.conn.Reply(m.ID, snap); err != nil {
		c.s.store.Unsubscribe(feed)
		return nil, err
	}
	c.feed <- feed
	c.jobs.Go(func() {
		select {
		case <-feed.Behind:
			c.conn.Close()
		case <-ctx.Done():
		}
	})
	return nil, nil
}

func paneList(c *client, _ context.Context, _ proto.None) (any, error) {
	snap := c.s.store.Snapshot()
	return proto.PaneList{Seq: snap.Seq, Panes: snap.Panes}, nil
}

func decisionList(c *client, _ context.Context, _ proto.None) (any, error) {
	return c.s.store.Decisions(), nil
}

func decisionGet(c *client, _ context.Context, p proto.DecisionRef) (any, error) {
	return c.s.store.Decision(p.Decision)
}

func tabArrange(c *client, _ context.Context, p proto.TabArrange) (any, error) {
	return proto.None{}, c.s.store.Arrange(p.Tab, p.Tree)
}

func decisionAnswer(c *client, ctx context.Context, p proto.DecisionAnswer) (any, error) {
	answered, err := c.s.answer(ctx, c.by(), p)
	if err != nil {
		return nil, err
	}
	return answered, nil
}

// by is who the client is, for the audit.
func (c *client) by() store.By {
	return store.By{Client: c.id, Kind: c.kind, UID: c.peer.uid, PID: c.peer.pid}
}

// decisionPast reads what was decided in a pane beside the writer of the audit.
func decisionPast(c *client, ctx context.Context, p proto.DecisionPast) (any, error) {
	settling, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	c.s.store.Settle(settling)
	r, err := store.OpenReader(c.s.opts.Database)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	past, err := r.Past(ctx, p.Pane, p.Limit)
	if err != nil {
		return nil, err
	}
	return proto.PastDecisions{Decisions: past}, nil
}
