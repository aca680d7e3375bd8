package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"signaltty/proto"

	_ "modernc.org/sqlite" // the driver
)

// RowKind is the kind of fact that an audit row states.
type RowKind string

// The kinds of rows.
const (
	RowStart   RowKind = "server_start"
	RowSpawn   RowKind = "pane_spawn"
	RowExit    RowKind = "pane_exit"
	RowAsk     RowKind = "ask"
	RowVerdict RowKind = "verdict" // an answer, before its verdict is released
	RowEnd     RowKind = "end"     // exactly one for each ask
	RowHook    RowKind = "hook"
)

// Row is one fact.
type Row struct {
	At       time.Time
	Kind     RowKind
	Decision string
	Pane     string
	Agent    string
	Session  string
	Tool     string
	Option   string
	End      proto.End
	Client   string
	UID, PID int
	Body     map[string]any
}

// ticket names a pushed row, for wait. Tickets grow by one.
type ticket uint64

const (
	// maxBacklog is how many rows may wait for the disk. Beyond it rows are
	// refused, which no verdict survives.
	maxBacklog = 1 << 16
	// maxWait is how long a verdict waits for its row.
	maxWait = 10 * time.Second
	// retryWrite is how long rows wait after the disk refused them.
	retryWrite = time.Second
)

var errBacklog = errors.New("too many rows wait for the disk")

// audit writes rows in the order in which transitions pushed them. One
// goroutine commits all rows that wait in one transaction, so that many
// verdicts share one sync of the disk.
type audit struct {
	db      *sql.DB
	lock    *os.File
	trouble func(string)

	mu      sync.Mutex
	pushed  ticket
	settled ticket // every row up to it is on disk or has failed
	failed  map[ticket]error
	waiting []pending
	changed chan struct{} // closed and replaced when settled grows
	wake    chan struct{}
	closing bool
	done    chan struct{}
}

type pending struct {
	ticket ticket
	row    Row
}

