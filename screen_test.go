package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/tty"
	"signaltty/proto"
)

// screenEnv is the environment of a person with nothing of their own yet.
func screenEnv(t *testing.T) (env []string, tmp string) {
	t.Helper()
	// The socket's path must be short, which t.TempDir's may not be.
	dir, err := os.MkdirTemp("", "st")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	env = []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "SHELL=/bin/sh", "GORACE=atexit_sleep_ms=0"}
	for _, name := range []string{"HOME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		path := filepath.Join(dir, strings.ToLower(name))
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+path)
	}
	return env, filepath.Join(dir, "tmpdir")
}

// onScreen runs signaltty on a PTY.
func onScreen(t *testing.T, env []string, args ...string) *tty.Program {
	t.Helper()
	return tty.Start(t, tty.Command{
		Argv: append([]string{signaltty(t)}, args...), Dir: t.TempDir(), Env: env, Size: proto.Size{Cols: 100, Lines: 40},
	})
}

func signaltty(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("signaltty") // TestMain puts this binary there
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// verb runs another verb beside the screen and returns what it prints.
func verb(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(signaltty(t), args...)
	cmd.Env = env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("signaltty %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// The README's first command: the agent asks three times, keys answer, and
// nothing is left behind.
func TestDemoScreen(t *testing.T) {
	t.Parallel()
	env, tmp := screenEnv(t)
	p := onScreen(t, env, "demo")

	p.WaitText("mock asks to use Bash")
	p.WaitText("waits 1 s") // the first moment of a decision takes no answer
	p.Press("ctrl+]", "y")
	p.WaitText("mock asks to use Write")
	p.WaitText("waits 1 s")
	p.Press("ctrl+]", "y")
	p.WaitText("read all of it first")
	p.Press("ctrl+]", "e")
	p.WaitText("return nil")
	p.Press("ctrl+]", "y")
	p.WaitText("git push --force")
	p.WaitText("waits 1 s")
	p.Press("ctrl+]", "n")
	p.WaitText("tells the story again")
	p.Press("ctrl+]", "q")
	if code := p.Exit(); code != 0 {
		t.Errorf("the demo ended in %d", code)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind in the directory for temporary files: %v, %v", left, err)
	}
}

// attach starts the server, detaching leaves it, and what is pasted or typed
// while a decision waits goes to the pane and answers nothing (field report A18).
func TestAttachScreen(t *testing.T) {
	t.Parallel()
	env, _ := screenEnv(t)
	t.Cleanup(func() { _ = stop(env) })
	p := onScreen(t, env, "attach")
	p.WaitText("ctrl+]")
	verb(t, env, "new", "--agent", "mock", "--", "--script", script(t, `[
		{"do": "ask", "asks": [{"tool": "Bash", "input": {"command": "make"}}]},
		{"do": "ask", "asks": [{"tool": "Read", "input": {"file_path": "/etc/motd"}}]},
		{"do": "read"}
	]`))
	for _, typed := range []struct{ tool, text string }{
		{"Bash", "\x1b[200~y\x1b[201~"}, // a paste, which the agent takes for its own dialog
		{"Read", "yyyy"},
	} {
		p.WaitText("mock asks to use " + typed.tool)
		p.WaitText("waits 1 s")
		p.Type(typed.text)
		p.WaitText("mock " + typed.tool + ": left to the pane: you typed there")
	}
	p.Press("ctrl+]", "q")
	if code := p.Exit(); code != 0 {
		t.Errorf("attach ended in %d", code)
	}
	var status proto.Status
	if err := json.Unmarshal([]byte(verb(t, env, "status", "--json")), &status); err != nil || status.Panes != 1 {
		t.Errorf("after detaching there are %d panes, want 1 (%v)", status.Panes, err)
	}
}

// --raw shows one pane alone, and takes the prefix only to detach.
func TestRawScreen(t *testing.T) {
	t.Parallel()
	env, _ := screenEnv(t)
	t.Cleanup(func() { _ = stop(env) })
	first := onScreen(t, env, "attach")
	first.WaitText("ctrl+]")
	pane := verb(t, env, "new", "--", "sh", "-c", `printf 'name? '; read name; echo "hello $name"; sleep 1000`)
	first.Press("ctrl+]", "q")
	first.Exit()

	p := onScreen(t, env, "attach", "--raw", pane)
	p.WaitText("name?")
	p.Type("pane\r")
	p.WaitText("hello pane")
	p.Press("ctrl+]", "d")
	if code := p.Exit(); code != 0 {
		t.Errorf("attach --raw ended in %d", code)
	}
}

// script writes a script of the mock agent.
func script(t *testing.T, steps string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(path, []byte(steps), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// stop ends the server that attach started.
func stop(env []string) error {
	cmd := exec.Command("signaltty", "stop")
	cmd.Env = env
	return cmd.Run()
}
