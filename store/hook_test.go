package store

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"signaltty/proto"
)

// Events that do not belong to a waiting ask leave it alone.
func TestEventsThatDoNotMatch(t *testing.T) {
	tests := []struct {
		name string
		ev   proto.HookEvent
	}{
		{"another call", moment(proto.MomentToolEnd, "s1", use("u9", "k9"))},
		{"another call with the same input", moment(proto.MomentToolEnd, "s1", use("u9", "k1"))},
		{"another session", moment(proto.MomentToolEnd, "s2", use("u1", "k1"))},
		{"another agent", moment(proto.MomentToolEnd, "s1", func(e *proto.HookEvent) { e.Agent, e.ToolUse = "codex", "u1" })},
		{"batch without it", moment(proto.MomentToolsEnd, "s1", func(e *proto.HookEvent) { e.ToolUses = []string{"u8", "u9"} })},
		{"end of a subagent", moment(proto.MomentSubagentEnd, "s1", func(e *proto.HookEvent) { e.SubagentID = "g1" })},
		{"end of a subagent without id", moment(proto.MomentSubagentEnd, "s1", nil)},
		{"another session's turn", moment(proto.MomentTurnEnd, "s2", nil)},
		{"notification", moment(proto.MomentNotice, "s1", nil)},
		{"start of a tool", moment(proto.MomentToolStart, "s1", use("u2", "k1"))},
		{"unknown", moment(proto.MomentOther, "s1", nil)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, Options{})
			pane := addPane(t, s, "claude")
			s.Hook(moment(proto.MomentToolStart, "s1", use("u1", "k1")), Origin{Pane: pane}, nil)
			d, _ := raise(t, s, permission(pane, "s1", "Bash", "k1"))
			s.Hook(tt.ev, Origin{Pane: pane}, nil)
			if got := waits(s); !slices.Equal(got, []string{d.ID}) {
				t.Fatalf("waiting are %v, want %s", got, d.ID)
			}
			if p, _ := s.Pane(pane); p.State != proto.StateBlocked {
				t.Fatalf("the pane is %s", p.State)
			}
		})
	}
}

// Two equal calls side by side: an ask carries no id, so the end of one call
// says nothing of which decision is over.
func TestEqualCallsNeverClearOnAGuess(t *testing.T) {
	s := open(t, Options{})
	pane := addPane(t, s, "claude")
	for _, id := range []string{"u1", "u2"} {
		s.Hook(moment(proto.MomentToolStart, "s1", use(id, "same")), Origin{Pane: pane}, nil)
	}
	raise(t, s, permission(pane, "s1", "Bash", "same"))
	raise(t, s, permission(pane, "s1", "Bash", "same"))
	s.Hook(moment(proto.MomentToolEnd, "s1", use("u1", "same")), Origin{Pane: pane}, nil)
	if n := len(waits(s)); n != 2 {
		t.Fatalf("after one of two equal calls ended, %d wait, want 2", n)
	}
	s.Hook(moment(proto.MomentToolEnd, "s1", use("u2", "same")), Origin{Pane: pane}, nil)
	if n := len(waits(s)); n != 0 {
		t.Fatalf("after both ended, %d wait", n)
	}
}

// The same call again, later, is not ambiguous.
func TestEqualCallsOneAfterTheOther(t *testing.T) {
	s := open(t, Options{})
	pane := addPane(t, s, "claude")
	for _, id := range []string{"u1", "u2"} {
		s.Hook(moment(proto.MomentToolStart, "s1", use(id, "same")), Origin{Pane: pane}, nil)
		raise(t, s, permission(pane, "s1", "Bash", "same"))
		s.Hook(moment(proto.MomentToolEnd, "s1", use(id, "same")), Origin{Pane: pane}, nil)
		if n := len(waits(s)); n != 0 {
			t.Fatalf("after %s ended, %d wait", id, n)
		}
	}
}

