package turn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"signaltty/adapters"
	"signaltty/proto"
)

// Options are what a turn runs with.
type Options struct {
	Spec     proto.TurnSpec
	PaneID   string
	FilesDir string // a directory of this turn alone
	Self     string // this binary
	Socket   string // the server's
	Env      []string
	// Envelopes takes one JSON line for each envelope; nil when nobody reads them.
	Envelopes io.Writer
	// Calls takes calls that the stream has told, proto.MaxTurnCalls at most,
	// for the audit; nil when nobody does.
	Calls func([]proto.TurnCall) error
	// View takes what a person who looks at the pane sees.
	View io.Writer
	// Runtime says what goes before the command line of an agent that has this
	// environment; nil for nothing.
	Runtime func(env []string) ([]string, error)
	// Guard is the check around the turn; nil checks nothing.
	Guard Guard
}

// Guard holds the work tree to what the turn may write.
type Guard interface {
	// Begin notes the tree as it is before the agent starts.
	Begin(ctx context.Context) error
	// Call says when a call of the turn began, Result that it has ended.
	Call(id string, began time.Time)
	Result(id string)
	// End compares, puts back what may not stand, and tells each path once.
	End(ctx context.Context) ([]proto.TurnBlocked, error)
	// Health tells what the account of the tree leaves open.
	Health() []string
	// Gated gives what became of calls that the agent's hooks brought, which
	// its stream may not tell; Wake says that there is something to take. After
	// End nothing more comes.
	Wake() <-chan struct{}
	Gated() []proto.TurnGated
	// Allowed counts the calls of a canonical tool that the hooks brought and
	// that were let run. After End it is complete.
	Allowed(tool string) int
}

// turn is one run.
type turn struct {
	o      Options
	agent  adapters.Adapter
	out    *emitter
	conv   adapters.Conversation
	proc   *process
	asks   *asks
	began  time.Time
	silent repeats

	calls   []proto.TurnCall // not given to Calls yet
	unheard error            // of the first that Calls did not take

	tools    int
	ran      ran
	texts    int
	blocked  []proto.TurnBlocked
	denials  []string
	health   []string
	ended    proto.Outcome // set when something other than the agent ended the turn
	finished bool          // the agent said that the turn is over
}

// Run runs the turn to its end and returns how it ended and the agent's
// session, "" for none. Ending ctx cancels it.
func Run(ctx context.Context, o Options) (done proto.TurnComplete, session string) {
	t := &turn{o: o, began: time.Now(), out: newEmitter(o)}
	t.out.emit(proto.EnvelopeUserMessage, proto.TurnText{Text: o.Spec.Prompt})
	exit, err := t.run(ctx)
	if err != nil {
		t.out.emit(proto.EnvelopeError, proto.TurnError{Source: "signaltty", Message: err.Error()})
		if t.ended == "" {
			t.ended = proto.OutcomeAgent
		}
	}
	done = t.complete(exit)
	return done, t.out.session
}

// run is everything between the first envelope and the last.
func (t *turn) run(ctx context.Context) (*proto.Exit, error) {
	a, ok := adapters.Lookup(t.o.Spec.Agent)
	if !ok || a.Turns == nil {
		return nil, fmt.Errorf("%q has no headless turns", t.o.Spec.Agent)
	}
	t.agent = a
	launch := adapters.TurnLaunch{Spec: t.o.Spec, PaneID: t.o.PaneID, FilesDir: t.o.FilesDir, Self: t.o.Self, Env: t.o.Env}
	cmd, err := a.Turns.Command(launch)
	if err != nil {
		return nil, fmt.Errorf("preparing the turn of %s: %w", a.Title, err)
	}
	if t.o.Runtime != nil {
		before, err := t.o.Runtime(slices.Concat(t.o.Env, cmd.Env))
		if err != nil {
			return nil, err
		}
		cmd.Argv = append(before, cmd.Argv...)
	}
	t.conv = a.Turns.Converse(launch)
	if t.o.Guard != nil {
		if err := t.o.Guard.Begin(ctx); err != nil {
			if t.ended = proto.OutcomeGate; ctx.Err() != nil {
				t.ended = proto.OutcomeCancelled // nothing has begun
			}
			return nil, fmt.Errorf("noting the work tree before the turn: %w", err)
		}
	}
	exit, failed := t.converse(ctx, cmd)
	t.tellCalls()
	if t.unheard != nil {
		t.health = append(t.health, fmt.Sprintf("the audit lacks calls that only the stream told: %v", t.unheard))
	}
	if t.o.Guard != nil {
		// The turn may have been cancelled; what it wrote is checked all the same.
		t.blocked, err = t.o.Guard.End(context.WithoutCancel(ctx))
		t.gated()
		t.ungated()
		t.health = append(t.health, t.o.Guard.Health()...)
		for _, b := range t.blocked {
			t.out.emit(proto.EnvelopePolicyBlocked, b)
		}
		if err != nil {
			t.ended = proto.OutcomeGate
			return exit, errors.Join(failed, fmt.Errorf("checking the work tree after the turn: %w", err))
		}
	}
	return exit, failed
}

