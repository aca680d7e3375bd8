package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/proto"
)

// writeSome makes an audit of a server that ran and ended, and says where.
func writeSome(t *testing.T, o Options, asks int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path, o)
	must(t, err)
	pane := addPane(t, s, "claude")
	for i := range asks {
		d, _ := raise(t, s, permission(pane, fmt.Sprint("s", i), "Bash", "k"))
		must(t, answer(s, t, d, proto.OptionOnce))
	}
	must(t, s.Close())
	return path
}

func verify(t *testing.T, path string, heads ...Head) Checked {
	t.Helper()
	r, err := OpenReader(path)
	must(t, err)
	defer r.Close()
	c, err := r.Verify(t.Context(), heads, false)
	must(t, err)
	return c
}

func tamper(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	for _, s := range statements {
		_, err := db.Exec(s)
		must(t, err)
	}
	must(t, db.Close())
}

func TestVerifyNamesTheFirstBadRow(t *testing.T) {
	for _, test := range []struct {
		name string
		do   []string
		row  int64
		what string
	}{
		{"nothing", nil, 0, ""},
		{"edit of a word", []string{`UPDATE audit SET option = 'deny' WHERE id = 5`}, 5, "changed"},
		{"edit of a time", []string{`UPDATE audit SET at = '2020-01-01T00:00:00.000000000Z' WHERE id = 3`}, 3, "changed"},
		{"edit of the body", []string{`UPDATE audit SET body = '{}' WHERE id = 4`}, 4, "changed"},
		{"edit of a number", []string{`UPDATE audit SET pid = 1 WHERE id = 5`}, 5, "changed"},
		{"edit of a hash", []string{`UPDATE audit SET hash = '00' WHERE id = 6`}, 6, "changed"},
		{"delete in the middle", []string{`DELETE FROM audit WHERE id = 7`}, 7, "missing"},
		{"delete of several", []string{`DELETE FROM audit WHERE id BETWEEN 4 AND 6`}, 4, "rows 4 to 6 are missing"},
		{"delete, numbers closed up", []string{`DELETE FROM audit WHERE id = 7`, `UPDATE audit SET id = id - 1 WHERE id > 7`}, 7, "changed"},
		{"delete of the first", []string{`DELETE FROM audit WHERE id < 3`}, 1, "rows 1 to 2 are missing"},
		{"reorder", []string{`UPDATE audit SET id = 1000 WHERE id = 5`, `UPDATE audit SET id = 5 WHERE id = 6`, `UPDATE audit SET id = 6 WHERE id = 1000`}, 5, "put in its place"},
		{"insert", []string{`UPDATE audit SET id = -id - 1 WHERE id > 4`, `UPDATE audit SET id = -id WHERE id < 0`,
			`INSERT INTO audit SELECT 5, at, kind, agent, pane, session, decision, tool, option, "end", rule, client, uid, pid, fact, body, hash FROM audit WHERE id = 4`}, 5, "changed"},
		{"truncate", []string{`DELETE FROM audit WHERE id > 10`}, 11, "missing at the end"},
		{"all of it", []string{`DELETE FROM audit`}, 1, "missing at the end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := writeSome(t, Options{}, 5) // 17 rows
			tamper(t, path, test.do...)
			c := verify(t, path)
			if test.row == 0 {
				if len(c.Faults) > 0 || len(c.Notes) > 0 || c.Rows != 17 || c.Anchored != (Head{17, c.Hash}) {
					t.Fatalf("found %+v", c)
				}
				return
			}
			if len(c.Faults) == 0 || c.Faults[0].Row != test.row || !strings.Contains(c.Faults[0].What, test.what) {
				t.Fatalf("found %v, want row %d: %s", c.Faults, test.row, test.what)
			}
		})
	}
}

// Who can write all files of this user can write the audit anew, with its
// anchor. Only a head that is kept elsewhere shows it.
func TestRewriteShowsByAHeadKeptElsewhere(t *testing.T) {
	var told []string
	path := writeSome(t, Options{Anchor: func(_ context.Context, line string) error { told = append(told, line); return nil }}, 3)
	if len(told) == 0 {
		t.Fatal("the command was told nothing")
	}
	kept, err := ParseHead(told[len(told)-1])
	must(t, err)
	rewrite(t, path, func(w *Written) { w.Option = strings.Replace(w.Option, "once", "deny", 1) })
	if c := verify(t, path); len(c.Faults) > 0 {
		t.Fatalf("the anchor was rewritten too, and yet it shows: %v", c.Faults)
	}
	c := verify(t, path, kept)
	if len(c.Faults) != 1 || c.Faults[0].Row != kept.ID || !strings.Contains(c.Faults[0].What, "written anew") {
		t.Fatalf("found %v", c.Faults)
	}
}

