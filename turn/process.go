package turn

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"signaltty/adapters"
	"signaltty/proto"
)

const (
	// grace is how long the agent has between SIGTERM and SIGKILL.
	grace = 3 * time.Second
	// drain is how long the streams may stay open after the agent has ended:
	// a process that it left behind may hold them for ever.
	drain = 2 * time.Second
	// maxNote is the longest line of stderr that is told whole, maxSaid how
	// many lines for the agent's stdin may wait.
	maxNote = 64 << 10
	maxSaid = 1024
	// backlog is how many lines may wait to be taken. Beyond it the agent's
	// own write waits.
	backlog = 64
)

// process is the agent's, in a process group of its own.
type process struct {
	cmd   *exec.Cmd
	lines chan line // of stdout
	notes chan line // of stderr
	ended chan struct{}
	exit  proto.Exit    // set before ended is closed
	read  chan struct{} // closed when both streams have ended

	said     chan []byte // for stdin; nil is its end
	closed   bool        // nothing more is said
	stopOnce sync.Once
	stopping chan struct{}
	pipes    []io.Closer
	wg       sync.WaitGroup

	mu   sync.Mutex
	told []string // health
}

// start starts the agent's command.
func start(dir string, env []string, c adapters.TurnCommand) (*process, error) {
	if err := adopt(); err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(append([]string{}, env...), c.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err1 := cmd.StdinPipe()
	outRead, outWrite, err2 := os.Pipe()
	errRead, errWrite, err3 := os.Pipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("making the agent's streams: %w", err)
	}
	cmd.Stdout, cmd.Stderr = outWrite, errWrite
	err := cmd.Start()
	outWrite.Close()
	errWrite.Close()
	if err != nil {
		outRead.Close()
		errRead.Close()
		return nil, fmt.Errorf("starting %s: %w", c.Argv[0], err)
	}
	p := &process{
		cmd: cmd, lines: make(chan line, backlog), notes: make(chan line, backlog), ended: make(chan struct{}), read: make(chan struct{}),
		said: make(chan []byte, maxSaid), stopping: make(chan struct{}), pipes: []io.Closer{outRead, errRead},
	}
	var readers sync.WaitGroup
	readers.Go(func() { readLines(outRead, maxLine, object, p.lines) })
	readers.Go(func() { readLines(errRead, maxNote, anything, p.notes) })
	p.wg.Go(func() { readers.Wait(); close(p.read) })
	p.wg.Go(func() { p.write(stdin) })
	p.wg.Go(p.await)
	p.wg.Go(p.watch)
	if len(c.Stdin) > 0 {
		p.said <- c.Stdin
	}
	if !c.Duplex {
		p.say(nil, true)
	}
	return p, nil
}

// object says that half a line may be a whole one whose newline is missing.
func object(text []byte) bool {
	n := len(text)
	return n > 1 && text[0] == '{' && text[n-1] == '}'
}

func anything([]byte) bool { return true }

// say queues a line for the agent's stdin; last closes it. It never waits: an
// agent that reads nothing is ended by the turn's limits.
func (p *process) say(text []byte, last bool) {
	if p.closed {
		return
	}
	if last {
		p.closed = true
		close(p.said)
		return
	}
	select {
	case p.said <- append(text, '\n'):
	default:
		p.note("the agent did not read what it was told")
	}
}

// write feeds stdin. Writing to an agent that has ended is no fault.
func (p *process) write(stdin io.WriteCloser) {
	defer stdin.Close()
	for text := range p.said {
		if _, err := stdin.Write(text); err != nil {
			for range p.said {
			}
			return
		}
	}
}

func (p *process) await() {
	_ = p.cmd.Wait() // what it says is in ProcessState
	st := p.cmd.ProcessState
	p.exit = proto.Exit{Code: st.ExitCode()}
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		p.exit = proto.Exit{Code: 128 + int(ws.Signal()), Signal: ws.Signal().String()}
	}
	close(p.ended)
}

// watch ends the agent when it is told to, and what the agent leaves behind
// when it has ended: first its group, then, when its streams stay open all the
// same, every process that came from it.
func (p *process) watch() {
	select {
	case <-p.ended:
	case <-p.stopping:
		p.signal(syscall.SIGTERM)
		select {
		case <-p.ended:
		case <-time.After(grace):
			p.signal(syscall.SIGKILL)
			<-p.ended
		}
	}
	p.signal(syscall.SIGKILL)
	select {
	case <-p.read:
	case <-time.After(drain):
		p.left(endOrphans())
		for _, c := range p.pipes {
			c.Close()
		}
	}
}

// terminate ends the agent: SIGTERM to its group, then SIGKILL.
func (p *process) terminate() { p.stopOnce.Do(func() { close(p.stopping) }) }

// signal reaches the whole group. A group that is gone is what is wanted.
func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

// close waits for the agent's end, and ends what is left of its tree.
func (p *process) close() proto.Exit {
	p.say(nil, true)
	p.wg.Wait()
	for _, c := range p.pipes {
		c.Close()
	}
	p.left(endOrphans())
	return p.exit
}

// left notes how many processes the agent left behind.
func (p *process) left(n int) {
	if n > 0 {
		p.note(fmt.Sprintf("%d processes that the agent left behind were ended", n))
	}
}

func (p *process) note(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, what)
}

func (p *process) health() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told
}
