package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"signaltty/proto"
)

// startChild starts the test binary as a server of the kind which.
func startChild(t *testing.T, ctx context.Context, socket, which string) error {
	t.Helper()
	t.Setenv(testChild, which)
	return startBinary(ctx, socket, testBinary(t))
}

// endServers ends the servers that ran on socket and gives how many there were.
func endServers(t *testing.T, socket string) int {
	t.Helper()
	data, err := os.ReadFile(socket + ".pids")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	w := startWatcher(t)
	pids := strings.Fields(string(data))
	for _, word := range pids {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan bool)
		w.watch(pid, func() { close(ended) })
		unix.Kill(pid, unix.SIGTERM)
		within(t, "the server's end", ended)
		unix.Wait4(pid, nil, 0, nil) // it is this process's child after all
	}
	os.Remove(socket + ".pids")
	return len(pids)
}

func TestStartOfManyStartsOne(t *testing.T) {
	socket := filepath.Join(socketDir(t), "run", "s")
	t.Setenv(testChild, "serve")
	exe := testBinary(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := startBinary(t.Context(), socket, exe); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := startBinary(t.Context(), socket, exe); err != nil {
		t.Errorf("with one that runs: %v", err)
	}
	if n := endServers(t, socket); n != 1 {
		t.Errorf("%d servers ran, want 1", n)
	}
	if err := startBinary(t.Context(), socket, exe); err != nil {
		t.Errorf("after it ended: %v", err)
	}
	endServers(t, socket)
}

// A server that is stopping still has the lock: the start waits for it.
func TestStartWaitsForOneThatStops(t *testing.T) {
	socket := filepath.Join(socketDir(t), "s")
	stopping, err := listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	hungUp := make(chan error)
	go func() {
		c, err := stopping.Accept()
		if err == nil {
			err = c.Close()
		}
		hungUp <- errors.Join(err, stopping.Close())
	}()
	if err := startChild(t, t.Context(), socket, "serve"); err != nil {
		t.Error(err)
	}
	if err := within(t, "the old server", hungUp); err != nil {
		t.Error(err)
	}
	if n := endServers(t, socket); n != 1 {
		t.Errorf("%d servers ran, want 1", n)
	}
}

func TestStartDetaches(t *testing.T) {
	socket := filepath.Join(socketDir(t), "s")
	t.Setenv(proto.EnvPane, "p9")
	if err := startChild(t, t.Context(), socket, "serve"); err != nil {
		t.Fatal(err)
	}
	defer endServers(t, socket)
	data, err := os.ReadFile(socket + ".pids")
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	p, err := readProc(pid)
	if err != nil {
		t.Fatal(err)
	}
	if p.session != pid {
		t.Errorf("the server %d is in session %d", pid, p.session)
	}
	env, err := environOf(pid)
	if err != nil {
		t.Fatal(err)
	}
	if pane, ok := lookupEnv(env, proto.EnvPane); ok {
		t.Errorf("the server believes to be in pane %s", pane)
	}
	if got, _ := lookupEnv(env, proto.EnvSocket); got != socket {
		t.Errorf("its socket is %q, want %q", got, socket)
	}
}

func TestStartSaysWhatWentWrong(t *testing.T) {
	for which, want := range map[string][]string{
		"serve-fails": {"starting the server", "the disk is full"},
		"serve-dies":  {"ended before it was ready", "server.log"},
	} {
		t.Run(which, func(t *testing.T) {
			socket := filepath.Join(socketDir(t), "s")
			wantError(t, startChild(t, t.Context(), socket, which), want...)
			diagnostics, err := os.ReadFile(diagnosticsPath(socket))
			if err != nil {
				t.Fatal(err)
			}
			if which == "serve-dies" && !strings.Contains(string(diagnostics), "dying") {
				t.Errorf("the diagnostics are %q", diagnostics)
			}
		})
	}
}

// serveOnce answers each connection's first line by answer.
func serveOnce(t *testing.T, answer func(c *proto.Conn, id uint64)) (socket string) {
	t.Helper()
	socket = filepath.Join(socketDir(t), "s")
	l, err := listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			c := proto.NewConn(nc)
			if m, err := c.Read(); err == nil {
				answer(c, m.ID)
			}
			c.Close()
		}
	})
	t.Cleanup(func() {
		l.Close()
		wg.Wait()
	})
	return socket
}

func TestStartWithAnotherVersion(t *testing.T) {
	socket := serveOnce(t, func(c *proto.Conn, id uint64) {
		_ = c.Fail(id, proto.Errorf(proto.CodeVersion, "this server speaks protocol 0"))
	})
	err := startChild(t, t.Context(), socket, "serve")
	wantError(t, err, socket, "another version", "speaks protocol 0", "`kill "+strconv.Itoa(os.Getpid())+"`")
}

func TestStartWithAWedgedServer(t *testing.T) {
	release := make(chan bool)
	socket := serveOnce(t, func(*proto.Conn, uint64) { <-release })
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := startChild(t, ctx, socket, "serve")
	wantError(t, err, socket, "does not answer", "`kill "+strconv.Itoa(os.Getpid())+"`")
}

func TestStartGuardsTheDirectory(t *testing.T) {
	dir := socketDir(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	wantError(t, startChild(t, t.Context(), filepath.Join(dir, "s"), "serve"), "open to other users")
}

func TestDiagnosticsAreSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.log")
	if err := os.WriteFile(path, make([]byte, maxServerLog+1), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := openDiagnostics(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for name, want := range map[string]int64{path: 0, path + ".1": maxServerLog + 1} {
		info, err := os.Stat(name)
		if err != nil || info.Size() != want {
			t.Errorf("%s: %v, %v; want %d bytes", name, info, err, want)
		}
	}
}

// Without a pipe the number 3 belongs to somebody else.
func TestReadyWithoutAPipe(t *testing.T) {
	var before, after unix.Stat_t
	if err := unix.Fstat(readyFD, &before); err != nil {
		t.Skip("descriptor 3 is not open here")
	}
	if before.Mode&unix.S_IFMT == unix.S_IFIFO {
		t.Skip("descriptor 3 is a pipe here")
	}
	Ready(nil)
	if err := unix.Fstat(readyFD, &after); err != nil || after.Ino != before.Ino {
		t.Errorf("descriptor 3 was closed: %v", err)
	}
}
