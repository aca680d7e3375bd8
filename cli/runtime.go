package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"signaltty/adapters"
	"signaltty/proto"
	"signaltty/server/confine"
)

// runtimePlace is what a turn's agent is put into a runtime with.
type runtimePlace struct {
	self     string   // this binary
	dir      string   // the working directory
	paths    []string // globs of what may be written
	allPaths bool
	state    []string // directories of the agent's own state, which it writes
	files    string   // of the turn alone
	socket   string   // the server's
	image    string   // of a container
	env      []string // the agent's whole environment
}

// runtimes says, for each runtime, what goes before the agent's command line.
// The server's socket is reached from all of them, so that hooks work inside:
// neither a Landlock rule nor a read-only mount keeps a process from a socket.
var runtimes = map[string]func(runtimePlace) ([]string, error){
	"none":     func(runtimePlace) ([]string, error) { return nil, nil },
	"landlock": landlocked,
	"bwrap":    bubbled,
	"docker":   contained("docker"),
	"podman":   contained("podman"),
}

// runtimeNames are the names for a person.
func runtimeNames() string {
	var names []string
	for name := range runtimes {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// inRuntime is what goes before the command line of a turn's agent.
func inRuntime(spec proto.TurnSpec, self, files, socket string, env []string) ([]string, error) {
	prefix, ok := runtimes[spec.Runtime]
	if !ok {
		return nil, fmt.Errorf("there is no runtime %q; there are %s", spec.Runtime, runtimeNames())
	}
	at := runtimePlace{self: self, dir: spec.Dir, paths: spec.Paths, allPaths: spec.AllPaths, files: files, socket: socket, image: spec.Image, env: env}
	if a, ok := adapters.Lookup(spec.Agent); ok && a.Turns != nil {
		for _, name := range a.Turns.State {
			home, err := os.UserHomeDir()
			if err != nil {
				return nil, fmt.Errorf("finding where %s keeps its state: %w", a.Title, err)
			}
			at.state = append(at.state, filepath.Join(home, name))
		}
	}
	return prefix(at)
}

// landlocked limits by the kernel, with `signaltty confine`.
func landlocked(at runtimePlace) ([]string, error) {
	if at.allPaths {
		return nil, errors.New("the runtime landlock limits what may be written, and --allow-all-paths limits nothing; leave one of them out")
	}
	if err := confine.Supported(false); err != nil {
		return nil, fmt.Errorf("the runtime landlock: %w", err)
	}
	argv := []string{at.self, "confine"}
	for _, p := range at.paths {
		argv = append(argv, "--allow-path", p)
	}
	for _, s := range at.state {
		argv = append(argv, "--state", s)
	}
	return append(argv, "--"), nil
}

// bubbled mounts all read-only but what may be written, with bubblewrap.
func bubbled(at runtimePlace) ([]string, error) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, fmt.Errorf("the runtime bwrap needs bubblewrap: %w", err)
	}
	if at.allPaths {
		return nil, errors.New("the runtime bwrap limits what may be written, and --allow-all-paths limits nothing; leave one of them out")
	}
	own, err := ownPaths()
	if err != nil {
		return nil, err
	}
	for _, s := range at.state {
		if err := os.MkdirAll(s, 0o700); err != nil {
			return nil, fmt.Errorf("making the directory of the agent's state: %w", err)
		}
	}
	plan, err := confine.Allow(at.dir, slices.Concat(at.paths, at.state), own)
	if err != nil {
		return nil, fmt.Errorf("the runtime bwrap: %w", err)
	}
	temp := filepath.Join(at.files, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, fmt.Errorf("making the turn's temporary directory: %w", err)
	}
	return bubbleArgs(path, plan, temp, at.dir), nil
}

// bubbleArgs is the command line of bubblewrap for a plan.
func bubbleArgs(path string, plan confine.Plan, temp, dir string) []string {
	argv := []string{path, "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev"}
	for _, p := range slices.Concat(plan.Dirs, plan.Files, []string{temp}) {
		argv = append(argv, "--bind", p, p)
	}
	return append(argv, "--setenv", "TMPDIR", temp, "--chdir", dir, "--")
}
