package store

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"signaltty/proto"
)

// Each way in which a decision ends: the end's name, what the hook gets, and
// that there is one event and one audit row of it.
func TestEndings(t *testing.T) {
	tests := []struct {
		name string
		end  proto.End
		does func(t *testing.T, s *Store, d proto.Decision)
		want proto.Behavior
	}{
		{"once", proto.EndAnswered, func(t *testing.T, s *Store, d proto.Decision) { must(t, answer(s, t, d, proto.OptionOnce)) }, proto.Allow},
		{"deny", proto.EndAnswered, func(t *testing.T, s *Store, d proto.Decision) { must(t, answer(s, t, d, proto.OptionDeny)) }, proto.Deny},
		{"hand back", proto.EndHandedBack, func(t *testing.T, s *Store, d proto.Decision) { must(t, answer(s, t, d, proto.OptionHandBack)) }, proto.NoVerdict},
		{"tool ended", proto.EndMovedOn, hooks(moment(proto.MomentToolEnd, "s1", use("u1", "k1"))), proto.NoVerdict},
		{"tool failed", proto.EndMovedOn, hooks(moment(proto.MomentToolEnd, "s1", use("u1", "k1"))), proto.NoVerdict},
		{"batch ended", proto.EndMovedOn, hooks(moment(proto.MomentToolsEnd, "s1", func(e *proto.HookEvent) { e.ToolUses = []string{"u0", "u1"} })), proto.NoVerdict},
		{"turn ended", proto.EndMovedOn, hooks(moment(proto.MomentTurnEnd, "s1", nil)), proto.NoVerdict},
		{"turn failed", proto.EndMovedOn, hooks(moment(proto.MomentTurnFail, "s1", nil)), proto.NoVerdict},
		{"prompt", proto.EndMovedOn, hooks(moment(proto.MomentPrompt, "s1", nil)), proto.NoVerdict},
		{"session ended", proto.EndMovedOn, hooks(moment(proto.MomentSessionEnd, "s1", nil)), proto.NoVerdict},
		{"typed into the pane", proto.EndTurnedTo, func(_ *testing.T, s *Store, d proto.Decision) { s.TurnedTo(d.Pane, "input") }, proto.NoVerdict},
		{"hold closed", proto.EndHoldClosed, func(_ *testing.T, s *Store, d proto.Decision) { s.Retire(d.ID, proto.EndHoldClosed, "EOF") }, proto.NoVerdict},
		{"dismissed in the dialog", proto.EndHoldClosed, func(_ *testing.T, s *Store, d proto.Decision) { s.Abort(d.ID) }, proto.NoVerdict},
		{"agent died", proto.EndAgentDied, func(_ *testing.T, s *Store, d proto.Decision) { s.Retire(d.ID, proto.EndAgentDied, "pid") }, proto.NoVerdict},
		{"deadline", proto.EndDeadline, func(_ *testing.T, s *Store, d proto.Decision) { s.Deadline(d.ID) }, proto.NoVerdict},
		{"pane exited", proto.EndPaneExited, func(_ *testing.T, s *Store, d proto.Decision) { s.PaneExited(d.Pane, proto.Exit{}) }, proto.NoVerdict},
		{"pane closed", proto.EndPaneClosed, func(_ *testing.T, s *Store, d proto.Decision) { s.RemovePane(d.Pane) }, proto.NoVerdict},
		{"server stop", proto.EndServerStop, func(_ *testing.T, s *Store, d proto.Decision) { s.Stop() }, proto.NoVerdict},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			s, err := Open(path, Options{})
			must(t, err)
			pane := addPane(t, s, "claude")
			s.Hook(moment(proto.MomentSessionStart, "s1", func(e *proto.HookEvent) { e.Pane = pane }), Origin{Pane: pane}, nil)
			s.Hook(moment(proto.MomentToolStart, "s1", use("u1", "k1")), Origin{Pane: pane}, nil)
			d, h := raise(t, s, permission(pane, "s1", "Bash", "k1"))
			if p, _ := s.Pane(pane); p.State != proto.StateBlocked || p.Pending != 1 || p.Attention != proto.AttentionDecision {
				t.Fatalf("while it waits the pane is %+v", p)
			}
			_, feed := s.Subscribe()
			tt.does(t, s, d)
			if got := h.verdict(t); got.Behavior != tt.want || got.Decision != d.ID || got.End != tt.end {
				t.Errorf("the hook got %+v, want %s for %s, %s", got, tt.want, d.ID, tt.end)
			}
			got := endings(feed)
			if len(got) != 1 || got[0].End != tt.end || got[0].Decision != d.ID || got[0].Pane != pane {
				t.Errorf("events of its end: %+v, want one %s", got, tt.end)
			}
			if left := waits(s); len(left) != 0 {
				t.Errorf("still waiting: %v", left)
			}
			// No later reason can end it again, and no answer reaches it.
			s.Retire(d.ID, proto.EndHoldClosed, "late")
			wantCode(t, answer2(s, t, d), proto.CodeNoSuchDecision)
			must(t, s.Close())
			if got := rows(t, path, `SELECT "end" FROM audit WHERE kind = 'end' AND decision = ?`, d.ID); !slices.Equal(got, []string{string(tt.end)}) {
				t.Errorf("audit rows of its end: %v, want one %s", got, tt.end)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func hooks(events ...proto.HookEvent) func(*testing.T, *Store, proto.Decision) {
	return func(_ *testing.T, s *Store, d proto.Decision) {
		for _, ev := range events {
			s.Hook(ev, Origin{Pane: d.Pane}, nil)
		}
	}
}

// answer2 answers as another client.
func answer2(s *Store, t *testing.T, d proto.Decision) error {
	_, err := s.Answer(t.Context(), By{Client: "c2"}, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce})
	return err
}

func TestDeadlineComesByItself(t *testing.T) {
	for dialog, wait := range map[proto.Dialog]time.Duration{proto.DialogBeside: DefaultWaitBeside, proto.DialogAfter: DefaultWaitOnly, proto.DialogNone: DefaultWaitOnly} {
		t.Run(string(dialog), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, Options{})
				ev := permission(addPane(t, s, "claude"), "s1", "Bash", "k")
				ev.Ask.Dialog = dialog
				d, h := raise(t, s, ev)
				if got := d.Deadline.Sub(d.ReceivedAt); got != wait {
					t.Fatalf("the deadline is after %v, want %v", got, wait)
				}
				time.Sleep(wait - time.Second) // the bubble's clock
				synctest.Wait()
				if len(waits(s)) != 1 {
					t.Fatal("it ended before its deadline")
				}
				time.Sleep(time.Second)
				<-h.released
				if got := h.verdict(t); got.End != proto.EndDeadline || got.Behavior != proto.NoVerdict {
					t.Fatalf("the hook got %+v", got)
				}
			})
		})
	}
}