// converse runs the agent from its start to its end.
func (t *turn) converse(ctx context.Context, cmd adapters.TurnCommand) (*proto.Exit, error) {
	var err error
	if t.proc, err = start(t.o.Spec.Dir, t.o.Env, cmd); err != nil {
		return nil, err
	}
	t.asks = newAsks(t.o, t.agent)
	t.follow(ctx)
	exit := t.proc.close()
	t.asks.close()
	return &exit, nil
}

// follow takes what the agent says until it has ended or something ends it.
func (t *turn) follow(ctx context.Context) {
	limit := newLimits(t.o.Spec)
	defer limit.stop()
	lines, notes := t.proc.lines, t.proc.notes
	var wake <-chan struct{}
	if t.o.Guard != nil {
		wake = t.o.Guard.Wake()
	}
	for lines != nil || notes != nil {
		select {
		case l, ok := <-lines:
			if !ok {
				lines = nil
				t.take(t.conv.End())
				t.proc.say(nil, true)
				continue
			}
			limit.heard()
			t.line(l)
		case l, ok := <-notes:
			if !ok {
				notes = nil
				continue
			}
			limit.heard()
			t.out.emit(proto.EnvelopeError, proto.TurnError{Source: "stderr", Message: l.shown()})
		case v := <-t.asks.verdicts:
			if t.asks.settled(v) {
				t.answer(v)
			}
		case <-wake:
			t.gated()
		case <-limit.idle():
			t.stop(proto.OutcomeTimeout, fmt.Sprintf("the agent said nothing for %s", limit.silence))
		case <-limit.total():
			t.stop(proto.OutcomeTimeout, fmt.Sprintf("the turn took longer than %s", limit.whole))
		case <-ctx.Done():
			t.stop(proto.OutcomeCancelled, "the turn was cancelled")
			ctx = context.WithoutCancel(ctx)
		}
		limit.waiting(t.asks.open())
	}
}

// line takes one line of the agent's stream.
func (t *turn) line(l line) {
	if l.broken != "" {
		t.out.emit(proto.EnvelopeError, proto.TurnError{Source: "stream", Message: l.broken + ": " + l.shown()})
		return
	}
	t.take(t.conv.Line(l.text))
}

// take does what a step says.
func (t *turn) take(s adapters.Step) {
	if s.Session != "" {
		t.out.session = s.Session
	}
	for _, e := range s.Envelopes {
		t.count(e)
		t.out.emit(e.Type, e.Data)
	}
	for _, id := range s.Withdrawn {
		t.asks.withdraw(id)
	}
	for _, a := range s.Asks {
		if v, known := t.asks.ask(a); known {
			t.answer(v)
		}
	}
	for _, l := range s.Say {
		t.proc.say(l, false)
	}
	if s.Done {
		t.finished = true
		t.proc.say(nil, true)
	}
}

// answer gives a verdict to the agent and tells of it.
func (t *turn) answer(v verdict) {
	d := proto.TurnDecision{
		Tool: v.asked.Ask.Tool, Summary: v.asked.Ask.Summary, Behavior: v.Behavior, Decision: v.Decision,
		Option: v.Option, Rule: v.Rule, Message: v.Message,
	}
	t.out.emit(proto.EnvelopeDecision, d)
	if line := t.conv.Answer(v.asked.ID, v.Verdict); line != nil {
		t.proc.say(line, false)
	}
	if v.Behavior == proto.Allow {
		return
	}
	for _, b := range blocks(v, t.o.Spec.Dir) {
		t.out.emit(proto.EnvelopePolicyBlocked, b)
	}
	t.denied(v.asked.Ask.Tool + ": " + v.asked.Ask.Summary)
}

