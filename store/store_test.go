package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"signaltty/proto"
)

// fakeHold records the verdict that a hook would get.
type fakeHold struct {
	mu       sync.Mutex
	verdicts []proto.Verdict
	gone     bool          // the hook is not there any more
	before   func()        // runs before the verdict is taken
	released chan struct{} // closed at the first verdict
}

func newHold() *fakeHold { return &fakeHold{released: make(chan struct{})} }

func (h *fakeHold) Release(v proto.Verdict) error {
	if h.before != nil {
		h.before()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return errors.New("the hook is gone")
	}
	if h.verdicts = append(h.verdicts, v); len(h.verdicts) == 1 {
		close(h.released)
	}
	return nil
}

// verdict is the one verdict that the hook got; it fails on none or more.
func (h *fakeHold) verdict(t *testing.T) proto.Verdict {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.verdicts) != 1 {
		t.Fatalf("the hook got %d verdicts, want 1: %+v", len(h.verdicts), h.verdicts)
	}
	return h.verdicts[0]
}

func open(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "signaltty.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return s
}

func addPane(t *testing.T, s *Store, agent string) string {
	t.Helper()
	id := s.PaneID()
	if _, err := s.AddPane(id, 100, NewPane{Agent: agent, Dir: "/repo", Cwd: "/repo", Argv: []string{agent}, Size: proto.Size{Cols: 80, Lines: 24}}); err != nil {
		t.Fatal(err)
	}
	return id
}

// permission is an ask of the main agent whose dialog stands beside the bar.
func permission(pane, session, tool, key string) proto.HookEvent {
	return proto.HookEvent{
		Agent: "claude", Event: "PermissionRequest", Moment: proto.MomentAsk, Session: session, Pane: pane, Tool: tool, InputKey: key, Wait: true,
		Ask: &proto.Ask{
			Kind: proto.KindPermission, Tool: tool, Summary: "rm -rf build", Answerable: true, Dialog: proto.DialogBeside,
			Options: []proto.Option{{ID: proto.OptionOnce, Label: "Once"}, {ID: proto.OptionDeny, Label: "Deny", Message: true}, {ID: proto.OptionHandBack, Label: "Hand back"}},
		},
	}
}

func moment(m proto.Moment, session string, change func(*proto.HookEvent)) proto.HookEvent {
	ev := proto.HookEvent{Agent: "claude", Event: string(m), Moment: m, Session: session, Tool: "Bash"}
	if change != nil {
		change(&ev)
	}
	return ev
}

func use(id, key string) func(*proto.HookEvent) {
	return func(ev *proto.HookEvent) { ev.ToolUse, ev.InputKey = id, key }
}

// raise delivers an ask and gives its decision and hold.
func raise(t *testing.T, s *Store, ev proto.HookEvent) (proto.Decision, *fakeHold) {
	t.Helper()
	h := newHold()
	d := s.Hook(ev, Origin{Pane: ev.Pane}, h)
	if d == nil {
		t.Fatal("no decision was raised")
	}
	return *d, h
}

func answer(s *Store, t *testing.T, d proto.Decision, option string) error {
	_, err := s.Answer(t.Context(), By{Client: "c1", Kind: "attach"}, proto.DecisionAnswer{Decision: d.ID, Option: option})
	return err
}

func wantCode(t *testing.T, err error, code proto.Code) {
	t.Helper()
	var e *proto.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error is %v, want code %s", err, code)
	}
}

// endings are the ends in the feed so far. Events are there when the
// transition that told them has returned.
func endings(f *Feed) []proto.DecisionEnded {
	var out []proto.DecisionEnded
	for {
		select {
		case e := <-f.C:
			if d, ok := e.Data.(proto.DecisionEnded); ok {
				out = append(out, d)
			}
		default:
			return out
		}
	}
}

func waits(s *Store) []string {
	var ids []string
	for _, d := range s.Decisions().Decisions {
		ids = append(ids, d.ID)
	}
	return ids
}

