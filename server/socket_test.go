package server

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestListenGuardsItsDirectory(t *testing.T) {
	base := socketDir(t)
	open := filepath.Join(base, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o770); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(base, link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		want       []string
	}{
		{"open to others", filepath.Join(open, "s"), []string{"open to other users", "0770", "SIGNALTTY_SOCKET"}},
		{"a symlink", filepath.Join(link, "s"), []string{"is no directory", "SIGNALTTY_SOCKET"}},
		{"a file in the way", file, []string{"is in the way", "is no socket"}},
		{"too long", filepath.Join(base, strings.Repeat("x", 120)), []string{"bytes long", "SIGNALTTY_SOCKET"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := listen(c.path)
			wantError(t, err, c.want...)
		})
	}
	if data, _ := os.ReadFile(file); string(data) != "mine" {
		t.Errorf("the file in the way is now %q", data)
	}
}

func TestListenRefusesAForeignDirectory(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make a directory of another user")
	}
	dir := socketDir(t)
	if err := os.Chown(dir, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	_, err := listen(filepath.Join(dir, "s"))
	wantError(t, err, "belongs to user 12345", "SIGNALTTY_SOCKET")
}

func TestListenModes(t *testing.T) {
	dir := filepath.Join(socketDir(t), "made", "deep")
	path := filepath.Join(dir, "s")
	l, err := listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, want := range map[string]os.FileMode{dir: os.ModeDir | 0o700, path: os.ModeSocket | 0o600, path + ".lock": 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestListenOnlyOne(t *testing.T) {
	path := filepath.Join(socketDir(t), "s")
	first, err := listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := listen(path); !errors.Is(err, errRunning) {
		t.Errorf("a second server got %v, want errRunning", err)
	}
	if c, err := net.Dial("unix", path); err != nil {
		t.Errorf("the second server took the socket away: %v", err)
	} else {
		c.Close()
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
	again, err := listen(path)
	if err != nil {
		t.Fatalf("after close: %v", err)
	}
	again.Close()
}

func TestListenReplacesAStaleSocket(t *testing.T) {
	path := filepath.Join(socketDir(t), "s")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	l, err := listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestCloseLeavesAnothersSocket(t *testing.T) {
	path := filepath.Join(socketDir(t), "s")
	l, err := listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("what another one put there was removed: %v", err)
	}
}
