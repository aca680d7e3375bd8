//go:build linux

package field

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"signaltty/proto"
)

// fakeClaude is a script in the place of Claude Code: it tells its hooks the
// session that it was given to resume, or one of its own.
const fakeClaude = `#!/bin/sh
session=own-$$ source=startup
while [ $# -gt 0 ]; do
	case $1 in --resume) session=$2 source=resume; shift;; esac
	shift
done
tell() { echo "{\"session_id\":\"$session\",\"hook_event_name\":\"$1\",\"source\":\"$source\"}" |
	signaltty hook-event --agent claude --event $1 --payload-stdin; }
tell SessionStart
[ $source = startup ] && tell UserPromptSubmit && tell Stop
echo "talks in $session"
read stay
`

// byName finds a pane by its name.
func (w *world) byName(name string) proto.Pane {
	w.T.Helper()
	panes := w.Panes()
	i := slices.IndexFunc(panes, func(p proto.Pane) bool { return p.Name == name })
	if i < 0 {
		w.T.Fatalf("there is no pane %s", name)
	}
	return panes[i]
}

// E02, as a person has it at the screen: the server dies, another one is
// started, and one key in each pane takes up what was going on there. An
// agent whose program is gone says so, and its conversation is not forgotten.
func TestE02ResumedByAKey(t *testing.T) {
	w := newWorld(t)
	w.file("claude", fakeClaude, 0o700)
	w.Env = append(w.Env, "PATH="+w.Work+":"+filepath.Dir(binary)+":/usr/bin:/bin")
	w.Server.Stop()
	w.Serve()
	sessions := map[string]string{}
	for _, name := range []string{"ant", "bee"} {
		pane := w.open("--agent", "claude", "--name", name, "--cwd", w.Work, "--", "--model", "haiku", "a prompt")
		w.Verb("wait", pane, "--until", "done", "--timeout", "60s")
		sessions[name] = w.Pane(pane).Session
		w.Until("it is saved", func() bool { return w.Saved(sessions[name] + `","talked":true`) })
	}
	w.Crash()
	w.Serve()
	w.Attach(size)
	w.UI.WaitText("ended with the server")

	// The program is gone for a while.
	if err := os.Rename(filepath.Join(w.Work, "claude"), filepath.Join(w.Work, "away")); err != nil {
		t.Fatal(err)
	}
	w.UI.Press("ctrl+]", "R")
	w.UI.WaitText("claude is not on PATH")
	if p := w.byName("ant"); p.Session != sessions["ant"] || p.Resume != proto.ResumeSession || !strings.Contains(p.Reason, "could not be resumed: claude is not on PATH") {
		t.Errorf("after a failed resumption it is %+v", p)
	}
	if err := os.Rename(filepath.Join(w.Work, "away"), filepath.Join(w.Work, "claude")); err != nil {
		t.Fatal(err)
	}

	w.UI.Press("ctrl+]", "R")
	w.UI.WaitText("talks in " + sessions["ant"])
	w.UI.Press("ctrl+]", "o")
	w.UI.WaitText("ended with the server")
	w.UI.Press("ctrl+]", "R")
	w.UI.WaitText("talks in " + sessions["bee"])
	for name, session := range sessions {
		w.Until(name+" is known again", func() bool { return w.byName(name).State == proto.StateIdle })
		if p := w.byName(name); p.Session != session || !slices.Contains(p.Argv, "haiku") || slices.Contains(p.Argv, "a prompt") {
			t.Errorf("%s runs %q in %s, want session %s", name, p.Argv, p.Session, session)
		}
	}
}

// A shell starts again where it was, and a pane beside another one stays there.
func TestE01ShellsComeBack(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.Work, "deep", "er")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	pane := w.open("--name", "shell", "--", "sh")
	w.Attach(size)
	w.UI.WaitText("shell")
	w.Verb("send", pane, "cd deep/er; echo in $PWD", "--enter")
	w.Until("it is there", func() bool { return w.Screen(pane).Has("in "+dir) && w.Pane(pane).Cwd == dir })
	w.Verb("stop")
	w.UI.WaitText("The server has stopped")
	w.Serve()
	now := w.byName("shell")
	if now.State == proto.StateExited || now.ID == pane || now.Cwd != dir {
		t.Fatalf("it is back as %+v, want a running shell in %s", now, dir)
	}
	w.Verb("send", now.ID, "echo now in $PWD", "--enter")
	w.UI.Press("enter")
	w.UI.WaitText("now in " + dir)
}

// E06: a new pane has the environment of who asks for it, not that of whoever
// started the server long ago.
func TestE06EnvironmentOfTheClient(t *testing.T) {
	w := newWorld(t)
	out := filepath.Join(w.Work, "env")
	cmd := w.Command("new", "--", "sh", "-c", `env >"$1.tmp"; mv "$1.tmp" "$1"; read stay`, "sh", out)
	cmd.Env = append(cmd.Env, "SSH_AUTH_SOCK=/run/of/today", "DISPLAY=:7")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	w.Until("the pane has told", func() bool { _, err := os.Stat(out); return err == nil })
	for _, want := range []string{"SSH_AUTH_SOCK=/run/of/today", "DISPLAY=:7"} {
		if !strings.Contains(w.read("env"), want+"\n") {
			t.Errorf("the pane lacks %s", want)
		}
	}
	// The same from the screen, which was attached with news of its own.
	w.Attach(size, "SSH_AUTH_SOCK=/run/of/tomorrow")
	w.UI.WaitText("sh")
	before := len(w.Panes())
	w.UI.Press("ctrl+]", "c")
	w.UI.WaitText("New pane")
	w.UI.Press("up", "enter") // the last one is the shell
	w.Until("the pane is there", func() bool { return len(w.Panes()) > before })
	shell := w.Panes()[before]
	w.Verb("send", shell.ID, "echo it is $SSH_AUTH_SOCK", "--enter")
	w.Until("the shell tells", func() bool { return w.Screen(shell.ID).Has("it is /run/of/tomorrow") })
}

// E12: a wrapper that is named for an agent gets the agent's arguments, its
// hooks bind, and it comes back as the same agent by the same wrapper.
func TestE12NamedWrapper(t *testing.T) {
	w := newWorld(t)
	w.file("claude", fakeClaude, 0o700)
	wrapper := w.file("box", "#!/bin/sh\necho \"in a box: $*\"\n\"$(dirname \"$0\")/claude\" \"$@\"\nexit $?\n", 0o700)
	pane := w.open("--agent", "claude", "--command", wrapper, "--name", "boxed", "--", "--model", "haiku")
	w.Verb("wait", pane, "--until", "done", "--timeout", "60s")
	p := w.Pane(pane)
	if p.Agent != "claude" || p.Session == "" || p.Argv[0] != wrapper || !w.Screen(pane).Has("in a box: --model haiku") {
		t.Errorf("it is %+v:\n%s", p, w.Screen(pane))
	}
	w.Verb("stop")
	w.Serve()
	again := w.byName("boxed")
	w.Verb("resume", again.ID)
	w.Until("it is resumed in its box", func() bool { return w.Screen(again.ID).Has("talks in " + p.Session) })
	if now := w.Pane(again.ID); now.Argv[0] != wrapper {
		t.Errorf("it runs %q", now.Argv)
	}
	if said := w.exits(proto.ExitUsage, "new", "--command", wrapper); !strings.Contains(said, "--command goes with --agent") {
		t.Errorf("without an agent it says %q", said)
	}
}