func TestTwoClientsRaceOneWins(t *testing.T) {
	s := open(t, Options{})
	for range 50 {
		d, h := raise(t, s, permission(addPane(t, s, "claude"), "s1", "Bash", "k"))
		var wg sync.WaitGroup
		errs := make([]error, 2)
		for i, option := range []string{proto.OptionOnce, proto.OptionDeny} {
			wg.Go(func() {
				_, errs[i] = s.Answer(t.Context(), By{Client: option}, proto.DecisionAnswer{Decision: d.ID, Option: option})
			})
		}
		wg.Wait()
		winner := slices.Index(errs, nil)
		if winner < 0 || errs[1-winner] == nil {
			t.Fatalf("errors are %v, want exactly one nil", errs)
		}
		wantCode(t, errs[1-winner], proto.CodeNoSuchDecision)
		want := []proto.Behavior{proto.Allow, proto.Deny}[winner]
		if got := h.verdict(t).Behavior; got != want {
			t.Fatalf("the hook got %s, the winner said %s", got, want)
		}
	}
}

func TestAnswersThatDoNotCount(t *testing.T) {
	s := open(t, Options{})
	mine, other := addPane(t, s, "claude"), addPane(t, s, "claude")
	d, h := raise(t, s, permission(mine, "s1", "Bash", "k"))
	readOnly := permission(mine, "s2", "AskUserQuestion", "q")
	readOnly.Ask.Answerable, readOnly.Ask.Where, readOnly.Ask.Options = false, "answer in the pane", nil
	q, _ := raise(t, s, readOnly)
	tests := []struct {
		name string
		req  proto.DecisionAnswer
		code proto.Code
	}{
		{"unknown id", proto.DecisionAnswer{Decision: "d9-9", Option: "once"}, proto.CodeNoSuchDecision},
		{"empty id", proto.DecisionAnswer{Option: "once"}, proto.CodeNoSuchDecision},
		{"foreign pane", proto.DecisionAnswer{Pane: other, Decision: d.ID, Option: "once"}, proto.CodeNoSuchDecision},
		{"unknown option", proto.DecisionAnswer{Decision: d.ID, Option: "ONCE\x00"}, proto.CodeNoSuchOption},
		{"option it does not have", proto.DecisionAnswer{Decision: d.ID, Option: "always"}, proto.CodeNoSuchOption},
		{"empty option", proto.DecisionAnswer{Decision: d.ID}, proto.CodeNoSuchOption},
		{"message where none goes", proto.DecisionAnswer{Decision: d.ID, Option: "once", Message: "hi"}, proto.CodeNoSuchOption},
		{"read-only", proto.DecisionAnswer{Decision: q.ID, Option: "once"}, proto.CodeNotAnswerable},
	}
	for _, tt := range tests {
		_, err := s.Answer(t.Context(), By{Client: "c1"}, tt.req)
		wantCode(t, err, tt.code)
	}
	if got := waits(s); !slices.Equal(got, []string{d.ID, q.ID}) || len(h.verdicts) != 0 {
		t.Fatalf("waiting are %v, the hook got %v", got, h.verdicts)
	}
	must(t, answer(s, t, d, proto.OptionOnce))
}

