//go:build linux

package place

import (
	"bufio"
	"context"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"signaltty/e2e/tty"
)

// Server is a server in the foreground.
type Server struct {
	t    *testing.T
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended and err is set
	err  error

	mu   sync.Mutex
	said strings.Builder
}

// serve starts the server and waits until it listens. It is stopped when the
// test ends, and must then end well.
func serve(t *testing.T, cmd *exec.Cmd) *Server {
	t.Helper()
	s := &Server{t: t, cmd: cmd, done: make(chan struct{})}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	listens := make(chan struct{})
	go func() {
		defer close(s.done)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			s.mu.Lock()
			s.said.WriteString(lines.Text() + "\n")
			s.mu.Unlock()
			if strings.Contains(lines.Text(), "listening on") {
				close(listens)
			}
		}
		s.err = cmd.Wait()
	}()
	t.Cleanup(s.Stop)
	select {
	case <-listens:
	case <-s.done:
		t.Fatalf("the server ended: %v\n%s", s.err, s.Said())
	}
	return s
}

// Said is what it wrote to stderr so far.
func (s *Server) Said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// Stop ends the server as a service manager would.
func (s *Server) Stop() {
	select {
	case <-s.done:
		return
	default:
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	// The test's own context has ended by now.
	ctx, cancel := context.WithTimeout(context.Background(), tty.Patience)
	defer cancel()
	select {
	case <-s.done:
		if s.err != nil {
			s.t.Errorf("the server ended badly: %v\n%s", s.err, s.Said())
		}
	case <-ctx.Done():
		s.t.Errorf("the server did not stop\n%s", s.Said())
		_ = s.cmd.Process.Kill()
		<-s.done
	}
	if s.t.Failed() {
		s.t.Logf("the server said:\n%s", s.Said())
	}
}

// Kill ends it as a crash would: nothing of it is tidied.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	<-s.done
}

// PID is its process id.
func (s *Server) PID() int { return s.cmd.Process.Pid }
