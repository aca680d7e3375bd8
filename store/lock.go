package store

import (
	"fmt"
	"os"
	"syscall"
)

// lockFile takes a lock that ends with this process. It keeps two servers
// with different sockets from writing one database.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking the database: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("locking the database %s: %w; another server uses it: stop that one, or set XDG_STATE_HOME", path, err)
	}
	return f, nil
}
