package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"signaltty/proto"
	"signaltty/server/policy"
	"signaltty/store"
)

// turnCommand is the program of a turn's pane: this binary, which runs the
// agent and tells what it does. What the turn is goes by a file, since a
// prompt may be longer than a command line and is nobody else's to read.
func (s *Server) turnCommand(p *pane, spec proto.TurnSpec) ([]string, error) {
	home, _ := os.UserHomeDir() // without one, ~ matches nothing
	limits, err := policy.Limit(spec, policy.Place{Home: home, Files: Disk{}, Fold: runtime.GOOS == "darwin"}, p.adapter.Turns.Unasked)
	if err != nil {
		return nil, proto.Errorf(proto.CodeBadRequest, "%v", err)
	}
	p.limits = limits
	if spec.ID, err = turnID(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(spec.Prompt))
	p.turn = &proto.TurnRecord{ID: spec.ID, Agent: spec.Agent, Dir: spec.Dir, Origin: spec.Origin, Prompt: hex.EncodeToString(sum[:]), Base: spec.Base, Session: spec.Resume}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("encoding the turn: %w", err)
	}
	file := filepath.Join(p.files, "turn.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, fmt.Errorf("writing the turn: %w", err)
	}
	return []string{s.self, "turn", file}, nil
}

// turnID names a turn: when it began, and enough more to tell it apart.
func turnID() (string, error) {
	var more [4]byte
	if _, err := rand.Read(more[:]); err != nil {
		return "", fmt.Errorf("naming the turn: %w", err)
	}
	return fmt.Sprintf("%s-%x", time.Now().UTC().Format("20060102-150405"), more), nil
}

// turnOf is the pane whose turn the client drives.
func (c *client) turnOf() (*pane, error) {
	c.s.turnsStart.Lock() // until the pane of a turn that just started is known
	c.s.mu.Lock()
	panes := slices.Collect(maps.Values(c.s.panes))
	c.s.mu.Unlock()
	c.s.turnsStart.Unlock()
	for _, p := range panes {
		if p.turn != nil && p.process().pid() == c.peer.pid {
			return p, nil
		}
	}
	return nil, proto.Errorf(proto.CodeRefused, "only the driver of a headless turn may tell of it, and process %d is none", c.peer.pid)
}

func (c *client) turnRow() store.Row {
	return store.Row{Client: c.id, UID: c.peer.uid, PID: c.peer.pid}
}

func turnStart(c *client, ctx context.Context, _ proto.None) (any, error) {
	p, err := c.turnOf()
	if err != nil {
		return nil, err
	}
	t := *p.turn
	t.Began = time.Now()
	row := c.turnRow()
	row.Body = map[string]any{"turn": t.ID, "dir": t.Dir, "prompt_sha256": t.Prompt}
	return proto.None{}, c.s.store.TurnBegan(context.WithoutCancel(ctx), p.id, t, row)
}

func turnCalls(c *client, _ context.Context, told proto.TurnCalls) (any, error) {
	p, err := c.turnOf()
	if err != nil {
		return nil, err
	}
	if len(told.Calls) > proto.MaxTurnCalls {
		return nil, proto.Errorf(proto.CodeTooLarge, "turn.calls: field \"calls\" has more than %d items", proto.MaxTurnCalls)
	}
	for _, call := range told.Calls {
		if call.Moment != proto.MomentToolStart && call.Moment != proto.MomentToolEnd || call.ID == "" {
			return nil, proto.Errorf(proto.CodeBadRequest, "turn.calls: a call needs its id, and a moment that is %s or %s", proto.MomentToolStart, proto.MomentToolEnd)
		}
	}
	c.s.store.TurnCalls(p.id, *p.turn, told.Calls, c.turnRow())
	return proto.None{}, nil
}

func turnEnd(c *client, ctx context.Context, end proto.TurnEnd) (any, error) {
	p, err := c.turnOf()
	switch {
	case err != nil:
		return nil, err
	case len(end.Blocked) > proto.MaxTurnBlocked:
		return nil, proto.Errorf(proto.CodeTooLarge, "turn.end: field \"blocked\" has more than %d items", proto.MaxTurnBlocked)
	}
	return proto.None{}, c.s.store.TurnEnded(context.WithoutCancel(ctx), p.id, *p.turn, end, c.turnRow())
}

func turnList(c *client, ctx context.Context, q proto.TurnQuery) (any, error) {
	list, err := c.s.store.Turns(ctx, q)
	if err != nil {
		return nil, err
	}
	return proto.TurnList{Turns: list}, nil
}

// turnHold is the hold of a hook in a headless turn, whose driver is told what
// became of it.
type turnHold struct {
	store.Hold
	s    *Server
	ev   proto.HookEvent
	pane string
}

func (h turnHold) Release(v proto.Verdict) error {
	h.s.tellGated(&h.ev, h.pane, v)
	return h.Hold.Release(v)
}

// held is the hold of a request that a hook waits in. What a turn's driver
// asks for its agent it knows by itself.
func (c *client) held(id uint64, ev *proto.HookEvent, pane string) store.Hold {
	h := &hold{c, id}
	if p, err := c.s.pane(pane); err != nil || p.turn == nil || ev.Event == proto.TurnEvent {
		return h
	}
	return turnHold{h, c.s, *ev, pane}
}

// tellGated tells a turn's driver what became of a call that a hook brought.
// What the gate allowed at once it needs to know of agents that ask nothing by
// themselves.
func (s *Server) tellGated(ev *proto.HookEvent, pane string, v proto.Verdict) {
	p, err := s.pane(pane)
	switch {
	case err != nil, p.turn == nil, ev.Event == proto.TurnEvent:
		return
	case v.Behavior == proto.Allow && v.Decision == "" && !p.adapter.Turns.Unasked:
		return
	}
	g := proto.TurnGated{Pane: pane, Call: ev.ToolUse, Decided: proto.TurnDecision{
		Tool: ev.Tool, Behavior: v.Behavior, Decision: v.Decision, Option: v.Option, Rule: v.Rule, Message: v.Message,
	}}
	if ev.Call != nil {
		g.Kind, g.Paths, g.Decided.Summary = ev.Call.Tool, ev.Call.Paths, callText(ev.Call)
	}
	if ev.Ask != nil {
		g.Decided.Tool, g.Decided.Summary = ev.Ask.Tool, ev.Ask.Summary
	}
	if g.Decided.Behavior == proto.NoVerdict {
		g.Decided.Behavior, g.Decided.Message = proto.Deny, fmt.Sprintf("nobody answered (%s)", v.End)
	}
	s.store.TurnGated(g)
}