// rewrite chains the audit anew after a change of each row.
func rewrite(t *testing.T, path string, change func(*Written)) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	rows, err := selectRows(t.Context(), db, `1 ORDER BY id`)
	must(t, err)
	hash := ""
	for _, w := range rows {
		change(&w)
		hash = w.chain(hash)
		_, err := db.Exec(`UPDATE audit SET option = ?, hash = ? WHERE id = ?`, w.Option, hash, w.ID)
		must(t, err)
	}
	must(t, db.Close())
	must(t, os.WriteFile(headPath(path), []byte(Head{int64(len(rows)), hash}.String()), 0o600))
}

// What a start finds is written down, and goes on to show.
func TestStartNotesWhatItFinds(t *testing.T) {
	for _, test := range []struct {
		name  string
		do    func(t *testing.T, path string)
		fault string
		note  string
	}{
		{"the tail is cut off", func(t *testing.T, path string) { tamper(t, path, `DELETE FROM audit WHERE id > 6`) }, "rows 7 to 8 are gone", ""},
		{"the anchor is gone", func(t *testing.T, path string) { must(t, os.Remove(headPath(path))) }, "there was no anchor", ""},
		{"the anchor is no anchor", func(t *testing.T, path string) { must(t, os.WriteFile(headPath(path), []byte("x"), 0o600)) }, "is no head", ""},
		{"the anchor names another row", func(t *testing.T, path string) {
			must(t, os.WriteFile(headPath(path), []byte(Head{4, strings.Repeat("0", 64)}.String()), 0o600))
		}, "row 4 is not the one that was anchored", ""},
		{"the database was moved away", func(t *testing.T, path string) { must(t, os.Remove(path)) }, "rows 1 to 8 are gone", ""},
		{"the anchor is behind", func(t *testing.T, path string) {
			must(t, os.WriteFile(headPath(path), []byte(headOf(t, path, 6).String()), 0o600))
		}, "", "2 rows behind"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := writeSome(t, Options{}, 2) // 8 rows
			test.do(t, path)
			for range 2 { // the second start finds nothing new
				s, err := Open(path, Options{})
				must(t, err)
				must(t, s.Close())
			}
			c := verify(t, path)
			if got := fmt.Sprint(c.Faults); test.fault == "" && len(c.Faults) > 0 || !strings.Contains(got, test.fault) || len(c.Faults) > 1 {
				t.Errorf("faults are %s", got)
			}
			if got := fmt.Sprint(c.Notes); test.note == "" && len(c.Notes) > 0 || !strings.Contains(got, test.note) {
				t.Errorf("notes are %s", got)
			}
		})
	}
}

func headOf(t *testing.T, path string, id int64) Head {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer db.Close()
	h := Head{ID: id}
	must(t, db.QueryRow(`SELECT hash FROM audit WHERE id = ?`, id).Scan(&h.Hash))
	return h
}

func TestRotationKeepsTheChain(t *testing.T) {
	path := writeSome(t, Options{AuditRows: 20}, 40)
	files, err := asides(path)
	must(t, err)
	c := verify(t, path)
	if len(files) < 5 || len(c.Faults) > 0 || c.First != 1 || c.Rows != c.Last {
		t.Fatalf("%d files; found %+v", len(files), c)
	}
	if n := len(rows(t, path, `SELECT hash FROM audit`)); n > 25 {
		t.Fatalf("the database keeps %d rows", n)
	}
	var all []Written
	r, err := OpenReader(path)
	must(t, err)
	defer r.Close()
	must(t, r.Rows(t.Context(), Filter{}, func(w Written) bool { all = append(all, w); return true }))
	if int64(len(all)) != c.Rows {
		t.Fatalf("%d rows are read, there are %d", len(all), c.Rows)
	}

	// A file that was changed, that is not there, and without the files.
	text, err := os.ReadFile(files[1].path)
	must(t, err)
	must(t, os.WriteFile(files[1].path, bytes.Replace(text, []byte(`"once"`), []byte(`"deny"`), 1), 0o600))
	if c := verify(t, path); len(c.Faults) == 0 || c.Faults[0].Row < files[1].first || c.Faults[0].Row > files[1].last {
		t.Errorf("a changed file: %v", c.Faults)
	}
	must(t, os.Remove(files[1].path))
	if c := verify(t, path); len(c.Faults) == 0 || c.Faults[0].Row != files[1].first {
		t.Errorf("a file that is gone: %v", c.Faults)
	}
	kept, err := r.Verify(t.Context(), nil, true)
	must(t, err)
	if len(kept.Faults) > 0 || kept.First == 1 {
		t.Errorf("without the files: %+v", kept)
	}
}

