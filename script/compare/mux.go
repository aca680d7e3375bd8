package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"signaltty/proto"
)

// mux is a multiplexer that runs for a while.
type mux interface {
	name() string
	// open runs argv in a new pane that no client shows, and returns its id.
	open(argv []string) (string, error)
	// attach is the command of a client that shows pane; signaltty's shows the
	// pane that was opened first.
	attach(pane string) ([]string, error)
	// shut ends a pane.
	shut(pane string) error
	pid() int // of the server
	environ() []string
	close() error
}

// environ is an environment with nothing of the caller's but PATH.
func environ(home string, more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "SHELL=/bin/sh",
		"XDG_RUNTIME_DIR=" + home, "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CACHE_HOME=" + home,
	}, more...)
}

type tmux struct {
	socket, home string
	server       int
}

func startTmux(b *bench) (*tmux, error) {
	home, err := os.MkdirTemp(b.dir, "t")
	if err != nil {
		return nil, err
	}
	t := &tmux{socket: filepath.Join(home, "s"), home: home}
	conf := filepath.Join(home, "conf")
	// What signaltty has by default: the same scrollback, no wait after Esc.
	text := "set -g history-limit 10000\nset -g escape-time 0\nset -g status-interval 0\nset -g default-terminal tmux-256color\n"
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		return nil, err
	}
	_, err = t.do("-f", conf, "new-session", "-d", "-s", "s", "-x", strconv.Itoa(size.Cols), "-y", strconv.Itoa(size.Lines+1), "cat")
	if err != nil {
		return nil, err
	}
	out, err := t.do("display-message", "-p", "#{pid}")
	if err != nil {
		return nil, err
	}
	t.server, err = strconv.Atoi(out)
	return t, err
}

func (t *tmux) do(args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-S", t.socket}, args...)...)
	cmd.Env = t.environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

func (t *tmux) name() string      { return "tmux" }
func (t *tmux) pid() int          { return t.server }
func (t *tmux) environ() []string { return environ(t.home) }

func (t *tmux) open(argv []string) (string, error) {
	return t.do(append([]string{"new-window", "-d", "-t", "s:", "-P", "-F", "#{pane_id}"}, argv...)...)
}

func (t *tmux) attach(pane string) ([]string, error) {
	_, err := t.do("select-window", "-t", pane)
	return []string{"tmux", "-S", t.socket, "attach"}, err
}

func (t *tmux) shut(pane string) error {
	_, err := t.do("kill-pane", "-t", pane)
	return err
}

// close asks by a signal: a tmux that is started to say it can be killed by
// the interrupt that ends this program.
func (t *tmux) close() error { return syscall.Kill(t.server, syscall.SIGTERM) }

type signaltty struct {
	binary, home string
	conn         *proto.Conn
	cmd          *exec.Cmd
}

func startSignaltty(b *bench) (*signaltty, error) {
	home, err := os.MkdirTemp(b.dir, "s")
	if err != nil {
		return nil, err
	}
	s := &signaltty{binary: b.binary, home: home}
	cmd := exec.Command(b.binary, "server")
	cmd.Env = s.environ()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s.cmd = cmd
	for range 500 {
		s.conn, _, err = proto.Dial(context.Background(), filepath.Join(home, "s"), proto.Hello{Client: "compare"})
		if err == nil {
			return s, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	cmd.Process.Kill() //nolint:errcheck // it may have ended
	cmd.Wait()         //nolint:errcheck // as above
	return nil, fmt.Errorf("the server did not come up: %w", err)
}

func (s *signaltty) name() string { return "signaltty" }
func (s *signaltty) pid() int     { return s.cmd.Process.Pid }

func (s *signaltty) environ() []string {
	return environ(s.home, proto.EnvSocket+"="+filepath.Join(s.home, "s"))
}

func (s *signaltty) new(p proto.PaneNew) (string, error) {
	p.Cwd, p.Env, p.Size = s.home, s.environ(), size
	var pane proto.Pane
	err := s.conn.Call(context.Background(), proto.MethodPaneNew, p, &pane)
	return pane.ID, err
}

func (s *signaltty) open(argv []string) (string, error) { return s.new(proto.PaneNew{Argv: argv}) }

// beside runs argv in a new pane that shares the screen with pane.
func (s *signaltty) beside(pane string, argv []string) error {
	_, err := s.new(proto.PaneNew{Argv: argv, Beside: pane, Dir: "columns"})
	return err
}

func (s *signaltty) attach(string) ([]string, error) { return []string{s.binary, "attach"}, nil }

func (s *signaltty) raw(pane string) []string { return []string{s.binary, "attach", "--raw", pane} }

func (s *signaltty) shut(pane string) error {
	return s.conn.Call(context.Background(), proto.MethodPaneClose, proto.PaneRef{Pane: pane}, nil)
}

func (s *signaltty) close() error {
	s.conn.Close()
	err := s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait() //nolint:errcheck // it ends by the signal
	if errors.Is(err, os.ErrProcessDone) {
		return nil // an interrupt reached it first
	}
	return err
}