// Without a start, the input tells when just one ask has it.
func TestAskWhoseStartWasNotSeen(t *testing.T) {
	s := open(t, Options{})
	pane := addPane(t, s, "claude")
	a, _ := raise(t, s, permission(pane, "s1", "Bash", "a"))
	b, _ := raise(t, s, permission(pane, "s1", "Bash", "b"))
	s.Hook(moment(proto.MomentToolEnd, "s1", use("u1", "a")), Origin{Pane: pane}, nil)
	if got := waits(s); !slices.Equal(got, []string{b.ID}) {
		t.Fatalf("waiting are %v, want %s; %s is over", got, b.ID, a.ID)
	}
	raise(t, s, permission(pane, "s1", "Bash", "b"))
	s.Hook(moment(proto.MomentToolEnd, "s1", use("u2", "b")), Origin{Pane: pane}, nil)
	if n := len(waits(s)); n != 2 {
		t.Fatalf("of two equal asks without a start, %d wait", n)
	}
}

func TestSubagentsHaveTheirOwnAsks(t *testing.T) {
	s := open(t, Options{})
	pane := addPane(t, s, "claude")
	sub := permission(pane, "s1", "Bash", "k")
	sub.SubagentID, sub.Subagent, sub.Ask.Dialog = "g1", "tester", proto.DialogAfter
	d, _ := raise(t, s, sub)
	if d.Subagent != "tester" {
		t.Fatalf("the decision names %q", d.Subagent)
	}
	s.Hook(moment(proto.MomentTurnEnd, "s1", nil), Origin{Pane: pane}, nil)
	if n := len(waits(s)); n != 1 {
		t.Fatal("the main agent's turn end cleared a subagent's ask")
	}
	s.Hook(moment(proto.MomentSubagentEnd, "s1", func(e *proto.HookEvent) { e.SubagentID = "g1" }), Origin{Pane: pane}, nil)
	if n := len(waits(s)); n != 0 {
		t.Fatal("the subagent's end left its ask")
	}
}

