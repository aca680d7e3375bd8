package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/budget"
	"signaltty/proto"
)

// reopen opens the store of a database again, after the last one was closed.
func reopen(t *testing.T, path string) (*Store, []Kept) {
	t.Helper()
	s, err := Open(path, Options{})
	must(t, err)
	return s, s.Restore(func(agent string) bool { return agent == "claude" })
}

func names(panes []Kept) string {
	var list []string
	for _, k := range panes {
		list = append(list, k.Name)
	}
	return strings.Join(list, " ")
}

func TestLayoutComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s, old := reopen(t, path)
	if len(old) > 0 {
		t.Fatalf("a new database has panes: %+v", old)
	}
	add := func(name string, n NewPane) string {
		t.Helper()
		n.Name, n.Dir = name, "/x/repo"
		id := s.PaneID()
		_, err := s.AddPane(id, 1, n)
		must(t, err)
		return id
	}
	a := add("a", NewPane{Cwd: "/x/repo/a", Given: []string{"htop", "-d"}, Argv: []string{"htop", "-d"}})
	b := add("b", NewPane{Cwd: "/x/repo", Agent: "claude", Command: "/bin/box", Given: []string{"--model", "haiku"}, Resumable: true, Beside: a, Split: "rows"})
	add("c", NewPane{Cwd: "/x/repo"})
	s.SetCwd(a, "/x/repo/later")
	s.SetCwd(b, "/elsewhere")
	hook := func(m proto.Moment, event string) {
		s.Hook(proto.HookEvent{Agent: "claude", Event: event, Moment: m, Session: "s-b", Pane: b}, Origin{Pane: b}, nil)
	}
	hook(proto.MomentSessionStart, "SessionStart")
	hook(proto.MomentPrompt, "UserPromptSubmit")
	s.Rename(a, "first")
	must(t, s.Arrange("t1-1", &proto.Split{Dir: "columns", Share: 30, A: &proto.Split{Pane: b}, B: &proto.Split{Pane: a}}))
	must(t, s.Close())

	s, panes := reopen(t, path)
	if got := names(panes); got != "first b c" {
		t.Fatalf("back are %s", got)
	}
	want := `[{"id":"w2-1","dir":"/x/repo","name":"repo","tabs":[` +
		`{"id":"t2-1","tree":{"dir":"columns","share":30,"a":{"pane_id":"p2-2"},"b":{"pane_id":"p2-1"}}},{"id":"t2-2","tree":{"pane_id":"p2-3"}}]}]`
	if got := tree(t, s); got != want {
		t.Errorf("workspaces are\n%s, want\n%s", got, want)
	}
	if k := panes[0]; k.ID != "p2-1" || k.Cwd != "/x/repo/later" || strings.Join(k.Argv, " ") != "htop -d" {
		t.Errorf("the program is %+v", k)
	}
	if k := panes[1]; k.Cwd != "/x/repo" || k.Command != "/bin/box" || k.Session != "s-b" || !k.Talked || strings.Join(k.Argv, " ") != "--model haiku" {
		t.Errorf("the agent is %+v", k)
	}
	for id, want := range map[string]proto.Resume{"p2-1": proto.ResumeAgain, "p2-2": proto.ResumeSession, "p2-3": proto.ResumeAgain} {
		if p, _ := s.Pane(id); p.State != proto.StateExited || p.Exit == nil || p.Resume != want || p.PID != 0 {
			t.Errorf("%s is back as %+v", id, p)
		}
	}

	// Resumed, it is the same pane with the same session, until a hook says other.
	p, ok := s.Resumed("p2-2", 4711, []string{"claude", "--resume", "s-b"}, By{})
	if !ok || p.Exit != nil || p.PID != 4711 || p.Session != "s-b" || p.State != proto.StateUnknown || p.Resume != "" {
		t.Errorf("resumed, it is %+v", p)
	}
	s.ResumeFailed("p2-1", fmt.Errorf("htop is not on PATH"))
	if p, _ := s.Pane("p2-1"); p.State != proto.StateExited || !strings.Contains(p.Reason, "htop is not on PATH") {
		t.Errorf("after a failed resumption it is %+v", p)
	}
	must(t, s.Close())
}

// Panes that die with their server were not closed.
func TestLayoutOutlivesItsPanes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s, _ := reopen(t, path)
	for range 3 {
		addPane(t, s, "claude")
	}
	for _, p := range s.Snapshot().Panes {
		s.PaneExited(p.ID, proto.Exit{Code: 1})
	}
	s.Stop()
	for _, p := range s.Snapshot().Panes {
		s.RemovePane(p.ID)
	}
	must(t, s.Close())

	s, panes := reopen(t, path)
	if len(panes) != 3 {
		t.Fatalf("%d panes are back, want 3", len(panes))
	}
	for _, p := range panes {
		s.RemovePane(p.ID)
	}
	must(t, s.Close())
	s, panes = reopen(t, path)
	if len(panes) != 0 {
		t.Errorf("%d closed panes are back", len(panes))
	}
	// The last layout that had panes is among the backups.
	if b := backups(t, path); len(b) == 0 || strings.Count(b[0], `"cwd"`) != 3 {
		t.Errorf("the backups are %q", b)
	}
	must(t, s.Close())
}

// backups are the backups of a database, the newest first.
func backups(t *testing.T, path string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer db.Close()
	rows, err := db.Query(`SELECT body FROM layout WHERE slot > 0 ORDER BY slot DESC`)
	must(t, err)
	defer rows.Close()
	var list []string
	for rows.Next() {
		var body string
		must(t, rows.Scan(&body))
		list = append(list, body)
	}
	return list
}

