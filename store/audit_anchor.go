package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Head is the last row of the audit: whoever knows it knows what all rows up
// to it must be.
type Head struct {
	ID   int64
	Hash string // SHA-256 in hex
}

// headForm is the one line of the anchor, always of the same length, so that
// it is replaced in place by one small write.
const headForm = "signaltty-audit 1 %012d %64s\n"

func (h Head) String() string { return fmt.Sprintf(headForm, h.ID, h.Hash) }

// ParseHead reads the line of an anchor. An error says that it is none.
func ParseHead(line string) (Head, error) {
	var h Head
	line = strings.TrimSpace(line)
	if n, err := fmt.Sscanf(line, "signaltty-audit 1 %d %s", &h.ID, &h.Hash); err != nil || n != 2 || h.String() != line+"\n" || strings.Trim(h.Hash, "0123456789abcdef") != "" {
		return Head{}, fmt.Errorf("%q is no head of an audit", cutText(line, 100))
	}
	return h, nil
}

func headPath(database string) string { return database + ".head" }

const (
	// syncEvery is how often at most the file is synced: the disk that does it
	// is the one that verdicts wait for.
	syncEvery = 100 * time.Millisecond
	// commandEvery is how often at most the person's command is run.
	commandEvery = 5 * time.Second
)

// anchor keeps the head outside the database, so that cutting off its last
// rows shows. The writer replaces the line after each commit, before the
// verdicts of that commit are released, so that a kill leaves it right; soon
// after, beside the writer, the file is synced, and the person's command run.
type anchor struct {
	file    *os.File
	command func(ctx context.Context, line string) error
	found   error // why the file could not be used as it was
	was     Head  // what it had

	mu       sync.Mutex
	head     Head
	troubles map[string]error // by what was tried

	sync, tell chan struct{} // capacity 1: there is a newer head
	stop       context.CancelFunc
	work       sync.WaitGroup
}

func openAnchor(path string, command func(context.Context, string) error) (*anchor, error) {
	text, err := os.ReadFile(path)
	a := &anchor{command: command, troubles: map[string]error{}, sync: make(chan struct{}, 1), tell: make(chan struct{}, 1)}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		a.found = errors.New("there was no anchor")
	case err != nil:
		return nil, fmt.Errorf("reading the anchor of the audit: %w", err)
	default:
		a.was, a.found = ParseHead(string(text))
	}
	if a.found != nil {
		if err := newHeadFile(path); err != nil {
			return nil, fmt.Errorf("making the anchor of the audit: %w", err)
		}
	}
	if a.file, err = os.OpenFile(path, os.O_RDWR, 0o600); err != nil {
		return nil, fmt.Errorf("opening the anchor of the audit: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	a.work.Go(func() { a.each(ctx, a.sync, syncEvery, a.syncNow) })
	if command != nil {
		a.work.Go(func() { a.each(ctx, a.tell, commandEvery, func() { a.tellNow(ctx) }) })
	}
	return a, nil
}

// newHeadFile puts the head of an empty audit there, whole or not at all.
func newHeadFile(path string) error {
	next := path + ".new"
	f, err := os.OpenFile(next, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(Head{Hash: strings.Repeat("0", 64)}.String())
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// compare tells what the anchor and the database, as they were found, have to
// say about each other. A database without any row, or without a chain until
// now, cannot have been anchored.
func (a *anchor) compare(tx *sql.Tx, head Head, unchained bool) ([]Row, error) {
	note := func(kind RowKind, found string) []Row {
		return []Row{{Kind: kind, Body: map[string]any{"found": found, "anchored": a.was.ID, "anchored_hash": a.was.Hash, "last": head.ID}}}
	}
	switch {
	case a.found != nil && (head.ID == 0 || unchained):
		return nil, nil
	case a.found != nil:
		return note(RowGap, a.found.Error()+": whether rows were cut off cannot be told"), nil
	case a.was.ID > head.ID:
		return note(RowGap, fmt.Sprintf("rows %d to %d are gone", head.ID+1, a.was.ID)), nil
	case a.was == head || head.ID == 0:
		return nil, nil
	case a.was.ID == 0: // it was just made
		return note(RowRepair, "the anchor named no row yet, as a kill leaves it"), nil
	}
	named, err := selectRows(context.Background(), tx, `id = ?`, a.was.ID)
	if err != nil {
		return nil, err
	}
	if len(named) == 0 || named[0].Hash != a.was.Hash {
		return note(RowGap, fmt.Sprintf("row %d is not the one that was anchored", a.was.ID)), nil
	}
	return note(RowRepair, fmt.Sprintf("the anchor was %d rows behind, as a kill leaves it", head.ID-a.was.ID)), nil
}

// set replaces the line. It is the writer's.
func (a *anchor) set(h Head) {
	err := writeAt(a.file, h.String())
	a.note("writing the anchor of the audit", err)
	a.mu.Lock()
	a.head = h
	a.mu.Unlock()
	for _, c := range []chan struct{}{a.sync, a.tell} {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// each runs do for the newest head, and not more often than every so often.
func (a *anchor) each(ctx context.Context, newer <-chan struct{}, every time.Duration, do func()) {
	for {
		select {
		case <-newer:
			do()
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return
		}
	}
}

func (a *anchor) syncNow() { a.note("syncing the anchor of the audit", a.file.Sync()) }

func (a *anchor) tellNow(ctx context.Context) {
	a.note("running the anchor's command", a.command(ctx, a.current().String()))
}

func (a *anchor) current() Head {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.head
}

// note keeps what is wrong with one part, until it goes well again.
func (a *anchor) note(trying string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.troubles, trying)
	if err != nil {
		a.troubles[trying] = err
	}
}

// status is the head, and what is wrong now, "" for nothing.
func (a *anchor) status() (Head, string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []string
	for trying, err := range a.troubles {
		all = append(all, trying+": "+err.Error())
	}
	slices.Sort(all)
	return a.head, strings.Join(all, "; ")
}

// lastTell bounds the last run of the command, when the server stops.
const lastTell = 5 * time.Second

func (a *anchor) close() error {
	a.stop()
	a.work.Wait()
	if a.command != nil && a.current().ID > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), lastTell)
		defer cancel()
		a.tellNow(ctx)
	}
	return errors.Join(a.file.Sync(), a.file.Close())
}
