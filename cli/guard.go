package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"signaltty/proto"
	"signaltty/server"
	"signaltty/server/policy"
	"signaltty/turn/tree"
)

// callSlack is how long before a call is told, and after its end is, a change
// may still be the call's.
const callSlack = 500 * time.Millisecond

// guard holds a turn's tree to what the turn may write. It knows when the
// turn's own calls ran and who else worked in the tree meanwhile: a change is
// the turn's only when it can be nobody else's.
type guard struct {
	tree   *tree.Tree
	socket string
	others *neighbours

	mu    sync.Mutex
	calls map[string]*span
	spans []*span
	clear bool // nobody else worked in the tree; known at the end
	told  string

	blocked []proto.TurnBlocked // what the check found

	allowed map[string]int // by canonical tool, calls that the gate let run

	gated []proto.TurnGated // not taken yet
	wake  chan struct{}     // there is something in it
	lost  int               // more than maxGated
}

// maxGated is how many verdicts on calls of the turn wait to be told.
const maxGated = 10_000

// span is when one call ran; end is zero while it does.
type span struct{ begin, end time.Time }

// newGuard makes the guard of a turn whose files are in dir.
func newGuard(spec proto.TurnSpec, socket, pane, dir string) (*guard, error) {
	home, _ := os.UserHomeDir() // without one, ~ matches nothing
	limits, err := policy.Limit(spec, policy.Place{Home: home, Files: server.Disk{}, Fold: runtime.GOOS == "darwin"}, false)
	if err != nil {
		return nil, err
	}
	state, err := proto.StateDir()
	if err != nil {
		return nil, err
	}
	g := &guard{socket: socket, calls: map[string]*span{}, allowed: map[string]int{}, wake: make(chan struct{}, 1)}
	g.others = &neighbours{socket: socket, pane: pane, gated: g.note}
	ours := append(ownPlaces(socket), real(state))
	g.tree = tree.New(tree.Options{
		Dir: spec.Dir, Commits: spec.Commits,
		Allowed: func(p string) bool { return limits.Writable(p) || below(p, ours) }, Mine: g.mine, Max: spec.BaselineMax,
		Private: filepath.Join(dir, "baseline"), Quarantine: filepath.Join(state, quarantineName, spec.ID), Turn: spec.ID,
	})
	return g, nil
}

// ownPlaces are where the server of a socket keeps its files. A directory that
// the person chose for the socket is not signaltty's as a whole.
func ownPlaces(socket string) []string {
	dir := real(filepath.Dir(socket))
	if filepath.Base(dir) == "signaltty" {
		return []string{dir}
	}
	return []string{filepath.Join(dir, filepath.Base(socket)), filepath.Join(dir, "panes")}
}

// below says that a path is signaltty's own, which the server writes all the
// time, wherever the tree is: the gate keeps agents from it.
func below(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") })
}

// real is where a path leads, or the path when it leads nowhere.
func real(p string) string {
	if at, err := filepath.EvalSymlinks(p); err == nil {
		return at
	}
	return p
}

// Begin notes the tree as it is, and begins to watch who works in it.
func (g *guard) Begin(ctx context.Context) error {
	if err := tellTurn(ctx, g.socket, proto.MethodTurnStart, proto.None{}); err != nil {
		return fmt.Errorf("telling the server that the turn begins: %w", err)
	}
	if err := g.others.begin(ctx); err != nil {
		return fmt.Errorf("asking the server who works in the tree: %w", err)
	}
	if err := g.tree.Begin(ctx); err != nil {
		g.others.close()
		return err
	}
	return nil
}

// Call says when a call of the turn began.
func (g *guard) Call(id string, began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &span{begin: began}
	g.calls[id] = s
	g.spans = append(g.spans, s)
}

// note takes what became of a call of the turn.
func (g *guard) note(d proto.TurnGated) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if d.Decided.Behavior == proto.Allow {
		g.allowed[d.Kind]++
		if d.Decided.Decision == "" {
			return // there is nothing to tell
		}
	}
	if len(g.gated) >= maxGated {
		g.lost++
		return
	}
	g.gated = append(g.gated, d)
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// Wake says that there is something for Gated.
func (g *guard) Wake() <-chan struct{} { return g.wake }

// Gated gives what became of the turn's calls, each once.
func (g *guard) Gated() []proto.TurnGated {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := g.gated
	g.gated = nil
	return list
}

// Allowed counts the calls of a canonical tool that the gate let run.
func (g *guard) Allowed(tool string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.allowed[tool]
}

// Result says that a call of the turn has ended.
func (g *guard) Result(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.calls[id]; s != nil {
		s.end = time.Now()
		delete(g.calls, id)
	}
}

// End compares, puts back what may not stand, and tells each path once.
func (g *guard) End(ctx context.Context) ([]proto.TurnBlocked, error) {
	who, err := g.others.end(ctx, g.tree.Root())
	switch {
	case err != nil:
		g.told = fmt.Sprintf("who else worked in the tree is not known: %v", err)
	case who != "":
		g.told = fmt.Sprintf("pane %s was in the same tree: changes outside of what the turn may write are told and not undone", who)
	default:
		g.clear = true
	}
	g.blocked, err = g.tree.End(ctx)
	return g.blocked, err
}

// Health tells what the account of the tree leaves open.
func (g *guard) Health() []string {
	out := g.tree.Health()
	if g.told != "" {
		out = append(out, g.told)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lost > 0 {
		out = append(out, fmt.Sprintf("%d verdicts on calls came faster than they could be told; the audit has them", g.lost))
	}
	return out
}

// mine says whether a change at that time can only be the turn's.
func (g *guard) mine(at time.Time) bool {
	if !g.clear {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.spans {
		if at.After(s.begin.Add(-callSlack)) && (s.end.IsZero() || at.Before(s.end.Add(callSlack))) {
			return true
		}
	}
	return false
}
