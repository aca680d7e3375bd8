package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"signaltty/proto"
)

// A server that died leaves its decisions open in the audit. The next one
// ends them, once, and offers none of them.
func TestRestartRevivesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := Open(path, Options{})
	must(t, err)
	d, _ := raise(t, s, permission(addPane(t, s, "claude"), "s1", "Bash", "k"))
	must(t, s.audit.wait(t.Context(), s.audit.pushed))
	// The end of a process: nothing is said, the lock is gone.
	close(s.layouts.stop)
	<-s.layouts.done
	must(t, s.audit.db.Close())
	must(t, s.audit.lock.Close())

	for range 2 {
		next, err := Open(path, Options{})
		must(t, err)
		if got := waits(next); len(got) != 0 {
			t.Fatalf("waiting after a restart: %v", got)
		}
		wantCode(t, answer(next, t, d, proto.OptionOnce), proto.CodeNoSuchDecision)
		fresh, _ := raise(t, next, permission(addPane(t, next, "claude"), "s1", "Bash", "k"))
		if fresh.ID == d.ID {
			t.Fatalf("id %s was given twice", d.ID)
		}
		must(t, next.Close())
	}
	if got := rows(t, path, `SELECT "end" FROM audit WHERE kind = 'end' AND decision = ?`, d.ID); !slices.Equal(got, []string{"server_lost"}) {
		t.Fatalf("ends of the lost decision: %v", got)
	}
}

func TestVerdictRowComesBeforeTheVerdict(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := Open(path, Options{})
	must(t, err)
	d, h := raise(t, s, permission(addPane(t, s, "claude"), "s1", "Bash", "k"))
	var onDisk []string
	h.before = func() {
		onDisk = rows(t, path, `SELECT option FROM audit WHERE kind = 'verdict' AND decision = ?`, d.ID)
	}
	must(t, answer(s, t, d, proto.OptionOnce))
	if !slices.Equal(onDisk, []string{"once"}) {
		t.Fatalf("when the verdict went out the audit had %v", onDisk)
	}
	must(t, s.Close())
	want := []string{"ask", "verdict", "end"}
	if got := rows(t, path, `SELECT kind FROM audit WHERE decision = ? ORDER BY id`, d.ID); !slices.Equal(got, want) {
		t.Fatalf("rows are %v, want %v", got, want)
	}
}

func TestOneDatabaseOneServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "a.db")
	s, err := Open(path, Options{})
	must(t, err)
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("another server (pid %d)", os.Getpid())) {
		t.Fatalf("a second store on one database: %v", err)
	}
	must(t, s.Close())
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Fatalf("the database has mode %v", info.Mode())
	}
}

func TestDamagedDatabaseIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	must(t, os.WriteFile(path, []byte(strings.Repeat("not a database ", 400)), 0o600))
	_, err := Open(path, Options{})
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Fatalf("error is %v", err)
	}
	if b, _ := os.ReadFile(path); len(b) == 0 {
		t.Fatal("the file was emptied")
	}
}

func TestBacklogIsBounded(t *testing.T) {
	a := &audit{failed: map[ticket]error{}, wake: make(chan struct{}, 1)}
	for range maxBacklog {
		a.push(Row{Kind: RowAsk})
	}
	refused := a.push(Row{Kind: RowVerdict})
	if len(a.waiting) != maxBacklog || a.failed[refused] == nil {
		t.Fatalf("%d rows wait, the last one: %v", len(a.waiting), a.failed[refused])
	}
}

func TestManyAnswersAtOnce(t *testing.T) {
	s := open(t, Options{})
	pane := addPane(t, s, "claude")
	var wg sync.WaitGroup
	for i := range 1000 {
		ev := permission(pane, fmt.Sprint("s", i), "Bash", "k")
		d, h := raise(t, s, ev)
		wg.Go(func() {
			if err := answer(s, t, d, proto.OptionOnce); err != nil {
				t.Errorf("%s: %v", d.ID, err)
			}
			h.verdict(t)
		})
	}
	wg.Wait()
	if n := len(waits(s)); n != 0 {
		t.Fatalf("%d still wait", n)
	}
}

// An answer from the call to the released verdict: what the row on disk costs.
func BenchmarkAnswer(b *testing.B) {
	s, err := Open(filepath.Join(b.TempDir(), "a.db"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		d := s.Hook(permission("", "s1", "Bash", "k"), Origin{}, newHold())
		if _, err := s.Answer(b.Context(), By{Client: "c"}, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce}); err != nil {
			b.Fatal(err)
		}
	}
}

// Once the disk takes rows again, those that waited are written and the
// clients hear that all is well, without anything new having to happen.
func TestAuditRecovers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := Open(path, Options{})
	must(t, err)
	exec := func(sql string) {
		t.Helper()
		_, err := s.audit.db.Exec(sql)
		must(t, err)
	}
	exec(`CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
	_, feed := s.Subscribe()
	d, h := raise(t, s, permission(addPane(t, s, "claude"), "s1", "Bash", "k"))
	wantCode(t, answer(s, t, d, proto.OptionOnce), proto.CodeUnavailable)
	if got := h.verdict(t); got.Behavior != proto.NoVerdict {
		t.Fatalf("the hook got %+v", got)
	}
	exec(`DROP TRIGGER full`)
	for e := range feed.C {
		if tr, ok := e.Data.(proto.Trouble); ok && tr.Message == "" {
			break
		}
	}
	must(t, s.Close())
	if got := rows(t, path, `SELECT kind FROM audit WHERE decision = ? ORDER BY id`, d.ID); !slices.Equal(got, []string{"ask", "end"}) {
		t.Fatalf("rows are %v: the verdict was not released, so it has none", got)
	}
}
