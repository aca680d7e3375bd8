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
	if req.Env == nil {
		req.Env = os.Environ()
	}
	if req.Cwd == "" {
		req.Cwd, _ = os.UserHomeDir()
	}
	if info, err := os.Stat(req.Cwd); err != nil || !info.IsDir() || !filepath.IsAbs(req.Cwd) {
		return proto.Pane{}, proto.Errorf(proto.CodeSpawn, "%q is not a directory that a pane can start in", req.Cwd)
	}
	p := &pane{id: s.store.PaneID(), ended: make(chan struct{}), exited: make(chan struct{}), watchers: map[*client]*screen{}}
	argv, extra, err := s.command(p, req)
	if err == nil {
		err = s.start(p, req, argv, extra)
	}
	if err != nil {
		if p.files != "" {
			os.RemoveAll(p.files)
		}
		return proto.Pane{}, err
	}
	return s.admit(p, req, argv, by)
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
	if !ok {
		return nil, nil, proto.Errorf(proto.CodeSpawn, "there is no agent %q; known are %s", req.Agent, strings.Join(agentNames(), ", "))
	}
	p.adapter = &a
	p.files = filepath.Join(filepath.Dir(s.opts.Socket), "panes", p.id)
	err = os.MkdirAll(filepath.Dir(p.files), 0o700)
	if err == nil {
		err = os.Mkdir(p.files, 0o700) // what stands there already is not ours
	}
	if err != nil {
		return nil, nil, fmt.Errorf("making the pane's files: %w", err)
	}
	if a.Launch == nil {
		return append([]string{a.Binary}, req.Argv...), nil, nil
	}
	cmd, err := a.Launch(adapters.Launch{
		Argv: req.Argv, Dir: req.Cwd, PaneID: p.id, FilesDir: p.files, Self: s.self, Env: req.Env,
	})
	if err != nil {
		return nil, nil, proto.Errorf(proto.CodeSpawn, "preparing %s: %v", a.Name, err)
	}
	return cmd.Argv, cmd.Env, nil
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

func (s *Server) start(p *pane, req proto.PaneNew, argv, extra []string) error {
	proc, err := s.keep.start(spec{
		argv: argv, dir: req.Cwd, size: req.Size, env: paneEnv(req.Env, p.id, s.opts.Socket, extra),
	})
	if err != nil {
		return err
	}
	p.proc = proc
	p.term = term.New(req.Size, term.Options{HistoryLines: s.opts.HistoryLines, Version: s.opts.Build})
	s.mu.Lock()
	colors := s.colors
	s.mu.Unlock()
	p.setColors(colors)
	// A process that is gone already has no descendants to tell apart.
	_ = s.kin.addLeader(proc.pid(), p.id, p.adapter != nil)
	return nil
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
		view, err = s.store.AddPane(p.id, p.proc.pid(), store.NewPane{
			Agent: req.Agent, Name: req.Name, Dir: workspaceDir(req.Cwd), Cwd: req.Cwd, Argv: argv, Size: req.Size,
			Beside: req.Beside, Split: req.Dir, By: by,
		})
	}
	// A pane that is not admitted is ended, and so joined, right here.
	go s.readLoop(p)
	go s.awaitExit(p)
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