func TestBackupsAreRotated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	for range maxBackups + 3 {
		s, _ := reopen(t, path)
		addPane(t, s, "")
		must(t, s.Close())
	}
	b := backups(t, path)
	if len(b) != maxBackups || strings.Count(b[0], `"cwd"`) != maxBackups+2 {
		t.Errorf("%d backups: %q", len(b), b)
	}
}

// setLayout puts a body in the place of the saved layout.
func setLayout(t *testing.T, path, body string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer db.Close()
	_, err = db.Exec(`INSERT INTO layout VALUES (0, '', ?) ON CONFLICT (slot) DO UPDATE SET body = excluded.body`, body)
	must(t, err)
}

// What cannot be read does not keep the server from starting, is told, and is
// not lost.
func TestUnreadableLayout(t *testing.T) {
	for _, body := range []string{"", "{", `{"version":99}`, `[]`} {
		path := filepath.Join(t.TempDir(), "db")
		s, _ := reopen(t, path)
		must(t, s.Close())
		setLayout(t, path, body)
		s, panes := reopen(t, path)
		if len(panes) > 0 || !strings.Contains(s.Snapshot().Trouble, "layout") {
			t.Errorf("of %q come %d panes; the trouble is %q", body, len(panes), s.Snapshot().Trouble)
		}
		must(t, s.Close())
		if b := backups(t, path); len(b) != 1 || b[0] != body {
			t.Errorf("of %q the backups are %q", body, b)
		}
	}
}

// A decision is not saved, and one that stands in what was saved does not come
// back.
func TestDecisionsAreStripped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s, _ := reopen(t, path)
	p := addPane(t, s, "claude")
	ask := proto.HookEvent{Agent: "claude", Event: "PermissionRequest", Moment: proto.MomentAsk, Session: "s", Pane: p, Wait: true,
		Ask: &proto.Ask{Kind: proto.KindPermission, Tool: "Bash", Summary: "rm -rf secret-dir", Answerable: true}}
	if s.Hook(ask, Origin{Pane: p}, newHold()) == nil {
		t.Fatal("no decision was raised")
	}
	body, err := json.Marshal(s.layout())
	must(t, err)
	for _, word := range []string{"decision", "secret-dir", "pending", "attention", "blocked", "title"} {
		if strings.Contains(string(body), word) {
			t.Errorf("%q is saved: %s", word, body)
		}
	}
	must(t, s.Close())
	setLayout(t, path, `{"version":1,"decisions":[{"id":"d1-1","pane_id":"p1-1"}],"panes":[`+
		`{"id":"p1-1","cwd":"/x","state":"blocked","pending":3,"decisions":[{"id":"d1-1"}],"attention":"decision"}]}`)
	s, panes := reopen(t, path)
	snap := s.Snapshot()
	if len(panes) != 1 || len(snap.Decisions) != 0 || snap.Panes[0].Pending != 0 || snap.Panes[0].State != proto.StateExited || snap.Panes[0].Attention != "" {
		t.Errorf("back is %+v", snap)
	}
	must(t, s.Close())
}

// A session in which nothing was said is in no agent's files.
func TestEmptySessionIsNotTakenUp(t *testing.T) {
	s := open(t, Options{})
	id := s.PaneID()
	_, err := s.AddPane(id, 1, NewPane{Agent: "claude", Resumable: true, Cwd: "/x", Dir: "/x"})
	must(t, err)
	hook := func(session string, m proto.Moment, source string) {
		s.Hook(proto.HookEvent{Agent: "claude", Event: string(m), Moment: m, Session: session, Source: source, Pane: id}, Origin{Pane: id}, nil)
	}
	steps := []struct {
		session string
		moment  proto.Moment
		source  string
		talked  bool
	}{
		{"s1", proto.MomentSessionStart, "startup", false},
		{"s1", proto.MomentPrompt, "", true},
		{"s1", proto.MomentSessionEnd, "clear", true},
		{"s2", proto.MomentSessionStart, "clear", false},
		{"s3", proto.MomentSessionStart, "resume", true},
	}
	for _, step := range steps {
		hook(step.session, step.moment, step.source)
		if k, _ := s.Kept(id); k.Session != step.session || k.Talked != step.talked {
			t.Errorf("after %s of %s it keeps %+v", step.moment, step.session, k)
		}
	}
}

func FuzzReadLayout(f *testing.F) {
	f.Add(`{"version":1,"workspaces":[{"id":"w","dir":"/x","tabs":[{"id":"t","tree":{"dir":"rows","share":50,"a":{"pane_id":"p"},"b":{"pane_id":"q"}}}]}],` +
		`"panes":[{"id":"p","cwd":"/x"},{"id":"q","cwd":"/y","agent":"claude","session":"s"}]}`)
	f.Add(`{"version":1,"workspaces":[{"tabs":[{"tree":{"a":{},"b":{"pane_id":"p"}}},{"tree":null}]}],"panes":[{"id":"p","cwd":"/x"},{"id":"p","cwd":"/x"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		budget.Keep(t, len(body), 2000, func() {
			l, err := readLayout([]byte(body))
			if err != nil {
				return
			}
			s := &Store{ids: map[string]int{}, panes: map[string]*pane{}, feeds: map[*Feed]struct{}{}, found: l, layouts: &layouts{changed: make(chan struct{}, 1)}}
			panes := s.Restore(func(string) bool { return true })
			placed := map[string]int{}
			for _, w := range s.workspaces {
				for _, tab := range w.Tabs {
					for _, id := range leaves(tab.Tree, nil, 0) {
						placed[id]++
					}
				}
			}
			for _, k := range panes {
				if placed[k.ID] != 1 {
					t.Fatalf("pane %s stands in %d places", k.ID, placed[k.ID])
				}
			}
			if len(placed) != len(panes) {
				t.Fatalf("%d panes in %d places", len(panes), len(placed))
			}
		})
	})
}
