package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The parts of a turn's quarantine: its record, what was in the tree, and what
// was elsewhere (the directory of Git of a linked work tree).
const (
	recordFile = "record.json"
	insideDir  = "tree"
	outsideDir = "elsewhere"
)

// Kept is one turn's quarantine.
type Kept struct {
	Turn string    `json:"turn"`
	Root string    `json:"root"` // of the tree that it was taken from
	At   time.Time `json:"at"`
	// Paths are what is kept, by where each stood. Sorted.
	Paths []string `json:"paths"`

	dir string
}

// record notes where the quarantine's content is from, before there is any.
func (t *Tree) record() error {
	file := filepath.Join(t.o.Quarantine, recordFile)
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	if err := os.MkdirAll(t.o.Quarantine, 0o700); err != nil {
		return fmt.Errorf("making the quarantine: %w", err)
	}
	text, err := json.Marshal(Kept{Turn: t.o.Turn, Root: t.root, At: time.Now().UTC()})
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("making the quarantine's record: %w", err)
	}
	return nil
}

// asideOf is where a path goes in the quarantine.
func (t *Tree) asideOf(path string) string {
	if within(t.root, path) {
		return filepath.Join(t.o.Quarantine, insideDir, strings.TrimPrefix(path, t.root))
	}
	return filepath.Join(t.o.Quarantine, outsideDir, path)
}

// Quarantines lists what the turns of a directory of quarantines left, the
// oldest first. A directory that cannot be read is an error beside the rest.
func Quarantines(dir string) ([]Kept, error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the quarantine: %w", err)
	}
	var out []Kept
	var errs []error
	for _, e := range list {
		k, err := OpenKept(dir, e.Name())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Kept) int { return a.At.Compare(b.At) })
	return out, errors.Join(errs...)
}

// OpenKept reads the quarantine of one turn. fs.ErrNotExist says that there is none.
func OpenKept(dir, turn string) (Kept, error) {
	k := Kept{dir: filepath.Join(dir, turn)}
	if turn != filepath.Base(turn) || turn == "." || turn == ".." {
		return k, fmt.Errorf("%q names no turn: %w", turn, fs.ErrNotExist)
	}
	text, err := os.ReadFile(filepath.Join(k.dir, recordFile))
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		return k, fmt.Errorf("reading the quarantine of turn %s: %w", turn, err)
	}
	for _, part := range []struct{ dir, root string }{{insideDir, k.Root}, {outsideDir, "/"}} {
		top := filepath.Join(k.dir, part.dir)
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return fmt.Errorf("reading the quarantine of turn %s: %w", turn, err)
			case !d.IsDir():
				k.Paths = append(k.Paths, filepath.Join(part.root, strings.TrimPrefix(path, top)))
			}
			return nil
		})
		if err != nil {
			return k, err
		}
	}
	slices.Sort(k.Paths)
	return k, nil
}

// Restore puts what is kept of a path below to, or, when to is "", back to
// where it stood. What stands in its way is never replaced (fs.ErrExist).
// The quarantine keeps its own copy until it is dropped.
func (k Kept) Restore(path, to string) (string, error) {
	if !slices.Contains(k.Paths, path) {
		return "", fmt.Errorf("turn %s has nothing of %s in quarantine: %w", k.Turn, show(path), fs.ErrNotExist)
	}
	from, at := filepath.Join(k.dir, outsideDir, path), path
	if within(k.Root, path) {
		from = filepath.Join(k.dir, insideDir, strings.TrimPrefix(path, k.Root))
	}
	if to != "" {
		at = filepath.Join(to, strings.TrimPrefix(path, k.Root))
	}
	if _, err := os.Lstat(at); err == nil {
		return at, fmt.Errorf("restoring %s: something stands there already: %w", show(at), fs.ErrExist)
	}
	e, err := see(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(at), 0o755)
	}
	if err == nil {
		err = copyAs(from, at, e)
	}
	if err != nil {
		return at, fmt.Errorf("restoring %s: %w", show(at), err)
	}
	return at, nil
}

// Drop removes a turn's quarantine for good.
func (k Kept) Drop() error {
	if err := os.RemoveAll(k.dir); err != nil {
		return fmt.Errorf("dropping the quarantine of turn %s: %w", k.Turn, err)
	}
	return nil
}
