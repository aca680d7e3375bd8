//go:build linux

package field

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"signaltty/e2e/place"
	"signaltty/proto"
)

// binary is the signaltty under test.
var binary string

// TestMain is the probe too, the program of the tests' own that runs in panes.
func TestMain(m *testing.M) {
	if name := os.Getenv(envProbe); name != "" {
		os.Exit(probes[name](os.Args[1:]))
	}
	os.Exit(place.Main(m, &binary))
}

// world is one person's place, with a running server.
type world struct{ *place.Place }

// newWorld starts a server, with the text of a config.toml. The test runs
// beside others.
func newWorld(t *testing.T, config ...string) *world {
	t.Helper()
	t.Parallel()
	w := bareWorld(t, config...)
	w.Serve()
	return w
}

// bareWorld is a world without a server.
func bareWorld(t *testing.T, config ...string) *world {
	t.Helper()
	// Not t.TempDir: its path carries the test's name, and a socket's must be short.
	dir, err := os.MkdirTemp("", "field-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	return &world{place.New(t, place.Setup{
		Binary: binary, Dir: dir, Work: work, Config: strings.Join(config, "\n"),
		Env: []string{
			"PATH=" + filepath.Dir(binary) + ":/usr/local/bin:/usr/bin:/bin",
			"TMPDIR=" + dir,
			"SHELL=/bin/sh",
			"LANG=C.UTF-8",
			"TERM=xterm-256color",
			"COLORTERM=truecolor",
		},
	})}
}

// open opens a pane and returns its id.
func (w *world) open(args ...string) string {
	w.T.Helper()
	return strings.TrimSpace(w.Verb(append([]string{"new", "--size", "80x24"}, args...)...))
}

// idlePane is a pane in which nothing happens.
func (w *world) idlePane() string {
	w.T.Helper()
	return w.open("--", "sleep", "1000")
}

// shell opens a pane that runs a script, whose words are $1 and so on.
func (w *world) shell(script string, words ...string) string {
	w.T.Helper()
	return w.open(append([]string{"--", "sh", "-c", script, "sh"}, words...)...)
}

// file writes a file into the working directory and returns its path.
func (w *world) file(name, text string, mode os.FileMode) string {
	w.T.Helper()
	path := filepath.Join(w.Work, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.T.Fatal(err)
	}
	return path
}

// mock opens a pane of the built-in agent, which plays steps, a JSON list.
func (w *world) mock(steps string) string {
	w.T.Helper()
	path := w.file(fmt.Sprintf("steps-%d.json", serial.Add(1)), steps, 0o600)
	return w.open("--agent", "mock", "--", "--script", path)
}

// serial makes names that no other test has.
var serial atomic.Int64

// size is that of the TUI in most tests.
var size = proto.Size{Cols: 120, Lines: 40}

// exits runs a verb that must end in a certain way, and returns its stderr.
func (w *world) exits(want int, args ...string) string {
	w.T.Helper()
	r := w.Run(args...)
	if r.Exit != want {
		w.T.Errorf("signaltty %s exits %d, want %d; it says %q", strings.Join(args, " "), r.Exit, want, r.Stderr)
	}
	return r.Stderr
}

// ends waits for a decision to end, which must be in this way.
func (w *world) ends(d proto.Decision, want proto.End) proto.DecisionEnded {
	w.T.Helper()
	end, _ := w.Events.Ended(d)
	if end.End != want {
		w.T.Errorf("%s ended as %+v, want %s", d.Prompt, end, want)
	}
	return end
}

// counts checks that so many decisions were raised, and that each ended once.
// All that was done about them must have been told already, or be on its way.
func (w *world) counts(want int) {
	w.T.Helper()
	last := place.Ask[proto.DecisionList](w.Place, proto.MethodDecisionList, proto.None{}).Seq
	w.Until("all events are here", func() bool { return w.Events.Seq() >= last })
	added, ended := w.Events.Count(proto.EventDecisionAdded), w.Events.Count(proto.EventDecisionEnded)
	if added != want || ended != want {
		w.T.Errorf("%d decisions were raised and %d ended, want %d", added, ended, want)
	}
}

// payload is what Claude Code writes to a hook.
type payload map[string]any

// bash is the ask of session s1 to run a command.
func bash(command string) payload {
	return payload{"session_id": "s1", "cwd": "/src", "tool_name": "Bash", "tool_input": payload{"command": command}}
}

// with is the payload with other fields, given as name, value, name, value.
func (p payload) with(fields ...any) payload {
	p = maps.Clone(p)
	for i := 0; i < len(fields); i += 2 {
		p[fields[i].(string)] = fields[i+1]
	}
	return p
}

func (p payload) String() string {
	line, err := json.Marshal(p)
	if err != nil {
		panic(err) // it is the tests' own
	}
	return string(line)
}
