package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"signaltty/adapters"
	"signaltty/proto"
	"signaltty/server/term"
	"signaltty/store"
)

// The sizes that a pane may have. The upper ones bound a frame.
const (
	minCols, minLines = 2, 1
	maxCols, maxLines = 1000, 500
)

// defaultSize is the size of a pane that no client shows.
var defaultSize = proto.Size{Cols: 80, Lines: 24}

func checkSize(z proto.Size) error {
	if z.Cols < minCols || z.Cols > maxCols || z.Lines < minLines || z.Lines > maxLines {
		return proto.Errorf(proto.CodeTooLarge, "a pane has %d to %d columns and %d to %d lines, not %dx%d", minCols, maxCols, minLines, maxLines, z.Cols, z.Lines)
	}
	return nil
}

func paneNew(c *client, _ context.Context, req proto.PaneNew) (any, error) {
	p, err := c.s.spawn(req, c.by())
	if err != nil {
		return nil, err
	}
	return p, nil
}

// spawn starts a program or an agent in a new pane.
func (s *Server) spawn(req proto.PaneNew, by store.By) (proto.Pane, error) {
	if req.Size == (proto.Size{}) {
		req.Size = defaultSize
	}
	if err := checkSize(req.Size); err != nil {
		return proto.Pane{}, err
	}
	if req.Turn != nil {
		req.Agent, req.Cwd = req.Turn.Agent, req.Turn.Dir
		s.turnsStart.RLock() // its driver may speak before the pane is known
		defer s.turnsStart.RUnlock()
	}
	if req.Env == nil {
		req.Env = os.Environ()
	}
	if req.Cwd == "" {
		req.Cwd, _ = os.UserHomeDir()
	}
	if info, err := os.Stat(req.Cwd); err != nil || !info.IsDir() || !filepath.IsAbs(req.Cwd) {
		return proto.Pane{}, proto.Errorf(proto.CodeSpawn, "%q is not a directory that a pane can start in", req.Cwd)
	}
	p := &pane{id: s.store.PaneID(), watchers: map[*client]*screen{}}
	argv, extra, err := s.command(p, req)
	if err == nil {
		p.term = s.newTerm(req.Size)
		p.run, err = s.start(p, req, argv, extra)
	}
	if err != nil {
		if p.files != "" {
			os.RemoveAll(p.files)
		}
		return proto.Pane{}, err
	}
	return s.admit(p, req, argv, by)
}

func (s *Server) newTerm(size proto.Size) *term.Terminal {
	t := term.New(size, term.Options{HistoryLines: s.opts.HistoryLines, Version: s.opts.Build})
	s.mu.Lock()
	c := s.colors
	s.mu.Unlock()
	t.SetColors(c.Fg, c.Bg, c.Cursor)
	t.SetPalette(c.Palette)
	return t
}

// command says what to run: an agent as its adapter launches it, the argv
// that was given, or the person's shell.
func (s *Server) command(p *pane, req proto.PaneNew) (argv, env []string, err error) {
	if req.Agent == "" {
		if len(req.Argv) > 0 {
			return req.Argv, nil, nil
		}
		return []string{shell(req.Env)}, nil, nil
	}
	a, ok := adapters.Lookup(req.Agent)
	if !ok || req.Turn != nil && a.Turns == nil {
		return nil, nil, proto.Errorf(proto.CodeSpawn, "there is no agent %q; known are %s", req.Agent, strings.Join(agentNames(), ", "))
	}
	p.adapter = &a
	if req.Decide && a.Can.Decide == "" {
		return nil, nil, proto.Errorf(proto.CodeSpawn, "%s needs no mode of its own for decisions; leave that out", a.Name)
	}
	if err := s.makeFiles(p); err != nil {
		return nil, nil, err
	}
	if req.Turn != nil {
		argv, err := s.turnCommand(p, *req.Turn)
		return argv, nil, err
	}
	if a.Launch == nil {
		return wrapped(append([]string{a.Binary}, req.Argv...), req.Command), nil, nil
	}
	cmd, err := a.Launch(adapters.Launch{
		Argv: req.Argv, Dir: req.Cwd, PaneID: p.id, FilesDir: p.files, Self: s.self, Env: req.Env, Decide: req.Decide,
		Policy: s.gate.native(a.Name, workspaceDir(req.Cwd)),
	})
	if err != nil {
		return nil, nil, proto.Errorf(proto.CodeSpawn, "preparing %s: %v", a.Name, err)
	}
	p.shown = cmd.Shown
	return wrapped(cmd.Argv, req.Command), cmd.Env, nil
}

