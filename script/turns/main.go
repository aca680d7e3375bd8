// Command turns measures what a headless turn costs beside the agent: the mock
// agent tells 10,000 tool calls as fast as it can, and the same envelopes go
// through `jq -c .` in the same run.
//
//	go build -o /tmp/signaltty . && go run ./script/turns /tmp/signaltty
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	calls  = 10_000
	rounds = 5
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: turns BINARY")
		os.Exit(2)
	}
	if err := measure(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "turns:", err)
		os.Exit(1)
	}
}

// bench is a place of its own with a server.
type bench struct {
	binary, dir string
	env         []string
}

func measure(binary string) error {
	dir, err := os.MkdirTemp("", "turns")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := bench{binary: binary, dir: dir, env: append(os.Environ(),
		"HOME="+dir, "XDG_RUNTIME_DIR="+dir, "XDG_STATE_HOME="+dir+"/state", "XDG_CONFIG_HOME="+dir+"/config",
		"SIGNALTTY_SOCKET=", "SIGNALTTY_PANE=")}
	if err := os.Mkdir(filepath.Join(dir, "w"), 0o700); err != nil {
		return err
	}
	for name, text := range map[string]string{"many.json": stream(calls), "none.json": `[{"do":"say","text":"done"}]`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	defer func() { _ = b.command("stop").Run() }() // a server that is gone is well
	if _, _, err := b.run("none.json"); err != nil {
		return err
	}
	return b.tell()
}

// stream is a script that tells n calls and their results at once.
func stream(n int) string {
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"type":"assistant","session_id":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"make"}}]}}`+"\n", i)
		fmt.Fprintf(&lines, `{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"made"}]}}`+"\n", i)
	}
	text, _ := json.Marshal([]map[string]string{{"do": "emit", "text": lines.String()}, {"do": "say", "text": "done"}}) // strings alone
	return string(text)
}

func (b bench) command(args ...string) *exec.Cmd {
	cmd := exec.Command(b.binary, args...)
	cmd.Env = b.env
	return cmd
}

// run runs one turn and returns its envelopes and how long it took.
func (b bench) run(script string) ([]byte, time.Duration, error) {
	began := time.Now()
	var errors bytes.Buffer
	cmd := b.command("run", "--agent", "mock", "--cwd", filepath.Join(b.dir, "w"), "--model", filepath.Join(b.dir, script), "--format", "jsonl", "go")
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("running a turn: %w: %s", err, errors.String())
	}
	return out, time.Since(began), nil
}

// tell measures and prints.
func (b bench) tell() error {
	var idle, one, four, jq []time.Duration
	lines := 0
	for range rounds {
		_, took, err := b.run("none.json")
		if err != nil {
			return err
		}
		idle = append(idle, took)
		out, took, err := b.run("many.json")
		if err != nil {
			return err
		}
		one, lines = append(one, took), bytes.Count(out, []byte("\n"))

		began := time.Now()
		cmd := exec.Command("jq", "-c", ".")
		cmd.Stdin = bytes.NewReader(out)
		if _, err := cmd.Output(); err != nil {
			return fmt.Errorf("running jq: %w", err)
		}
		jq = append(jq, time.Since(began))

		began = time.Now()
		var all sync.WaitGroup
		failed := make([]error, 4)
		for i := range failed {
			all.Go(func() { _, _, failed[i] = b.run("many.json") })
		}
		all.Wait()
		four = append(four, time.Since(began))
		for _, err := range failed {
			if err != nil {
				return err
			}
		}
	}
	if err := b.tellMemory(); err != nil {
		return err
	}
	m := func(list []time.Duration) float64 { slices.Sort(list); return list[len(list)/2].Seconds() }
	fmt.Printf("a turn that says one word      %7.3f s\n", m(idle))
	fmt.Printf("a turn of %d calls          %7.3f s, %d envelopes, %.0f a second\n", calls, m(one), lines, float64(lines)/m(one))
	fmt.Printf("four of them at once           %7.3f s\n", m(four))
	fmt.Printf("jq -c . on the same envelopes  %7.3f s, %.0f a second\n", m(jq), float64(lines)/m(jq))
	return nil
}

// tellMemory prints what turns have resident, one and four at once.
func (b bench) tellMemory() error {
	for _, kind := range []struct {
		name string
		n    int
	}{{"memory, one turn", 1}, {"memory, each of four at once", 4}} {
		stop := watch(b.binary)
		var all sync.WaitGroup
		failed := make([]error, kind.n)
		for i := range failed {
			all.Go(func() { _, _, failed[i] = b.run("many.json") })
		}
		all.Wait()
		memory(kind.name, stop())
		for _, err := range failed {
			if err != nil {
				return err
			}
		}
	}
	return nil
}
