//go:build linux

package server

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/budget"
)

func startKin(t *testing.T) *kin {
	t.Helper()
	k, err := newKin([]string{"claude", "gemini"})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// caller is a process under test and how it comes to connect: a shell, the
// leader, runs script, in which $0 is the program that connects and $1 the
// socket.
type caller struct {
	shell  string   // the leader's program, "sh" by default
	args   []string // before -c or the script's name
	file   string   // the script is in a file of this name
	script string
	env    []string
}

// call runs a caller and gives its leader's pid and the peer that connected.
// The leader connects only after ready has returned.
func call(t *testing.T, c caller, ready func(leader int)) peer {
	t.Helper()
	if _, err := newReaperOnce(t); err != nil {
		t.Fatal(err)
	}
	dir := socketDir(t)
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	body := "read go; " + c.script
	args := append(c.args, "-c", body, testBinary(t), l.Addr().String())
	if c.file != "" {
		name := filepath.Join(dir, c.file)
		body = strings.ReplaceAll(body, `"$0"`, `"$2"`)
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(c.args, name, l.Addr().String(), testBinary(t))
	}
	shell := "/bin/sh"
	if c.shell != "" {
		shell = filepath.Join(dir, c.shell)
		if err := os.Symlink("/bin/sh", shell); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(shell, args...)
	cmd.Env = childEnv("connect", c.env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	ready(cmd.Process.Pid)
	if _, err := io.WriteString(in, "\n"); err != nil {
		t.Fatal(err)
	}
	accepted := make(chan net.Conn, 1)
	go func() {
		if nc, err := l.Accept(); err == nil {
			accepted <- nc
		}
	}()
	nc := within(t, "the connection", accepted)
	t.Cleanup(func() { nc.Close() }) // the caller ends by it
	p, err := peerOf(nc)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newReaperOnce(t *testing.T) (*reaper, error) {
	r, err := newReaper()
	if err == nil {
		t.Cleanup(r.close)
	}
	return r, err
}

// Scripts by which a shell comes to connect. The colon keeps the shell from
// becoming the program.
const (
	directly = `"$0" "$1"; :`
	nested   = `sh -c '"$0" "$1"; :' "$0" "$1"; :`
	// The shell in the middle ends, and the peer's parent is the reaper.
	forked = `(sh -c '"$0" "$1" & :' "$0" "$1"); read forever; :`
	setsid = `(setsid sh -c '"$0" "$1" & :' "$0" "$1"); read forever; :`
)

func TestPerson(t *testing.T) {
	shellPane := func(k *kin, leader int) { k.addLeader(leader, "p1", false) }
	agentPane := func(k *kin, leader int) { k.addLeader(leader, "p1", true) }
	// outside makes the leader a process that the server is not above.
	outside := func(k *kin, _ int) { k.self = procID{pid: 1 << 30} }
	for _, c := range []struct {
		name   string
		caller caller
		setup  func(k *kin, leader int)
		why    string // "" for the person
	}{
		{"a shell pane", caller{script: directly}, shellPane, ""},
		{"deep in a shell pane", caller{script: nested}, shellPane, ""},
		{"an agent's pane", caller{script: directly}, agentPane, "agent of pane p1"},
		{"deep in an agent's pane", caller{script: nested}, agentPane, "agent of pane p1"},
		{"a child that left its parent", caller{script: forked}, agentPane, "left the pane"},
		{"a daemon", caller{script: setsid}, agentPane, "left the pane"},
		{"a daemon of a shell pane", caller{script: setsid}, shellPane, "left the pane"},
		{"no pane at all", caller{script: directly}, func(*kin, int) {}, "left the pane"},
		{"outside", caller{script: directly}, outside, ""},

		{"an agent by name in a shell pane", caller{shell: "claude", script: directly}, shellPane, "runs under claude"},
		{"an agent by name outside", caller{shell: "claude", script: nested}, outside, "runs under claude"},
		{"an agent's script", caller{shell: "node", file: "gemini", script: directly}, outside, "runs under gemini"},
		{"an agent's script with extension and flags", caller{shell: "bash", args: []string{"-e"}, file: "gemini.js", script: directly}, outside, "runs under gemini"},
		{"an operand that looks like an agent", caller{shell: "vim", file: "claude", script: directly}, outside, ""},

		{"an agent's child by its environment", caller{script: directly, env: []string{"CLAUDECODE=of-a-test"}}, outside, "CLAUDECODE is set"},
		{"known from its hooks", caller{script: nested}, func(k *kin, leader int) { shellPane(k, leader); k.markAgent(leader) }, "agent with pid"},
		{
			"an agent that launched the server", caller{shell: "claude", script: directly},
			func(k *kin, leader int) { outside(k, 0); p, _ := readProc(leader); k.launch[p.id] = true }, "runs under claude",
		},
		{
			"what launched the server, once it runs hooks", caller{shell: "claude", script: directly},
			func(k *kin, leader int) {
				outside(k, 0)
				k.markAgent(leader)
				p, _ := readProc(leader)
				k.launch[p.id] = true
			}, "agent with pid",
		},
		{
			"a leader whose pane has ended", caller{script: directly},
			func(k *kin, leader int) { k.leaders[procID{leader, 1}] = agentLeader; k.removeLeader(leader) }, "left the pane",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := startKin(t)
			p := call(t, c.caller, func(leader int) { c.setup(k, leader) })
			if strings.Contains(c.why, "left the pane") {
				// The shells in between end at their own pace.
				eventually(t, "the refusal", func() bool { ok, why := k.person(p); return !ok && strings.Contains(why, c.why) })
				return
			}
			ok, why := k.person(p)
			if ok != (c.why == "") || !strings.Contains(why, c.why) {
				t.Errorf("person is %v because %q, want %q", ok, why, c.why)
			}
		})
	}
}

var agentLeader = leader{"p1", true}

// A server that was itself started below an agent does not take its own
// environment for a sign.
func TestPersonWithTheServersOwnMarker(t *testing.T) {
	t.Setenv("CLAUDECODE", "of-the-server")
	k := startKin(t)
	p := call(t, caller{script: directly}, func(leader int) { k.addLeader(leader, "p1", false) })
	if ok, why := k.person(p); !ok {
		t.Errorf("refused: %s", why)
	}
}

func TestPersonRefusesTheGone(t *testing.T) {
	k := startKin(t)
	p := call(t, caller{script: directly}, func(leader int) { k.addLeader(leader, "p1", false) })
	if ok, _ := k.person(p); !ok {
		t.Fatal("refused while it is there")
	}
	later := p
	later.start++ // another process under the pid
	for name, p := range map[string]peer{"reused pid": later, "no such pid": {procID: procID{pid: 1 << 30}}, "no pid": {}} {
		if ok, why := k.person(p); ok || !strings.Contains(why, "has ended") {
			t.Errorf("%s: person is %v because %q", name, ok, why)
		}
		if pane, between := k.above(k.chain(p)); pane != "" || between != nil {
			t.Errorf("%s: above it are %q and %v", name, pane, between)
		}
	}
}

func TestAbove(t *testing.T) {
	k := startKin(t)
	var pane int
	p := call(t, caller{script: nested}, func(leader int) {
		pane = leader
		k.addLeader(leader, "p7", true)
	})
	chain := k.chain(p)
	name, between := k.above(chain)
	if name != "p7" {
		t.Errorf("the pane is %q, want p7", name)
	}
	if len(between) != 1 || between[0] != chain[1].id.pid || chain[2].id.pid != pane {
		t.Errorf("between are %v of %v, want the inner shell", between, chain)
	}
	k.removeLeader(pane) // it lives: nothing is removed
	if name, _ := k.above(chain); name != "p7" {
		t.Errorf("a living leader was removed")
	}
}

func TestAgentsAreForgottenWhenDead(t *testing.T) {
	k := startKin(t)
	for i := range maxAgents {
		k.agents[procID{pid: os.Getppid(), start: uint64(i)}] = true // none of them is that process
	}
	pid, _ := sleeper(t)
	k.markAgent(pid)
	if len(k.agents) != 1 {
		t.Errorf("%d agents are remembered, want the living one", len(k.agents))
	}
}

func TestPeerOfNeedsAUnixSocket(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	_, err := peerOf(a)
	wantError(t, err, "no Unix socket")
}

func TestParseStat(t *testing.T) {
	tail := func(state string) string {
		return state + " 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 99 21 22"
	}
	for _, c := range []struct {
		line string
		want proc
	}{
		{"7 (sh) " + tail("S"), proc{id: procID{7, 99}, parent: 2, session: 4, comm: "sh"}},
		{"7 (a) S 1 (b) " + tail("Z"), proc{id: procID{7, 99}, parent: 2, session: 4, comm: "a) S 1 (b", dead: true}},
	} {
		got, err := parseStat(7, []byte(c.line))
		if err != nil || got != c.want {
			t.Errorf("%q gives %+v, %v; want %+v", c.line, got, err, c.want)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("7 (sh) S 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 99 21 22"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, line []byte) {
		budget.Keep(t, len(line), 100, func() {
			p, err := parseStat(7, line)
			if err == nil && !bytes.Contains(line, fmt.Appendf(nil, "(%s)", p.comm)) {
				t.Errorf("the name %q is not in %q", p.comm, line)
			}
		})
	})
}
