package store

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxAside is how many rows are set aside at once: more would hold up the
// verdicts that wait meanwhile.
const maxAside = 10_000

// asideDir is where the rows go that the database does not keep, in files
// named by the first and the last of them. They are never removed from there.
func asideDir(database string) string { return filepath.Join(filepath.Dir(database), "audit") }

const asideForm = "%012d-%012d.jsonl"

// rotate sets the oldest rows aside when the database has more than it is to
// keep. The chain goes on: a row tells which file has them and how it ends.
func (a *audit) rotate() {
	if a.head.ID-a.first < int64(a.keep) || a.head.ID < a.tryAt {
		return
	}
	err := a.setAside(int64(max(1, min(a.keep/4, maxAside))))
	if err != nil {
		a.tryAt = a.head.ID + int64(a.keep/4)
	}
	a.anchor.note("setting old rows of the audit aside", err)
}

// setAside moves up to n of the oldest rows to a file. A row that an ask still
// needs stays, and so do those after it.
func (a *audit) setAside(n int64) error {
	tx, err := a.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	last := a.first + n - 1
	asks, err := openAsks(tx)
	if err != nil {
		return err
	}
	if len(asks) > 0 {
		last = min(last, asks[0].ID-1)
	}
	rows, err := selectRows(context.Background(), tx, `id <= ? ORDER BY id`, last)
	if err != nil || len(rows) == 0 {
		return err
	}
	end := rows[len(rows)-1]
	name := fmt.Sprintf(asideForm, a.first, end.ID)
	sum, err := writeAside(filepath.Join(asideDir(a.path), name), rows)
	if err != nil {
		return err
	}
	told, head, err := insert(tx, a.head, []Written{written(Row{At: now(), Kind: RowRotate,
		Body: map[string]any{"file": name, "first": a.first, "last": end.ID, "hash": end.Hash, "sha256": sum}})})
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`DELETE FROM audit WHERE id <= ?`, end.ID); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	a.first = end.ID + 1
	a.settle(head, told)
	return nil
}

// writeAside writes a file of rows, whole and synced, and gives its SHA-256.
func writeAside(path string, rows []Written) (sum string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	out := bufio.NewWriter(io.MultiWriter(f, hash))
	for _, w := range rows {
		line, err := w.Line()
		if err != nil {
			return "", errors.Join(err, f.Close())
		}
		_, _ = out.Write(line) // Flush tells
	}
	if err := errors.Join(out.Flush(), f.Sync(), f.Close()); err != nil {
		return "", err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), syncDir(filepath.Dir(path))
}

// Line is the row as one line of JSON in ASCII, such as export prints.
func (w *Written) Line() ([]byte, error) {
	text, err := encodeBody(w)
	return append(text, '\n'), err
}

// maxLine bounds a line of an export: a row's body is bounded well below.
const maxLine = 1 << 20

// readLines reads rows as export prints them, and stops when use says so.
func readLines(r io.Reader, use func(Written) bool) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		var w Written
		err := json.Unmarshal(lines.Bytes(), &w)
		if err == nil {
			w.Body, err = sameBody(w.Body)
		}
		if err != nil {
			return fmt.Errorf("line %d is no row: %w", n, err)
		}
		if !use(w) {
			return nil
		}
	}
	return lines.Err()
}

// aside is a file of rows that were set aside.
type aside struct {
	path        string
	first, last int64
}

// asides are the files that there are, oldest first.
func asides(database string) ([]aside, error) {
	paths, err := filepath.Glob(filepath.Join(escapeGlob(asideDir(database)), "*.jsonl")) // in the order of their names
	if err != nil {
		return nil, err
	}
	var list []aside
	for _, path := range paths {
		f := aside{path: path}
		if n, err := fmt.Sscanf(filepath.Base(path), asideForm, &f.first, &f.last); err == nil && n == 2 {
			list = append(list, f)
		}
	}
	return list, nil
}

func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func (f aside) each(use func(Written) bool) error {
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := readLines(file, use); err != nil {
		return fmt.Errorf("reading %s: %w", f.path, err)
	}
	return nil
}