// What an open ask stands in stays, since the next start may have to end it.
func TestRotationKeepsOpenAsks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path, Options{AuditRows: 10})
	must(t, err)
	pane := addPane(t, s, "claude")
	open, _ := raise(t, s, permission(pane, "first", "Bash", "k"))
	for i := range 20 {
		d, _ := raise(t, s, permission(pane, fmt.Sprint("s", i), "Bash", "k"))
		must(t, answer(s, t, d, proto.OptionOnce))
	}
	must(t, s.audit.wait(t.Context(), s.audit.pushed))
	if got := rows(t, path, `SELECT kind FROM audit WHERE decision = ?`, open.ID); len(got) != 1 {
		t.Fatalf("the open ask has rows %v", got)
	}
	must(t, s.Close())
	if c := verify(t, path); len(c.Faults) > 0 {
		t.Fatalf("found %v", c.Faults)
	}
}

func TestOldDatabaseIsChained(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	tamper(t, path, `
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
INSERT INTO meta VALUES ('start', 3);
CREATE TABLE audit (
	id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, kind TEXT NOT NULL, decision TEXT NOT NULL, pane TEXT NOT NULL,
	agent TEXT NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL, option TEXT NOT NULL, "end" TEXT NOT NULL, client TEXT NOT NULL,
	uid INTEGER NOT NULL, pid INTEGER NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE INDEX audit_decision ON audit (decision) WHERE decision <> '';
INSERT INTO audit VALUES (1, '2026-01-02T03:04:05.1Z', 'server_start', '', '', '', '', '', '', '', '', 0, 7, '{"start":3}');
INSERT INTO audit VALUES (2, '2026-01-02T03:04:05.12Z', 'ask', 'd3-1', 'p3-1', 'claude', 's1', 'Bash', '', '', '', 0, 0, '{"prompt":"DB_PASSWORD=hunter2 run"}');
INSERT INTO audit VALUES (4, '2026-01-02T03:04:06Z', 'ask', 'd3-2', 'p3-1', 'claude', 's1', 'Bash', '', '', '', 0, 0, '{"prompt":"ls"}');
`)
	for range 2 {
		s, err := Open(path, Options{})
		must(t, err)
		must(t, s.Close())
	}
	c := verify(t, path)
	if len(c.Faults) > 0 || len(c.Notes) != 1 || !strings.HasPrefix(c.Notes[0], "rows 1 to 3 ") {
		t.Fatalf("found %+v", c)
	}
	if got := rows(t, path, `SELECT kind || ' ' || decision || ' ' || at FROM audit WHERE id < 4`); fmt.Sprint(got) !=
		"[server_start  2026-01-02T03:04:05.100000000Z ask d3-1 2026-01-02T03:04:05.120000000Z ask d3-2 2026-01-02T03:04:06.000000000Z]" {
		t.Errorf("rows are %v", got)
	}
	if got := rows(t, path, `SELECT body FROM audit WHERE id = 2`); got[0] != `{"prompt":"DB_PASSWORD=[redacted] run"}` {
		t.Errorf("the body is %s", got[0])
	}
	if got := rows(t, path, `SELECT decision FROM audit WHERE kind = 'end' ORDER BY id`); fmt.Sprint(got) != "[d3-1 d3-2]" {
		t.Errorf("ended were %v", got)
	}
}

// One fact that is told twice is one row, and the chain has no gap from it.
func TestFactTwiceIsOneRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path, Options{})
	must(t, err)
	for i := range 3 {
		must(t, s.Record(t.Context(), Row{Kind: RowTurnEnd, Agent: "claude", Fact: "turn_end t1", Body: map[string]any{"told": i}}))
		must(t, s.Record(t.Context(), Row{Kind: RowTurnStart, Agent: "claude"}))
	}
	must(t, s.Close())
	if got := rows(t, path, `SELECT kind || body FROM audit WHERE kind LIKE 'turn%' ORDER BY id`); fmt.Sprint(got) != `[turn_end{"told":0} turn_start{} turn_start{} turn_start{}]` {
		t.Fatalf("rows are %v", got)
	}
	if c := verify(t, path); len(c.Faults) > 0 {
		t.Fatalf("found %v", c.Faults)
	}
}

