package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"signaltty/cli"
	"signaltty/proto"
	"signaltty/server/confine"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"signaltty": func() { os.Exit(cli.Main()) }})
}

// The scripts drive the binary as a person's shell does. Those named after a
// field report, such as a05_answered_elsewhere, assert what that report calls
// right; docs/field-reports.md lists them.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Setup:               ownPlace,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await": await,
			"crash": crash,
			"serve": serve,
			"exits": exits,
			"seen":  seen,
			"take":  take,
		},
	})
}

// condition says what the machine can do.
func condition(name string) (bool, error) {
	if name == "landlock" {
		return confine.Supported(false) == nil, nil
	}
	return false, fmt.Errorf("there is no condition %q", name)
}

// ownPlace gives a script its own socket, state, configuration and temporary
// files. The socket's directory is apart, since its path must be short.
func ownPlace(env *testscript.Env) error {
	run, err := os.MkdirTemp("", "st")
	if err != nil {
		return err
	}
	env.Defer(func() { os.RemoveAll(run) })
	for _, dir := range []string{"state", "config/signaltty", "tmp", "home"} {
		if err := os.MkdirAll(filepath.Join(env.WorkDir, dir), 0o700); err != nil {
			return err
		}
	}
	env.Setenv("XDG_RUNTIME_DIR", run)
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
	env.Setenv("SOCKET", filepath.Join(run, "signaltty", "server.sock"))
	env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("SHELL", "/bin/sh")
	env.Setenv("GORACE", "atexit_sleep_ms=0") // else each run under -race takes a second more
	env.Setenv("SIGNALTTY", binary(env.Getenv("PATH")))
	env.Values[running{}] = &running{}
	return nil
}

// running is a script's server.
type running struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner // what it says on stderr
}

// serve runs `signaltty server`, or the command line that is given, and
// returns when it listens. It ends with the script.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: serve [PROGRAM ARG...]")
	}
	if len(args) == 0 {
		args = []string{ts.Getenv("SIGNALTTY"), "server"}
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = environ(ts)
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	s := running{cmd, bufio.NewScanner(stderr)}
	if !s.lines.Scan() || !strings.HasPrefix(s.lines.Text(), "signaltty: listening on ") {
		ts.Fatalf("the server says %q: %v", s.lines.Text(), cmd.Wait())
	}
	*ts.Value(running{}).(*running) = s
	ts.Defer(func() { s.end(ts, syscall.SIGTERM) })
}

// end makes sure that the server has ended, and well if it was not killed.
func (s running) end(ts *testscript.TestScript, by syscall.Signal) {
	if s.cmd.ProcessState != nil {
		return
	}
	_ = s.cmd.Process.Signal(by) // it may have been stopped
	for s.lines.Scan() {
		ts.Logf("server: %s", s.lines.Text())
	}
	if err := s.cmd.Wait(); err != nil && by != syscall.SIGKILL {
		ts.Fatalf("the server ended in %v", err)
	}
}

// crash kills the server as a lack of memory would.
func crash(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: crash")
	}
	ts.Value(running{}).(*running).end(ts, syscall.SIGKILL)
}

// binary is the path of signaltty on a PATH.
func binary(path string) string {
	for dir := range strings.SplitSeq(path, string(os.PathListSeparator)) {
		if file := filepath.Join(dir, "signaltty"); isFile(file) {
			return file
		}
	}
	return "signaltty"
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// environ is a script's environment, as far as a program needs it.
func environ(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{
		"PATH", "HOME", "SHELL", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "GOCOVERDIR", "GORACE",
		"SIGNALTTY", "SIGNALTTY_SOCKET", "CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "TMUX", "KITTY_WINDOW_ID", "ANTHROPIC_BASE_URL",
	} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// exits runs a program that must end in a certain exit code: exits CODE PROGRAM ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		code = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if got := strconv.Itoa(code); got != args[0] {
		ts.Fatalf("%s ended in %s, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// await returns when a line of `signaltty events` matches, the first of which
// is the state as it is: await EXPRESSION.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await EXPRESSION")
	}
	re, err := regexp.Compile(args[0])
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, ts.Getenv("SIGNALTTY"), "events")
	cmd.Env = environ(ts)
	stdout, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	defer func() {
		cancel()
		_ = cmd.Wait() // it was killed
	}()
	var seen []string
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, proto.MaxLine)
	for lines.Scan() {
		if re.Match(lines.Bytes()) {
			return
		}
		seen = append(seen, lines.Text())
	}
	ts.Fatalf("no event matched %q:\n%s", args[0], strings.Join(seen, "\n"))
}

// seen returns when a file, which a program goes on writing, has a line that
// matches: seen FILE EXPRESSION. A program in the background is ready, or has
// told what it is to tell, when its file says so and not before.
func seen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: seen FILE EXPRESSION")
	}
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	late := time.Now().Add(time.Minute)
	for {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && re.Match(text) {
			return
		}
		if time.Now().After(late) {
			ts.Fatalf("%s never had %q:\n%s", args[0], args[1], text)
		}
	}
}

// take sets a variable to what the group of a regular expression matches in
// the last output: take NAME EXPRESSION.
func take(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: take NAME EXPRESSION")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	m := re.FindStringSubmatch(ts.ReadFile("stdout"))
	if len(m) < 2 {
		ts.Fatalf("no match for %s in the last output", fmt.Sprintf("%q", args[1]))
	}
	ts.Setenv(args[0], m[1])
}
