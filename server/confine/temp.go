package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const tempForm = "signaltty-confine-%d-*"

// TempDir makes a directory for temporary files of this process alone. It
// stays when the program ends that this process becomes; the next call removes
// it. Only then does the process with the number in its name not live any more.
func TempDir() (string, error) {
	sweep(os.TempDir())
	dir, err := os.MkdirTemp("", fmt.Sprintf(tempForm, os.Getpid()))
	if err != nil {
		return "", fmt.Errorf("making a directory for temporary files: %w", err)
	}
	return filepath.EvalSymlinks(dir)
}

// sweep removes what ended programs left.
func sweep(in string) {
	dirs, _ := filepath.Glob(filepath.Join(in, "signaltty-confine-*")) // the pattern is sound
	for _, dir := range dirs {
		var pid int
		if _, err := fmt.Sscanf(filepath.Base(dir), "signaltty-confine-%d-", &pid); err != nil || pid <= 1 || syscall.Kill(pid, 0) != syscall.ESRCH {
			continue
		}
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) == os.Getuid() {
			_ = os.RemoveAll(dir) // the next one tries again
		}
	}
}
