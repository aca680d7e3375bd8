package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Checked is what the check of an audit found.
type Checked struct {
	Rows        int64
	First, Last int64
	Hash        string // of the last row
	// Anchored is the head that the anchor has; rows after it are not anchored yet.
	Anchored Head
	// Faults are what is wrong. The first of them names the first bad row.
	Faults []Fault
	// Notes are what the audit tells of itself that is no fault: repairs, and
	// rows of a time without a chain.
	Notes []string
}

// Fault is something that should not be.
type Fault struct {
	Row  int64 // the first row that it is about; 0 for the audit as a whole
	What string
}

func (f Fault) String() string {
	if f.Row == 0 {
		return f.What
	}
	return fmt.Sprintf("row %d: %s", f.Row, f.What)
}

// Bad is the first bad row; 0 when there is none, or when the fault is of the
// audit as a whole.
func (c Checked) Bad() int64 {
	if len(c.Faults) == 0 {
		return 0
	}
	return c.Faults[0].Row
}

// maxFaults is how many faults are told.
const maxFaults = 20

// checker follows a chain.
type checker struct {
	Checked
	heads map[int64][]string // what rows must be, by what is kept outside
	next  int64              // the id that must come now
	hash  string             // of the row before
	// unknown says that the row before is not at hand.
	unknown bool
}

func newChecker(heads []Head) *checker {
	c := &checker{heads: map[int64][]string{}, next: 1}
	for _, h := range heads {
		if h.ID > 0 {
			c.heads[h.ID] = append(c.heads[h.ID], h.Hash)
		}
	}
	return c
}

func (c *checker) fault(row int64, format string, args ...any) {
	if len(c.Faults) < maxFaults {
		c.Faults = append(c.Faults, Fault{row, fmt.Sprintf(format, args...)})
	}
}

// row checks the next row of the chain.
func (c *checker) row(w Written) bool {
	if c.Rows == 0 {
		c.First = w.ID
	}
	known := !c.unknown
	c.unknown = false
	switch {
	case w.ID > c.next:
		c.fault(c.next, "rows %d to %d are missing", c.next, w.ID-1)
		known = false
	case w.ID < c.next:
		c.fault(w.ID, "it stands after row %d", c.next-1)
		known = false
	}
	if known && w.chain(c.hash) != w.Hash {
		c.fault(w.ID, "it is not what was written after row %d: it was changed, or put in its place", w.ID-1)
	}
	if slices.ContainsFunc(c.heads[w.ID], func(hash string) bool { return hash != w.Hash }) {
		c.fault(w.ID, "it is not the row that was anchored: the audit was written anew")
	}
	delete(c.heads, w.ID)
	c.said(w)
	c.Rows++
	c.Last, c.Hash, c.next, c.hash = w.ID, w.Hash, w.ID+1, w.Hash
	return true
}

// said takes what the audit tells of itself.
func (c *checker) said(w Written) {
	var body struct {
		Found, Note string
		Rows        int64
	}
	switch w.Kind {
	case RowGap:
		_ = json.Unmarshal(w.Body, &body) // the row itself has been checked
		c.fault(w.ID, "when the server started it found that %s", body.Found)
	case RowRepair:
		_ = json.Unmarshal(w.Body, &body)
		c.Notes = append(c.Notes, fmt.Sprintf("row %d: %s; repaired", w.ID, body.Found))
	case RowChained:
		_ = json.Unmarshal(w.Body, &body)
		c.Notes = append(c.Notes, fmt.Sprintf("rows 1 to %d were taken into the chain later, at %s: %s", body.Rows, w.At, body.Note))
	}
}

// end looks for what should have come.
func (c *checker) end() Checked {
	if c.next == 1 {
		c.Last = 0
	}
	missing := int64(0)
	for id := range c.heads {
		missing = max(missing, id)
	}
	if missing > c.Last {
		c.fault(c.Last+1, "rows %d to %d are missing at the end: the anchor has row %d", c.Last+1, missing, missing)
	}
	return c.Checked
}

// Verify checks every row that there is against the chain, and the chain
// against the anchor and against heads, which were kept elsewhere. With kept
// it leaves out the files of rows set aside, and begins with the oldest row of
// the database. The error says why it could not check.
func (r *Reader) Verify(ctx context.Context, heads []Head, kept bool) (Checked, error) {
	// Before the rows: what is anchored now must be among them.
	anchored, err := readHead(headPath(r.path))
	tx, first, begun := r.snapshot(ctx)
	if begun != nil {
		return Checked{}, begun
	}
	defer tx.Rollback()
	c := newChecker(append(heads, anchored))
	c.Anchored = anchored
	if err != nil && first > 0 {
		c.fault(0, "the anchor %s cannot be used, so rows that were cut off at the end would not show: %v", headPath(r.path), err)
	}
	if first > 1 {
		before, err := aroundRotation(ctx, tx, first)
		if err != nil {
			return Checked{}, err
		}
		if kept {
			c.next, c.hash = first, before.Hash
			c.forget(first)
		} else if err := c.files(r.path, first); err != nil {
			return Checked{}, err
		}
		if c.next == first && c.hash != before.Hash {
			c.fault(first, "the rows before it are not those that were set aside")
		}
	}
	err = eachRow(ctx, tx, `1 ORDER BY id`, nil, func(w Written) bool { return c.row(w) && ctx.Err() == nil })
	if err := errors.Join(err, ctx.Err()); err != nil {
		return Checked{}, fmt.Errorf("reading the audit: %w", err)
	}
	return c.end(), nil
}

// forget leaves out the heads of rows before first.
func (c *checker) forget(first int64) {
	for id := range c.heads {
		if id < first {
			delete(c.heads, id)
		}
	}
}

// files checks the rows that were set aside.
func (c *checker) files(database string, first int64) error {
	files, err := asides(database)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.first >= first {
			continue // it was being set aside when the server ended
		}
		if err := f.each(c.row); err != nil {
			c.fault(c.next, "%v", err)
		}
	}
	return nil
}

// aroundRotation is what the database's own chain says of the rows before
// first: how the last of them ends.
func aroundRotation(ctx context.Context, q querier, first int64) (Head, error) {
	rows, err := selectRows(ctx, q, `kind = 'audit_rotate' ORDER BY id DESC`)
	if err != nil {
		return Head{}, fmt.Errorf("reading the audit: %w", err)
	}
	for _, w := range rows {
		var body struct {
			Last int64
			Hash string
		}
		if json.Unmarshal(w.Body, &body) == nil && body.Last == first-1 {
			return Head{body.Last, body.Hash}, nil
		}
	}
	return Head{}, nil // no row has set them aside: they show as missing
}

// readHead reads an anchor. The server may be replacing it, so that what is no
// head is read again.
func readHead(path string) (Head, error) {
	var h Head
	var err error
	for range 3 {
		var text []byte
		if text, err = os.ReadFile(path); err != nil {
			return Head{}, err
		}
		if h, err = ParseHead(string(text)); err == nil {
			return h, nil
		}
	}
	return Head{}, err
}

// VerifyExport checks rows as export prints them. The first of them may be
// any, and is taken as it is; heads are what was kept elsewhere.
func VerifyExport(r io.Reader, heads []Head) (Checked, error) {
	c := newChecker(heads)
	err := readLines(r, func(w Written) bool {
		if c.Rows == 0 && w.ID > 1 {
			c.forget(w.ID)
			c.next, c.unknown = w.ID, true
		}
		return c.row(w)
	})
	if err != nil {
		return Checked{}, fmt.Errorf("reading the export: %w", err)
	}
	return c.end(), nil
}
