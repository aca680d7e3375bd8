package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
		who, _ := io.ReadAll(io.LimitReader(f, 32)) // best effort: a server that is just starting has not written it
		f.Close()
		return nil, fmt.Errorf("locking the database %s: %w; another server (pid %s) uses it: stop that one, or set XDG_STATE_HOME", path, err, bytes.TrimSpace(who))
	}
	if err := errors.Join(f.Truncate(0), writeAt(f, fmt.Sprintf("%d\n", os.Getpid()))); err != nil {
		f.Close()
		return nil, fmt.Errorf("locking the database: %w", err)
	}
	return f, nil
}

func writeAt(f *os.File, s string) error {
	_, err := f.WriteAt([]byte(s), 0)
	return err
}
