package adapters

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/proto"
)

var update = flag.Bool("update", false, "write the goldens and docs/adapters.md anew")

const fixtures = "../testdata/agents"

// cases yields an agent's captured payloads: EVENT.CASE.in.json.
func cases(t *testing.T, agent string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(fixtures, agent, "*.in.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("an adapter needs fixtures: none in %s (%v)", filepath.Join(fixtures, agent), err)
	}
	return files
}

// eventOf is the event of a file EVENT.CASE.in.json. The names of some agents'
// events have dots in them.
func eventOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".in.json")
	return name[:strings.LastIndex(name, ".")]
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// golden compares v, as JSON, to a file.
func golden(t *testing.T, file string, v any) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := read(t, file); !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s is stale (go test ./adapters -update writes it):\ngot  %s\nwant %s", file, b.Bytes(), want)
	}
}

func TestDecodeGoldens(t *testing.T) {
	for a := range All() {
		for _, file := range cases(t, a.Name) {
			e, err := a.Decode(eventOf(file), read(t, file))
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if e.Agent != a.Name {
				t.Errorf("%s: agent is %q", file, e.Agent)
			}
			golden(t, strings.TrimSuffix(file, ".in.json")+".event.json", e)
		}
	}
}

func TestEncodeGoldens(t *testing.T) {
	verdicts := map[string]proto.Verdict{
		"allow":          {Behavior: proto.Allow, Message: "not for the model"},
		"deny":           {Behavior: proto.Deny},
		"deny-with-text": {Behavior: proto.Deny, Message: "Use <make> & not \"npm\"\nplease"},
		"ask":            {Behavior: proto.AskFirst, Message: "signaltty: asked by rule \"push\""},
		"none":           {Behavior: proto.NoVerdict},
		"unknown":        {Behavior: "perhaps"},
	}
	for a := range All() {
		for _, row := range a.Events {
			for name, v := range verdicts {
				out := a.Encode(row.Name, nil, v)
				if !row.Hold && row.Gate == "" {
					if len(out.Stdout) > 0 || out.Exit != 0 {
						t.Errorf("%s %s: an event that holds nothing says %q, exit %d", a.Name, row.Name, out.Stdout, out.Exit)
					}
					continue
				}
				said := struct {
					Stdout json.RawMessage `json:"stdout"`
					Stderr string          `json:"stderr"`
					Exit   int             `json:"exit"`
				}{out.Stdout, out.Stderr, out.Exit}
				if len(out.Stdout) == 0 {
					said.Stdout = json.RawMessage("null")
				}
				golden(t, filepath.Join(fixtures, a.Name, row.Name+"."+name+".out.json"), said)
			}
		}
	}
}

func TestUnknownFieldsChangeNothing(t *testing.T) {
	for a := range All() {
		for _, file := range cases(t, a.Name) {
			payload := read(t, file)
			with := bytes.Replace(payload, []byte("{"), []byte(`{"of_the_future":{"a":[1,null]},"another":7,`), 1)
			want, _ := a.Decode(eventOf(file), payload)
			got, err := a.Decode(eventOf(file), with)
			if err != nil || !equalJSON(t, got, want) {
				t.Errorf("%s with unknown fields: %v, %v", file, got, err)
			}
		}
	}
}

// Each field of each payload is given a type that nobody expects. Either the
// adapter does not use it, or the error names it.
func TestWrongTypesAreNamed(t *testing.T) {
	named := 0
	for a := range All() {
		for _, file := range cases(t, a.Name) {
			var payload fields
			if err := json.Unmarshal(read(t, file), &payload); err != nil {
				t.Fatal(err)
			}
			want, _ := a.Decode(eventOf(file), encoded(t, payload))
			for key, was := range payload {
				payload[key] = json.RawMessage("true")
				got, err := a.Decode(eventOf(file), encoded(t, payload))
				payload[key] = was
				switch {
				case err == nil && (key == "tool_input" || key == "tool_response" || equalJSON(t, got, want)):
				case err == nil:
					t.Errorf("%s: %s = true was taken for something", file, key)
				case !strings.Contains(err.Error(), `"`+key+`"`):
					t.Errorf("%s: %s = true: the error does not name it: %v", file, key, err)
				default:
					named++
				}
			}
		}
	}
	if named == 0 {
		t.Error("no wrong type was refused")
	}
}

func TestRowsAreSound(t *testing.T) {
	for a := range All() {
		seen := map[string]bool{}
		for _, row := range a.Events {
			if seen[row.Name] {
				t.Errorf("%s: %s stands twice", a.Name, row.Name)
			}
			seen[row.Name] = true
			if row.Fail == "" || row.Moment == "" {
				t.Errorf("%s %s: no moment or no fail direction", a.Name, row.Name)
			}
			installed := float64(row.TimeoutSeconds)
			if installed > 0 && row.Deadline().Seconds() >= installed {
				t.Errorf("%s %s: ends after the agent would end it", a.Name, row.Name)
			}
			if row.TimeoutSeconds > 2147483 {
				t.Errorf("%s %s: time-out overflows the agent's timer", a.Name, row.Name)
			}
			if !row.Hold && row.Deadline().Seconds() > 10 {
				t.Errorf("%s %s: may stall the agent for %v", a.Name, row.Name, row.Deadline())
			}
			if row.Hold != (row.Moment == proto.MomentAsk) {
				t.Errorf("%s %s: only asks are held, and all of them", a.Name, row.Name)
			}
		}
	}
}

func TestRegisterRefusesTwins(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two adapters of one name were taken")
		}
	}()
	register(Adapter{Name: "claude"})
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func equalJSON(t *testing.T, a, b any) bool {
	t.Helper()
	return bytes.Equal(encoded(t, a), encoded(t, b))
}