// rows reads the audit of a closed store.
func rows(t *testing.T, path, query string, args ...any) []string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r, err := db.Query(query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out []string
	for r.Next() {
		var v string
		if err := r.Scan(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSnapshotAndEventsLeadOnFromEachOther(t *testing.T) {
	s := open(t, Options{})
	before := addPane(t, s, "claude")
	snap, feed := s.Subscribe()
	if len(snap.Panes) != 1 || snap.Panes[0].ID != before {
		t.Fatalf("snapshot has panes %+v", snap.Panes)
	}
	addPane(t, s, "claude")
	seq := snap.Seq
	for range 2 {
		e := <-feed.C
		if e.Seq != seq+1 {
			t.Fatalf("event %s has seq %d after %d", e.Name, e.Seq, seq)
		}
		seq = e.Seq
	}
	if got := s.Snapshot().Seq; got != seq {
		t.Fatalf("the state is at %d, the last event at %d", got, seq)
	}
}

func TestFeedThatIsNotReadIsDropped(t *testing.T) {
	s := open(t, Options{})
	_, idle := s.Subscribe()
	_, reading := s.Subscribe()
	id := addPane(t, s, "")
	for i := range feedSize {
		s.Rename(id, string(rune('a'+i%26)))
		for len(reading.C) > 0 {
			<-reading.C
		}
	}
	n := 0
	for range idle.C { // ends only because the feed was closed
		n++
	}
	if n > feedSize {
		t.Fatalf("an idle feed kept %d events", n)
	}
	select {
	case <-idle.Behind:
	default:
		t.Error("the idle feed was not told that it fell behind")
	}
	s.Rename(id, "still here")
	if e := <-reading.C; e.Name != proto.EventPaneUpdated {
		t.Fatalf("the reading feed got %s", e.Name)
	}
}

// However much waits, the whole state fits a line, and whatever is told in
// brief can be had whole.
func TestSnapshotFitsALine(t *testing.T) {
	s := open(t, Options{})
	pane := addPane(t, s, "claude")
	nasty := strings.Repeat("\x01", proto.MaxInput) // six bytes each on the wire
	var last string
	for n := 0; ; n++ {
		ev := permission(pane, fmt.Sprint("s", n), "Bash", "k")
		ev.Ask.Summary = nasty[:1<<10]
		if n < 100 {
			ev.Ask.Detail = []proto.Detail{{Form: "command", Text: nasty}}
		}
		d := s.Hook(ev, Origin{Pane: pane}, newHold())
		if d == nil {
			break
		}
		last = d.ID
	}
	if n := len(waits(s)); n != maxWaiting {
		t.Fatalf("%d decisions wait, want %d", n, maxWaiting)
	}
	if p, _ := s.Pane(pane); p.State != proto.StateBlocked {
		t.Fatalf("with asks turned away the pane is %s", p.State)
	}
	line, err := json.Marshal(s.Snapshot())
	must(t, err)
	if len(line) > proto.MaxLine-1<<10 {
		t.Fatalf("the snapshot has %d bytes, a line at most %d", len(line), proto.MaxLine)
	}
	list := s.Decisions().Decisions
	if list[0].Brief || !list[len(list)-1].Brief || list[len(list)-1].ID != last {
		t.Fatal("not the first ones are whole and the last ones brief")
	}
	whole, err := s.Decision(last)
	must(t, err)
	if whole.Brief || whole.Prompt != nasty[:1<<10] {
		t.Fatalf("the whole of %s is %d bytes of prompt, brief %v", last, len(whole.Prompt), whole.Brief)
	}
}

// A long argument with more after it is cut, and the rest left out.
func TestLongCommandLine(t *testing.T) {
	for n := maxArgv - 2; n <= maxArgv+2; n++ {
		got := shownArgv([]string{strings.Repeat("x", n), "more", "and more"})
		if len(got) == 0 || len(strings.Join(got, " ")) > maxArgv {
			t.Errorf("an argument of %d bytes is shown as %d arguments", n, len(got))
		}
	}
}
