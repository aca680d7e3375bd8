package store

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const (
	// layoutPace is the least time between two writes of the layout.
	layoutPace = 500 * time.Millisecond
	// maxBackups is how many earlier layouts are kept.
	maxBackups = 5
)

// The slot of the layout as it is; backups have later ones.
const layoutSlot = 0

const layoutSchema = `
CREATE TABLE IF NOT EXISTS layout (
	slot INTEGER PRIMARY KEY AUTOINCREMENT,
	at   TEXT NOT NULL,
	body TEXT NOT NULL
) STRICT;
`

// layouts writes the layout when it changes: at once when it was quiet, and
// changes that come close together in one write. One goroutine writes, with no
// lock of the state held.
type layouts struct {
	db      *sql.DB
	now     func() layout
	trouble func(string)
	written []byte        // what is on disk
	panes   int           // and how many panes it has
	changed chan struct{} // of capacity 1
	stop    chan struct{}
	done    chan struct{}
}

// openLayouts reads what the last server kept and begins to write what now
// gives. What cannot be read is set aside among the backups, and told.
func openLayouts(db *sql.DB, now func() layout, trouble func(string)) (*layouts, layout, error) {
	l := &layouts{
		db: db, now: now, trouble: trouble,
		changed: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	if _, err := db.Exec(layoutSchema); err != nil {
		return nil, layout{}, fmt.Errorf("opening the saved layout: %w", err)
	}
	err := db.QueryRow(`SELECT body FROM layout WHERE slot = ?`, layoutSlot).Scan(&l.written)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, layout{}, fmt.Errorf("reading the saved layout: %w", err)
	}
	var found layout
	if err == nil {
		found, err = readLayout(l.written)
		if err != nil {
			trouble(fmt.Sprintf("the layout of the last server cannot be read: %v; it is kept in the database as a backup", err))
		}
		if err != nil || len(found.Panes) > 0 {
			// Whatever becomes of this start, that layout stays.
			if err := l.backUp(l.written); err != nil {
				return nil, layout{}, err
			}
		}
	}
	l.panes = len(found.Panes)
	go l.run()
	return l, found, nil
}

// touch says that the layout may have changed. It never blocks.
func (l *layouts) touch() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

func (l *layouts) run() {
	defer close(l.done)
	failed := false
	for {
		select {
		case <-l.changed:
		case <-l.stop:
			return
		}
		pace := layoutPace
		if err := l.write(); err != nil {
			l.trouble(fmt.Sprintf("the layout cannot be saved: %v; after a restart panes are as they were before", err))
			pace = retryWrite
			l.touch()
			failed = true
		} else if failed {
			l.trouble("")
			failed = false
		}
		select {
		case <-time.After(pace):
		case <-l.stop:
			return
		}
	}
}

// close writes the last layout.
func (l *layouts) close() error {
	close(l.stop)
	<-l.done
	if err := l.write(); err != nil {
		return fmt.Errorf("saving the layout: %w", err)
	}
	return nil
}

// write saves the layout if it is another one. An empty one takes the place
// of one with panes only beside a backup of that.
func (l *layouts) write() error {
	now := l.now()
	body, err := json.Marshal(now)
	if err != nil {
		return err
	}
	if bytes.Equal(body, l.written) {
		return nil
	}
	if l.panes > 0 && len(now.Panes) == 0 {
		if err := l.backUp(l.written); err != nil {
			return err
		}
	}
	_, err = l.db.Exec(`INSERT INTO layout VALUES (?, ?, ?) ON CONFLICT (slot) DO UPDATE SET at = excluded.at, body = excluded.body`,
		layoutSlot, stamp(time.Now()), string(body))
	if err != nil {
		return err
	}
	l.written, l.panes = body, len(now.Panes)
	return nil
}

// backUp keeps a layout in a slot of its own, if the newest backup is another
// one, and forgets the oldest ones.
func (l *layouts) backUp(body []byte) error {
	tx, err := l.db.Begin()
	if err != nil {
		return fmt.Errorf("backing up the layout: %w", err)
	}
	defer tx.Rollback()
	_, err1 := tx.Exec(`INSERT INTO layout (at, body) SELECT ?, ? WHERE ? IS NOT
		(SELECT body FROM layout WHERE slot > ? ORDER BY slot DESC LIMIT 1)`, stamp(time.Now()), string(body), string(body), layoutSlot)
	_, err2 := tx.Exec(`DELETE FROM layout WHERE slot > ? AND slot NOT IN
		(SELECT slot FROM layout WHERE slot > ? ORDER BY slot DESC LIMIT ?)`, layoutSlot, layoutSlot, maxBackups)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("backing up the layout: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("backing up the layout: %w", err)
	}
	return nil
}