func TestRepeatedAnswerIsRecognised(t *testing.T) {
	s := open(t, Options{})
	d, h := raise(t, s, permission(addPane(t, s, "claude"), "s1", "Bash", "k"))
	req := proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce}
	must(t, answer(s, t, d, proto.OptionOnce))
	again, err := s.Answer(t.Context(), By{Client: "c1"}, req)
	if err != nil || !again.Repeat {
		t.Fatalf("the same answer again gave %+v, %v", again, err)
	}
	req.Option = proto.OptionDeny
	_, err = s.Answer(t.Context(), By{Client: "c1"}, req)
	wantCode(t, err, proto.CodeNoSuchDecision)
	wantCode(t, answer2(s, t, d), proto.CodeNoSuchDecision)
	h.verdict(t) // exactly one
}

func TestAsksOfOneSessionQueue(t *testing.T) {
	s := open(t, Options{})
	pane := addPane(t, s, "claude")
	var ids []string
	var holds []*fakeHold
	for _, key := range []string{"a", "b", "c", "d"} {
		d, h := raise(t, s, permission(pane, "s1", "Read", key))
		ids, holds = append(ids, d.ID), append(holds, h)
	}
	if got := waits(s); !slices.Equal(got, ids) {
		t.Fatalf("waiting are %v, want %v in order", got, ids)
	}
	if p, _ := s.Pane(pane); p.Pending != 4 {
		t.Fatalf("the pane counts %d", p.Pending)
	}
	for i := len(ids) - 1; i >= 0; i-- {
		if p, _ := s.Pane(pane); p.State != proto.StateBlocked {
			t.Fatalf("with %d waiting the pane is %s", i+1, p.State)
		}
		must(t, answer(s, t, proto.Decision{ID: ids[i]}, proto.OptionOnce))
	}
	for _, h := range holds {
		h.verdict(t)
	}
	if p, _ := s.Pane(pane); p.State != proto.StateWorking || p.Pending != 0 {
		t.Fatalf("afterwards the pane is %s with %d", p.State, p.Pending)
	}
}

func TestInputRetiresOnlyWhatIsOnTheScreen(t *testing.T) {
	s := open(t, Options{})
	pane := addPane(t, s, "claude")
	beside, _ := raise(t, s, permission(pane, "s1", "Bash", "a"))
	background := permission(pane, "s1", "Bash", "b")
	background.SubagentID, background.Ask.Dialog = "g1", proto.DialogAfter
	after, _ := raise(t, s, background)
	elsewhere, _ := raise(t, s, permission(addPane(t, s, "claude"), "s2", "Bash", "c"))
	s.TurnedTo(pane, "input")
	if got := waits(s); !slices.Equal(got, []string{after.ID, elsewhere.ID}) {
		t.Fatalf("waiting are %v; %s was on the screen", got, beside.ID)
	}
}

// An allow without its audit row does not exist.
func TestNoRowNoVerdict(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "a.db"), Options{})
	must(t, err)
	d, h := raise(t, s, permission(addPane(t, s, "claude"), "s1", "Bash", "k"))
	s.audit.db.Close() // the disk is gone
	wantCode(t, answer(s, t, d, proto.OptionOnce), proto.CodeUnavailable)
	if got := h.verdict(t); got.Behavior != proto.NoVerdict || got.End != proto.EndUnavailable {
		t.Fatalf("the hook got %+v", got)
	}
	if got := s.Snapshot().Trouble; !strings.Contains(got, "audit") {
		t.Fatalf("clients are told %q", got)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "rows") {
		t.Fatalf("closing said %v, want that rows were lost", err)
	}
}

func TestVerdictThatCannotBeSent(t *testing.T) {
	s := open(t, Options{})
	_, feed := s.Subscribe()
	d, h := raise(t, s, permission(addPane(t, s, "claude"), "s1", "Bash", "k"))
	h.gone = true
	wantCode(t, answer(s, t, d, proto.OptionOnce), proto.CodeUnavailable)
	if got := endings(feed); len(got) != 1 || got[0].End != proto.EndUnavailable {
		t.Fatalf("it ended as %+v", got)
	}
}

