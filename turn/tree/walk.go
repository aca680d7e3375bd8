package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// walked is what one walk has found.
type walked struct {
	entries map[string]entry
	gitDirs []string
	notes   []string
	ignored map[string]bool
	device  uint64
	// git are the directories of Git in which Git's own files were passed over.
	git map[string]bool
}

// walk looks at every path of the tree that the turn may not write, and at
// the directories of Git that belong to it, wherever they are.
func (t *Tree) walk(ctx context.Context) (*walked, error) {
	w := &walked{entries: map[string]entry{}, ignored: ignoredIn(ctx, t.root), git: map[string]bool{}}
	top, err := see(t.root)
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", show(t.root), err)
	}
	w.device = top.dev
	if err := t.walkInto(ctx, w, t.root); err != nil {
		return nil, err
	}
	return w, t.walkGit(ctx, w)
}

// walkGit looks at the directories of Git that no walk of the tree comes to:
// those of a linked work tree and of a submodule may be elsewhere.
func (t *Tree) walkGit(ctx context.Context, w *walked) error {
	for _, r := range t.repos {
		for _, dir := range []string{r.dir, r.common} {
			if _, seen := w.entries[dir]; seen {
				continue
			}
			if err := t.walkInto(ctx, w, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Tree) walkInto(ctx context.Context, w *walked, top string) error {
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) { // it is gone by now
				w.notes = append(w.notes, fmt.Sprintf("%s cannot be read: %v", show(path), err))
			}
			return nil
		}
		e, err := see(path)
		if err != nil {
			return nil
		}
		if dir, own := gitsOwn(path); own && (t.git == nil || t.git[dir]) {
			w.git[dir] = true
			if e.mode.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if path != top && e.mode.IsDir() && isWorktrees(path) {
			return filepath.SkipDir // what Git notes of other work trees is theirs
		}
		if e.mode.IsDir() && e.dev != w.device && within(t.root, path) {
			w.notes = append(w.notes, fmt.Sprintf("%s is another file system and is not held", show(path)))
			return filepath.SkipDir
		}
		if filepath.Base(path) == ".git" {
			if dir := gitDirAt(path, e); dir != "" && !slices.Contains(w.gitDirs, dir) {
				w.gitDirs = append(w.gitDirs, dir)
			}
		}
		e.last = w.ignored[path] || w.underIgnored(path)
		if path == t.root || !t.o.Allowed(path) {
			w.entries[path] = e
		}
		return nil
	})
}

// isWorktrees says that a directory is where Git notes linked work trees.
func isWorktrees(path string) bool {
	if filepath.Base(path) != "worktrees" {
		return false
	}
	_, err := os.Lstat(filepath.Join(filepath.Dir(path), "HEAD"))
	return err == nil
}

// shared says that a path is Git's own for several work trees, of which the
// tree is one: what changes there may be the work in another.
func (t *Tree) shared(path string) bool {
	return !within(t.root, path) && slices.ContainsFunc(t.repos, func(r *repo) bool {
		return r.common != r.dir && within(r.common, path) && !within(r.dir, path)
	})
}

// underIgnored marks what is below an ignored directory.
func (w *walked) underIgnored(path string) bool {
	if w.ignored[filepath.Dir(path)] {
		w.ignored[path] = true
		return true
	}
	return false
}

// gitDirAt is the directory that a .git is or names.
func gitDirAt(path string, e entry) string {
	switch {
	case e.mode.IsDir():
		return path
	case e.mode.IsRegular() && e.size < 4096:
		text, err := os.ReadFile(path)
		dir, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		if err != nil || !ok {
			return ""
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(path), dir)
		}
		return dir
	}
	return ""
}

// gitsOwn says that a path is inside a directory of Git and of a kind that
// Git's own commands write all the time: those are held by what they mean, as
// refs and as an index, not as bytes. One that the turn made is only files.
func gitsOwn(path string) (dir string, own bool) {
	dir, inside, ok := cutGit(path)
	if !ok {
		return "", false
	}
	head, _, _ := strings.Cut(inside, "/")
	switch head {
	case "objects", "lfs", "refs", "reftable", "logs", "packed-refs", "HEAD", "index", "ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG",
		"AUTO_MERGE", "gc.log", "gc.pid", "sharedindex":
		return dir, true
	}
	return dir, inside == "info/refs" || strings.HasSuffix(inside, ".lock") || strings.HasPrefix(head, "sharedindex.")
}

// cutGit splits a path at its last directory of Git, a submodule's and a
// linked work tree's own among them.
func cutGit(path string) (dir, inside string, ok bool) {
	i := strings.LastIndex(path, "/.git/")
	if i < 0 {
		return "", "", false
	}
	dir, inside = path[:i+len("/.git")], path[i+len("/.git/"):]
	for {
		head, rest, _ := strings.Cut(inside, "/")
		if head != "modules" && head != "worktrees" || rest == "" {
			return dir, inside, true
		}
		name, deeper, more := strings.Cut(rest, "/")
		if !more {
			return dir, inside, true
		}
		dir, inside = filepath.Join(dir, head, name), deeper
	}
}

func within(root, path string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
}

// ignoredIn are the paths that Git ignores in a work tree; a directory stands
// for what is below it.
func ignoredIn(ctx context.Context, root string) map[string]bool {
	out := map[string]bool{}
	text, err := git(ctx, root, "", "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return out // no repository
	}
	for _, name := range strings.Split(string(text), "\x00") {
		if name != "" {
			out[filepath.Join(root, name)] = true
		}
	}
	return out
}
