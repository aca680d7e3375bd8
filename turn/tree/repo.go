package tree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"signaltty/proto"
)

// repo is one repository of the tree and what it was: its branches and what
// is staged, as Git tells them.
type repo struct {
	dir    string // its own directory of Git
	common string // where its refs are: another one for a linked work tree
	work   string // "" for a bare one
	head   string // the branch, or the commit when there is none
	refs   map[string]string
	staged map[string]string // path below work to mode, object and stage
	kept   map[string]string // Git's own small files to where they are kept
}

// openRepo reads the repository whose directory of Git is dir.
func openRepo(ctx context.Context, dir string) (*repo, error) {
	r := &repo{dir: filepath.Clean(dir), kept: map[string]string{}}
	out, err := git(ctx, dir, "", "--git-dir", dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	r.common = strings.TrimSuffix(string(out), "\n")
	if r.work, err = workOf(ctx, dir); err != nil {
		return nil, err
	}
	r.head, r.refs, r.staged, err = r.state(ctx)
	return r, err
}

// workOf is the work tree of a directory of Git.
func workOf(ctx context.Context, dir string) (string, error) {
	if text, err := os.ReadFile(filepath.Join(dir, "gitdir")); err == nil {
		return filepath.Dir(strings.TrimSpace(string(text))), nil // a linked work tree
	}
	out, err := git(ctx, dir, "", "--git-dir", dir, "config", "--default", "", "--get", "core.worktree")
	if err != nil {
		return "", err
	}
	if own := strings.TrimSpace(string(out)); own != "" {
		if !filepath.IsAbs(own) {
			own = filepath.Join(dir, own)
		}
		return own, nil
	}
	if filepath.Base(dir) == ".git" {
		return filepath.Dir(dir), nil
	}
	return "", nil
}

// run runs Git on this repository.
func (r *repo) run(ctx context.Context, input string, args ...string) ([]byte, error) {
	where := []string{"--git-dir", r.dir}
	at := r.dir
	if r.work != "" {
		where, at = append(where, "--work-tree", r.work), r.work
	}
	return git(ctx, at, input, append(where, args...)...)
}

// state is what the repository says of itself now.
func (r *repo) state(ctx context.Context) (head string, refs, staged map[string]string, err error) {
	out, err := r.run(ctx, "", "symbolic-ref", "-q", "HEAD")
	if err != nil {
		if out, err = r.run(ctx, "", "rev-parse", "-q", "--verify", "HEAD"); err != nil {
			return "", nil, nil, fmt.Errorf("reading where HEAD is: %w", err)
		}
	}
	head = strings.TrimSpace(string(out))
	if out, err = r.run(ctx, "", "for-each-ref", "--format=%(refname) %(objectname)%(symref)"); err != nil {
		return "", nil, nil, fmt.Errorf("reading the branches: %w", err)
	}
	refs = map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, object, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = object
	}
	staged = map[string]string{}
	if r.work == "" {
		return head, refs, staged, nil
	}
	if out, err = r.run(ctx, "", "ls-files", "-z", "--stage"); err != nil {
		return "", nil, nil, fmt.Errorf("reading what is staged: %w", err)
	}
	for _, record := range nulls(out) {
		what, path, _ := strings.Cut(record, "\t")
		staged[path] += what + ";"
	}
	return head, refs, staged, nil
}

// keepState copies the small files of Git's own, for a repository that is
// broken when the turn has ended.
func (r *repo) keepState(k *keeper) error {
	for _, dir := range []string{r.dir, r.common} {
		for _, name := range []string{"HEAD", "packed-refs", "index"} {
			path := filepath.Join(dir, name)
			e, err := see(path)
			if err != nil || !e.mode.IsRegular() || r.kept[path] != "" {
				continue
			}
			kept, err := k.always(path)
			if err != nil {
				return fmt.Errorf("keeping %s: %w", show(path), err)
			}
			r.kept[path] = kept
		}
	}
	return nil
}

