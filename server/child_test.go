package server

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"signaltty/proto"
)

// testChild makes the test binary a program of its own: the value is which.
const testChild = "SIGNALTTY_TEST_CHILD"

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

func init() {
	which, ok := os.LookupEnv(testChild)
	if !ok {
		return
	}
	os.Unsetenv(testChild)
	children := map[string]func(args []string) error{
		"connect":     childConnect,
		"stubborn":    childStubborn,
		"winch":       childWinch,
		"serve":       childServe,
		"serve-fails": func([]string) error { Ready(errors.New("the disk is full")); return nil },
		"serve-dies":  func([]string) error { return errors.New("dying") },
	}
	if err := children[which](os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// childConnect connects to a socket and stays until it is hung up on.
func childConnect(args []string) error {
	c, err := net.Dial("unix", args[0])
	if err != nil {
		return err
	}
	_, _ = c.Read(make([]byte, 1))
	return nil
}

// childStubborn says its pid and ends by nothing but SIGKILL.
func childStubborn([]string) error {
	signal.Ignore(unix.SIGHUP, unix.SIGTERM, unix.SIGINT)
	fmt.Printf("pid %d.\n", os.Getpid())
	select {}
}

// childWinch says the size on each SIGWINCH, and ends at a line.
func childWinch([]string) error {
	changed := make(chan os.Signal, 16)
	signal.Notify(changed, unix.SIGWINCH)
	line := make(chan bool)
	go func() {
		bufio.NewReader(os.Stdin).ReadString('\n')
		close(line)
	}()
	fmt.Println("ready.")
	for {
		select {
		case <-changed:
			ws, err := unix.IoctlGetWinsize(0, unix.TIOCGWINSZ)
			if err != nil {
				return err
			}
			fmt.Printf("%dx%d.\n", ws.Col, ws.Row)
		case <-line:
			fmt.Println("end.")
			return nil
		}
	}
}

// childServe is a server that knows hello. It writes its pid to the file next
// to the socket, so that servers can be counted.
func childServe([]string) error {
	socket := os.Getenv(proto.EnvSocket)
	l, err := listen(socket)
	if err == nil {
		err = appendLine(socket+".pids", fmt.Sprint(os.Getpid()))
	}
	Ready(err)
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGTERM)
	go func() {
		<-stop
		l.Close()
	}()
	for {
		nc, err := l.Accept()
		if err != nil {
			return nil
		}
		c := proto.NewConn(nc)
		if m, err := c.Read(); err == nil {
			_ = c.Reply(m.ID, proto.Welcome{Version: proto.Version, PID: os.Getpid()})
		}
		c.Close()
	}
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line + "\n")
	return err
}

// childEnv is an environment in which the test binary is the child which.
func childEnv(which string, more ...string) []string {
	return append(append(os.Environ(), testChild+"="+which), more...)
}

func testBinary(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// socketDir is a private directory with a short path.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "st")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// within fails the test when c does not come.
func within[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("waited %v for %s", patience, what)
		panic("unreachable")
	}
}

// eventually polls what gives no event of its own.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

// wantError fails the test unless err's text has all the parts.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}
