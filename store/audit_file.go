package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"signaltty/proto"

	_ "modernc.org/sqlite" // the driver
)

const schema = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
`

// auditSchema makes the table of rows. Their ids are given by the chain.
const auditSchema = `
CREATE TABLE audit (
	id       INTEGER PRIMARY KEY,
	at       TEXT NOT NULL,
	kind     TEXT NOT NULL,
	agent    TEXT NOT NULL,
	pane     TEXT NOT NULL,
	session  TEXT NOT NULL,
	decision TEXT NOT NULL,
	tool     TEXT NOT NULL,
	option   TEXT NOT NULL,
	"end"    TEXT NOT NULL,
	rule     TEXT NOT NULL,
	client   TEXT NOT NULL,
	uid      INTEGER NOT NULL,
	pid      INTEGER NOT NULL,
	fact     TEXT NOT NULL,
	body     TEXT NOT NULL,
	hash     TEXT NOT NULL
) STRICT;
CREATE INDEX audit_of_decision ON audit (decision) WHERE decision <> '';
CREATE INDEX audit_of_pane ON audit (pane) WHERE pane <> '';
CREATE UNIQUE INDEX audit_of_fact ON audit (fact) WHERE fact <> '';
`

const columns = `id, at, kind, agent, pane, session, decision, tool, option, "end", rule, client, uid, pid, fact, body, hash`

const insertRow = `INSERT INTO audit (` + columns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (fact) WHERE fact <> '' DO NOTHING`

// openAudit opens the database and gives the number of this start. It
// settles what an earlier server left open.
func openAudit(path string, o Options, trouble func(string)) (*audit, int64, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, 0, fmt.Errorf("making the directory of the database: %w; set XDG_STATE_HOME to a directory that you can write to", err)
	}
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, 0, err
	}
	a := &audit{
		path: path, lock: lock, trouble: trouble, keep: o.AuditRows, failed: map[ticket]error{},
		changed: make(chan struct{}), wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	boot, err := a.open(o)
	if err != nil {
		lock.Close()
		return nil, 0, fmt.Errorf("opening the database %s: %w; if it is damaged, move it away and start again", path, err)
	}
	go a.run()
	return a, boot, nil
}

func (a *audit) open(o Options) (boot int64, err error) {
	if a.db, err = openDatabase(a.path); err != nil {
		return 0, err
	}
	if a.anchor, err = openAnchor(headPath(a.path), o.Anchor); err != nil {
		return 0, errors.Join(err, a.db.Close())
	}
	a.sink = openSink(o.Sink)
	if boot, err = a.begin(); err != nil {
		a.sink.close()
		return 0, errors.Join(err, a.db.Close(), a.anchor.close())
	}
	return boot, nil
}

func openDatabase(path string) (*sql.DB, error) {
	// Before SQLite makes it, and its companions after it, with wider modes.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return nil, err
	}
	// synchronous=FULL: a row that a verdict rests on survives a power cut.
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(schema); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// begin counts the start and writes, in one transaction, its rows: what was
// found to be repaired, the ends of what an earlier server left open, and that
// this server starts.
func (a *audit) begin() (boot int64, err error) {
	tx, err := a.db.Begin()
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	found, err := migrate(tx)
	if err != nil {
		return 0, err
	}
	if a.head, a.first, err = edges(tx); err != nil {
		return 0, err
	}
	noted, err := a.anchor.compare(tx, a.head, len(found) > 0)
	if err != nil {
		return 0, err
	}
	lost, err := openAsks(tx)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(`INSERT INTO meta VALUES ('start', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1 RETURNING value`).Scan(&boot)
	if err != nil {
		return 0, err
	}
	found = append(append(found, noted...), lostEnds(lost)...)
	found = append(found, Row{Kind: RowStart, PID: os.Getpid(), UID: os.Getuid(), Body: map[string]any{"start": boot}})
	var rows []Written
	for _, r := range found {
		r.At = time.Now()
		rows = append(rows, written(r))
	}
	rows, head, err := insert(tx, a.head, rows)
	if err != nil {
		return 0, err
	}
	if err := tx.Commit(); err != nil {
		return 0, err
	}
	a.first = max(a.first, 1)
	a.settle(head, rows)
	return boot, nil
}

// insert chains rows after head and writes them. It returns those that were
// new, with their ids and hashes, and the head after them.
func insert(tx *sql.Tx, head Head, rows []Written) ([]Written, Head, error) {
	stmt, err := tx.Prepare(insertRow)
	if err != nil {
		return nil, head, err
	}
	defer stmt.Close()
	fresh := rows[:0]
	for _, w := range rows {
		w.ID = head.ID + 1
		w.Hash = w.chain(head.Hash)
		result, err := stmt.Exec(w.ID, w.At, string(w.Kind), w.Agent, w.Pane, w.Session, w.Decision, w.Tool, w.Option, w.End, w.Rule,
			w.Client, w.UID, w.PID, w.Fact, string(w.Body), w.Hash)
		if err != nil {
			return nil, head, err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return nil, head, err
		}
		if n > 0 { // else this fact is known
			head = Head{w.ID, w.Hash}
			fresh = append(fresh, w)
		}
	}
	return fresh, head, nil
}

