// Package tty drives a program on a real PTY, for tests: it types, presses
// keys, and waits for what the program draws.
//
// It owns the PTY, the process and the terminal emulator that the output goes
// through (the product's own, server/term, which also answers the program's
// queries). It promises that a wait ends as soon as the screen fits, woken by
// output and never by a clock, and that nothing of the program outlives the
// test.
//
// It may import proto, server/term and creack/pty.
package tty

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"signaltty/proto"
	"signaltty/server/term"
)

// EnvPatience sets Patience, such as "5s", for tests that are to fail soon.
const EnvPatience = "SIGNALTTY_TEST_PATIENCE"

// Patience is how long a wait lasts before it fails its test. It is far above
// what a loaded machine needs; a wait that ends in it is a fault.
var Patience = patience()

func patience() time.Duration {
	if d, err := time.ParseDuration(os.Getenv(EnvPatience)); err == nil {
		return d
	}
	return 90 * time.Second
}

// Command is what to run. A zero Size is 80x24. Env is the whole environment.
type Command struct {
	Argv []string
	Dir  string
	Env  []string
	Size proto.Size
}

// Program is a running program and its screen.
type Program struct {
	t    testing.TB
	name string
	cmd  *exec.Cmd
	pty  *os.File

	input  chan []byte
	exited chan struct{} // closed when the output has ended and exit is set
	exit   error
	gone   context.Context // ends in close
	end    context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	screen *term.Terminal
	copied string
	drawn  chan struct{} // closed and replaced by every output
}

// Start runs c until it ends, or until the test does.
func Start(t testing.TB, c Command) *Program {
	t.Helper()
	if c.Size == (proto.Size{}) {
		c.Size = proto.Size{Cols: 80, Lines: 24}
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	f, err := pty.StartWithSize(cmd, winsize(c.Size))
	if err != nil {
		t.Fatalf("starting %s on a PTY: %v", c.Argv[0], err)
	}
	p := &Program{
		t: t, name: c.Argv[0], cmd: cmd, pty: f,
		input:  make(chan []byte, 64),
		exited: make(chan struct{}),
		screen: term.New(c.Size, term.Options{}),
		drawn:  make(chan struct{}),
	}
	p.gone, p.end = context.WithCancel(context.Background())
	p.wg.Go(p.read)
	p.wg.Go(p.write)
	t.Cleanup(p.close)
	return p
}

func winsize(s proto.Size) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(s.Cols), Rows: uint16(s.Lines)}
}

// PID is the program's process id, which is its session and group too.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Kill sends SIGKILL to the program alone.
func (p *Program) Kill() {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Errorf("killing %s: %v", p.name, err)
	}
}

// Resize gives the program another screen size, and so one SIGWINCH.
func (p *Program) Resize(s proto.Size) {
	p.t.Helper()
	p.mu.Lock()
	p.screen.Resize(s)
	p.mu.Unlock()
	if err := pty.Setsize(p.pty, winsize(s)); err != nil {
		p.t.Fatalf("resizing the PTY of %s: %v", p.name, err)
	}
}

// Exit waits for the program to end and returns its exit code, or -1 when a
// signal ended it.
func (p *Program) Exit() int {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), Patience)
	defer cancel()
	select {
	case <-p.exited:
	case <-ctx.Done():
		p.t.Fatalf("%s did not end; its screen is\n%s", p.name, p.Screen())
	}
	if p.exit != nil {
		if _, ok := errors.AsType[*exec.ExitError](p.exit); !ok {
			p.t.Fatalf("waiting for %s: %v", p.name, p.exit)
		}
	}
	return p.cmd.ProcessState.ExitCode()
}

// read is the only reader of the PTY. The output that is left when the
// program ends is drawn before exited closes.
func (p *Program) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := p.pty.Read(buf)
		if n > 0 {
			p.draw(buf[:n])
		}
		if err != nil {
			break
		}
	}
	p.exit = p.cmd.Wait()
	close(p.exited)
}

func (p *Program) draw(b []byte) {
	p.mu.Lock()
	p.screen.Write(b)
	replies := p.screen.Replies()
	for _, e := range p.screen.Events() {
		if e.Kind == term.Copied {
			p.copied = e.Body
		}
	}
	close(p.drawn)
	p.drawn = make(chan struct{})
	p.mu.Unlock()
	if len(replies) > 0 {
		p.send(replies)
	}
}

// write takes the input to the PTY in order. A program that does not read
// must not stop the drawing of what it writes, so this has its own goroutine.
func (p *Program) write() {
	for {
		select {
		case b := <-p.input:
			if _, err := p.pty.Write(b); err != nil {
				return
			}
		case <-p.gone.Done():
			return
		}
	}
}

func (p *Program) send(b []byte) {
	select {
	case p.input <- b:
	case <-p.exited:
	case <-p.gone.Done():
	}
}

// close ends the program's whole process group.
func (p *Program) close() {
	p.end()
	if err := syscall.Kill(-p.PID(), syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		p.t.Errorf("killing the group of %s: %v", p.name, err)
	}
	// Somebody outside the group may hold the terminal open; the reader must
	// end all the same.
	p.pty.Close()
	p.wg.Wait()
	if p.t.Failed() {
		p.t.Logf("the last screen of %s:\n%s", fmt.Sprint(p.cmd.Args), p.Screen())
	}
}
