package server

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"signaltty/proto"
)

// ptyProcess is a process that this server started, with its PTY's master.
type ptyProcess struct {
	keeper *localKeeper
	cmd    *exec.Cmd
	leader proc // as it was read when it started
	master *os.File
	input  *inputQueue

	ended chan struct{}
	exit  proto.Exit // set before ended is closed
	wg    sync.WaitGroup
	once  sync.Once
}

// startOnPTY starts cmd as the leader of a session of its own, whose
// controlling terminal is a new PTY.
func startOnPTY(k *localKeeper, cmd *exec.Cmd, size proto.Size) (*ptyProcess, error) {
	master, tty, err := openPTY(size)
	if err != nil {
		return nil, proto.Errorf(proto.CodeSpawn, "there is no PTY for %s: %v", cmd.Path, err)
	}
	defer tty.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := k.reap.start(cmd); err != nil {
		master.Close()
		if errors.Is(err, fs.ErrNotExist) {
			// The file was there: it is what its first line names that is not.
			return nil, proto.Errorf(proto.CodeSpawn, "%s is a script whose interpreter does not exist; see its first line", cmd.Path)
		}
		return nil, proto.Errorf(proto.CodeSpawn, "%s cannot be started: %v", cmd.Path, err)
	}
	p := &ptyProcess{keeper: k, cmd: cmd, master: master, ended: make(chan struct{})}
	// It is not waited for yet, so there is one, be it a zombie.
	p.leader, _ = readProc(cmd.Process.Pid)
	p.input = newInputQueue(func(b []byte) int { return writeNow(master, b) })
	p.wg.Go(func() { p.input.drain(master) })
	p.wg.Go(p.await)
	return p, nil
}

// openPTY opens a PTY of a size. The master is in non-blocking mode, so that
// closing it ends a read or write that waits.
func openPTY(size proto.Size) (master, tty *os.File, err error) {
	opened, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer opened.Close()
	// What the library opened has been made blocking, for good.
	fd, err := unix.FcntlInt(opened.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err == nil {
		master = os.NewFile(uintptr(fd), opened.Name())
		err = errors.Join(setSize(master, size), setUTF8(master))
	}
	if err != nil {
		tty.Close()
		if master != nil {
			master.Close()
		}
		return nil, nil, err
	}
	return master, tty, nil
}

func (p *ptyProcess) pid() int { return p.cmd.Process.Pid }

func (p *ptyProcess) read(b []byte) (int, error) {
	n, err := p.master.Read(b)
	// Linux answers EIO when the last program has closed its side.
	if errors.Is(err, unix.EIO) || errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	return n, err
}

func (p *ptyProcess) write(b []byte) error { return p.input.add(b) }

func (p *ptyProcess) resize(size proto.Size) error { return setSize(p.master, size) }

func (p *ptyProcess) done() <-chan struct{} { return p.ended }

func (p *ptyProcess) wait() proto.Exit {
	<-p.ended
	return p.exit
}

func (p *ptyProcess) close(grace time.Duration) proto.Exit {
	p.once.Do(func() {
		p.endAll(grace)
		p.master.Close()
		p.input.close()
		p.wg.Wait()
		p.keeper.forget(p)
	})
	return p.wait()
}

func (p *ptyProcess) await() {
	p.keeper.reap.wait(p.cmd)
	p.exit = exitOf(p.cmd.ProcessState)
	close(p.ended)
}

func (p *ptyProcess) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// exitOf tells how a process ended. One that was killed has the exit code that
// a shell gives it: 128 and the signal's number.
func exitOf(state *os.ProcessState) proto.Exit {
	if state == nil {
		return proto.Exit{Code: -1} // another part of the program waited for it
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return proto.Exit{Code: 128 + int(ws.Signal()), Signal: signalName(ws.Signal())}
	}
	return proto.Exit{Code: state.ExitCode()}
}

func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig))
}

func setSize(master *os.File, size proto.Size) error {
	err := control(master, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: clampCells(size.Lines), Col: clampCells(size.Cols)})
	})
	if err != nil {
		return fmt.Errorf("sizing the PTY: %w", err)
	}
	return nil
}

func clampCells(n int) uint16 { return uint16(min(max(n, 1), 1<<16-1)) }

// setUTF8 lets the line editing of the PTY erase whole characters.
func setUTF8(master *os.File) error {
	return control(master, func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return fmt.Errorf("reading the PTY's modes: %w", err)
		}
		t.Iflag |= unix.IUTF8
		if err := unix.IoctlSetTermios(fd, setTermios, t); err != nil {
			return fmt.Errorf("setting the PTY's modes: %w", err)
		}
		return nil
	})
}

// control uses a file's descriptor without taking it out of non-blocking mode.
func control(f *os.File, use func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var useErr error
	err = raw.Control(func(fd uintptr) { useErr = use(int(fd)) })
	return errors.Join(err, useErr)
}