// The agent went on while the answer's row was being written: no verdict, and
// the client hears that it was too late.
func TestAnswerThatComesTooLate(t *testing.T) {
	s := open(t, Options{})
	pane := addPane(t, s, "claude")
	_, feed := s.Subscribe()
	d, h := raise(t, s, permission(pane, "s1", "Bash", "k"))
	h.gone = true
	h.before = func() { s.Retire(d.ID, proto.EndHoldClosed, "EOF") }
	wantCode(t, answer(s, t, d, proto.OptionOnce), proto.CodeUnavailable)
	if got := endings(feed); len(got) != 1 || got[0].End != proto.EndHoldClosed {
		t.Fatalf("it ended as %+v", got)
	}
}

func TestA23AnswerIsConfirmedByTheAgent(t *testing.T) {
	s := open(t, Options{})
	pane := addPane(t, s, "claude")
	s.Hook(moment(proto.MomentToolStart, "s1", use("u1", "k")), Origin{Pane: pane}, nil)
	d, _ := raise(t, s, permission(pane, "s1", "Bash", "k"))
	must(t, answer(s, t, d, proto.OptionOnce))
	_, feed := s.Subscribe()
	s.Hook(moment(proto.MomentToolEnd, "s1", use("other", "x")), Origin{Pane: pane}, nil)
	s.Hook(moment(proto.MomentToolEnd, "s1", use("u1", "k")), Origin{Pane: pane}, nil)
	s.Hook(moment(proto.MomentTurnEnd, "s1", nil), Origin{Pane: pane}, nil)
	var confirmed []string
	for len(feed.C) > 0 {
		if c, ok := (<-feed.C).Data.(proto.DecisionConfirmed); ok {
			confirmed = append(confirmed, c.Decision+" "+c.Cause)
		}
	}
	if want := []string{d.ID + " hook tool_end"}; !slices.Equal(confirmed, want) {
		t.Fatalf("confirmations are %v, want %v", confirmed, want)
	}
}

// Of two equal calls the end of one does not tell which answer arrived.
func TestEqualCallsConfirmNothingOnAGuess(t *testing.T) {
	s := open(t, Options{})
	pane := addPane(t, s, "claude")
	for _, id := range []string{"u1", "u2"} {
		s.Hook(moment(proto.MomentToolStart, "s1", use(id, "same")), Origin{Pane: pane}, nil)
	}
	d, _ := raise(t, s, permission(pane, "s1", "Bash", "same"))
	must(t, answer(s, t, d, proto.OptionOnce))
	_, feed := s.Subscribe()
	confirmed := func() (n int) {
		for len(feed.C) > 0 {
			if e := <-feed.C; e.Name == proto.EventDecisionConfirmed {
				n++
			}
		}
		return n
	}
	s.Hook(moment(proto.MomentToolEnd, "s1", use("u2", "same")), Origin{Pane: pane}, nil)
	if n := confirmed(); n != 0 {
		t.Fatalf("%d confirmations after one of two equal calls", n)
	}
	s.Hook(moment(proto.MomentToolEnd, "s1", use("u1", "same")), Origin{Pane: pane}, nil)
	if n := confirmed(); n != 1 {
		t.Fatalf("%d confirmations after both", n)
	}
}

// A client that lost its connection learns by the key of its answer whether
// that counted; nobody else's answer passes for it.
func TestRepeatedAnswerOnAnotherConnection(t *testing.T) {
	s := open(t, Options{})
	d, h := raise(t, s, permission(addPane(t, s, "claude"), "s1", "Bash", "k"))
	req := proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce, Key: "k1"}
	_, err := s.Answer(t.Context(), By{Client: "c1"}, req)
	must(t, err)
	again, err := s.Answer(t.Context(), By{Client: "c2"}, req)
	if err != nil || !again.Repeat {
		t.Fatalf("the same answer on another connection gave %+v, %v", again, err)
	}
	for _, other := range []proto.DecisionAnswer{
		{Decision: d.ID, Option: proto.OptionOnce},
		{Decision: d.ID, Option: proto.OptionOnce, Key: "k2"},
		{Decision: d.ID, Option: proto.OptionDeny, Key: "k1"},
	} {
		_, err := s.Answer(t.Context(), By{Client: "c2"}, other)
		wantCode(t, err, proto.CodeNoSuchDecision)
	}
	_, err = s.Answer(t.Context(), By{Client: "c2"}, proto.DecisionAnswer{Decision: d.ID, Key: strings.Repeat("k", maxKey+1)})
	wantCode(t, err, proto.CodeTooLarge)
	h.verdict(t) // exactly one
}