// settleRepo lets commits, branches and the index stand, or returns them.
func (t *Tree) settleRepo(ctx context.Context, r *repo) ([]proto.TurnBlocked, error) {
	head, refs, staged, err := r.state(ctx)
	if err != nil {
		return t.mend(ctx, r, err)
	}
	if head == r.head && maps.Equal(refs, r.refs) && maps.Equal(staged, r.staged) {
		return nil, nil
	}
	var told []proto.TurnBlocked
	var errs []error
	back := false
	elsewhere := r.elsewhere(ctx)
	for _, name := range changedKeys(r.refs, refs) {
		if strings.HasPrefix(name, turnBranches) && name != r.head && name != head {
			continue // of a turn in a work tree of its own
		}
		why := t.objection(ctx, r, r.refs[name], refs[name])
		if why == "" {
			continue
		}
		if elsewhere[name] || !t.o.Mine(r.changedAt(name)) {
			told = append(told, proto.TurnBlocked{Path: show(r.dir + "/" + name), Action: reported, Reason: notSurelyMine})
			continue
		}
		back = true
		b, err := t.returnRef(ctx, r, name, r.refs[name], refs[name], why)
		told, errs = append(told, b), append(errs, err)
	}
	if head != r.head && !t.o.Commits && !t.o.Mine(r.changedAt("HEAD")) {
		told = append(told, proto.TurnBlocked{Path: show(r.dir) + "/HEAD", Action: reported, Reason: notSurelyMine})
	} else if head != r.head && !t.o.Commits {
		back = true
		errs = append(errs, r.setHead(ctx, r.head))
		told = append(told, proto.TurnBlocked{Path: show(r.dir) + "/HEAD", Action: restored, Reason: "the turn may not change branches; it is on the earlier one again"})
	}
	if path := t.stagedOutside(r, staged, back); path != "" && !t.o.Mine(r.changedAt("index")) {
		told = append(told, proto.TurnBlocked{Path: show(r.dir) + "/index", Action: reported, Reason: notSurelyMine})
	} else if path != "" {
		b, err := t.returnIndex(r, path)
		told, errs = append(told, b), append(errs, err)
	}
	return told, errors.Join(errs...)
}

// turnBranches is where `run --worktree` makes the branches of its turns.
const turnBranches = "refs/heads/signaltty/"

// elsewhere are the branches that other work trees of the repository are on.
func (r *repo) elsewhere(ctx context.Context) map[string]bool {
	out, err := r.run(ctx, "", "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil // there is one only
	}
	list := map[string]bool{}
	own := false
	for _, line := range nulls(out) {
		if at, ok := strings.CutPrefix(line, "worktree "); ok {
			own = at == r.work || at == r.dir // the name of a submodule's
		}
		if name, ok := strings.CutPrefix(line, "branch "); ok && !own {
			list[name] = true
		}
	}
	return list
}

const notSurelyMine = "it changed during the turn; whether by the turn cannot be told, so it stands"

// changedAt is when a ref or a file of Git's changed last.
func (r *repo) changedAt(name string) time.Time {
	for _, path := range []string{filepath.Join(r.dir, name), filepath.Join(r.common, name), filepath.Join(r.common, "packed-refs"), r.common} {
		if e, err := see(path); err == nil {
			return e.mtime
		}
	}
	return time.Time{}
}

// objection says why a ref may not stand as it is now; "" when it may.
func (t *Tree) objection(ctx context.Context, r *repo, was, is string) string {
	switch {
	case !t.o.Commits:
		return "the turn may not commit or move branches"
	case is == "":
		return "the turn may not delete branches"
	}
	// Every commit that no earlier ref has, each against its parents.
	args := []string{"log", "--format=", "--name-only", "-z", "-m", "--root", "--no-renames", "--no-ext-diff", "--no-textconv", is}
	for _, old := range r.refs {
		args = append(args, "^"+old)
	}
	out, err := r.run(ctx, "", args...)
	if err != nil {
		return "what its commits change cannot be read: " + err.Error()
	}
	for _, name := range nulls(out) {
		name = strings.Trim(name, "\n")
		if name != "" && !t.o.Allowed(filepath.Join(r.work, name)) {
			return fmt.Sprintf("a commit changes %s, which is not among the paths that may be written", show(name))
		}
	}
	if was != "" {
		if _, err := r.run(ctx, "", "merge-base", "--is-ancestor", was, is); err != nil {
			return "it leaves commits out that it had"
		}
	}
	return ""
}

