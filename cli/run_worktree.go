package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

// turn runs a turn where it was asked for, or in a work tree of its own. Where
// says what is kept of that.
func (r *runFlags) turn(cmd *cobra.Command, spec proto.TurnSpec, show func(io.Writer, []byte, proto.Envelope) error) (done proto.TurnComplete, where string, err error) {
	if !r.worktree {
		done, err = r.one(cmd, spec, show)
		return done, "", err
	}
	tree, err := newOwnTree(cmd.Context(), spec.Dir)
	if err != nil {
		return done, "", err
	}
	spec.Origin, spec.Base = spec.Dir, tree.base
	if spec.Dir, err = tree.dir(); err == nil {
		done, err = r.one(cmd, spec, show)
	}
	kept, endErr := tree.end(context.WithoutCancel(cmd.Context()))
	if kept {
		where = fmt.Sprintf("work tree %s, branch %s", tree.path, tree.branch)
	}
	return done, where, errors.Join(err, endErr)
}

// ownTree is a Git work tree of one turn alone, beside the repository that the
// turn was asked for, on a branch of its own.
type ownTree struct {
	repo   string // the top of the person's own work tree
	path   string
	branch string
	base   string // the commit that it began at
	below  string // the turn's directory, from the top
}

// adding keeps two turns from adding their trees to one repository at once.
var adding sync.Mutex

// newOwnTree makes the tree of a turn in dir.
func newOwnTree(ctx context.Context, dir string) (*ownTree, error) {
	repo, err := gitIn(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, usagef("run: --worktree needs a Git repository, and %s is in none", dir)
	}
	base, err := gitIn(ctx, repo, "rev-parse", "-q", "--verify", "HEAD")
	if err != nil {
		return nil, usagef("run: --worktree needs a commit to begin at, and %s has none", repo)
	}
	below, err := filepath.Rel(repo, real(dir))
	if err != nil {
		return nil, fmt.Errorf("finding the place in the repository: %w", err)
	}
	var more [4]byte
	if _, err := rand.Read(more[:]); err != nil {
		return nil, fmt.Errorf("naming the work tree: %w", err)
	}
	name := fmt.Sprintf("%s-%x", time.Now().Format("20060102-150405"), more)
	o := &ownTree{repo: repo, base: base, below: below, branch: "signaltty/" + name}
	o.path = filepath.Join(filepath.Dir(repo), filepath.Base(repo)+"."+name)
	adding.Lock()
	defer adding.Unlock()
	if _, err := gitIn(ctx, repo, "worktree", "add", "-q", "-b", o.branch, o.path, base); err != nil {
		return nil, fmt.Errorf("making a work tree of the turn's own: %w", err)
	}
	return o, nil
}

// dir is where the turn runs: where it was asked for, in its own tree. That
// directory may be in no commit yet.
func (o *ownTree) dir() (string, error) {
	dir := filepath.Join(o.path, o.below)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("making the turn's directory: %w", err)
	}
	return dir, nil
}

// end removes a tree in which nothing changed, with its branch. What Git
// ignores is no change.
func (o *ownTree) end(ctx context.Context) (kept bool, err error) {
	changed, err1 := gitIn(ctx, o.path, "status", "--porcelain", "--untracked-files=all")
	head, err2 := gitIn(ctx, o.path, "rev-parse", "-q", "--verify", "HEAD")
	if err := errors.Join(err1, err2); err != nil {
		return true, fmt.Errorf("looking at the turn's work tree %s: %w", o.path, err)
	}
	if changed != "" || head != o.base {
		return true, nil
	}
	adding.Lock()
	defer adding.Unlock()
	_, err1 = gitIn(ctx, o.repo, "worktree", "remove", o.path)
	if err1 == nil {
		_, err2 = gitIn(ctx, o.repo, "branch", "-q", "-D", o.branch)
	}
	if err := errors.Join(err1, err2); err != nil {
		return true, fmt.Errorf("removing the turn's work tree: %w", err)
	}
	return false, nil
}

// gitIn runs Git without the person's hooks. Its error is what Git said.
func gitIn(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.hooksPath=/dev/null"}, args...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}
