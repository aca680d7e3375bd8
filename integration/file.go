package integration

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxFile is the largest settings file that is read, in bytes.
const maxFile = 4 << 20

// target is the file that a path leads to, through links. It need not exist,
// but a link that leads nowhere is refused.
func target(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s is a link to a file that is not there; make that file, or remove the link", path)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return filepath.Join(dir, filepath.Base(path)), err
}

// read reads a whole file; nil when there is none.
func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is not a regular file", path))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, maxFile>>20)
	}
	if data == nil {
		data = []byte{}
	}
	return data, err
}

// replace puts now in the place of was, which must still be there: a program
// that changed the file meanwhile is not overruled. A nil was is no file, a
// nil now removes it. The file is whole at every moment and keeps its mode and
// owner.
func replace(path string, was, now []byte) error {
	if err := unchanged(path, was); err != nil || bytes.Equal(was, now) && (was == nil) == (now == nil) {
		return err
	}
	if now == nil {
		return os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".signaltty-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // after the rename there is nothing
	_, err = temp.Write(now)
	err = errors.Join(err, likeBefore(temp, path), temp.Sync(), temp.Close())
	if err == nil {
		err = unchanged(path, was)
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func unchanged(path string, was []byte) error {
	is, err := read(path)
	if err == nil && (!bytes.Equal(is, was) || (is == nil) != (was == nil)) {
		err = fmt.Errorf("%s has changed meanwhile; try again", path)
	}
	return err
}

// likeBefore gives a new file the mode and owner of the one that it replaces.
func likeBefore(temp *os.File, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return temp.Chmod(0o600)
	}
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Getuid() || int(st.Gid) != os.Getgid()) {
		if err := temp.Chown(int(st.Uid), int(st.Gid)); err != nil {
			return fmt.Errorf("keeping the owner of %s: %w", path, err)
		}
	}
	return temp.Chmod(info.Mode().Perm())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// lock keeps other edits of signaltty out until it is closed.
func lock(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
