package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"signaltty/proto"
)

// What is kept of turns: the newest, and none that is older.
const (
	maxTurns = 5000
	turnAge  = 90 * 24 * time.Hour
	// maxTurnList is how many are told at once.
	maxTurnList = 500
)

const turnSchema = `
CREATE TABLE IF NOT EXISTS turn (
	id      TEXT PRIMARY KEY,
	began   TEXT NOT NULL,
	ended   TEXT NOT NULL,
	agent   TEXT NOT NULL,
	dir     TEXT NOT NULL,
	prompt  TEXT NOT NULL, -- its SHA-256
	base    TEXT NOT NULL, -- the commit that dir was at
	session TEXT NOT NULL,
	outcome TEXT NOT NULL,
	origin  TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX IF NOT EXISTS turn_of_agent ON turn (agent, dir, began);
`

func openTurns(db *sql.DB) error {
	if _, err := db.Exec(turnSchema); err != nil {
		return fmt.Errorf("opening the records of turns: %w", err)
	}
	// A database of before has no column of it.
	var has bool
	err := db.QueryRow(`SELECT count(*) > 0 FROM pragma_table_info('turn') WHERE name = 'origin'`).Scan(&has)
	if err == nil && !has {
		_, err = db.Exec(`ALTER TABLE turn ADD COLUMN origin TEXT NOT NULL DEFAULT ''`)
	}
	if err != nil {
		return fmt.Errorf("opening the records of turns: %w", err)
	}
	return nil
}

// TurnBegan records that a turn begins. What is too old or too much goes.
func (s *Store) TurnBegan(ctx context.Context, pane string, t proto.TurnRecord, r Row) error {
	r.Kind, r.Pane, r.Agent, r.Session, r.Fact = RowTurnStart, pane, t.Agent, t.Session, "turn_start "+t.ID
	if err := s.Record(ctx, r); err != nil {
		return fmt.Errorf("recording the turn's start: %w", err)
	}
	for _, do := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO turn VALUES (?, ?, '', ?, ?, ?, ?, ?, '', ?) ON CONFLICT (id) DO NOTHING`, []any{t.ID, stamp(t.Began), t.Agent, t.Dir, t.Prompt, t.Base, t.Session, t.Origin}},
		{`DELETE FROM turn WHERE began < ?`, []any{stamp(t.Began.Add(-turnAge))}},
		{`DELETE FROM turn WHERE id IN (SELECT id FROM turn ORDER BY began DESC LIMIT -1 OFFSET ?)`, []any{maxTurns}},
	} {
		if _, err := s.audit.db.ExecContext(ctx, do.sql, do.args...); err != nil {
			return fmt.Errorf("saving the turn: %w", err)
		}
	}
	return nil
}

// TurnCalls records calls that a turn's stream has told. One that a hook told
// before is there already.
func (s *Store) TurnCalls(pane string, t proto.TurnRecord, calls []proto.TurnCall, r Row) {
	for _, c := range calls {
		r.Kind, r.Pane, r.Agent, r.Session, r.Tool = RowHook, pane, t.Agent, c.Session, c.Name
		r.Fact = toolFact(c.Moment, t.Agent, c.Session, c.ID)
		r.Body = map[string]any{"event": "stream", "moment": c.Moment, "tool_use": c.ID, "turn": t.ID, "ok": c.OK}
		s.Note(r)
	}
}

// TurnEnded records how a turn ended, and each thing that it was not allowed.
func (s *Store) TurnEnded(ctx context.Context, pane string, t proto.TurnRecord, end proto.TurnEnd, r Row) error {
	for _, b := range end.Blocked {
		err := s.Record(ctx, Row{
			Kind: RowViolation, Pane: pane, Agent: t.Agent, Session: end.Session, Tool: b.Tool, Option: b.Action, Rule: b.Rule,
			PID: r.PID, UID: r.UID, Client: r.Client, Fact: "turn_path " + t.ID + " " + b.Path,
			Body: map[string]any{"turn": t.ID, "prompt": b.Path, "reason": b.Reason, "quarantine": b.Quarantine},
		})
		if err != nil {
			return fmt.Errorf("recording what the turn was not allowed: %w", err)
		}
	}
	r.Kind, r.Pane, r.Agent, r.Session, r.Option, r.Fact = RowTurnEnd, pane, t.Agent, end.Session, string(end.Complete.Outcome), "turn_end "+t.ID
	r.Body = map[string]any{"turn": t.ID, "complete": end.Complete}
	if err := s.Record(ctx, r); err != nil {
		return fmt.Errorf("recording the turn's end: %w", err)
	}
	_, err := s.audit.db.ExecContext(ctx, `UPDATE turn SET ended = ?, session = ?, outcome = ? WHERE id = ?`,
		stamp(time.Now()), end.Session, string(end.Complete.Outcome), t.ID)
	if err != nil {
		return fmt.Errorf("saving the turn: %w", err)
	}
	return nil
}

// Turns lists the turns that q is about, the newest first.
func (s *Store) Turns(ctx context.Context, q proto.TurnQuery) ([]proto.TurnRecord, error) {
	rows, err := s.audit.db.QueryContext(ctx, `SELECT id, began, ended, agent, dir, origin, prompt, base, session, outcome FROM turn
		WHERE (agent = ?1 OR ?1 = '') AND (?2 IN (dir, origin) OR ?2 = '') AND (prompt = ?3 OR ?3 = '') ORDER BY began DESC, id DESC LIMIT ?4`,
		q.Agent, q.Dir, q.Prompt, maxTurnList)
	if err != nil {
		return nil, fmt.Errorf("reading the turns: %w", err)
	}
	defer rows.Close()
	list := []proto.TurnRecord{}
	for rows.Next() {
		var t proto.TurnRecord
		var began, ended string
		if err := rows.Scan(&t.ID, &began, &ended, &t.Agent, &t.Dir, &t.Origin, &t.Prompt, &t.Base, &t.Session, &t.Outcome); err != nil {
			return nil, fmt.Errorf("reading the turns: %w", err)
		}
		t.Began, _ = time.Parse(time.RFC3339Nano, began) // written by stamp
		t.Ended, _ = time.Parse(time.RFC3339Nano, ended)
		list = append(list, t)
	}
	return list, rows.Err()
}

// TurnGated tells what became of a call of a turn.
func (s *Store) TurnGated(g proto.TurnGated) {
	s.transition(func(t *change) { t.event(proto.EventTurnGated, g) })
}
