package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"signaltty/proto"
)

// errRunning says that another server holds the socket.
var errRunning = errors.New("a server already runs on this socket")

// listener is the server's socket and the lock that makes it the only one.
type listener struct {
	*net.UnixListener
	path string
	made os.FileInfo // the socket file as it was bound
	lock *os.File
}

// listen binds the socket at path, in a directory that is this user's alone
// and is made when it is missing. The lock on path+".lock" is held for the
// listener's life, so a socket file found while the lock is free is a dead
// server's and is replaced. The error is errRunning when a server holds it.
func listen(path string) (*listener, error) {
	// The kernel's field holds the closing zero too.
	if longest := len(unix.RawSockaddrUnix{}.Path) - 1; len(path) > longest {
		return nil, fmt.Errorf("the socket path %s is %d bytes long and the system takes %d; set SIGNALTTY_SOCKET to a shorter one", path, len(path), longest)
	}
	if err := privateDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	l, err := bind(path)
	if err != nil {
		lock.Close()
		return nil, err
	}
	l.lock = lock
	return l, nil
}

// Close removes the socket and lets go of the lock, in this order, so that the
// next server finds neither.
func (l *listener) Close() error {
	err := l.UnixListener.Close()
	if now, statErr := os.Lstat(l.path); statErr == nil && os.SameFile(now, l.made) {
		err = errors.Join(err, os.Remove(l.path))
	}
	return errors.Join(err, l.lock.Close())
}

func bind(path string) (*listener, error) {
	old, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("looking for an old socket: %w", err)
	case old.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s is in the way and is no socket; move it, or set SIGNALTTY_SOCKET to another path", path)
	default:
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("removing the socket of a dead server: %w", err)
		}
	}
	ul, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", path, err)
	}
	ul.SetUnlinkOnClose(false) // Close does it, and only to our own
	// Until here the directory alone keeps others out.
	err = os.Chmod(path, 0o600)
	made, statErr := os.Lstat(path)
	if err := errors.Join(err, statErr); err != nil {
		ul.Close()
		return nil, fmt.Errorf("guarding the socket: %w", err)
	}
	return &listener{UnixListener: ul, path: path, made: made}, nil
}

// privateDir makes dir with mode 0700, or checks that it is this user's and
// that nobody else can change what is in it. A directory of the person's own
// choice may be readable: the socket's own mode and the check of the peer's
// user keep others out.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the socket's directory: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("checking the socket's directory: %w", err)
	}
	const instead = "set SIGNALTTY_SOCKET to a path in a directory that you alone can write to (`mkdir -m 700 DIR` makes one)"
	if !info.IsDir() {
		return fmt.Errorf("%s is no directory; %s", dir, instead)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return fmt.Errorf("the directory %s belongs to user %d, not to you; %s", dir, st.Uid, instead)
	}
	if open := info.Mode().Perm() & 0o022; open != 0 {
		return fmt.Errorf("the directory %s is open to other users (mode %#o); %s", dir, info.Mode().Perm(), instead)
	}
	if dir == proto.RuntimeDir() && info.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("guarding the socket's directory: %w", err)
		}
	}
	return nil
}

// lockFile takes the lock at path. The file is never removed: a lock on a file
// that has lost its name would keep nobody out.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the server's lock: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errRunning
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return f, nil
}