const schema = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS audit (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	at       TEXT NOT NULL,
	kind     TEXT NOT NULL,
	decision TEXT NOT NULL,
	pane     TEXT NOT NULL,
	agent    TEXT NOT NULL,
	session  TEXT NOT NULL,
	tool     TEXT NOT NULL,
	option   TEXT NOT NULL,
	"end"    TEXT NOT NULL,
	client   TEXT NOT NULL,
	uid      INTEGER NOT NULL,
	pid      INTEGER NOT NULL,
	body     TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS audit_decision ON audit (decision) WHERE decision <> '';
`

// openAudit opens the database and gives the number of this start. It
// settles what an earlier server left open.
func openAudit(path string, trouble func(string)) (*audit, int64, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, 0, fmt.Errorf("making the directory of the database: %w; set XDG_STATE_HOME to a directory that you can write to", err)
	}
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, 0, err
	}
	db, boot, err := openDatabase(path)
	if err != nil {
		lock.Close()
		return nil, 0, fmt.Errorf("opening the database %s: %w; if it is damaged, move it away and start again", path, err)
	}
	a := &audit{
		db: db, lock: lock, trouble: trouble, failed: map[ticket]error{},
		changed: make(chan struct{}), wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	go a.run()
	a.push(Row{Kind: RowStart, PID: os.Getpid(), UID: os.Getuid(), Body: map[string]any{"start": boot}})
	return a, boot, nil
}

func openDatabase(path string) (*sql.DB, int64, error) {
	// Before SQLite makes it, and its companions after it, with wider modes.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, 0, err
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return nil, 0, err
	}
	// synchronous=FULL: a row that a verdict rests on survives a power cut.
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, 0, err
	}
	db.SetMaxOpenConns(1)
	var boot int64
	err = errors.Join(
		func() error { _, err := db.Exec(schema); return err }(),
		db.QueryRow(`INSERT INTO meta VALUES ('start', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1 RETURNING value`).Scan(&boot),
		settleLost(db),
	)
	if err != nil {
		return nil, 0, errors.Join(err, db.Close())
	}
	return db, boot, nil
}

// settleLost ends, as server_lost, the asks that have no end: the server that
// took them is gone, and with it their holds.
func settleLost(db *sql.DB) error {
	_, err := db.Exec(`
		INSERT INTO audit (at, kind, decision, pane, agent, session, tool, option, "end", client, uid, pid, body)
		SELECT ?, 'end', a.decision, a.pane, a.agent, a.session, a.tool, '', ?, '', 0, 0, '{"cause":"found at the next start"}'
		FROM audit a WHERE a.kind = 'ask' AND NOT EXISTS
			(SELECT 1 FROM audit e WHERE e.kind = 'end' AND e.decision = a.decision)
		ORDER BY a.id`, stamp(time.Now()), string(proto.EndServerLost))
	return err
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// push queues a row. It never blocks: it is called under the state's lock.
func (a *audit) push(r Row) ticket {
	if r.At.IsZero() {
		r.At = time.Now()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pushed++
	if len(a.waiting) >= maxBacklog || a.closing {
		a.fail(pending{a.pushed, r}, errBacklog)
		return a.pushed
	}
	a.waiting = append(a.waiting, pending{a.pushed, r})
	select {
	case a.wake <- struct{}{}:
	default:
	}
	return a.pushed
}

// wait returns when the row is on disk, or with the reason why it is not.
func (a *audit) wait(ctx context.Context, t ticket) error {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	for {
		a.mu.Lock()
		settled, changed, err := a.settled, a.changed, a.failed[t]
		delete(a.failed, t)
		a.mu.Unlock()
		if err != nil || settled >= t {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the disk: %w", ctx.Err())
		}
	}
}

// run is the one writer.
func (a *audit) run() {
	defer close(a.done)
	var retry <-chan time.Time
	for {
		select {
		case <-a.wake:
		case <-retry:
		}
		for a.writeBatch() {
		}
		a.mu.Lock()
		closing, left := a.closing, len(a.waiting) > 0
		a.mu.Unlock()
		if closing {
			return
		}
		// Rows that the disk refused are tried again, also when nothing new comes.
		retry = nil
		if left {
			retry = time.After(retryWrite)
		}
	}
}

// fail notes that a row will not be written. Only verdicts are waited for.
func (a *audit) fail(p pending, err error) {
	if p.row.Kind == RowVerdict {
		a.failed[p.ticket] = err
	}
}

// writeBatch commits what waits and says whether to go on. When the disk
// refuses, verdicts fail at once, since they may not be released; the other
// rows wait for the next attempt.
func (a *audit) writeBatch() bool {
	a.mu.Lock()
	batch := a.waiting
	a.waiting = nil
	a.mu.Unlock()
	if len(batch) == 0 {
		return false
	}
	err := a.insert(batch)
	message := ""
	if err != nil {
		message = fmt.Sprintf("the audit cannot be written: %v; no answer is sent until it can, agents ask in their own terminals", err)
	}
	// Before those who wait for the rows: whoever hears that its answer failed
	// finds the reason told.
	a.trouble(message)

	a.mu.Lock()
	if err != nil {
		var kept []pending
		for _, p := range batch {
			a.fail(p, err)
			if p.row.Kind != RowVerdict {
				kept = append(kept, p)
			}
		}
		a.waiting = append(kept, a.waiting...)
	}
	a.settled = max(a.settled, batch[len(batch)-1].ticket)
	close(a.changed)
	a.changed = make(chan struct{})
	a.mu.Unlock()
	return err == nil
}

func (a *audit) insert(batch []pending) error {
	tx, err := a.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	stmt, err := tx.Prepare(`INSERT INTO audit (at, kind, decision, pane, agent, session, tool, option, "end", client, uid, pid, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, p := range batch {
		r := p.row
		body, err := json.Marshal(r.Body)
		if err != nil {
			return err
		}
		_, err = stmt.Exec(stamp(r.At), string(r.Kind), r.Decision, r.Pane, r.Agent, r.Session, r.Tool, r.Option, string(r.End),
			r.Client, r.UID, r.PID, string(body))
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (a *audit) close() error {
	a.mu.Lock()
	a.closing = true
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
	<-a.done
	var lost error
	if n := len(a.waiting); n > 0 {
		lost = fmt.Errorf("closing the audit: %d rows could not be written", n)
	}
	return errors.Join(lost, a.db.Close(), a.lock.Close())
}
