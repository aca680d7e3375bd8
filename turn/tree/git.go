package tree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// gitWait bounds one command of Git.
const gitWait = 5 * time.Minute

// git runs Git in dir with nothing of the person's or the tree's settings
// that could run a program or change a byte: no hooks, monitors, filters,
// attributes or pagers. input goes to its stdin.
func git(ctx context.Context, dir, input string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitWait)
	defer cancel()
	settings := []string{
		"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.attributesFile=/dev/null", "-c", "core.autocrlf=false",
		"-c", "core.quotePath=false", "-c", "core.pager=cat", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "safe.directory=*",
		"-c", "diff.external=", "-c", "core.excludesFile=/dev/null", "-c", "core.untrackedCache=false", "-c", "core.splitIndex=false",
		"-c", "log.showSignature=false", "-c", "protocol.allow=never", "-c", "submodule.recurse=false",
	}
	cmd := exec.CommandContext(ctx, "git", append(settings, args...)...)
	cmd.Dir = dir
	cmd.Env = gitEnv(os.Environ())
	cmd.Stdin = strings.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, said)
	}
	return out, nil
}

// gitEnv is an environment in which nothing points Git elsewhere.
func gitEnv(env []string) []string {
	out := []string{
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_LITERAL_PATHSPECS=1", "LC_ALL=C",
	}
	for _, v := range env {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "LC_ALL=") {
			out = append(out, v)
		}
	}
	return out
}

// nulls splits output that has a NUL after each record.
func nulls(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
