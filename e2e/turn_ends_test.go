//go:build linux

package e2e

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"

	"signaltty/e2e/place"
	"signaltty/proto"
)

// sleeps is the command of the scripts' call that would never end.
const sleeps = "sleep 4711"

// turner runs turns of one agent whose model knows three prompts: at #ask it
// makes asked.txt, which the agent asks about, at #sleep it runs sleeps, and at
// #text it says "Nothing to do."
type turner struct {
	*place.Place
	agent string
	// allowed are the flags by which #sleep runs without being asked about.
	allowed []string
}

// run is a turn that has been started.
type run struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
}

func (a turner) start(flags ...string) *run {
	a.T.Helper()
	r := &run{cmd: a.Command(append([]string{"run", "--agent", a.agent, "--format", "jsonl"}, flags...)...)}
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.err
	if err := r.cmd.Start(); err != nil {
		a.T.Fatal(err)
	}
	return r
}

// ends waits for the end and wants an exit code.
func (a turner) ends(r *run, want int) {
	a.T.Helper()
	var failed *exec.ExitError
	if err := r.cmd.Wait(); err != nil && !errors.As(err, &failed) {
		a.T.Fatal(err)
	}
	if got := r.cmd.ProcessState.ExitCode(); got != want {
		a.T.Errorf("%s exits with %d, want %d:\n%s%s", r.cmd.Args, got, want, &r.out, &r.err)
	}
}

// asks starts a turn whose ask is a decision on the bar.
func (a turner) asks() (*run, proto.Decision) {
	a.T.Helper()
	seen := a.Events.Seq()
	r := a.start("--ask", "bar", "--allow-all-paths", "#ask")
	d, _ := place.Await(a.Events, proto.EventDecisionAdded, func(d proto.Decision) bool {
		_, i := place.Await(a.Events, proto.EventDecisionAdded, func(x proto.Decision) bool { return x.ID == d.ID })
		return d.Agent == a.agent && a.Events.At(i).Seq > seen
	})
	if !strings.Contains(d.Prompt, "asked.txt") {
		a.T.Errorf("it asks %q", d.Prompt)
	}
	return r, d
}

// asleep are the processes of the call that never ends.
func (a turner) asleep() []place.Process {
	return a.Processes(func(args string) bool { return args == sleeps })
}

func (a turner) gone() {
	a.T.Helper()
	for _, p := range a.asleep() {
		if !p.Ends() {
			a.T.Errorf("left behind: %s", p)
		}
	}
}

// all runs a turn into each of its ends.
func (a turner) all(made func(name string) bool) {
	a.T.Helper()
	r := a.start("#text")
	a.ends(r, proto.ExitOK)
	if !strings.Contains(r.out.String(), "Nothing to do.") {
		a.T.Errorf("it says\n%s", &r.out)
	}
	a.ends(a.start("--allow-all-paths", "#ask"), proto.ExitDenied) // nobody is asked
	r, d := a.asks()
	a.Verb("answer", d.ID, proto.OptionDeny)
	a.ends(r, proto.ExitDenied)
	if made("asked.txt") {
		a.T.Error("what was denied was done")
	}
	r, d = a.asks()
	a.Verb("answer", d.ID, proto.OptionOnce)
	a.ends(r, proto.ExitOK)
	if !made("asked.txt") {
		a.T.Error("what was allowed was not done")
	}
	if !strings.Contains(r.out.String(), `"decision_id":"`+d.ID+`"`) {
		a.T.Errorf("its envelopes do not tell of decision %s:\n%s", d.ID, &r.out)
	}
	r = a.start(append(a.allowed, "--timeout", "8s", "#sleep")...)
	a.ends(r, proto.ExitTimeout)
	a.gone()
	r = a.start(append(a.allowed, "#sleep")...)
	a.Until("the call runs", func() bool {
		list := a.asleep()
		for _, p := range list {
			p.Forget()
		}
		return len(list) > 0
	})
	if err := r.cmd.Process.Kill(); err != nil {
		a.T.Fatal(err)
	}
	a.ends(r, -1)
	a.Until("nothing of the turn is left", func() bool {
		list := a.asleep()
		for _, p := range list {
			p.Forget()
		}
		return len(list) == 0
	})
	a.NothingWaits()
}
