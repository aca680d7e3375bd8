package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"signaltty/proto"
)

// trusts are the project policies that the person trusts, by workspace: their
// exact text, so that it holds until another is trusted, whatever becomes of
// the file.
type trusts struct {
	db *sql.DB

	mu    sync.Mutex
	texts map[string]string
}

const trustSchema = `
CREATE TABLE IF NOT EXISTS trust (
	dir  TEXT PRIMARY KEY,
	at   TEXT NOT NULL,
	text TEXT NOT NULL
) STRICT;
`

func openTrusts(db *sql.DB) (*trusts, error) {
	t := &trusts{db: db, texts: map[string]string{}}
	if _, err := db.Exec(trustSchema); err != nil {
		return nil, fmt.Errorf("opening the trusted policies: %w", err)
	}
	rows, err := db.Query(`SELECT dir, text FROM trust`)
	if err != nil {
		return nil, fmt.Errorf("reading the trusted policies: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var dir, text string
		if err := rows.Scan(&dir, &text); err != nil {
			return nil, fmt.Errorf("reading the trusted policies: %w", err)
		}
		t.texts[dir] = text
	}
	return t, rows.Err()
}

// TextHash is by what a person knows the text of a policy again.
func TextHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Trusted is the text of the policy that is trusted for a workspace's directory.
func (s *Store) Trusted(dir string) (text string, ok bool) {
	s.trusts.mu.Lock()
	defer s.trusts.mu.Unlock()
	text, ok = s.trusts.texts[dir]
	return text, ok
}

// Trust makes text the policy of a workspace's directory; with forget there is
// none any more. The audit has it before it holds.
func (s *Store) Trust(ctx context.Context, by By, dir, text string, forget bool) error {
	body := map[string]any{"dir": dir, "sha256": TextHash(text), "trusted": !forget, "client_kind": by.Kind}
	if err := s.Record(ctx, Row{Kind: RowPolicy, Client: by.Client, UID: by.UID, PID: by.PID, Body: body}); err != nil {
		return fmt.Errorf("recording the change of the policy: %w", err)
	}
	t := s.trusts
	t.mu.Lock()
	defer t.mu.Unlock()
	var err error
	if forget {
		_, err = t.db.ExecContext(ctx, `DELETE FROM trust WHERE dir = ?`, dir)
	} else {
		_, err = t.db.ExecContext(ctx, `INSERT INTO trust VALUES (?, ?, ?) ON CONFLICT (dir) DO UPDATE SET at = excluded.at, text = excluded.text`,
			dir, stamp(time.Now()), text)
	}
	switch {
	case err != nil:
		return fmt.Errorf("saving the trusted policy: %w", err)
	case forget:
		delete(t.texts, dir)
	default:
		t.texts[dir] = text
	}
	return nil
}

// TrustedIn reads, without a server, which policy the database at path trusts
// for a directory.
func TrustedIn(path, dir string) (text string, ok bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(5000)&_pragma=query_only(true)")
	if err != nil {
		return "", false, fmt.Errorf("reading the trusted policies: %w", err)
	}
	defer db.Close()
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM pragma_table_info('trust')`).Scan(&n); err != nil {
		return "", false, fmt.Errorf("reading the trusted policies: %w", err)
	}
	if n == 0 {
		return "", false, nil
	}
	err = db.QueryRow(`SELECT text FROM trust WHERE dir = ?`, dir).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("reading the trusted policies: %w", err)
	}
	return text, true, nil
}

// PolicyTrouble tells every client what is wrong with the policy; "" that it
// is well again.
func (s *Store) PolicyTrouble(message string) { s.setTrouble(troublePolicy, message) }

// Note writes a fact that nothing waits for.
func (s *Store) Note(r Row) { s.audit.push(r) }

// PlaceOf is the directory of a pane's workspace and the pane's own, as they
// are recorded; both are "" for an unknown pane.
func (s *Store) PlaceOf(pane string) (workspace, cwd string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.panes[pane]
	if p == nil {
		return "", ""
	}
	for _, w := range s.workspaces {
		if w.ID == p.Workspace {
			workspace = w.Dir
		}
	}
	return workspace, p.Cwd
}

// Ruled answers an ask by a rule: its decision begins and ends at once, and
// the verdict is released when its row is on disk. Without the row there is no
// verdict, and the agent asks in its own terminal.
func (s *Store) Ruled(ev proto.HookEvent, o Origin, v proto.Verdict, hold Hold) {
	var d *decision
	var row ticket
	s.transition(func(t *change) {
		if s.stopping {
			return
		}
		se := s.bind(ev, o)
		if se == nil || s.full() {
			return
		}
		s.tellSession(t, se)
		d = s.raise(t, se, ev, hold)
		d.Phase = proto.PhaseAnswering
		t.event(proto.EventDecisionUpdated, d.Decision)
		t.record(Row{Kind: RowVerdict, Decision: d.ID, Pane: d.Pane, Agent: d.Agent, Session: d.Session, Tool: d.Tool,
			Option: string(v.Behavior), Rule: v.Rule, Body: map[string]any{"reason": v.Message}})
		row = t.ticket
		s.answers.Add(1)
	})
	if d == nil {
		_ = hold.Release(proto.Verdict{Behavior: proto.NoVerdict}) // a hook that is gone needs none
		return
	}
	defer s.answers.Done()
	end, cause := proto.EndRule, "rule "+v.Rule
	v.Decision = d.ID
	if err := s.audit.wait(context.Background(), row); err != nil {
		end, cause = proto.EndUnavailable, "the audit could not be written"
		v = proto.Verdict{Behavior: proto.NoVerdict, Decision: d.ID, End: end}
	}
	if err := hold.Release(v); err != nil && end == proto.EndRule {
		end, cause = proto.EndUnavailable, "the hook was gone"
	}
	s.transition(func(t *change) { s.end(t, d, end, cause) })
}
