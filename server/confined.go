package server

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"signaltty/proto"
	"signaltty/server/confine"
)

// kernel says whether the kernel can limit what a pane writes; the error tells
// what is missing.
func (s *Server) kernel() error {
	if s.opts.Kernel != nil {
		return s.opts.Kernel()
	}
	return confine.Supported(false)
}

// unconfined is why it cannot; "" when it can.
func (s *Server) unconfined() string {
	if err := s.kernel(); err != nil {
		return err.Error()
	}
	return ""
}

// confined is the command line of a pane, behind the verb that has the kernel
// limit it where that was asked for. What cannot be limited is not started.
func (s *Server) confined(p *pane, req proto.PaneNew, argv []string) ([]string, error) {
	if !req.Confine {
		return argv, nil
	}
	if req.Turn != nil {
		return nil, proto.Errorf(proto.CodeBadRequest, "a turn is limited by its runtime, not by its pane")
	}
	if err := s.kernel(); err != nil {
		return nil, proto.Errorf(proto.CodeSpawn, "the pane cannot be confined: %v; without --confine it is opened unlimited", err)
	}
	workspace := workspaceDir(req.Cwd)
	j, err := s.gate.judge(workspace)
	if err != nil {
		return nil, proto.Errorf(proto.CodeSpawn, "the pane cannot be confined: %v", err)
	}
	paths := append(j.Writable(req.Agent, time.Now()), req.Allow...)
	if len(paths) == 0 {
		paths = []string{workspace}
	}
	// The verb says the same, but in the pane, which would open and end.
	if _, err := confine.Allow(req.Cwd, paths, own(s.opts, s.self)); err != nil {
		return nil, proto.Errorf(proto.CodeSpawn, "the pane cannot be confined: %v", err)
	}
	before := []string{s.self, "confine"}
	for _, path := range paths {
		before = append(before, "--allow-path="+path)
	}
	for _, dir := range stateOf(p, req.Env) {
		before = append(before, "--state="+dir)
	}
	return slices.Concat(before, []string{"--"}, argv), nil
}

// own are the directories and files that no confined program may write.
func own(o Options, self string) []string {
	list := []string{self, filepath.Dir(o.Socket), filepath.Dir(o.Database)}
	if o.Policy != "" {
		list = append(list, filepath.Dir(o.Policy))
	}
	return list
}

// stateOf are the directories of a pane's agent's own state, which it writes.
func stateOf(p *pane, env []string) []string {
	if p.adapter == nil {
		return nil
	}
	home, _ := os.UserHomeDir()
	for _, v := range env {
		if dir, ok := strings.CutPrefix(v, "HOME="); ok {
			home = dir
		}
	}
	var dirs []string
	for _, name := range p.adapter.StateDirs() {
		dirs = append(dirs, filepath.Join(home, name))
	}
	return dirs
}
