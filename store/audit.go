package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"signaltty/proto"
)

// RowKind is the kind of fact that an audit row states.
type RowKind string

// The kinds of rows.
const (
	RowStart     RowKind = "server_start"
	RowSpawn     RowKind = "pane_spawn"
	RowExit      RowKind = "pane_exit"
	RowAsk       RowKind = "ask"
	RowVerdict   RowKind = "verdict"             // a person's answer or a rule's, before it is released
	RowEnd       RowKind = "end"                 // exactly one for each ask
	RowViolation RowKind = "guardrail_violation" // a gate refused a call; before the denial is released
	RowPolicy    RowKind = "policy_change"
	RowTurnStart RowKind = "turn_start" // a headless run begins
	RowTurnEnd   RowKind = "turn_end"
	RowHook      RowKind = "hook" // what an agent told of itself: its sessions, its turns, its tools

	RowChained RowKind = "audit_chained" // rows of a time without a chain were taken into it
	RowRepair  RowKind = "audit_repair"  // the anchor was behind or unreadable, as a kill may leave it
	RowGap     RowKind = "audit_gap"     // the anchor names rows that were not there any more
	RowRotate  RowKind = "audit_rotate"  // old rows were set aside in a file
)

// RowKinds are all of them.
var RowKinds = []RowKind{
	RowStart, RowSpawn, RowExit, RowAsk, RowVerdict, RowEnd, RowViolation, RowPolicy, RowTurnStart, RowTurnEnd, RowHook,
	RowChained, RowRepair, RowGap, RowRotate,
}

// Row is one fact, as a transition states it.
type Row struct {
	At       time.Time
	Kind     RowKind
	Decision string
	Pane     string
	Agent    string
	Session  string
	Tool     string
	Option   string // the option chosen, or a rule's behavior
	End      proto.End
	Rule     string // the rule that decided; "" when a person did
	Client   string
	UID, PID int
	// Fact names what can be told twice, such as by a hook and by a stream:
	// of the rows with one name only the first is kept. "" for all others.
	Fact string
	Body map[string]any

	awaited bool // somebody waits for it, and takes its failure
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
	path    string
	lock    *os.File
	trouble func(string)
	keep    int // rows that the database keeps, before the oldest are set aside

	// The writer's own.
	head   Head  // of what is committed
	first  int64 // the oldest row that the database still has
	anchor *anchor
	sink   *sink
	tryAt  int64 // after setting rows aside failed, the row at which to try again

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

// Record writes a fact that no transition of this package states: a change of
// the policy, a turn, a gate's denial. It returns when the row is on disk, or
// with the reason why it is not and will not be; then what the row allows must
// not happen.
func (s *Store) Record(ctx context.Context, r Row) error {
	r.awaited = true
	return s.audit.wait(ctx, s.audit.push(r))
}

// push queues a row. It never blocks: it is called under the state's lock.
func (a *audit) push(r Row) ticket {
	if r.At.IsZero() {
		r.At = time.Now()
	}
	r.awaited = r.awaited || r.Kind == RowVerdict || r.Kind == RowViolation
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

// fail notes that a row will not be written, for the one who waits for it.
func (a *audit) fail(p pending, err error) {
	if p.row.awaited {
		a.failed[p.ticket] = err
	}
}

// writeBatch commits what waits and says whether to go on. When the disk
// refuses, the rows that are waited for fail at once, since what they allow
// may not happen; the others wait for the next attempt.
func (a *audit) writeBatch() bool {
	a.mu.Lock()
	batch := a.waiting
	a.waiting = nil
	a.mu.Unlock()
	if len(batch) == 0 {
		return false
	}
	err := a.write(batch)
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
			if !p.row.awaited {
				kept = append(kept, p)
			}
		}
		a.waiting = append(kept, a.waiting...)
	}
	a.settled = max(a.settled, batch[len(batch)-1].ticket)
	close(a.changed)
	a.changed = make(chan struct{})
	a.mu.Unlock()
	if err == nil {
		a.rotate()
	}
	return err == nil
}

// write chains and commits rows, anchors the last one and gives all to the sink.
func (a *audit) write(batch []pending) error {
	rows := make([]Written, 0, len(batch))
	for _, p := range batch {
		rows = append(rows, written(p.row))
	}
	tx, err := a.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows, head, err := insert(tx, a.head, rows)
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	a.settle(head, rows)
	return nil
}

// settle follows a commit: the new head is anchored, the rows are told.
func (a *audit) settle(head Head, rows []Written) {
	a.head = head
	a.anchor.set(head)
	a.sink.add(rows)
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
	a.sink.close()
	return errors.Join(lost, a.db.Close(), a.anchor.close(), a.lock.Close())
}