func TestStates(t *testing.T) {
	at := func(m proto.Moment) func(*Store, string) {
		return func(s *Store, pane string) {
			s.Hook(moment(m, "s1", func(e *proto.HookEvent) { e.Pane = pane }), Origin{Pane: pane}, nil)
		}
	}
	of := func(m proto.Moment, subagent string) func(*Store, string) {
		return func(s *Store, pane string) {
			s.Hook(moment(m, "s1", func(e *proto.HookEvent) { e.SubagentID = subagent }), Origin{Pane: pane}, nil)
		}
	}
	title := func(hint proto.State) func(*Store, string) {
		return func(s *Store, pane string) { s.SetTitle(pane, "t", hint) }
	}
	pause := func(*Store, string) { // the bubble's clock
		time.Sleep(titleSettle)
		synctest.Wait()
	}
	trail := func(*Store, string) {
		time.Sleep(titleTrail)
		synctest.Wait()
	}
	tests := []struct {
		name  string
		steps []func(*Store, string)
		want  proto.State
	}{
		{"nothing said", nil, proto.StateUnknown},
		{"session started", []func(*Store, string){at(proto.MomentSessionStart)}, proto.StateIdle},
		{"prompt", []func(*Store, string){at(proto.MomentSessionStart), at(proto.MomentPrompt)}, proto.StateWorking},
		{"turn ended", []func(*Store, string){at(proto.MomentPrompt), at(proto.MomentTurnEnd)}, proto.StateDone},
		{"seen", []func(*Store, string){at(proto.MomentTurnEnd), func(s *Store, p string) { s.Seen(p) }}, proto.StateIdle},
		{"turn failed", []func(*Store, string){at(proto.MomentPrompt), at(proto.MomentTurnFail)}, proto.StateFailed},
		{"subagent works after the turn", []func(*Store, string){at(proto.MomentTurnEnd), of(proto.MomentToolStart, "g1")}, proto.StateDone},
		{"notification", []func(*Store, string){at(proto.MomentPrompt), at(proto.MomentNotice)}, proto.StateWorking},
		{"interrupted, told by the title", []func(*Store, string){at(proto.MomentPrompt), title(proto.StateWorking), title(proto.StateIdle), pause}, proto.StateIdle},
		{"between two steps of a turn", []func(*Store, string){at(proto.MomentPrompt), title(proto.StateWorking), title(proto.StateIdle)}, proto.StateWorking},
		{"the title flickers", []func(*Store, string){at(proto.MomentPrompt), title(proto.StateWorking), title(proto.StateIdle), title(proto.StateWorking), pause}, proto.StateWorking},
		{"the title, then a hook", []func(*Store, string){at(proto.MomentPrompt), title(proto.StateWorking), title(proto.StateIdle), at(proto.MomentToolStart), pause}, proto.StateWorking},
		{"the title, then a hook that it overtook", []func(*Store, string){at(proto.MomentPrompt), title(proto.StateWorking), title(proto.StateIdle), at(proto.MomentToolEnd), trail}, proto.StateIdle},
		{"a hook, and the title follows", []func(*Store, string){at(proto.MomentPrompt), title(proto.StateWorking), title(proto.StateIdle), at(proto.MomentToolStart), title(proto.StateWorking), trail}, proto.StateWorking},
		{"a title that never tells", []func(*Store, string){title(proto.StateIdle), at(proto.MomentPrompt), trail}, proto.StateWorking},
		{"the title while a decision waits", []func(*Store, string){
			at(proto.MomentPrompt), title(proto.StateWorking),
			func(s *Store, p string) {
				d := s.Hook(permission(p, "s1", "Bash", "k"), Origin{Pane: p}, newHold())
				s.SetTitle(p, "t", proto.StateIdle)
				_, _ = s.Answer(context.Background(), By{}, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce})
			}, trail,
		}, proto.StateIdle},
		{"the title while its dialog is drawn", []func(*Store, string){
			at(proto.MomentPrompt), title(proto.StateWorking), title(proto.StateIdle),
			func(s *Store, p string) {
				d := s.Hook(permission(p, "s1", "Bash", "k"), Origin{Pane: p}, newHold())
				_, _ = s.Answer(context.Background(), By{}, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce})
			}, pause,
		}, proto.StateWorking},
		{"denied, and the turn ended by it", []func(*Store, string){
			at(proto.MomentPrompt),
			func(s *Store, p string) {
				d := s.Hook(anAsk(p), Origin{Pane: p}, newHold())
				_, _ = s.Answer(context.Background(), By{}, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionDeny, Interrupt: true})
			},
		}, proto.StateIdle},
		{"denied, and the agent will tell that the turn ended by it", []func(*Store, string){
			at(proto.MomentPrompt),
			func(s *Store, p string) {
				ev := anAsk(p)
				ev.Ask.Options[1].Tells = true
				d := s.Hook(ev, Origin{Pane: p}, newHold())
				_, _ = s.Answer(context.Background(), By{}, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionDeny, Interrupt: true})
			},
		}, proto.StateWorking},
		{"title repeats itself", []func(*Store, string){title(proto.StateIdle), at(proto.MomentPrompt), title(proto.StateIdle)}, proto.StateWorking},
		{"done, then the title", []func(*Store, string){title(proto.StateWorking), at(proto.MomentTurnEnd), title(proto.StateIdle)}, proto.StateDone},
		{"answered in the dialog, told by the title", []func(*Store, string){
			title(proto.StateIdle),
			func(s *Store, p string) { s.Hook(permission(p, "s1", "Bash", "k"), Origin{Pane: p}, newHold()) },
			func(s *Store, p string) { s.TurnedTo(p, "input") },
			title(proto.StateWorking),
		}, proto.StateWorking},
		{"interrupted", []func(*Store, string){at(proto.MomentPrompt), at(proto.MomentInterrupt)}, proto.StateIdle},
		{"its dialog, told by the title", []func(*Store, string){at(proto.MomentPrompt), title(proto.StateWorking), title(proto.StateBlocked)}, proto.StateBlocked},
		{"its dialog answered, told by the title", []func(*Store, string){title(proto.StateBlocked), title(proto.StateWorking)}, proto.StateWorking},
		{"its dialog dismissed, told by the title", []func(*Store, string){title(proto.StateBlocked), title(proto.StateIdle)}, proto.StateIdle},
		{"asks before it starts", []func(*Store, string){func(s *Store, p string) { s.StartWaits(p) }}, proto.StateBlocked},
		{"asked before it started", []func(*Store, string){func(s *Store, p string) { s.StartWaits(p) }, func(s *Store, p string) { s.Started(p) }}, proto.StateIdle},
		{"started", []func(*Store, string){func(s *Store, p string) { s.Started(p) }, func(s *Store, p string) { s.StartWaits(p) }}, proto.StateIdle},
		{"started in a dialog", []func(*Store, string){title(proto.StateBlocked), func(s *Store, p string) { s.Started(p) }}, proto.StateBlocked},
		{"typed at a dialog", []func(*Store, string){
			at(proto.MomentPrompt),
			func(s *Store, p string) { s.Hook(permission(p, "s1", "Bash", "k"), Origin{Pane: p}, newHold()) },
			func(s *Store, p string) { s.TurnedTo(p, "input") },
		}, proto.StateBlocked},
		{"interrupted by a key that the agent does not tell of", []func(*Store, string){
			at(proto.MomentPrompt),
			func(s *Store, p string) { s.Hook(permission(p, "s1", "Bash", "k"), Origin{Pane: p}, newHold()) },
			func(s *Store, p string) { s.Interrupted(p) },
		}, proto.StateIdle},
		{"dismissed its dialog", []func(*Store, string){
			at(proto.MomentPrompt),
			func(s *Store, p string) {
				s.Abort(s.Hook(permission(p, "s1", "Bash", "k"), Origin{Pane: p}, newHold()).ID)
			},
		}, proto.StateIdle},
		{"hook killed, dialog stands", []func(*Store, string){
			at(proto.MomentPrompt),
			func(s *Store, p string) {
				d := s.Hook(permission(p, "s1", "Bash", "k"), Origin{Pane: p}, newHold())
				s.Retire(d.ID, proto.EndHoldClosed, "EOF")
			},
		}, proto.StateBlocked},
		{"another call ends beside the dialog", []func(*Store, string){
			func(s *Store, p string) {
				s.Hook(moment(proto.MomentToolStart, "s1", use("u1", "a")), Origin{Pane: p}, nil)
			},
			func(s *Store, p string) {
				s.Hook(moment(proto.MomentToolStart, "s1", use("u2", "b")), Origin{Pane: p}, nil)
			},
			func(s *Store, p string) { s.Hook(permission(p, "s1", "Bash", "a"), Origin{Pane: p}, newHold()) },
			func(s *Store, p string) { s.TurnedTo(p, "input") },
			func(s *Store, p string) {
				s.Hook(moment(proto.MomentToolEnd, "s1", use("u2", "b")), Origin{Pane: p}, nil)
			},
		}, proto.StateBlocked},
		{"the call of the dialog ends", []func(*Store, string){
			func(s *Store, p string) {
				s.Hook(moment(proto.MomentToolStart, "s1", use("u1", "a")), Origin{Pane: p}, nil)
			},
			func(s *Store, p string) { s.Hook(permission(p, "s1", "Bash", "a"), Origin{Pane: p}, newHold()) },
			func(s *Store, p string) { s.TurnedTo(p, "input") },
			func(s *Store, p string) {
				s.Hook(moment(proto.MomentToolEnd, "s1", use("u1", "a")), Origin{Pane: p}, nil)
			},
		}, proto.StateWorking},
		{"exited", []func(*Store, string){func(s *Store, p string) { s.PaneExited(p, proto.Exit{Code: 1}) }, at(proto.MomentPrompt)}, proto.StateExited},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, Options{})
				pane := addPane(t, s, "claude")
				for _, step := range tt.steps {
					step(s, pane)
				}
				if p, _ := s.Pane(pane); p.State != tt.want {
					t.Fatalf("the pane is %s (%s), want %s", p.State, p.Reason, tt.want)
				}
			})
		})
	}
}

