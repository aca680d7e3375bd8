package server

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"signaltty/adapters"
	"signaltty/proto"
	"signaltty/store"
)

// restore puts back the panes that the last server had. Shells start again at
// once, in their directories. Nothing else runs by itself: an agent may cost
// money and a program may do harm a second time, so those wait to be resumed.
func (s *Server) restore() {
	for _, k := range s.store.Restore(canResume) {
		p := &pane{id: k.ID, run: newRun(ended{}), watchers: map[*client]*screen{}, term: s.newTerm(defaultSize)}
		close(p.run.ended)
		close(p.run.exited)
		s.panes[p.id] = p
		if !isShell(k) {
			p.draw([]byte(fmt.Sprintf("%s ended with the server.\r\n`signaltty resume %s` %s, in the screen the prefix and R.\r\n", whatRan(k), p.id, whatResumes(k))))
			continue
		}
		if _, err := s.resume(p, os.Environ(), store.By{Client: "server", UID: os.Getuid(), PID: os.Getpid()}); err != nil {
			report("starting the shell of pane %s again: %v", p.id, err)
		}
	}
}

func canResume(agent string) bool {
	a, ok := adapters.Lookup(agent)
	return ok && a.Resume != nil
}

func whatRan(k store.Kept) string {
	if k.Agent != "" {
		return k.Agent
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, filepath.Base(k.Argv[0]))
}

func whatResumes(k store.Kept) string {
	if k.Agent != "" && k.Talked && canResume(k.Agent) {
		return "takes up its conversation"
	}
	return "runs it again"
}

// shells are the programs that start again by themselves.
var shells = []string{"sh", "bash", "zsh", "fish", "dash", "ksh", "mksh", "tcsh", "csh", "nu", "xonsh", "elvish"}

// isShell says whether a pane has an interactive shell: the person's own, or
// one with no script to run.
func isShell(k store.Kept) bool {
	if k.Agent != "" || len(k.Argv) == 0 {
		return k.Agent == ""
	}
	return slices.Contains(shells, filepath.Base(k.Argv[0])) && !slices.ContainsFunc(k.Argv[1:], func(arg string) bool {
		return arg != "-l" && arg != "-i" && arg != "-li" && arg != "-il" && arg != "--login" && arg != "--interactive"
	})
}

func paneResume(c *client, _ context.Context, req proto.PaneResume) (any, error) {
	p, err := c.s.pane(req.Pane)
	if err != nil {
		return nil, err
	}
	view, err := c.s.resume(p, req.Env, store.By{Client: c.id, Kind: c.kind, UID: c.peer.uid, PID: c.peer.pid})
	if err != nil {
		return nil, err
	}
	return view, nil
}

// resume starts a pane's program again. When that fails the pane says why and
// is as it was.
func (s *Server) resume(p *pane, env []string, by store.By) (proto.Pane, error) {
	p.life.Lock()
	defer p.life.Unlock()
	k, ok := s.store.Kept(p.id)
	if !ok {
		return proto.Pane{}, proto.Errorf(proto.CodeNoSuchPane, "no pane %q; `signaltty ls` lists them", p.id)
	}
	old := p.current()
	select {
	case <-old.exited:
	default:
		return proto.Pane{}, proto.Errorf(proto.CodePaneBusy, "pane %s still runs; `signaltty close %s` ends it", p.id, p.id)
	}
	if view, _ := s.store.Pane(p.id); view.Resume == "" {
		return proto.Pane{}, proto.Errorf(proto.CodeBadRequest, "pane %s was for one headless turn; `signaltty run` runs another", p.id)
	}
	// The PTY of the process before, and what it left running, go first.
	old.proc.close(closeGrace)
	<-old.ended
	s.kin.removeLeader(old.proc.pid())
	view, err := s.restart(p, k, env, by)
	if err != nil {
		s.store.ResumeFailed(p.id, err)
	}
	return view, err
}

// freshScreen ends the modes that a program left behind, and moves what it
// wrote into the scrollback.
func freshScreen(size proto.Size) []byte {
	const modes = "\x18\x1b[?1049l\x1b[?1000;1002;1003;1004;1006;2004;2026;1;6l\x1b[?7;25h\x1b[<9u\x1b[>4m\x1b>\x1b[m\x1b[r"
	return []byte(modes + "\x1b[999;1H" + strings.Repeat("\n", size.Lines) + "\x1b[H")
}

func (s *Server) restart(p *pane, k store.Kept, env []string, by store.By) (proto.Pane, error) {
	if env == nil {
		env = os.Environ()
	}
	p.mu.Lock()
	size := p.term.Size()
	p.mu.Unlock()
	req := proto.PaneNew{Agent: k.Agent, Command: k.Command, Decide: k.Decide, Confine: k.Confine, Allow: k.Allow, Ports: k.Ports, Argv: k.Argv, Cwd: standingDir(k.Cwd), Env: env, Size: size}
	if a, ok := adapters.Lookup(k.Agent); ok {
		req.Argv = nil
		if a.Keep != nil {
			req.Argv = a.Keep(k.Argv)
		}
		if view, _ := s.store.Pane(p.id); view.Resume == proto.ResumeSession {
			req.Argv = append(a.Resume(k.Session), req.Argv...)
		}
	}
	argv, extra, err := s.command(p, req)
	if err != nil {
		return proto.Pane{}, err
	}
	r, err := s.start(p, req, argv, extra)
	if err != nil {
		return proto.Pane{}, err
	}
	p.mu.Lock()
	p.draw(freshScreen(p.term.Size()))
	p.run = r
	p.mu.Unlock()
	view, _ := s.store.Resumed(p.id, r.proc.pid(), p.shownLine(argv), by)
	s.expectHooks(p, r, view.Since)
	s.follow(p, r)
	// A client may have sized the pane while the process started.
	p.sizing.mu.Lock()
	defer p.sizing.mu.Unlock()
	p.mu.Lock()
	size = p.term.Size()
	p.mu.Unlock()
	if err := r.proc.resize(size); err != nil {
		report("sizing pane %s: %v", p.id, err)
	}
	return view, nil
}

// standingDir is dir, or the nearest directory above it that is still there.
func standingDir(dir string) string {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if info, err := os.Stat(d); err == nil && info.IsDir() || d == filepath.Dir(d) {
			return d
		}
	}
}

// expectHooks notes, after a while, that an agent's hooks have said nothing.
func (s *Server) expectHooks(p *pane, r *run, since time.Time) {
	if p.adapter == nil || !slices.ContainsFunc(p.adapter.Events, func(e adapters.EventRow) bool {
		return e.Moment == proto.MomentSessionStart && e.TimeoutSeconds > 0
	}) {
		return
	}
	wait := s.opts.Silence
	if wait == 0 {
		wait = store.DefaultSilence
	}
	r.quiet = time.AfterFunc(wait, func() { s.store.Silent(p.id, since) })
}

// ended is the process of a pane in which nothing has run yet.
type ended struct{}

var closedChan = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (ended) pid() int                       { return 0 }
func (ended) read([]byte) (int, error)       { return 0, io.EOF }
func (ended) write([]byte) error             { return nil }
func (ended) resize(proto.Size) error        { return nil }
func (ended) done() <-chan struct{}          { return closedChan }
func (ended) wait() proto.Exit               { return proto.Exit{Code: -1} }
func (ended) close(time.Duration) proto.Exit { return proto.Exit{Code: -1} }
