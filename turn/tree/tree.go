package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"signaltty/proto"
)

// Options say what is held, and to what.
type Options struct {
	Dir string // the turn's working directory, absolute
	// Allowed says whether the turn may write a path, which is absolute.
	Allowed func(path string) bool
	// Commits says whether the turn may commit and move branches.
	Commits bool
	// Mine says whether a change made at that time can only be the turn's.
	Mine func(at time.Time) bool
	// Max is how many bytes of earlier content are kept.
	Max int64
	// Private is a directory that this package makes, fills and removes;
	// Quarantine one that it makes when there is something to keep there.
	Private, Quarantine string
	// Turn names the turn in the refs that keep its commits.
	Turn string
}

// DefaultMax is how much earlier content is kept unless told otherwise.
const DefaultMax = 2 << 30

// Tree is one tree under guard.
type Tree struct {
	o      Options
	root   string
	repos  []*repo
	before map[string]entry
	git    map[string]bool // the directories of Git that were there before
	keep   *keeper
	health []string
}

// New makes a guard. Nothing is read before Begin.
func New(o Options) *Tree {
	if o.Max == 0 {
		o.Max = DefaultMax
	}
	return &Tree{o: o}
}

// Begin notes the tree as it is.
func (t *Tree) Begin(ctx context.Context) error {
	dir, err := filepath.EvalSymlinks(t.o.Dir)
	if err != nil {
		return fmt.Errorf("resolving %s: %w", t.o.Dir, err)
	}
	if t.root, err = rootOf(ctx, dir); err != nil {
		return err
	}
	if t.keep, err = newKeeper(t.o.Private, t.o.Max); err != nil {
		return err
	}
	w, err := t.walk(ctx)
	if err != nil {
		return errors.Join(err, t.keep.remove())
	}
	for _, dir := range w.gitDirs {
		r, err := openRepo(ctx, dir)
		if err != nil {
			t.health = append(t.health, fmt.Sprintf("%s is no repository that Git can read: its branches are not held (%v)", show(dir), err))
			continue
		}
		t.repos = append(t.repos, r)
	}
	if err := t.walkGit(ctx, w); err != nil {
		return errors.Join(err, t.keep.remove())
	}
	t.before, t.git = w.entries, w.git
	t.health = append(t.health, w.notes...)
	return t.keepAll(ctx)
}

// Root is the directory whose tree is held, once Begin has found it.
func (t *Tree) Root() string { return t.root }

// Health tells what cannot be put back, and what could not be read.
func (t *Tree) Health() []string { return t.health }

// End compares the tree with what it was, puts back what may not stand and
// tells of each path once. The private copy is gone when it returns.
func (t *Tree) End(ctx context.Context) (told []proto.TurnBlocked, err error) {
	defer func() { err = errors.Join(err, t.keep.remove()) }()
	w, err := t.walk(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := t.compare(w.entries)
	if err != nil {
		return nil, err
	}
	// First the files, the settings and hooks of Git among them: nothing of
	// Git runs on what the turn has written there.
	var errs []error
	for _, c := range changes {
		b, err := t.settle(c)
		if err != nil {
			errs = append(errs, err)
		}
		told = append(told, b)
	}
	for _, r := range t.repos {
		more, err := t.settleRepo(ctx, r)
		told = append(told, more...)
		if err != nil {
			errs = append(errs, err)
		}
	}
	return told, errors.Join(errs...)
}

// rootOf is the directory whose tree is held: that of the work tree around
// dir, or dir itself.
func rootOf(ctx context.Context, dir string) (string, error) {
	for at := dir; ; {
		_, err := os.Lstat(filepath.Join(at, ".git"))
		if err == nil {
			_, err = git(ctx, at, "", "rev-parse", "--git-dir")
		}
		if err == nil {
			return at, nil
		}
		parent := filepath.Dir(at)
		if parent == at {
			return dir, ctx.Err()
		}
		at = parent
	}
}