// A subagent has a dialog beside the bar when it is known to run in the
// foreground; as long as it may be one that runs beside the turn, it has none
// before its ask is handed back.
func TestSubagentsInTheForeground(t *testing.T) {
	start := func(id string) proto.HookEvent {
		return moment(proto.MomentSubagentStart, "s1", func(e *proto.HookEvent) { e.SubagentID = id })
	}
	launches := func(use string, background bool) proto.HookEvent {
		return moment(proto.MomentToolStart, "s1", func(e *proto.HookEvent) { e.ToolUse, e.Background = use, background })
	}
	launched := func(use, id string) proto.HookEvent {
		return moment(proto.MomentToolEnd, "s1", func(e *proto.HookEvent) { e.ToolUse, e.Launched = use, id })
	}
	tests := []struct {
		name   string
		events []proto.HookEvent
		want   proto.Dialog
	}{
		{"nothing is known", nil, proto.DialogAfter},
		{"foreground", []proto.HookEvent{launches("u1", false), start("g1")}, proto.DialogBeside},
		{"background", []proto.HookEvent{launches("u1", true), launched("u1", "g1"), start("g1")}, proto.DialogAfter},
		{"background, told late", []proto.HookEvent{launches("u1", true), start("g1")}, proto.DialogAfter},
		{"background, out of order", []proto.HookEvent{launches("u1", true), start("g1"), launched("u1", "g1")}, proto.DialogAfter},
		{"one of each", []proto.HookEvent{launches("u1", true), launched("u1", "g2"), start("g2"), launches("u2", false), start("g1")}, proto.DialogBeside},
		{"another may be it", []proto.HookEvent{launches("u1", true), launches("u2", false), start("g1")}, proto.DialogAfter},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, Options{})
			pane := addPane(t, s, "claude")
			for _, ev := range tt.events {
				s.Hook(ev, Origin{Pane: pane}, nil)
			}
			ev := permission(pane, "s1", "Bash", "k")
			ev.SubagentID, ev.Ask.Dialog, ev.Ask.Foreground = "g1", proto.DialogAfter, proto.DialogBeside
			if d, _ := raise(t, s, ev); d.Dialog != tt.want {
				t.Errorf("its dialog is %s, want %s", d.Dialog, tt.want)
			}
		})
	}
}

