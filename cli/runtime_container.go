package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"signaltty/proto"
	"signaltty/server/confine"
)

// contained runs the agent in a container of an image, by docker or podman.
// Nobody has tried it here: it is only known what the command line is.
func contained(program string) func(runtimePlace) ([]string, error) {
	return func(at runtimePlace) ([]string, error) {
		path, err := exec.LookPath(program)
		if err != nil {
			return nil, fmt.Errorf("the runtime %s: %w", program, err)
		}
		switch {
		case at.image == "":
			return nil, fmt.Errorf("the runtime %s needs an image that has the agent: --image", program)
		case at.allPaths:
			return nil, fmt.Errorf("the runtime %s limits what may be written, and --allow-all-paths limits nothing; leave one of them out", program)
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
			return nil, fmt.Errorf("the runtime %s: %w", program, err)
		}
		if strings.ContainsAny(strings.Join(slices.Concat(plan.Dirs, plan.Files, []string{at.dir, at.files, at.self, at.socket}), ""), ":,") {
			return nil, errors.New("a path with a : or a , in it cannot be mounted into a container")
		}
		return containerArgs(path, program, at, plan, os.Getuid(), os.Getgid()), nil
	}
}

// hostVariables mean something on the host alone.
var hostVariables = []string{"PATH", "PWD", "OLDPWD", "SHLVL", "TMPDIR", "SHELL", "TERM", "HOSTNAME", "_"}

// containerArgs is the command line of docker or podman: the directory is
// mounted read-only, what may be written is mounted over it, and the server's
// socket and this binary are where the hooks look for them.
func containerArgs(path, program string, at runtimePlace, plan confine.Plan, uid, gid int) []string {
	argv := []string{path, "run", "--rm", "--interactive", "--init", "--workdir", at.dir}
	if program == "podman" {
		argv = append(argv, "--userns", "keep-id")
	} else {
		argv = append(argv, "--user", fmt.Sprintf("%d:%d", uid, gid))
	}
	mount := func(p, mode string) { argv = append(argv, "--volume", p+":"+p+mode) }
	mount(at.dir, ":ro")
	for _, p := range slices.Concat(plan.Dirs, plan.Files, []string{at.files}) {
		mount(p, "")
	}
	mount(at.self, ":ro")
	mount(at.socket, "")
	for _, v := range at.env {
		name, _, _ := strings.Cut(v, "=")
		if !slices.Contains(hostVariables, name) {
			argv = append(argv, "--env", name)
		}
	}
	return append(argv, "--env", proto.EnvSocket+"="+at.socket, "--env", "TMPDIR="+filepath.Join(at.files, "tmp"), at.image)
}
