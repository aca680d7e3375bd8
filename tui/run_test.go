package tui_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"signaltty/proto"
	"signaltty/tui"
	"signaltty/tui/tuitest"
)

// childEnv has the test binary be a screen on its own terminal, and names how.
const childEnv = "SIGNALTTY_TUI_CHILD"

func TestMain(m *testing.M) {
	if how := os.Getenv(childEnv); how != "" {
		os.Exit(child(how))
	}
	os.Exit(m.Run())
}

// child runs a screen over a server that tells on stderr what the pane gets.
func child(how string) int {
	s := alone()
	s.Watch(func(in proto.PaneInput) { fmt.Fprintf(os.Stderr, "%q\n", in.Data) })
	opt := tui.Options{Dial: s.Dial, In: os.Stdin, Out: os.Stdout, Env: os.Environ()}
	var err error
	switch how {
	case "panic":
		opt.Dial = func(context.Context) (*proto.Conn, proto.Welcome, error) { panic("meant to") }
		err = tui.Run(context.Background(), opt)
	case "raw":
		err = tui.Raw(context.Background(), opt, "p1")
	default:
		err = tui.Run(context.Background(), opt)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// screenProcess is a child with its terminal.
type screenProcess struct {
	*exec.Cmd
	t     *testing.T
	tty   *os.File
	glass *tuitest.Glass
	typed *bufio.Reader // what the pane got, a quoted line each
}

func startChild(t *testing.T, how string) *screenProcess {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+how, "TERM=xterm-256color")
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	tty, err := pty.StartWithSize(c, &pty.Winsize{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	p := &screenProcess{c, t, tty, tuitest.NewGlass(80, 24), bufio.NewReader(stderr)}
	late := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
	t.Cleanup(func() { late.Stop(); c.Process.Kill(); tty.Close() })
	return p
}

// see reads what is painted until a text is on the glass.
func (p *screenProcess) see(text string) {
	p.t.Helper()
	d := tuitest.Look(p.t, p.glass)
	b := make([]byte, 4096)
	for !d.Has(text) {
		n, err := p.tty.Read(b)
		if err != nil {
			p.t.Fatalf("before %q was seen: %v\n%s", text, err, p.glass.Text())
		}
		p.glass.Write(b[:n])
	}
}

// end reads until the process has ended and checks the terminal's modes.
func (p *screenProcess) end() {
	p.t.Helper()
	io.Copy(p.glass, p.tty) //nolint:errcheck // it ends in EIO
	p.Wait()                //nolint:errcheck // some end badly, on purpose
	for _, m := range []string{"1", "1049", "2004", "1000", "1002", "1003", "1004", "1006", "2026", "kitty"} {
		if p.glass.Mode(m) {
			p.t.Errorf("mode %s is still set", m)
		}
	}
	if _, _, _, visible := p.glass.Cursor(); !visible {
		p.t.Error("the cursor is hidden")
	}
}

func (p *screenProcess) got(want string) {
	p.t.Helper()
	line, err := p.typed.ReadString('\n')
	if err != nil || line != fmt.Sprintf("%q\n", want) {
		p.t.Fatalf("the pane got %s %v, want %q", line, err, want)
	}
}

// TestCleanTerminal: however the screen ends, the terminal is as it was.
func TestCleanTerminal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT} {
		t.Run(sig.String(), func(t *testing.T) {
			p := startChild(t, "run")
			p.see("I will run the tests")
			p.Process.Signal(sig)
			if line, _ := p.typed.ReadString('\n'); !strings.Contains(line, sig.String()) {
				t.Errorf("it ended with the word %q, want one of %q", line, sig)
			}
			p.end()
			if c := p.ProcessState.ExitCode(); c != 1 {
				t.Errorf("it ended with %d", c)
			}
		})
	}
	t.Run("panic", func(t *testing.T) {
		p := startChild(t, "panic")
		p.end()
		if p.ProcessState.Success() {
			t.Error("a panic ended well")
		}
	})
}

// TestDumbTerminal is refused before anything is written to it.
func TestDumbTerminal(t *testing.T) {
	var out strings.Builder
	opt := tui.Options{Out: &out, Env: []string{"TERM=dumb"}}
	for name, err := range map[string]error{"run": tui.Run(t.Context(), opt), "raw": tui.Raw(t.Context(), opt, "p1")} {
		if err == nil || !strings.Contains(err.Error(), "TERM is dumb") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out.Len() > 0 {
		t.Errorf("it wrote %q", out.String())
	}
}

// TestEscape: escape goes out by itself, and is not taken together with the
// key after it; alt with a key stays one key.
func TestEscape(t *testing.T) {
	p := startChild(t, "run")
	p.see("I will run the tests")
	io.WriteString(p.tty, "\x1b")
	p.got("\x1b")
	io.WriteString(p.tty, "b")
	p.got("b")
	io.WriteString(p.tty, "\x1bb")
	p.got("\x1bb")
	io.WriteString(p.tty, "\x1b[A")
	p.got("\x1b[A")
	p.Process.Signal(syscall.SIGTERM)
	p.end()
}

// TestRaw shows one pane alone, passes bytes through, and detaches.
func TestRaw(t *testing.T) {
	p := startChild(t, "raw")
	p.see("I will run the tests")
	io.WriteString(p.tty, "ls\r")
	p.got("ls\r")
	if got := p.glass.Title(); got != "Fix the tests · claude · signaltty" {
		t.Errorf("the title is %q", got)
	}
	io.WriteString(p.tty, "\x1b]11;rgb:1010/1010/1010\a\x1b[?997;1n")
	io.WriteString(p.tty, "\x1d\x1d")
	p.got("\x1d")
	io.WriteString(p.tty, "\x1dd")
	p.end()
	if !p.ProcessState.Success() {
		t.Error("detaching ended badly")
	}
}