// The program in docs/audit.md checks an export without signaltty.
func TestChainByHand(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	page, err := os.ReadFile("../docs/audit.md")
	must(t, err)
	_, program, _ := strings.Cut(string(page), "```python\n")
	program, _, found := strings.Cut(program, "```")
	if !found {
		t.Fatal("docs/audit.md has no program")
	}
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path, Options{})
	must(t, err)
	must(t, s.Record(t.Context(), Row{Kind: RowPolicy, Agent: "é\u202e\"\\\x01\n", Tool: "😀", Body: map[string]any{
		"z": "<&>\u2028\b\f\t\x7f", "a": []any{1, nil, true, map[string]any{"é": -2}}, "😀": "\x00"}}))
	must(t, s.Close())
	var export bytes.Buffer
	r, err := OpenReader(path)
	must(t, err)
	defer r.Close()
	must(t, r.Rows(t.Context(), Filter{}, func(w Written) bool {
		line, err := w.Line()
		must(t, err)
		export.Write(line)
		return true
	}))
	run := func(text string) string {
		cmd := exec.Command(python, "-c", program)
		cmd.Stdin = strings.NewReader(text)
		out, _ := cmd.CombinedOutput() // it says what is wrong and fails
		return string(out)
	}
	last := verify(t, path)
	if got, want := run(export.String()), fmt.Sprintf("2 rows, head 2 %s\n", last.Hash); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got := run(strings.Replace(export.String(), "-2", "-3", 1)); !strings.Contains(got, "row 2 is not what was written") {
		t.Errorf("of a changed row it says %q", got)
	}
	c, err := VerifyExport(&export, nil)
	must(t, err)
	if len(c.Faults) > 0 || c.Hash != last.Hash {
		t.Errorf("VerifyExport found %+v", c)
	}
}

// An export may begin anywhere, and shows what was taken out of it.
func TestVerifyExport(t *testing.T) {
	path := writeSome(t, Options{}, 3)
	var lines []string
	r, err := OpenReader(path)
	must(t, err)
	defer r.Close()
	must(t, r.Rows(t.Context(), Filter{}, func(w Written) bool {
		line, err := w.Line()
		must(t, err)
		lines = append(lines, string(line))
		return true
	}))
	for _, test := range []struct {
		name  string
		lines []string
		row   int64 // 0 for none
	}{
		{"whole", lines, 0},
		{"from the fourth on", lines[3:], 0},
		{"without the fifth", append(append([]string{}, lines[:4]...), lines[5:]...), 5},
		{"twice the second", append(append([]string{}, lines[:2]...), lines[1:]...), 2},
	} {
		c, err := VerifyExport(strings.NewReader(strings.Join(test.lines, "")), nil)
		must(t, err)
		if test.row == 0 && len(c.Faults) > 0 || test.row > 0 && (len(c.Faults) == 0 || c.Faults[0].Row != test.row) {
			t.Errorf("%s: %v", test.name, c.Faults)
		}
	}
	if _, err := VerifyExport(strings.NewReader("no JSON\n"), nil); err == nil || !strings.Contains(err.Error(), "line 1 is no row") {
		t.Errorf("error is %v", err)
	}
}

func FuzzReadLines(f *testing.F) {
	w := written(Row{Kind: RowAsk, Body: map[string]any{"prompt": "ls"}})
	line, _ := w.Line()
	f.Add(line)
	f.Add([]byte(`{"id":1,"body":{"a":[1e3,"é"]}}` + "\n"))
	f.Add([]byte(`{"body":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = readLines(bytes.NewReader(data), func(w Written) bool { // what is no row is refused
			again, err := sameBody(w.Body)
			if err != nil || !bytes.Equal(again, w.Body) {
				t.Errorf("the body %s is not canonical: %s, %v", w.Body, again, err)
			}
			var v any
			if err := json.Unmarshal(w.Body, &v); err != nil {
				t.Errorf("the body %s: %v", w.Body, err)
			}
			return true
		})
	})
}
