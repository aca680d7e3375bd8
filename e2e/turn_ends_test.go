//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"signaltty/e2e/place"
	"signaltty/proto"
)

// sleeps is the command of the scripts' call that would never end.
const sleeps = "sleep 4711"

// turner runs turns of one agent whose model knows these prompts: at #ask it
// makes asked.txt, which is asked about, at #sleep it runs sleeps, at #text it
// says "Nothing to do.", at #more "It goes on.". At #go it writes ok/a.txt and
// evil-tool by its own tool, evil-shell by the shell, and runs ./build.
type turner struct {
	*place.Place
	agent string
}

func (a turner) made(name string) bool {
	_, err := os.Stat(filepath.Join(a.Work, name))
	return err == nil
}

// gated runs a turn that may write below ok: what it may write it writes
// without being asked; a forbidden write by its tool and by the shell is
// denied, and told; one that no gate can see is undone, and so is what it does
// to the person's own file. Its session can be gone on with.
func (a turner) gated() {
	a.T.Helper()
	a.persons()
	r := a.start("--allow-path", "ok/**", "--allow-tool", "edit,run", "#go")
	a.ends(r, proto.ExitBlocked)
	if !a.made("ok/a.txt") {
		a.T.Error("ok/a.txt was not made")
	}
	for _, name := range []string{"evil-tool", "evil-shell", "evil-build"} {
		if a.made(name) {
			a.T.Errorf("%s stands", name)
		}
	}
	if text, err := os.ReadFile(filepath.Join(a.Work, "mine")); err != nil || string(text) != "the person's\n" {
		a.T.Errorf("the person's file is %q, %v", text, err)
	}
	for _, want := range []string{
		`"action":"denied","reason":"signaltty: this turn may not write ` + filepath.Join(a.Work, "evil-tool"),
		`"action":"denied","reason":"signaltty: this turn may not write ` + filepath.Join(a.Work, "evil-shell"),
		`"path":"` + filepath.Join(a.Work, "evil-build") + `"`, "The turn is over.",
	} {
		if !strings.Contains(r.out.String(), want) {
			a.T.Errorf("its envelopes do not tell %s:\n%s", want, &r.out)
		}
	}
	a.recorded()
	r = a.start("--resume", "last", "#more")
	a.ends(r, proto.ExitOK)
	if !strings.Contains(r.out.String(), "It goes on.") {
		a.T.Errorf("resumed it says\n%s", &r.out)
	}
	a.ends(a.start("--resume", "0b3c6a52", "#more"), proto.ExitNoThing)
}

// persons are the person's own files in the directory.
func (a turner) persons() {
	a.T.Helper()
	for name, text := range map[string]string{"build": "#!/bin/sh\necho x >evil-build\necho x >>mine\n", "mine": "the person's\n"} {
		if err := os.WriteFile(filepath.Join(a.Work, name), []byte(text), 0o700); err != nil {
			a.T.Fatal(err)
		}
	}
}

// recorded wants each call in the audit, and none twice, though hooks and the
// stream tell of it.
func (a turner) recorded() {
	a.T.Helper()
	calls, starts := map[string]int{}, 0
	for line := range strings.Lines(a.Verb("audit", "--json", "--kind", "hook")) {
		var row struct {
			Tool string `json:"tool"`
			Body struct {
				Moment proto.Moment `json:"moment"`
				ID     string       `json:"tool_use"`
			} `json:"body"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			a.T.Fatal(err)
		}
		if row.Body.Moment != proto.MomentToolStart {
			continue
		}
		starts++
		if calls[row.Body.ID]++; row.Body.ID != "" && calls[row.Body.ID] > 1 {
			a.T.Errorf("the call %s is recorded %d times", row.Body.ID, calls[row.Body.ID])
		}
	}
	if starts != 4 {
		a.T.Errorf("%d calls are recorded, want 4: %v", starts, calls)
	}
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
func (a turner) all() {
	a.T.Helper()
	r := a.start("#text")
	a.ends(r, proto.ExitOK)
	if !strings.Contains(r.out.String(), "Nothing to do.") {
		a.T.Errorf("it says\n%s", &r.out)
	}
	a.ends(a.start("--allow-all-paths", "#ask"), proto.ExitDenied) // nobody is asked
	a.answered()
	a.stopped()
}

// answered has a person decide in the middle of a turn.
func (a turner) answered() {
	a.T.Helper()
	r, d := a.asks()
	a.Verb("answer", d.ID, proto.OptionDeny)
	a.ends(r, proto.ExitDenied)
	if a.made("asked.txt") {
		a.T.Error("what was denied was done")
	}
	r, d = a.asks()
	a.Verb("answer", d.ID, proto.OptionOnce)
	a.ends(r, proto.ExitOK)
	if !a.made("asked.txt") {
		a.T.Error("what was allowed was not done")
	}
	if !strings.Contains(r.out.String(), `"decision_id":"`+d.ID+`"`) {
		a.T.Errorf("its envelopes do not tell of decision %s:\n%s", d.ID, &r.out)
	}
}

// stopped ends a turn by its time, and by the death of who asked for it.
func (a turner) stopped() {
	a.T.Helper()
	a.ends(a.start("--allow-tool", "run", "--timeout", "8s", "#sleep"), proto.ExitTimeout)
	a.gone()
	r := a.start("--allow-tool", "run", "#sleep")
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
