package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// patience is how long a wait lasts before it fails.
const patience = 20 * time.Second

var errNever = errors.New("what was waited for never came")

// glass is the terminal of one client: it reads what the client draws, as text
// without the escape sequences.
type glass struct {
	cmd    *exec.Cmd
	master *os.File
	drawn  chan piece // what was read, in order; closed at the end
}

// piece is what one read gave, and when.
type piece struct {
	text string
	at   time.Time
}

func openGlass(argv, env []string) (*glass, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = env
	rows := size.Lines
	if argv[0] == "tmux" {
		rows++ // its status line
	}
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(size.Cols), Rows: uint16(rows)})
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", argv[0], err)
	}
	g := &glass{cmd: cmd, master: master, drawn: make(chan piece, 4096)}
	go g.read()
	return g, nil
}

func (g *glass) read() {
	defer close(g.drawn)
	buf := make([]byte, 64<<10)
	var p printed
	for {
		n, err := g.master.Read(buf)
		if err != nil {
			return
		}
		now := time.Now()
		g.drawn <- piece{p.take(buf[:n]), now}
	}
}

// close ends the client.
func (g *glass) close() {
	g.cmd.Process.Signal(syscall.SIGHUP) //nolint:errcheck // it may be gone
	g.master.Close()
	for range g.drawn { //nolint:revive // lets the reader end
	}
	g.cmd.Wait() //nolint:errcheck // it ends by the hangup
}

// await reads until text was drawn, and says when.
func (g *glass) await(text string) (time.Time, error) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	tail := ""
	for {
		select {
		case p, ok := <-g.drawn:
			if !ok {
				return time.Time{}, fmt.Errorf("%s ended: %q", g.cmd.Args[0], tail)
			}
			tail += p.text
			if strings.Contains(tail, text) {
				return p.at, nil
			}
			tail = tail[max(0, len(tail)-200):]
		case <-limit.C:
			return time.Time{}, fmt.Errorf("%s: %q: %w; the last was %q", g.cmd.Args[0], text, errNever, tail)
		}
	}
}

// pass reads and forgets for a while.
func (g *glass) pass(d time.Duration) {
	end := time.After(d)
	for {
		select {
		case _, ok := <-g.drawn:
			if !ok {
				return
			}
		case <-end:
			return
		}
	}
}

// key presses a key and returns how long it took until text was drawn.
func (g *glass) key(key, text string) (time.Duration, error) {
	g.pass(0)
	began := time.Now()
	if _, err := g.master.WriteString(key); err != nil {
		return 0, err
	}
	at, err := g.await(text)
	return at.Sub(began), err
}

// printed takes the escape sequences out of a stream.
type printed struct{ state byte }

func (p *printed) take(b []byte) string {
	out := make([]byte, 0, len(b))
	for _, c := range b {
		switch p.state {
		case 0:
			if c == 0x1b {
				p.state = c
			} else {
				out = append(out, c)
			}
		case 0x1b:
			switch {
			case c == '[' || c == ']' || c == 'P' || c == '(':
				p.state = c
			default:
				p.state = 0
			}
		case '[':
			if c >= 0x40 {
				p.state = 0
			}
		case '(':
			p.state = 0
		default: // a string ends with BEL or ESC \
			switch c {
			case 0x07:
				p.state = 0
			case 0x1b:
				p.state = 0x1b
			}
		}
	}
	return string(out)
}
