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

	"golang.org/x/sys/unix"
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
	unlock, err := alone()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer unlock()
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

// alone waits until no other package's tests run the product: go test runs
// packages beside each other, and real agents take a machine whole.
func alone() (unlock func(), err error) {
	name := filepath.Join(os.TempDir(), fmt.Sprintf("signaltty-tests-%d.lock", os.Getuid()))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("making the lock of the tests: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return nil, fmt.Errorf("taking the lock of the tests: %w", err)
	}
	return func() { f.Close() }, nil
}

// Raced says whether the tests run under the race detector; then the product
// does too.
func Raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
