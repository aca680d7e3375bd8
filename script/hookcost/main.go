// Command hookcost measures what a hook costs an agent: the time of the whole
// process of `signaltty hook-event`, answered by the server at once, beside
// other processes that a hook could be. It prints a Markdown table.
//
//	go run ./script/hookcost [-binary FILE] [-runs N]
//
// The server's side is a stub in this process that answers as soon as it has
// read the event, so that the numbers are the hook's alone. The commands take
// turns, so that a busy moment of the machine falls on all of them.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"signaltty/proto"
)

const payload = `{"session_id":"s","cwd":"/workspace","permission_mode":"default","hook_event_name":"%s","tool_name":"Bash","tool_input":{"command":"go test ./...","description":"Run the tests"},"tool_use_id":"toolu_1"}` + "\n"

// candidate is one command and the times of its runs.
type candidate struct {
	name  string
	argv  []string
	stdin string
	want  string // what stdout must begin with
	took  []time.Duration
}

func main() {
	log.SetFlags(0)
	binary := flag.String("binary", "", "the signaltty `file` to measure; built from here without it")
	runs := flag.Int("runs", 400, "how often each command runs")
	flag.Parse()
	if err := measure(*binary, *runs); err != nil {
		log.Fatal("hookcost: ", err)
	}
}

func measure(binary string, runs int) error {
	dir, err := os.MkdirTemp("", "hookcost")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if binary == "" {
		binary = filepath.Join(dir, "signaltty")
		build := exec.Command("go", "build", "-o", binary, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building signaltty: %w\n%s", err, out)
		}
	}
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	defer l.Close()
	go serve(l)

	all := candidates(binary)
	const warmUp = 20
	for i := range warmUp + runs {
		for _, c := range all {
			took, err := c.run(socket)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if i >= warmUp {
				c.took = append(c.took, took)
			}
		}
	}
	report(all, runs)
	return nil
}

func candidates(binary string) []*candidate {
	hook := func(event string, more ...string) []string {
		return append([]string{binary, "hook-event", "--agent", "claude", "--event", event, "--payload-stdin"}, more...)
	}
	all := []*candidate{
		{name: "`sh -c true`", argv: []string{"sh", "-c", "true"}},
		{name: "`hook-event`, told", argv: hook("PreToolUse"), stdin: fmt.Sprintf(payload, "PreToolUse")},
		{name: "`hook-event`, held", argv: hook("PermissionRequest", "--wait-for-answer"),
			stdin: fmt.Sprintf(payload, "PermissionRequest"), want: `{"hookSpecificOutput"`},
	}
	if python := interpreter(); python != "" {
		all = append(all, &candidate{name: "`python3 -c pass`", argv: []string{python, "-c", "pass"}})
	}
	if node, err := exec.LookPath("node"); err == nil {
		all = append(all, &candidate{name: "`node -e 0`", argv: []string{node, "-e", "0"}})
	}
	return all
}

// interpreter is the real python3: a version manager's wrapper would be
// measured in its place, and flatter us.
func interpreter() string {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func (c *candidate) run(socket string) (time.Duration, error) {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Env = append(os.Environ(), proto.EnvSocket+"="+socket, proto.EnvPane+"=p1")
	cmd.Stdin = strings.NewReader(c.stdin)
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if err != nil || diag.Len() > 0 || !strings.HasPrefix(out.String(), c.want) {
		return 0, fmt.Errorf("%v: stdout %q, stderr %q", err, &out, &diag)
	}
	return took, nil
}

// serve answers every event at once, an ask with an allow.
func serve(l net.Listener) {
	for {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		go answer(proto.NewConn(nc))
	}
}

func answer(c *proto.Conn) {
	defer c.Close()
	hello, err := c.Read()
	if err != nil {
		return
	}
	c.Reply(hello.ID, proto.Welcome{Version: proto.Version})
	event, err := c.Read()
	if err != nil {
		return
	}
	var e proto.HookEvent
	v := proto.Verdict{Behavior: proto.NoVerdict}
	if event.Decode(&e) == nil && e.Wait {
		v.Behavior = proto.Allow
	}
	c.Reply(event.ID, v)
}

func report(all []*candidate, runs int) {
	base := median(all[0].took)
	fmt.Printf("| process | median | 95%% | median / `sh -c true` |\n|---|---|---|---|\n")
	for _, c := range all {
		slices.SortFunc(c.took, cmp.Compare)
		p95 := c.took[len(c.took)*95/100]
		fmt.Printf("| %s | %.2f ms | %.2f ms | %.1f |\n", c.name, ms(median(c.took)), ms(p95), ms(median(c.took))/ms(base))
	}
	fmt.Printf("\n%d runs of each, taking turns.\n", runs)
}

func median(took []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[len(sorted)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
