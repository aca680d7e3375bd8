package turn

import (
	"context"
	"fmt"
	"sync"

	"signaltty/adapters"
	"signaltty/proto"
)

// maxAsks bounds the asks of a turn that wait at once.
const maxAsks = 256

// asks brings what the agent asks on its stream to the server, each on a
// connection of its own, as a hook does.
type asks struct {
	o        Options
	agent    adapters.Adapter
	verdicts chan verdict
	ctx      context.Context
	end      context.CancelFunc
	wg       sync.WaitGroup
	waiting  map[string]context.CancelFunc // the caller's goroutine alone uses it
}

// verdict is the answer to one ask.
type verdict struct {
	proto.Verdict
	asked adapters.TurnAsked
}

func newAsks(o Options, a adapters.Adapter) *asks {
	ctx, end := context.WithCancel(context.Background())
	return &asks{o: o, agent: a, ctx: ctx, end: end, verdicts: make(chan verdict, maxAsks), waiting: map[string]context.CancelFunc{}}
}

// open says whether an ask waits.
func (s *asks) open() bool { return len(s.waiting) > 0 }

// ask brings one ask to whoever decides; its verdict comes on verdicts. Where
// nobody does, it is returned at once.
func (s *asks) ask(a adapters.TurnAsked) (now verdict, known bool) {
	switch {
	case s.o.Spec.Ask == proto.AskDeny:
		return verdict{deny("nobody answers asks in this turn (--ask deny)"), a}, true
	case len(s.waiting) >= maxAsks:
		return verdict{deny("too many asks of this turn wait"), a}, true
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.waiting[a.ID] = cancel
	s.wg.Go(func() {
		defer cancel()
		v, err := s.decide(ctx, a)
		if err != nil {
			v = deny(fmt.Sprintf("signaltty could not decide: %v", err))
		}
		select {
		case s.verdicts <- verdict{v, a}:
		case <-s.ctx.Done():
		}
	})
	return verdict{}, false
}

func deny(why string) proto.Verdict {
	return proto.Verdict{Behavior: proto.Deny, Message: why}
}

// decide asks the policy first, then, where there is one, the person.
func (s *asks) decide(ctx context.Context, a adapters.TurnAsked) (proto.Verdict, error) {
	ev := proto.HookEvent{
		Agent: s.o.Spec.Agent, Event: proto.TurnEvent, Moment: proto.MomentToolStart, Session: a.Session, Pane: s.o.PaneID,
		Cwd: s.o.Spec.Dir, Tool: a.Ask.Tool, ToolUse: a.ToolUse, Call: &a.Call, Gate: true,
	}
	v, err := s.tell(ctx, ev)
	if err != nil || v.Behavior == proto.Allow || v.Behavior == proto.Deny {
		return v, err
	}
	if s.o.Spec.Ask == proto.AskPolicy {
		return deny("no rule allows this, and nobody is asked in this turn (--ask policy)"), nil
	}
	ev.Moment, ev.Ask, ev.Gate, ev.Wait = proto.MomentAsk, &a.Ask, false, true
	v, err = s.tell(ctx, ev)
	if err == nil && v.Behavior == proto.NoVerdict {
		v = deny(fmt.Sprintf("nobody answered (%s)", v.End))
		v.Decision = ""
	}
	return v, err
}

func (s *asks) tell(ctx context.Context, ev proto.HookEvent) (proto.Verdict, error) {
	c, _, err := proto.Dial(ctx, s.o.Socket, proto.Hello{Client: "hook"})
	if err != nil {
		return proto.Verdict{}, err
	}
	defer c.Close()
	var v proto.Verdict
	err = c.Call(ctx, proto.MethodHookEvent, ev, &v)
	return v, err
}

// withdraw ends an ask that the agent no longer waits for.
func (s *asks) withdraw(id string) {
	if cancel, ok := s.waiting[id]; ok {
		cancel()
		delete(s.waiting, id)
	}
}

// settled says whether a verdict is still wanted, and forgets the ask.
func (s *asks) settled(v verdict) bool {
	_, ok := s.waiting[v.asked.ID]
	delete(s.waiting, v.asked.ID)
	return ok
}

func (s *asks) close() {
	s.end()
	s.wg.Wait()
}
