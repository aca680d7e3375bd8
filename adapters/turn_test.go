package adapters

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"signaltty/budget"
	"signaltty/proto"
)

const turnFixtures = "../testdata/agents"

// spec is the turn of the goldens.
var spec = proto.TurnSpec{Agent: "any", Prompt: "go", Dir: "/workspace", Ask: proto.AskBar, Runtime: "none"}

// play is what a conversation makes of a captured stream. Every ask is
// allowed, so that what is said to the agent is in the golden too.
func play(t testing.TB, a Adapter, lines [][]byte) (told []Told, said []string, asked []proto.Call, end Summary) {
	t.Helper()
	c := a.Turns.Converse(TurnLaunch{Spec: spec})
	take := func(s Step) {
		told = append(told, s.Envelopes...)
		for _, l := range s.Say {
			said = append(said, string(l))
		}
		for _, q := range s.Asks {
			asked = append(asked, q.Call)
			if l := c.Answer(q.ID, proto.Verdict{Behavior: proto.Allow}); l != nil {
				said = append(said, string(l))
			}
		}
	}
	for _, l := range lines {
		if len(l) > 0 {
			take(c.Line(l))
		}
	}
	take(c.End())
	return told, said, asked, c.Summary()
}

// A captured stream of each agent becomes the envelopes of its golden.
func TestTurnGoldens(t *testing.T) {
	for a := range All() {
		if a.Turns == nil || a.Name == "mock" { // the mock speaks as Claude Code does
			continue
		}
		files, err := filepath.Glob(filepath.Join(turnFixtures, a.Name, "*.in.jsonl"))
		if err != nil || len(files) == 0 {
			t.Fatalf("an agent that runs turns needs captured streams: none in %s (%v)", filepath.Join(turnFixtures, a.Name), err)
		}
		for _, file := range files {
			t.Run(a.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".in.jsonl"), func(t *testing.T) {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				told, said, asked, end := play(t, a, bytes.Split(text, []byte("\n")))
				for _, e := range told {
					if want, ok := proto.EnvelopeKinds[e.Type]; !ok || reflect.TypeOf(want) != reflect.TypeOf(e.Data) {
						t.Errorf("an envelope of type %s carries a %T", e.Type, e.Data)
					}
				}
				golden(t, strings.TrimSuffix(file, ".in.jsonl")+".out.json", map[string]any{
					"envelopes": told, "said": said, "asked": asked, "summary": end,
				})
			})
		}
	}
}

// FuzzConverse wants no panic on any line, envelopes that fit a line of the
// wire, and time and memory in proportion.
func FuzzConverse(f *testing.F) {
	for a := range All() {
		files, _ := filepath.Glob(filepath.Join(turnFixtures, a.Name, "*.in.jsonl"))
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil && len(text) < 32<<10 {
				f.Add(a.Name, text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, agent string, text []byte) {
		a, ok := Lookup(agent)
		if !ok || a.Turns == nil {
			return
		}
		budget.Keep(t, len(text), 3000, func() {
			told, _, _, _ := play(t, a, bytes.Split(text, []byte("\n")))
			for _, e := range told {
				line, err := json.Marshal(e.Data)
				if err != nil {
					t.Fatalf("an envelope of type %s: %v", e.Type, err)
				}
				if len(line) > len(text)*8+4096 {
					t.Fatalf("a stream of %d bytes makes an envelope of %d", len(text), len(line))
				}
			}
		})
	})
}

// A tool that an agent has no name for is an error, never its default.
func TestTurnTools(t *testing.T) {
	for a := range All() {
		if a.Turns == nil {
			continue
		}
		l := TurnLaunch{Spec: spec, FilesDir: t.TempDir(), Self: "/usr/bin/signaltty"}
		l.Spec.Tools = []string{"teleport"}
		if _, err := a.Turns.Command(l); err == nil || !strings.Contains(err.Error(), "teleport") {
			t.Errorf("%s takes a tool that does not exist: %v", a.Name, err)
		}
	}
}

// A turn whose gate OpenCode would not load is not begun.
func TestOpenCodeTurnNeedsPlugins(t *testing.T) {
	a, _ := Lookup("opencode")
	for value, begins := range map[string]bool{"": true, "0": true, "False": true, "1": false, "true": false, "any": false} {
		l := TurnLaunch{Spec: spec, FilesDir: t.TempDir(), Self: "/usr/bin/signaltty", Env: []string{openCodePure + "=" + value}}
		if _, err := a.Turns.Command(l); (err == nil) != begins {
			t.Errorf("with %s=%q: %v", openCodePure, value, err)
		}
	}
}
