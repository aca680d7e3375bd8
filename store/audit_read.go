package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"signaltty/proto"
)

// Reader reads the audit, beside the server that writes it or without one.
type Reader struct {
	db   *sql.DB
	path string
}

// OpenReader opens the audit in the database at path for reading. It writes
// nothing. The error says when there is none, or none with a chain.
func OpenReader(path string) (*Reader, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no audit at %s yet; a server makes it when it starts: %w", path, fs.ErrNotExist)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(5000)&_pragma=query_only(true)")
	if err != nil {
		return nil, fmt.Errorf("opening the audit: %w", err)
	}
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM pragma_table_info('audit') WHERE name = 'hash'`).Scan(&n); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the audit %s: %w", path, err), db.Close())
	}
	if n == 0 {
		return nil, errors.Join(fmt.Errorf("the audit in %s has no chain; the next start of a server takes it into one", path), db.Close())
	}
	return &Reader{db, path}, nil
}

// Close closes the audit.
func (r *Reader) Close() error { return r.db.Close() }

// Filter says which rows to read. The zero value of each field takes all.
type Filter struct {
	Since, Until time.Time // from Since on, before Until
	After        int64     // ids greater than this
	Agent, Pane  string
	Kinds        []RowKind
	Verdict      proto.Behavior // what the row let happen: allow, deny, ask or none
	Rule         string
	Decision     string
}

// Rows reads the rows that f takes, oldest first, until use says to stop:
// first those of the files set aside, then those of the database.
func (r *Reader) Rows(ctx context.Context, f Filter, use func(Written) bool) error {
	tx, first, err := r.snapshot(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	stopped := false
	take := func(w Written) bool {
		if f.takes(w) && !use(w) {
			stopped = true
		}
		return !stopped && ctx.Err() == nil
	}
	files, err := asides(r.path)
	if err != nil {
		return err
	}
	for _, file := range files {
		if file.first >= first || file.last <= f.After {
			continue
		}
		if err := file.each(take); err != nil {
			return err
		}
		if stopped {
			return nil
		}
	}
	where, args := f.where()
	return errors.Join(eachRow(ctx, tx, where+` ORDER BY id`, args, take), ctx.Err())
}

// snapshot begins to read the database as it is now, and gives the oldest row
// that it has. What is listed of the files afterwards has all before that.
func (r *Reader) snapshot(ctx context.Context) (*sql.Tx, int64, error) {
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, fmt.Errorf("reading the audit: %w", err)
	}
	var first int64
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(min(id), 0) FROM audit`).Scan(&first); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("reading the audit: %w", err), tx.Rollback())
	}
	return tx, first, nil
}

// where narrows what the database reads to what takes would leave, as far as
// that is a matter of equal words.
func (f Filter) where() (string, []any) {
	where, args := []string{`id > ?`}, []any{f.After}
	for _, c := range []struct{ name, value string }{{"agent", f.Agent}, {"pane", f.Pane}, {"rule", f.Rule}, {"decision", f.Decision}} {
		if c.value != "" {
			where, args = append(where, c.name+` = ?`), append(args, c.value)
		}
	}
	if !f.Since.IsZero() {
		where, args = append(where, `at >= ?`), append(args, stamp(f.Since))
	}
	if !f.Until.IsZero() {
		where, args = append(where, `at < ?`), append(args, stamp(f.Until))
	}
	return strings.Join(where, ` AND `), args
}

// takes says whether a row is one of those that are asked for.
func (f Filter) takes(w Written) bool {
	same := func(want, is string) bool { return want == "" || want == is }
	kind := len(f.Kinds) == 0
	for _, k := range f.Kinds {
		kind = kind || k == w.Kind
	}
	return kind && w.ID > f.After && same(f.Agent, w.Agent) && same(f.Pane, w.Pane) && same(f.Rule, w.Rule) && same(f.Decision, w.Decision) &&
		(f.Since.IsZero() || w.At >= stamp(f.Since)) && (f.Until.IsZero() || w.At < stamp(f.Until)) &&
		(f.Verdict == "" || f.Verdict == w.Verdict())
}

// Verdict is what a row says that was let happen; "" for a row that is about
// no verdict.
func (w *Written) Verdict() proto.Behavior {
	switch w.Kind {
	case RowViolation:
		return proto.Deny
	case RowVerdict:
		switch w.Option {
		case proto.OptionDeny: // which is a rule's word too
			return proto.Deny
		case proto.OptionHandBack, string(proto.NoVerdict):
			return proto.NoVerdict
		case string(proto.AskFirst):
			return proto.AskFirst
		}
		return proto.Allow
	case RowEnd:
		if w.End != string(proto.EndAnswered) && w.End != string(proto.EndRule) {
			return proto.NoVerdict
		}
	}
	return ""
}

// Text is what a row says beyond its words, in a line for a person to read. It
// is partly an agent's text: whoever shows it makes control characters visible.
func (w *Written) Text() string {
	var b struct {
		told
		Argv              []string
		Code              *int
		Event, Note, File string
		Found             string
	}
	_ = json.Unmarshal(w.Body, &b) // what it does not say stays empty
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(w.Tool)
	if w.Rule != "" {
		add("rule " + w.Rule)
	}
	if w.Client != "" {
		add(fmt.Sprintf("%s %s (uid %d, pid %d)", b.Client, w.Client, w.UID, w.PID))
	}
	for _, text := range []string{b.Prompt, strings.Join(b.Argv, " "), b.Message, b.Reason, b.Cause, b.Event, b.Found, b.Note, b.File} {
		add(text)
	}
	if b.Code != nil {
		add(fmt.Sprintf("code %d", *b.Code))
	}
	if w.Kind == RowEnd {
		add("after " + (time.Duration(b.Waited) * time.Millisecond).String())
	}
	return strings.Join(parts, " · ")
}

// Follow tells the rows that f takes and that are committed from now on, or
// after f.After where that is set, until ctx ends.
func (r *Reader) Follow(ctx context.Context, f Filter, use func(Written) error) error {
	if f.After == 0 {
		if err := r.db.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM audit`).Scan(&f.After); err != nil {
			return fmt.Errorf("reading the audit: %w", err)
		}
	}
	look := time.NewTicker(followEvery)
	defer look.Stop()
	for {
		all := f
		rest := Filter{After: f.After}
		var failed error
		err := r.Rows(ctx, rest, func(w Written) bool {
			f.After = w.ID
			if all.takes(w) {
				failed = use(w)
			}
			return failed == nil
		})
		switch {
		case ctx.Err() != nil:
			return nil
		case failed != nil || err != nil:
			return errors.Join(failed, err)
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// followEvery is how often the database is looked at for new rows.
const followEvery = 200 * time.Millisecond
