// Package agent finds the real agents that script/agents has installed.
//
// It owns where they are looked for, and whether one may be missing. It may
// import the standard library only.
package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The variables that say where the agents are and whether one may be missing.
const (
	EnvRoot    = "SIGNALTTY_AGENTS"
	EnvRequire = "SIGNALTTY_TEST_REQUIRE_AGENTS"
)

// Find returns the path of an agent's program. Without it the test is
// skipped, or fails where SIGNALTTY_TEST_REQUIRE_AGENTS is 1.
func Find(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(filepath.Join(root(), "bin", name))
	if err == nil {
		return path
	}
	const message = "%s is not installed for tests (%v): run script/agents"
	if os.Getenv(EnvRequire) == "1" {
		t.Fatalf(message, name, err)
	}
	t.Skipf(message, name, err)
	return ""
}

func root() string {
	if dir := os.Getenv(EnvRoot); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "signaltty-agents")
}
