package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"signaltty/adapters"
	"signaltty/integration"
	"signaltty/proto"
	"signaltty/server/confine"
)

// doctor is one visit.
type doctor struct {
	ctx    context.Context
	person integration.Person
	dir    string
	conn   *proto.Conn // nil without a server, or when it takes no tries from here
	why    string      // there is none
	found  []finding
}

func (d *doctor) tell(agent, check string, state findingState, says string) {
	d.found = append(d.found, finding{agent, check, state, says})
}

// server looks for the server.
func (d *doctor) server() {
	c, welcome, err := proto.Dial(d.ctx, proto.SocketPath(), proto.Hello{Client: "doctor", Build: build()})
	switch {
	case errors.Is(err, proto.ErrNoServer):
		d.why = "no server runs; `signaltty attach` starts one"
		d.tell("", "server", notTried, d.why)
		return
	case err != nil:
		d.why = "the server does not answer"
		d.tell("", "server", wrong, err.Error())
		return
	case !welcome.Person:
		c.Close()
		d.why = "an agent runs this, and may not try hooks"
		d.tell("", "server", notTried, d.why)
		return
	}
	d.conn = c
	var s proto.Status
	err = c.Call(d.ctx, proto.MethodStatus, proto.None{}, &s)
	switch {
	case err != nil:
		d.tell("", "server", wrong, err.Error())
	case s.Trouble != "":
		d.tell("", "server", wrong, s.Trouble)
	case welcome.Build != build():
		d.tell("", "server", noted, fmt.Sprintf("it is %s and this is %s; `signaltty stop` and `signaltty attach` renew it", welcome.Build, build()))
	default:
		d.tell("", "server", fine, fmt.Sprintf("pid %d, %s", welcome.PID, welcome.Build))
	}
}

// kernel tells whether panes can be confined here. It is a note: no decision
// needs it.
func (d *doctor) kernel(unsupported error) {
	if unsupported != nil {
		d.tell("", "kernel", noted, fmt.Sprintf("%v: `new --confine` opens no pane here, and a policy holds by the agents' hooks alone", unsupported))
		return
	}
	d.tell("", "kernel", fine, fmt.Sprintf("Landlock version %d: `new --confine` limits what a pane writes", confine.Version()))
}

// slow bounds a program that the doctor runs.
const slow = 20 * time.Second

// program says whether an agent is there, and which.
func (d *doctor) program(a adapters.Adapter) bool {
	path, err := exec.LookPath(a.Binary)
	if err != nil {
		d.tell(a.Name, "program", notTried, a.Binary+" is not on PATH; install it if you want to use it")
		return false
	}
	ctx, cancel := context.WithTimeout(d.ctx, slow)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		d.tell(a.Name, "program", wrong, fmt.Sprintf("%s --version: %v; see that it runs in a terminal", path, err))
		return true
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	d.tell(a.Name, "program", fine, path+", "+version)
	return true
}

// canaries tries the hook of panes, and that of the person's settings.
func (d *doctor) canaries(a adapters.Adapter, state integration.State) {
	row, ok := a.Event(a.Install.CanaryEvent)
	if !ok {
		return
	}
	self, err := os.Executable()
	if err != nil {
		d.tell(a.Name, "try in a pane", wrong, err.Error())
		return
	}
	d.canary(a, "try in a pane", append([]string{self}, a.HookArgs(row)...))
	if state == integration.Absent || state == integration.Broken {
		return
	}
	commands, err := d.person.Commands(a, row.Name)
	if err != nil || len(commands) == 0 {
		d.tell(a.Name, "try of the settings", wrong, fmt.Sprintf("%s has no hook; `signaltty integration install %s` adds it", row.Name, a.Name))
		return
	}
	for _, argv := range commands {
		d.canary(a, "try of the settings", argv)
	}
}

// canary runs a hook as the agent does, in a session of its own with the
// payload on stdin, and looks for the server's answer in what it prints.
func (d *doctor) canary(a adapters.Adapter, check string, argv []string) {
	if d.conn == nil {
		d.tell(a.Name, check, notTried, d.why)
		return
	}
	var token proto.Canary
	if err := d.conn.Call(d.ctx, proto.MethodHookCanary, proto.None{}, &token); err != nil {
		d.tell(a.Name, check, wrong, err.Error())
		return
	}
	ctx, cancel := context.WithTimeout(d.ctx, slow)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), proto.EnvSocket+"="+proto.SocketPath(), proto.EnvCanary+"="+token.Token)
	cmd.Env = append(cmd.Env, a.Install.CanaryEnv...)
	cmd.Stdin = bytes.NewReader(append(a.Install.Canary(d.dir), '\n'))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	said := strings.TrimSpace(stderr.String())
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		d.tell(a.Name, check, wrong, fmt.Sprintf("registered but not runnable: %v; `signaltty integration install %s` renews it", err, a.Name))
	case err != nil:
		d.tell(a.Name, check, wrong, fmt.Sprintf("%s ends badly: %v %s", argv[0], err, said))
	case !a.Install.Refused(stdout.Bytes(), "signaltty canary "+token.Token):
		d.tell(a.Name, check, wrong, fmt.Sprintf("the server's answer does not arrive: %s prints %.200q %s", argv[0], stdout.String(), said))
	default:
		d.tell(a.Name, check, fine, fmt.Sprintf("the answer arrives in %d ms", time.Since(began).Milliseconds()))
	}
}
