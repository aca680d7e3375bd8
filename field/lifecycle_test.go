//go:build linux

package field

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// What a hook that is judged by rules costs the agent at every tool call: the
// work of its whole process, which is the same on a busy machine. How long it
// takes on a quiet one is measured by script/hookcost.
func TestA27HooksAreQuick(t *testing.T) {
	w := newWorld(t)
	pane := w.idlePane()
	var cost []time.Duration
	for i := range 60 {
		call := bash("make").with("tool_use_id", fmt.Sprint(i)).with("hook_event_name", "PreToolUse")
		cmd := w.hookCommand(pane, "PreToolUse", strings.NewReader(call.String()+"\n"))
		cmd.Args = append(cmd.Args, "--gate", "bash")
		h := w.start("PreToolUse", cmd)
		h.leavesIt()
		cost = append(cost, h.cpu)
	}
	slices.Sort(cost)
	t.Logf("of 60 the cheapest took %v, the median %v, the dearest %v", cost[0], cost[30], cost[59])
	if cost[30] > 100*time.Millisecond {
		t.Errorf("a hook costs %v", cost[30])
	}
}

// elderProbe is a server of another version of the protocol: it refuses every
// hello and ends by SIGTERM.
func elderProbe(args []string) int {
	l, err := net.Listen("unix", args[0])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	go func() {
		<-ended
		l.Close()
	}()
	for {
		c, err := l.Accept()
		if err != nil {
			return 0
		}
		if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
			fmt.Fprintln(c, `{"id":1,"error":{"code":"VERSION","message":"this server speaks protocol 0 (signaltty v0.0.1) and the client 1; run `+"`signaltty stop`"+`, then start it again with the newer one"}}`)
		}
		c.Close()
	}
}

// A client and a server of different versions say so, and what to do; and that
// works: stop ends the other one.
func TestE05OtherVersions(t *testing.T) {
	t.Run("an old server", func(t *testing.T) {
		t.Parallel()
		w := bareWorld(t)
		argv := w.probeArgv("elder", w.Socket)
		elder := tty.Start(t, tty.Command{Argv: argv, Dir: w.Work, Env: w.Env})
		w.wait("it listens", func() bool { _, err := os.Stat(w.Socket); return err == nil })
		for _, verb := range []string{"ls", "status", "decisions"} {
			if said := w.exits(proto.ExitFailed, verb); !strings.Contains(said, "protocol 0") || !strings.Contains(said, "signaltty stop") || strings.Count(said, "\n") != 1 {
				t.Errorf("%s says %q", verb, said)
			}
		}
		w.Attach(size)
		if code := w.UI.Exit(); code != proto.ExitFailed {
			t.Errorf("attach ends in %d", code)
		}
		if s := w.UI.Screen(); !s.Has("another version") || !s.Has("signaltty stop") {
			t.Errorf("attach says\n%s", s)
		}
		w.hookOn("", "PermissionRequest", strings.NewReader(bash("make").String())).leavesIt()
		w.Verb("stop")
		if code := elder.Exit(); code != 0 {
			t.Errorf("the old server ended in %d", code)
		}
		w.Serve()
		w.Verb("ls")
	})
	t.Run("an old client", func(t *testing.T) {
		w := newWorld(t)
		for _, version := range []int{0, proto.Version + 1, 99} {
			c, err := net.Dial("unix", w.Socket)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprintf(c, `{"id":1,"method":"hello","params":{"version":%d,"client":"attach","build":"v0.0.1","news":{}}}`+"\n", version)
			line, err := bufio.NewReader(c).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(line, `"code":"VERSION"`) || !strings.Contains(line, fmt.Sprintf("client %d (v0.0.1)", version)) || !strings.Contains(line, "signaltty stop") {
				t.Errorf("version %d is told %s", version, line)
			}
		}
	})
}

// wait waits for what no event tells, in a world without a server.
func (w *world) wait(what string, holds func() bool) {
	w.T.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(tty.Patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-timeout:
			w.T.Fatalf("it never came to this: %s", what)
		}
	}
}

