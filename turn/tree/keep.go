package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// keeper has the earlier content, each file under a number.
type keeper struct {
	dir  string
	left int64
	next int
}

func newKeeper(dir string, most int64) (*keeper, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making a place for the earlier content: %w", err)
	}
	return &keeper{dir: dir, left: most}, nil
}

func (k *keeper) remove() error {
	if err := os.RemoveAll(k.dir); err != nil {
		return fmt.Errorf("removing the earlier content: %w", err)
	}
	return nil
}

var errFull = errors.New("over the limit of what is kept")

// file keeps a copy of a file.
func (k *keeper) file(path string, size int64) (string, error) {
	if size > k.left {
		return "", errFull
	}
	return k.always(path)
}

// always keeps a copy of a file, however little room is left.
func (k *keeper) always(path string) (string, error) {
	from, err := openPlain(path)
	if err != nil {
		return "", err
	}
	defer from.Close()
	k.next++
	name := filepath.Join(k.dir, strconv.Itoa(k.next))
	to, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	n, err := io.Copy(to, from)
	k.left -= n
	if err = errors.Join(err, to.Close()); err != nil {
		return "", errors.Join(err, os.Remove(name))
	}
	return name, nil
}

// keepAll copies what may have to be put back: what Git ignores last, so that
// it is what does not fit.
func (t *Tree) keepAll(ctx context.Context) error {
	over, bytes := 0, int64(0)
	for _, last := range []bool{false, true} {
		for _, path := range slices.Sorted(maps.Keys(t.before)) {
			e := t.before[path]
			if !e.mode.IsRegular() || e.last != last {
				continue
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			name, err := t.keep.file(path, e.size)
			switch {
			case err == nil:
				e.copy = name
				t.before[path] = e
			case errors.Is(err, errFull):
				over, bytes = over+1, bytes+e.size
			case !errors.Is(err, os.ErrNotExist):
				t.health = append(t.health, fmt.Sprintf("%s cannot be put back: %v", show(path), err))
			}
		}
	}
	for _, r := range t.repos {
		if err := r.keepState(t.keep); err != nil {
			return err
		}
	}
	if over > 0 {
		t.health = append(t.health, fmt.Sprintf(
			"%d files of %d bytes are over the limit of %d bytes: a change of them would be told, and could not be put back", over, bytes, t.o.Max))
	}
	return nil
}

// equalFiles compares the content of two files.
func equalFiles(a, b string) (bool, error) {
	x, err := openPlain(a)
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, err := openPlain(b)
	if err != nil {
		return false, err
	}
	defer y.Close()
	p, q := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errA := io.ReadFull(x, p)
		m, errB := io.ReadFull(y, q)
		if n != m || !bytes.Equal(p[:n], q[:m]) {
			return false, nil
		}
		for _, err := range []error{errA, errB} {
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return false, err
			}
		}
		if errA != nil || errB != nil {
			return errA != nil && errB != nil, nil
		}
	}
}