func TestBinding(t *testing.T) {
	start := func(session, env string) proto.HookEvent {
		return moment(proto.MomentSessionStart, session, func(e *proto.HookEvent) { e.Pane = env })
	}
	ask := func(session, env string) proto.HookEvent { return permission(env, session, "Bash", "k") }
	type step struct {
		ev     proto.HookEvent
		origin string
	}
	tests := []struct {
		name  string
		steps func(a, b string) []step
		want  func(a, b string) string
	}{
		{"bound at its start", func(a, b string) []step { return []step{{start("s", a), a}, {ask("s", a), a}} }, first},
		{"bound beats the environment", func(a, b string) []step { return []step{{start("s", b), b}, {ask("s", a), ""}} }, second},
		{"another pane speaks for it", func(a, b string) []step { return []step{{start("s", b), b}, {ask("s", a), a}} }, none},
		{"another pane takes it", func(a, b string) []step { return []step{{start("s", b), b}, {start("s", a), a}, {ask("s", b), b}} }, second},
		{"no pane in the environment", func(a, b string) []step { return []step{{ask("s", ""), a}} }, first},
		{"environment only", func(a, b string) []step { return []step{{ask("s", a), ""}} }, first},
		{"environment of a pane that is another session's", func(a, b string) []step { return []step{{start("t", a), a}, {ask("s", a), ""}} }, none},
		{"conflict", func(a, b string) []step { return []step{{ask("s", a), b}} }, none},
		{"nothing known", func(a, b string) []step { return []step{{ask("s", ""), ""}} }, none},
		{"environment of a pane that is not there", func(a, b string) []step { return []step{{ask("s", "p0-0"), ""}} }, none},
		{"new session in the same pane", func(a, b string) []step { return []step{{start("t", a), a}, {start("s", a), a}, {ask("s", a), a}} }, first},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, Options{})
			a, b := addPane(t, s, "claude"), addPane(t, s, "claude")
			var d *proto.Decision
			for _, st := range tt.steps(a, b) {
				d = s.Hook(st.ev, Origin{Pane: st.origin}, newHold())
			}
			if d == nil || d.Pane != tt.want(a, b) {
				t.Fatalf("the decision is %+v, want pane %q", d, tt.want(a, b))
			}
		})
	}
}

func first(a, _ string) string  { return a }
func second(_, b string) string { return b }
func none(_, _ string) string   { return "" }