// A server that was started inside an agent, a multiplexer or another terminal
// passes nothing of that on; what the person set for the agent stays.
func TestE07ScrubbedEnvironment(t *testing.T) {
	t.Parallel()
	w := bareWorld(t)
	leaks := []string{
		"CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ID=s0", "CODEX_SANDBOX=seatbelt",
		"OPENCODE=1", "GEMINI_CLI=1", "CURSOR_AGENT=1", "TMUX=/tmp/tmux,1,0", "TMUX_PANE=%1", "STY=1.pts", "ZELLIJ=0", "KITTY_WINDOW_ID=1",
		"WEZTERM_PANE=1", "VTE_VERSION=7000", "TERM_PROGRAM_VERSION=1", "ITERM_SESSION_ID=x", "LC_TERMINAL=iTerm2", "WINDOWID=1", "VSCODE_PID=1",
		"SIGNALTTY_PANE=p0-1", "LINES=10", "COLUMNS=20",
	}
	kept := []string{"ANTHROPIC_BASE_URL=http://localhost:1", "CLAUDE_CONFIG_DIR=/etc/claude", "CODEX_HOME=/etc/codex", "EDITOR=ed", "LANG=C.UTF-8"}
	w.Env = append(w.Env, slices.Concat(leaks, kept, []string{"TERM=screen", "TERM_PROGRAM=tmux"})...)
	w.Serve()
	out := filepath.Join(w.Work, "env")
	pane := w.shell(`env >"$1.tmp"; mv "$1.tmp" "$1"; read stay`, out)
	w.Until("the pane has told", func() bool { _, err := os.Stat(out); return err == nil })
	env := strings.Split(w.read("env"), "\n")
	for _, leak := range leaks {
		if slices.Contains(env, leak) {
			t.Errorf("the pane has %s", leak)
		}
	}
	want := append(kept, "TERM=xterm-256color", "COLORTERM=truecolor", "TERM_PROGRAM=signaltty",
		proto.EnvPane+"="+pane, proto.EnvSocket+"="+w.Socket)
	for _, entry := range want {
		if !slices.Contains(env, entry) {
			t.Errorf("the pane lacks %s", entry)
		}
	}
}

// Closing a pane ends everything in it, also what ignores being asked, what
// left the process group, and what was left behind; and it tells how.
func TestE09CloseEndsAll(t *testing.T) {
	w := newWorld(t)
	pane := w.shell(`trap '' HUP TERM
(trap '' HUP TERM; exec sleep 1001) &
setsid sleep 1002 &
(setsid sh -c 'trap "" HUP TERM; sleep 1003 & sleep 1004' &)
echo up; wait; wait; wait; sleep 1005`)
	sleeping := func(args string) bool { return strings.HasPrefix(args, "sleep 100") }
	var left []place.Process
	w.Until("all of them run", func() bool {
		for _, x := range left {
			x.Forget()
		}
		left = w.Processes(sleeping)
		return len(left) == 4
	})
	if out := w.Verb("close", pane); out != pane+" SIGKILL\n" {
		t.Errorf("it tells %q", out)
	}
	for _, x := range left {
		if !x.Ends() {
			t.Errorf("left behind: %s", x)
		}
	}
	gentle := w.idlePane()
	if out := w.Verb("close", gentle); out != gentle+" SIGHUP\n" {
		t.Errorf("of one that obeys it tells %q", out)
	}
	own := w.shell("exit 7")
	w.Verb("wait", own, "--until", "exited,failed", "--timeout", "60s")
	if out := w.Verb("close", own); out != own+" 7\n" {
		t.Errorf("of one that ended by itself it tells %q", out)
	}
}

// What cannot start says what is missing, and at once; an agent that asks
// something before it has a session is there to be seen.
func TestE10MissingAgent(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--agent", "claude"}, "claude is not on PATH"},
		{[]string{"--", "no-such-program"}, "no-such-program is not on PATH"},
		{[]string{"--", "./none"}, "none"},
		{[]string{"--cwd", "/none"}, "is not a directory"},
	} {
		begun := time.Now()
		if said := w.exits(proto.ExitFailed, append([]string{"new"}, c.args...)...); !strings.Contains(said, c.want) {
			t.Errorf("new %v says %q", c.args, said)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("new %v says so after %v", c.args, took)
		}
	}
	if list := w.Verb("ls", "--json"); list != "" {
		t.Errorf("panes are left: %s", list)
	}
	w.file("claude", "#!/bin/sh\necho 'Do you trust the files in this folder?'; read answer\n", 0o700)
	cmd := w.Command("new", "--agent", "claude")
	cmd.Env = append(cmd.Env, "PATH="+w.Work+":/usr/bin:/bin")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	pane := strings.TrimSpace(string(out))
	w.Until("its question is there", func() bool { return w.Screen(pane).Has("Do you trust") })
	if p := w.Pane(pane); p.State == proto.StateDone || p.State == proto.StateIdle {
		t.Errorf("it waits for an answer and is %s", p.State)
	}
}

// An agent behind a wrapper, or started by hand in a shell, is bound to the
// pane that it runs in all the same.
func TestE12WrappedAgent(t *testing.T) {
	w := newWorld(t)
	steps := w.file("ask.json", `[{"do": "ask", "asks": [{"tool": "Bash", "input": {"command": "make"}, "output": "made it"}]}, {"do": "read"}]`, 0o600)
	wrapper := w.file("wrapper", "#!/bin/sh\nsh -c 'env -u SIGNALTTY_PANE \"$@\"; exit $?' sh \"$@\"\nexit $?\n", 0o700)
	pane := w.shell(`"$1" signaltty mock-agent --script "$2"; read stay`, wrapper, steps)
	d := w.Events.Added(pane, "Bash", "make")
	if p := w.Pane(pane); p.State != proto.StateBlocked || p.Session == "" {
		t.Errorf("the pane is %s, of session %q", p.State, p.Session)
	}
	w.Verb("answer", d.ID, proto.OptionOnce)
	w.Events.Confirmed(d)
	w.Until("the tool ran", func() bool { return w.Screen(pane).Has("made it") })
}
