package server

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"signaltty/proto"
	"signaltty/server/confine"
)

// kernel says whether the kernel can limit what a pane writes, and its ports;
// the error tells what is missing.
func (s *Server) kernel(ports bool) error {
	if s.opts.Kernel != nil {
		return s.opts.Kernel()
	}
	return confine.Supported(ports)
}

// unconfined is why it cannot; "" when it can.
func (s *Server) unconfined() string {
	if err := s.kernel(false); err != nil {
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
	if err := s.kernel(len(req.Ports) > 0); err != nil {
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
	for _, port := range req.Ports {
		before = append(before, fmt.Sprintf("--allow-port=%d", port))
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
	var dirs []string
	for _, name := range p.adapter.StateDirs() {
		dirs = append(dirs, below(cmp.Or(valueOf(env, "HOME"), home), name, env))
	}
	return dirs
}

// below is a path below the home directory, or where the environment puts what
// is there.
func below(home, name string, env []string) string {
	for v, usual := range map[string]string{"XDG_DATA_HOME": ".local/share/", "XDG_STATE_HOME": ".local/state/", "XDG_CACHE_HOME": ".cache/"} {
		rest, ok := strings.CutPrefix(name, usual)
		if dir := valueOf(env, v); ok && filepath.IsAbs(dir) {
			return filepath.Join(dir, rest)
		}
	}
	return filepath.Join(home, name)
}

// valueOf is a variable of an environment, whose last word counts.
func valueOf(env []string, name string) string {
	for _, v := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
