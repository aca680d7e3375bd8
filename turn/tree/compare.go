package tree

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"
)

// change is one path that is not what it was.
type change struct {
	path     string
	what     string
	was, is  entry
	had, has bool
	at       time.Time // when it changed, as far as the system tells
}

// compare finds what changed outside of what the turn may write: first what
// is there, from the leaves up, so that a directory is empty when its turn
// comes; then what is gone, from the top down.
func (t *Tree) compare(after map[string]entry) ([]change, error) {
	var there, gone []change
	for path, is := range after {
		was, had := t.before[path]
		if had && was.same(is) {
			continue
		}
		what, err := t.difference(path, was, is, had)
		if err != nil {
			return nil, err
		}
		if what != "" {
			there = append(there, change{path: path, what: what, was: was, is: is, had: had, has: true, at: is.ctime})
		}
	}
	for path, was := range t.before {
		if _, has := after[path]; !has {
			gone = append(gone, change{path: path, what: "deleted", was: was, had: true, at: goneAt(path)})
		}
	}
	deeper := func(a, b change) int { return len(b.path) - len(a.path) }
	slices.SortFunc(there, func(a, b change) int { return cmpOr(deeper(a, b), a.path, b.path) })
	slices.SortFunc(gone, func(a, b change) int { return cmpOr(-deeper(a, b), a.path, b.path) })
	return append(there, gone...), nil
}

func cmpOr(n int, a, b string) int {
	switch {
	case n != 0:
		return n
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// difference says in what a path differs; "" when only its times do.
func (t *Tree) difference(path string, was, is entry, had bool) (string, error) {
	switch {
	case !had:
		return "created", nil
	case was.kind() != is.kind():
		return "replaced by something else", nil
	case is.kind() == fs.ModeSymlink && was.target != is.target:
		return "pointed elsewhere", nil
	case is.mode.IsRegular():
		if changed, err := t.contentDiffers(path, was, is); changed || err != nil {
			return "changed", err
		}
	}
	if was.mode&perm != is.mode&perm && is.kind() != fs.ModeSymlink {
		return "given another mode", nil
	}
	return "", nil
}

// contentDiffers compares bytes. Of what was not kept, the system's word counts.
func (t *Tree) contentDiffers(path string, was, is entry) (bool, error) {
	switch {
	case was.size != is.size:
		return true, nil
	case was.copy == "":
		return !was.mtime.Equal(is.mtime) || was.ino != is.ino, nil
	}
	equal, err := equalFiles(was.copy, path)
	if err != nil {
		return false, fmt.Errorf("comparing %s: %w", show(path), err)
	}
	return !equal, nil
}

// goneAt is when a path went: when the directory around it changed last.
func goneAt(path string) time.Time {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if e, err := see(dir); err == nil {
			return e.mtime
		}
		if dir == filepath.Dir(dir) {
			return time.Time{}
		}
	}
}
