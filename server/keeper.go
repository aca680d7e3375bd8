package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"signaltty/proto"
)

// spec is what a pane runs.
type spec struct {
	argv []string // the program is looked up on the PATH of env
	dir  string
	env  []string // whole, as paneEnv makes it
	size proto.Size
}

// keeper starts panes' processes and holds their PTY masters. Nothing beyond
// it assumes that the server is a process's parent, so that a process of its
// own can take this over.
type keeper interface {
	// start starts a process on a new PTY. The error is a *proto.Error with
	// CodeSpawn that says what is missing.
	start(spec) (process, error)
	// close ends all processes. Nothing can be started afterwards.
	close() error
}

// process is what runs in a pane.
type process interface {
	pid() int
	// read reads from the PTY: io.EOF after the last output. One goroutine reads.
	read([]byte) (int, error)
	// write queues input and never blocks. The error is a *proto.Error with
	// CodePaneBusy when the program does not read and the queue is full.
	write([]byte) error
	// resize sizes the PTY; the program gets one SIGWINCH.
	resize(proto.Size) error
	// done is closed when the process has ended; output may still wait.
	done() <-chan struct{}
	// wait tells how it ended, once it has.
	wait() proto.Exit
	// close ends the process and what it started: hangup, then after half of
	// grace terminate, then after the other half kill. It tells how the
	// process ended and returns when all of it is gone.
	close(grace time.Duration) proto.Exit
}

// stopGrace is what keeper.close gives every process.
const stopGrace = 2 * time.Second

// localKeeper holds the processes in the server itself.
type localKeeper struct {
	reap    *reaper
	watcher *watcher

	mu     sync.Mutex
	closed bool
	held   map[*ptyProcess]bool
}

// newKeeper makes this process the parent of panes and of their orphans. It
// uses w and leaves it to its owner.
func newKeeper(w *watcher) (*localKeeper, error) {
	keepFiles()
	r, err := newReaper()
	if err != nil {
		return nil, fmt.Errorf("preparing for panes: %w", err)
	}
	return &localKeeper{reap: r, watcher: w, held: map[*ptyProcess]bool{}}, nil
}

// keepFiles makes sure that no open file goes to a program that is started.
// What this program opens never does, but it may have inherited some: a pipe
// that a server or a pane holds open would never end for its reader.
func keepFiles() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // nothing is lost but the care
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

func (k *localKeeper) start(s spec) (process, error) {
	if err := checkDir(s.dir); err != nil {
		return nil, err
	}
	path, err := lookProgram(s)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: path,
		Args: s.argv,
		Dir:  s.dir,
		Env:  lastOfEach(append(s.env, "PWD="+s.dir)),
	}
	p, err := startOnPTY(k, cmd, s.size)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	closed := k.closed
	k.held[p] = true
	k.mu.Unlock()
	if closed {
		p.close(stopGrace)
		return nil, proto.Errorf(proto.CodeSpawn, "the server stops and starts no more panes")
	}
	return p, nil
}

func (k *localKeeper) close() error {
	k.mu.Lock()
	if k.closed {
		k.mu.Unlock()
		return nil
	}
	k.closed = true
	var held []*ptyProcess
	for p := range k.held {
		held = append(held, p)
	}
	k.mu.Unlock()
	var wg sync.WaitGroup
	for _, p := range held {
		wg.Go(func() { p.close(stopGrace) })
	}
	wg.Wait()
	k.reap.close()
	return nil
}

func (k *localKeeper) forget(p *ptyProcess) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.held, p)
}

func checkDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return proto.Errorf(proto.CodeSpawn, "the directory %s does not exist", dir)
	case err != nil:
		return proto.Errorf(proto.CodeSpawn, "the directory %s cannot be used: %v", dir, err)
	case !info.IsDir():
		return proto.Errorf(proto.CodeSpawn, "%s is not a directory", dir)
	}
	return nil
}

// defaultPath is searched when a pane's environment has no PATH.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// lookProgram finds the program on the PATH that the pane will have, which is
// the caller's and need not be the server's.
func lookProgram(s spec) (string, error) {
	if len(s.argv) == 0 || s.argv[0] == "" {
		return "", proto.Errorf(proto.CodeSpawn, "there is no program to start")
	}
	name := s.argv[0]
	if filepath.Base(name) != name {
		if !filepath.IsAbs(name) {
			name = filepath.Join(s.dir, name)
		}
		if err := checkProgram(name); err != nil {
			return "", proto.Errorf(proto.CodeSpawn, "%s cannot be started: %v", name, err)
		}
		return name, nil
	}
	path, ok := lookupEnv(s.env, "PATH")
	if !ok {
		path = defaultPath
	}
	found := ""
	for _, dir := range filepath.SplitList(path) {
		// Relative entries would run whatever a work tree holds.
		if !filepath.IsAbs(dir) {
			continue
		}
		full := filepath.Join(dir, name)
		err := checkProgram(full)
		if err == nil {
			return full, nil
		}
		if found == "" && !errors.Is(err, fs.ErrNotExist) {
			found = fmt.Sprintf("; %s is there, but %v", full, err)
		}
	}
	return "", proto.Errorf(proto.CodeSpawn, "%s is not on PATH (%s)%s; install it, or give its full path", name, path, found)
}

func checkProgram(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return fs.ErrNotExist
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a directory")
	case info.Mode().Perm()&0o111 == 0:
		return errors.New("it is not executable")
	}
	return nil
}