// shownLine is the command line that people are shown of a pane that was
// prepared by command.
func (p *pane) shownLine(argv []string) []string {
	if p.shown != nil {
		return p.shown
	}
	return argv
}

// makeFiles makes the directory of a pane's files, anew for each of its
// processes.
func (s *Server) makeFiles(p *pane) error {
	p.files = filepath.Join(filepath.Dir(s.opts.Socket), "panes", p.id)
	err := os.MkdirAll(filepath.Dir(p.files), 0o700)
	if err == nil {
		err = os.RemoveAll(p.files)
	}
	if err == nil {
		err = os.Mkdir(p.files, 0o700) // what stands there already is not ours
	}
	if err != nil {
		return fmt.Errorf("making the pane's files: %w", err)
	}
	return nil
}

// wrapped starts an agent by another program, which takes the same arguments.
func wrapped(argv []string, command string) []string {
	if command == "" {
		return argv
	}
	return append([]string{command}, argv[1:]...)
}

func agentNames() []string {
	var names []string
	for a := range adapters.All() {
		names = append(names, a.Name)
	}
	return names
}

func shell(env []string) string {
	for _, v := range env {
		if sh, ok := strings.CutPrefix(v, "SHELL="); ok && filepath.IsAbs(sh) {
			return sh
		}
	}
	return "/bin/sh"
}

func (s *Server) start(p *pane, req proto.PaneNew, argv, extra []string) (*run, error) {
	argv, err := s.confined(p, req, argv)
	if err != nil {
		return nil, err
	}
	proc, err := s.keep.start(spec{
		argv: argv, dir: req.Cwd, size: req.Size, env: paneEnv(req.Env, p.id, s.opts.Socket, extra),
	})
	if err != nil {
		return nil, err
	}
	// A process that is gone already has no descendants to tell apart.
	_ = s.kin.addLeader(proc.pid(), p.id, p.adapter != nil)
	r := newRun(proc)
	if p.adapter != nil && p.adapter.TitleAtStart {
		r.start = newStarting(func() { s.store.StartWaits(p.id) })
	}
	return r, nil
}

// admit makes a started pane known.
func (s *Server) admit(p *pane, req proto.PaneNew, argv []string, by store.By) (proto.Pane, error) {
	s.mu.Lock()
	closing := s.closing
	if !closing {
		s.panes[p.id] = p
	}
	s.mu.Unlock()
	var view proto.Pane
	err := error(proto.Errorf(proto.CodeUnavailable, "the server stops"))
	if !closing {
		view, err = s.store.AddPane(p.id, p.run.proc.pid(), store.NewPane{
			Agent: req.Agent, Name: req.Name, Dir: workspaceDir(req.Cwd), Cwd: req.Cwd, Argv: p.shownLine(argv), Size: req.Size,
			Given: req.Argv, Command: req.Command, Decide: req.Decide, Confine: req.Confine, Allow: req.Allow, Ports: req.Ports, Passing: req.Turn != nil, Resumable: canResume(req.Agent), Beside: req.Beside, Split: req.Dir, By: by,
		})
	}
	// A pane that is not admitted is ended, and so joined, right here.
	s.expectHooks(p, p.run, view.Since)
	s.follow(p, p.run)
	if err != nil {
		s.endPane(p)
		return proto.Pane{}, err
	}
	return view, nil
}

// workspaceDir is the directory under work that dir belongs to: the root of
// its Git tree, or dir itself.
func workspaceDir(dir string) string {
	dir = filepath.Clean(dir)
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}
