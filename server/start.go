package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"signaltty/proto"
)

const (
	// answerWait is how long a running server may take to answer hello.
	answerWait = 5 * time.Second
	// readyWait is how long a new server may take to listen.
	readyWait = 20 * time.Second
	// retryEvery is how often a server that is just starting or stopping is tried.
	retryEvery = 50 * time.Millisecond
	// maxServerLog is when the file of a server's diagnostics is set aside.
	maxServerLog = 1 << 20
)

// readyFD is the pipe on which a detached server tells that it listens.
const readyFD = 3

// The first word on the ready pipe; anything else is an error's text.
const (
	saysReady   = "ready\n"
	saysRunning = "running\n"
)

var errHungUp = errors.New("it hung up before it answered")

// Start makes sure that a server runs on socket: one that runs already, or
// this binary, started as `server --detached`. Of several that do this at the
// same time exactly one starts it. A nil error means that the server answered
// hello or listens.
func Start(ctx context.Context, socket string) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this binary: %w", err)
	}
	return startBinary(ctx, socket, exe, "server", "--detached")
}

// Ready tells the process that started this one, as Start does, that the
// server listens, or why it does not. It is for Options.Ready of a detached
// server, and does nothing in a process that was started otherwise.
func Ready(err error) {
	var st unix.Stat_t
	// Without a pipe there, the number may be of one of the runtime's own.
	if unix.Fstat(readyFD, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return
	}
	f := os.NewFile(readyFD, "ready pipe")
	defer f.Close()
	text := saysReady
	switch {
	case errors.Is(err, errRunning):
		text = saysRunning
	case err != nil:
		text = err.Error()
	}
	// If nobody reads any more the server runs all the same.
	_, _ = f.WriteString(text)
}

func startBinary(ctx context.Context, socket, exe string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	retry := time.NewTicker(retryEvery)
	defer retry.Stop()
	for {
		err := greet(ctx, socket)
		if errors.Is(err, proto.ErrNoServer) {
			err = spawnServer(ctx, socket, exe, args)
		}
		// Another one is just starting, or ending.
		if !errors.Is(err, errRunning) && !errors.Is(err, errHungUp) {
			return err
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for a server that starts or stops: %w", err)
		}
	}
}

// spawnServer starts a server and waits until it listens. The error is
// errRunning when another one was first.
func spawnServer(ctx context.Context, socket, exe string, args []string) error {
	if err := privateDir(filepath.Dir(socket)); err != nil {
		return err
	}
	said, err := spawn(ctx, socket, exe, args)
	switch {
	case err != nil:
		return err
	case said == saysReady:
		return nil
	case said == saysRunning:
		return errRunning
	case said == "":
		return fmt.Errorf("the server ended before it was ready; see %s", diagnosticsPath(socket))
	}
	return fmt.Errorf("starting the server: %s", said)
}

// spawn starts a server in a session of its own and gives what it says on the
// ready pipe. The server outlives this process: nobody waits for it.
func spawn(ctx context.Context, socket, exe string, args []string) (said string, err error) {
	diagnostics, err := openDiagnostics(diagnosticsPath(socket))
	if err != nil {
		return "", err
	}
	defer diagnostics.Close()
	hear, say, err := os.Pipe()
	if err != nil {
		return "", fmt.Errorf("making the ready pipe: %w", err)
	}
	defer hear.Close()
	defer say.Close()
	keepFiles()
	// Not CommandContext: the end of ctx must not end the server.
	cmd := exec.Command(exe, args...)
	cmd.Dir = "/"
	cmd.Env = detachedEnv(os.Environ(), socket)
	cmd.Stderr = diagnostics
	cmd.ExtraFiles = []*os.File{say} // readyFD
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("starting the server: %w", err)
	}
	pid := cmd.Process.Pid
	if err := errors.Join(say.Close(), cmd.Process.Release()); err != nil {
		return "", fmt.Errorf("starting the server: %w", err)
	}
	defer context.AfterFunc(ctx, func() { hear.Close() })()
	data, err := io.ReadAll(io.LimitReader(hear, 4<<10))
	if ctx.Err() != nil {
		return "", fmt.Errorf("waiting for the server (pid %d) to be ready: %w; see %s", pid, context.Cause(ctx), diagnosticsPath(socket))
	}
	if err != nil {
		return "", fmt.Errorf("waiting for the server (pid %d) to be ready: %w", pid, err)
	}
	return string(data), nil
}

// detachedEnv is this environment for a server on socket, which is in no pane.
func detachedEnv(env []string, socket string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		return strings.HasPrefix(entry, proto.EnvPane+"=")
	})
	return lastOfEach(append(env, proto.EnvSocket+"="+socket))
}

// greet exchanges hello with the server on socket. The error is
// proto.ErrNoServer when nobody listens, errHungUp from a server that is
// stopping, and says what to do with one that does not answer or does not
// speak this protocol.
func greet(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", socket)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ECONNREFUSED) {
		return proto.ErrNoServer
	}
	if err != nil {
		return fmt.Errorf("connecting to %s: %w", socket, err)
	}
	defer nc.Close()
	running := "the server on " + socket
	kill := ""
	if p, err := peerOf(nc); err == nil {
		running += fmt.Sprintf(" (pid %d)", p.pid)
		kill = fmt.Sprintf("; `kill %d` ends it and its panes", p.pid)
	}
	_, err = proto.NewConn(nc).Greet(ctx, proto.Hello{Client: "start"})
	refused, isRefused := errors.AsType[*proto.Error](err)
	switch {
	case err == nil:
		return nil
	case isRefused && refused.Code == proto.CodeVersion:
		return fmt.Errorf("%s is of another version: %w%s", running, err, kill)
	case isRefused:
		return fmt.Errorf("%s refused: %w", running, err)
	case ctx.Err() != nil:
		return fmt.Errorf("%s does not answer%s: %w", running, kill, err)
	}
	return fmt.Errorf("%s: %w (%v)%s", running, errHungUp, err, kill)
}

func diagnosticsPath(socket string) string {
	return filepath.Join(filepath.Dir(socket), "server.log")
}

// openDiagnostics opens the file that a detached server's stderr goes to; one
// that has become large is kept as path+".1" first.
func openDiagnostics(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && info.Size() > maxServerLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("setting aside the server's diagnostics: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the server's diagnostics: %w", err)
	}
	return f, nil
}