// querier is a transaction or a database.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// selectRows reads rows; the text after WHERE comes from this package.
func selectRows(ctx context.Context, q querier, where string, args ...any) ([]Written, error) {
	var out []Written
	err := eachRow(ctx, q, where, args, func(w Written) bool {
		out = append(out, w)
		return true
	})
	return out, err
}

func eachRow(ctx context.Context, q querier, where string, args []any, use func(Written) bool) error {
	rows, err := q.QueryContext(ctx, `SELECT `+columns+` FROM audit WHERE `+where, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var w Written
		var body string
		err := rows.Scan(&w.ID, &w.At, &w.Kind, &w.Agent, &w.Pane, &w.Session, &w.Decision, &w.Tool, &w.Option, &w.End, &w.Rule,
			&w.Client, &w.UID, &w.PID, &w.Fact, &body, &w.Hash)
		if err != nil {
			return err
		}
		w.Body = json.RawMessage(body)
		if !use(w) {
			break
		}
	}
	return rows.Err()
}

// edges are the head and the id of the oldest row.
func edges(tx *sql.Tx) (Head, int64, error) {
	last, err := selectRows(context.Background(), tx, `id = (SELECT max(id) FROM audit)`)
	if err != nil || len(last) == 0 {
		return Head{}, 0, err
	}
	var first int64
	err = tx.QueryRow(`SELECT min(id) FROM audit`).Scan(&first)
	return Head{last[0].ID, last[0].Hash}, first, err
}

// openAsks are the asks since the last start that have no end. Earlier ones
// were settled by that start.
func openAsks(tx *sql.Tx) ([]Written, error) {
	return selectRows(context.Background(), tx, `kind = 'ask'
		AND id > coalesce((SELECT id FROM audit WHERE kind = 'server_start' ORDER BY id DESC LIMIT 1), 0)
		AND NOT EXISTS (SELECT 1 FROM audit e WHERE e.kind = 'end' AND e.decision = audit.decision) ORDER BY id`)
}

// lostEnds end, as server_lost, the asks that have no end: the server that
// took them is gone, and with it their holds.
func lostEnds(asks []Written) []Row {
	var rows []Row
	for _, w := range asks {
		rows = append(rows, Row{Kind: RowEnd, Decision: w.Decision, Pane: w.Pane, Agent: w.Agent, Session: w.Session, Tool: w.Tool,
			End: proto.EndServerLost, Body: map[string]any{"cause": "found at the next start"}})
	}
	return rows
}

// migrate makes the table, or takes the rows of a database of a time without
// a chain into one. It returns what the audit has to tell of that.
func migrate(tx *sql.Tx) ([]Row, error) {
	var tables, chained int
	err := tx.QueryRow(`SELECT count(DISTINCT m.name), count(c.name) FROM sqlite_schema m
		LEFT JOIN pragma_table_info(m.name) c ON c.name = 'hash' WHERE m.type = 'table' AND m.name = 'audit'`).Scan(&tables, &chained)
	if err != nil || chained > 0 {
		return nil, err
	}
	if tables == 0 {
		_, err := tx.Exec(auditSchema)
		return nil, err
	}
	if _, err := tx.Exec(`DROP INDEX IF EXISTS audit_decision; ALTER TABLE audit RENAME TO unchained;` + auditSchema); err != nil {
		return nil, err
	}
	head := Head{}
	for after := int64(0); ; {
		page, last, err := unchained(tx, after)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		if _, head, err = insert(tx, head, page); err != nil {
			return nil, err
		}
		after = last
	}
	if _, err := tx.Exec(`DROP TABLE unchained`); err != nil {
		return nil, err
	}
	return []Row{{Kind: RowChained, Body: map[string]any{"rows": head.ID, "note": "they were written before there was a chain"}}}, nil
}

// unchained is a page of the rows of a database without a chain.
func unchained(tx *sql.Tx, after int64) (page []Written, last int64, err error) {
	rows, err := tx.Query(`SELECT id, at, kind, decision, pane, agent, session, tool, option, "end", client, uid, pid, body
		FROM unchained WHERE id > ? ORDER BY id LIMIT 1000`, after)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var r Row
		var at, body string
		err := rows.Scan(&last, &at, &r.Kind, &r.Decision, &r.Pane, &r.Agent, &r.Session, &r.Tool, &r.Option, &r.End, &r.Client, &r.UID, &r.PID, &body)
		if err == nil {
			r.At, err = time.Parse(time.RFC3339Nano, at)
		}
		if err == nil {
			err = json.Unmarshal([]byte(body), &r.Body)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("reading row %d: %w", last, err)
		}
		page = append(page, written(r))
	}
	return page, last, rows.Err()
}
