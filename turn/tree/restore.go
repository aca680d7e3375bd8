package tree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"signaltty/proto"
)

// The actions of a TurnBlocked that this package gives.
const (
	restored     = "restored"
	reported     = "reported"
	unrestorable = "unrestorable"
)

// settle puts one path back, or tells why it stands as it is.
func (t *Tree) settle(c change) (proto.TurnBlocked, error) {
	b := proto.TurnBlocked{Path: show(c.path), Action: restored, Reason: "it was " + c.what + ", and is not among the paths that may be written"}
	if !t.o.Mine(c.at) || t.shared(c.path) {
		b.Action = reported
		b.Reason = "it was " + c.what + " during the turn; whether by the turn cannot be told, so it stands"
		return b, nil
	}
	if c.had && c.was.mode.IsRegular() && c.was.copy == "" && c.what != "given another mode" {
		b.Action = unrestorable
		b.Reason = "it was " + c.what + "; what it was before was not kept, so it stands"
		return b, nil
	}
	if moved, err := t.unchanged(c); err != nil || !moved {
		b.Action = reported
		b.Reason = "it changed again while it was checked, so it stands"
		return b, nil
	}
	kept, err := t.putBack(c)
	b.Quarantine = show(kept)
	if err != nil {
		b.Action, b.Reason = unrestorable, b.Reason+fmt.Sprintf("; it could not be put back: %v", err)
		return b, fmt.Errorf("putting back %s: %w", show(c.path), err)
	}
	return b, nil
}

// unchanged says that a path still is what was compared. A directory's own
// times change as what is in it is put back.
func (t *Tree) unchanged(c change) (bool, error) {
	now, err := see(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return !c.has, nil
	}
	if err != nil {
		return false, err
	}
	if !c.has {
		return false, nil
	}
	if now.mode.IsDir() && c.is.mode.IsDir() {
		return now.mode == c.is.mode, nil
	}
	return now.same(c.is), nil
}

// putBack takes out what stands at a path and puts there what stood before.
func (t *Tree) putBack(c change) (kept string, err error) {
	switch {
	case c.has && c.is.mode.IsDir() && (!c.had || c.was.kind() != c.is.kind()):
		// What was in it is out already. What may be written there keeps it.
		if err := os.Remove(c.path); err != nil {
			if !c.had && dirHasMore(c.path) {
				return "", nil
			}
			return "", err
		}
	case c.has && c.what == "given another mode":
		return "", os.Chmod(c.path, c.was.mode&perm)
	case c.has:
		if kept, err = t.quarantine(c.path); err != nil {
			return "", err
		}
	}
	if !c.had {
		return kept, nil
	}
	return kept, t.place(c.path, c.was)
}

func dirHasMore(path string) bool {
	list, err := os.ReadDir(path)
	return err == nil && len(list) > 0
}

// quarantine moves what stands at a path out of the tree.
func (t *Tree) quarantine(path string) (string, error) {
	if err := t.record(); err != nil {
		return "", err
	}
	to := t.asideOf(path)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", fmt.Errorf("making the quarantine: %w", err)
	}
	if err := os.Rename(path, to); err == nil {
		return to, nil
	}
	// It is on another file system.
	e, err := see(path)
	if err == nil {
		err = copyAs(path, to, e)
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return "", fmt.Errorf("moving it to the quarantine: %w", err)
	}
	return to, nil
}

// place puts an earlier entry at a path where nothing stands.
func (t *Tree) place(path string, was entry) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	switch {
	case was.mode.IsDir():
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return os.Chmod(path, was.mode&perm)
	case was.kind() == fs.ModeSymlink:
		return os.Symlink(was.target, path)
	case was.mode.IsRegular():
		return t.placeFile(path, was)
	}
	return fmt.Errorf("a %s cannot be made again", was.kind())
}

// placeFile writes the earlier content beside the path and moves it there.
func (t *Tree) placeFile(path string, was entry) error {
	temp := filepath.Join(filepath.Dir(path), ".signaltty-"+filepath.Base(was.copy))
	err := copyAs(was.copy, temp, was)
	if err == nil {
		err = os.Chtimes(temp, was.mtime, was.mtime)
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	return nil
}

// copyAs makes a copy of what stands at from, with the mode of e.
func copyAs(from, to string, e entry) error {
	if e.kind() == fs.ModeSymlink {
		return os.Symlink(e.target, to)
	}
	in, err := openPlain(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(e.mode&perm), out.Sync(), out.Close())
}