// gated tells what became of calls that the agent's hooks brought.
func (t *turn) gated() {
	for _, g := range t.o.Guard.Gated() {
		d := g.Decided
		if d.Decision != "" {
			t.out.emit(proto.EnvelopeDecision, d)
		}
		if d.Behavior == proto.Allow {
			continue
		}
		v := verdict{asked: adapters.TurnAsked{ToolUse: g.Call, Call: proto.Call{Tool: g.Kind, Paths: g.Paths}}}
		v.Behavior, v.Rule, v.Message = d.Behavior, d.Rule, d.Message
		for _, b := range blocks(v, t.o.Spec.Dir) {
			t.out.emit(proto.EnvelopePolicyBlocked, b)
		}
		t.denied(d.Tool + ": " + d.Summary)
	}
}

// blocks tells what a rule has denied, by each path that it is about.
func blocks(v verdict, dir string) []proto.TurnBlocked {
	if v.Behavior != proto.Deny || v.Rule == "" {
		return nil
	}
	b := proto.TurnBlocked{Tool: v.asked.Call.Tool, Call: v.asked.ToolUse, Rule: v.Rule, Action: "denied", Reason: v.Message}
	if len(v.asked.Call.Paths) == 0 {
		return []proto.TurnBlocked{b}
	}
	var list []proto.TurnBlocked
	for _, p := range v.asked.Call.Paths {
		if b.Path = p; !filepath.IsAbs(p) {
			b.Path = filepath.Join(dir, p)
		}
		list = append(list, b)
	}
	return list
}

// count keeps what the outcome depends on.
func (t *turn) count(e adapters.Told) {
	switch d := e.Data.(type) {
	case proto.TurnText:
		if e.Type == proto.EnvelopeText && d.Text != "" {
			t.texts++
		}
	case proto.TurnToolCall:
		t.tools++
		t.call(proto.TurnCall{ID: d.ID, Name: d.Name, Moment: proto.MomentToolStart})
		t.ran.begin(d)
		if t.o.Guard != nil {
			began := d.Began
			if began.IsZero() {
				began = time.Now()
			}
			t.o.Guard.Call(d.ID, began)
		}
	case proto.TurnToolResult:
		t.call(proto.TurnCall{ID: d.ID, Moment: proto.MomentToolEnd, OK: d.OK})
		t.ran.end(d)
		if t.o.Guard != nil {
			t.o.Guard.Result(d.ID)
		}
		if d.OK {
			t.silent.forget()
		}
	case proto.TurnBlocked:
		t.denied(d.Tool + d.Path + ": " + d.Reason)
	}
}

// call notes the start or the end of a call for the audit.
func (t *turn) call(c proto.TurnCall) {
	if t.o.Calls == nil || c.ID == "" || t.agent.Turns.Unnamed {
		return
	}
	c.Session = t.out.session
	if t.calls = append(t.calls, c); len(t.calls) == proto.MaxTurnCalls {
		t.tellCalls()
	}
}

func (t *turn) tellCalls() {
	if len(t.calls) == 0 || t.unheard != nil {
		return
	}
	t.unheard = t.o.Calls(t.calls)
	t.calls = t.calls[:0]
}

// denied notes a denial, and ends a turn that runs into the same one again
// and again.
func (t *turn) denied(what string) {
	t.denials = append(t.denials, what)
	if t.silent.again(what) {
		t.stop(proto.OutcomeDenied, fmt.Sprintf("the agent tried the same denied thing %d times: %s", maxRepeats, what))
	}
}

// stop ends the agent; the first reason counts.
func (t *turn) stop(o proto.Outcome, why string) {
	if t.ended != "" {
		return
	}
	t.ended = o
	t.out.emit(proto.EnvelopeError, proto.TurnError{Source: "signaltty", Message: why})
	t.proc.terminate()
}

// maxRepeats is how often an agent may run into one denial, with nothing done
// in between.
const maxRepeats = 3

// repeats counts denials of one thing.
type repeats struct {
	what string
	n    int
}

func (r *repeats) forget() { *r = repeats{} }

func (r *repeats) again(what string) bool {
	if r.what != what {
		*r = repeats{what: what}
	}
	r.n++
	return r.n >= maxRepeats
}