// returnRef sets a ref to what it was. What it was set to is kept under a ref
// of ours.
func (t *Tree) returnRef(ctx context.Context, r *repo, name, was, is, why string) (proto.TurnBlocked, error) {
	b := proto.TurnBlocked{Path: show(r.dir + "/" + name), Action: restored, Reason: why}
	if is != "" {
		kept := "refs/signaltty/quarantine/" + t.o.Turn + "/" + strings.TrimPrefix(name, "refs/")
		b.Quarantine = kept
		if _, err := r.run(ctx, "", "update-ref", kept, is); err != nil {
			return b, fmt.Errorf("keeping %s: %w", name, err)
		}
	}
	args := []string{"update-ref", "--no-deref", name, was}
	if was == "" {
		args = []string{"update-ref", "--no-deref", "-d", name}
	}
	if _, err := r.run(ctx, "", args...); err != nil {
		return b, fmt.Errorf("returning %s: %w", name, err)
	}
	return b, nil
}

// setHead puts HEAD on a branch or a commit, and nothing else.
func (r *repo) setHead(ctx context.Context, head string) error {
	args := []string{"symbolic-ref", "HEAD", head}
	if !strings.HasPrefix(head, "refs/") {
		args = []string{"update-ref", "--no-deref", "HEAD", head}
	}
	if _, err := r.run(ctx, "", args...); err != nil {
		return fmt.Errorf("returning HEAD: %w", err)
	}
	return nil
}

// stagedOutside is a path that is staged otherwise than before and may not
// be; with back, since commits were returned, any path is.
func (t *Tree) stagedOutside(r *repo, staged map[string]string, back bool) string {
	for _, path := range changedKeys(r.staged, staged) {
		if back || !t.o.Allowed(filepath.Join(r.work, path)) {
			return path
		}
	}
	return ""
}

// returnIndex puts the index back byte for byte.
func (t *Tree) returnIndex(r *repo, path string) (proto.TurnBlocked, error) {
	file := filepath.Join(r.dir, "index")
	b := proto.TurnBlocked{Path: show(file), Action: restored, Reason: fmt.Sprintf("%s was staged otherwise", show(path))}
	var err error
	if b.Quarantine, err = t.quarantine(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return b, err
	}
	kept := r.kept[file]
	if kept == "" {
		return b, nil // there was none
	}
	e, err := see(kept)
	if err == nil {
		e.mode = 0o644
		err = copyAs(kept, file, e)
	}
	if err != nil {
		return b, fmt.Errorf("returning the index: %w", err)
	}
	return b, nil
}

// mend puts Git's own small files back into a repository that it cannot read.
func (t *Tree) mend(ctx context.Context, r *repo, broken error) ([]proto.TurnBlocked, error) {
	b := proto.TurnBlocked{Path: show(r.dir), Action: restored, Reason: "the turn broke the repository"}
	for path, kept := range r.kept {
		if _, err := t.quarantine(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return []proto.TurnBlocked{b}, err
		}
		e, err := see(kept)
		if err == nil {
			e.mode = 0o644
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), copyAs(kept, path, e))
		}
		if err != nil {
			return []proto.TurnBlocked{b}, fmt.Errorf("mending %s: %w", show(r.dir), err)
		}
	}
	// An empty directory is all that Git needs of these.
	_ = os.MkdirAll(filepath.Join(r.common, "refs"), 0o755)
	_ = os.MkdirAll(filepath.Join(r.common, "objects"), 0o755)
	for name, object := range r.refs {
		if _, err := r.run(ctx, "", "update-ref", "--no-deref", name, object); err != nil {
			b.Action = unrestorable
			return []proto.TurnBlocked{b}, fmt.Errorf("mending %s, which Git could not read (%w): %s: %w", show(r.dir), broken, name, err)
		}
	}
	return []proto.TurnBlocked{b}, nil
}

// changedKeys are the keys whose values differ between two maps.
func changedKeys(a, b map[string]string) []string {
	var out []string
	for k := range a {
		if a[k] != b[k] {
			out = append(out, k)
		}
	}
	for k := range b {
		if _, both := a[k]; !both {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}
