//go:build linux

package place

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
)

// Main builds signaltty, writes its path to binary, runs the tests, and
// returns the exit code: it is what a TestMain does.
func Main(m *testing.M, binary *string) int {
	dir, err := os.MkdirTemp("", "signaltty-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	*binary = filepath.Join(dir, "signaltty")
	args := []string{"build", "-o", *binary, "signaltty"}
	if Raced() {
		args = slices.Insert(args, 1, "-race")
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building signaltty: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// Raced says whether the tests run under the race detector; then the product
// does too.
func Raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
