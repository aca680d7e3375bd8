package mockagent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Step is one line of a script.
type Step struct {
	// Do is what happens:
	//   say     prints Text
	//   think   shows the spinner for Millis
	//   ask     asks for all Asks at once and waits for the answers, unless Leave is set
	//   end     sends PostToolUse of the ask named Of
	//   abort   ends the hook of the ask named Of with SIGTERM
	//   join    waits until the hook of the ask named Of has ended, and prints its verdict
	//   hook    sends Event with Fields beside the common ones, and waits for its hook
	//   read    waits for a line from the keyboard
	//   emit    writes Text as it is
	//   exit    ends with Code
	//   shell   runs Text by sh, without asking (only when streaming)
	//   complain writes Text to stderr (only when streaming)
	//   crash   ends by SIGKILL and leaves the hooks behind
	Do     string          `json:"do"`
	Text   string          `json:"text,omitempty"`
	Millis int             `json:"ms,omitzero"`
	Asks   []Ask           `json:"asks,omitempty"`
	Leave  bool            `json:"leave,omitzero"`
	Of     string          `json:"of,omitempty"`
	Event  string          `json:"event,omitempty"`
	Fields json.RawMessage `json:"fields,omitempty"`
	Code   int             `json:"code,omitzero"`
}

// Ask is one tool call that needs a permission.
type Ask struct {
	Name  string          `json:"name,omitempty"` // for Of
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	// Output is what the tool prints if it is allowed.
	Output string `json:"output,omitempty"`
	// Allowed and Denied are what the agent says when the outcome is known, so
	// that its story stays true whatever is answered.
	Allowed string `json:"allowed,omitempty"`
	Denied  string `json:"denied,omitempty"`
	// Suggestions are what a standing permission would save.
	Suggestions json.RawMessage `json:"suggestions,omitempty"`
	// AgentID and AgentType make it the ask of a background subagent: its
	// dialog appears only when the hook gave no verdict.
	AgentID   string `json:"agent_id,omitempty"`
	AgentType string `json:"agent_type,omitempty"`
}

var verbs = []string{"say", "think", "ask", "end", "abort", "join", "hook", "read", "emit", "exit", "shell", "complain", "crash"}

// load reads a script: a JSON list of steps.
func load(path string) ([]Step, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the script: %w", err)
	}
	steps, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return steps, nil
}

// parse refuses what it does not know: a misspelt step in a test must not pass for one that does nothing.
func parse(data []byte) ([]Step, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var steps []Step
	if err := d.Decode(&steps); err != nil {
		return nil, fmt.Errorf("a script is a JSON list of steps: %w", err)
	}
	names := map[string]bool{}
	for i, s := range steps {
		if err := s.check(names); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return steps, nil
}

func (s Step) check(names map[string]bool) error {
	if !slices.Contains(verbs, s.Do) {
		return fmt.Errorf("do %q is not one of %s", s.Do, strings.Join(verbs, ", "))
	}
	if s.Do == "ask" && len(s.Asks) == 0 {
		return errors.New("an ask needs asks")
	}
	for _, a := range s.Asks {
		if a.Tool == "" || len(a.Input) == 0 {
			return errors.New("an ask needs tool and input")
		}
		names[a.Name] = true
	}
	if s.Of != "" && !names[s.Of] {
		return fmt.Errorf("no ask before it is named %q", s.Of)
	}
	return nil
}

// story is the built-in script: about ten seconds and three asks, of which
// the last is one to think about. What it says between them holds after any
// answer.
func story() []Step {
	ask := func(tool, input, output, allowed, denied string) Step {
		return Step{Do: "ask", Asks: []Ask{{
			Tool: tool, Input: json.RawMessage(input), Output: output, Allowed: "● " + allowed, Denied: "● " + denied,
		}}}
	}
	return []Step{
		{Do: "hook", Event: "UserPromptSubmit", Fields: json.RawMessage(`{"prompt":"Add a --json flag to the report command"}`)},
		{Do: "say", Text: "> Add a --json flag to the report command"},
		{Do: "think", Millis: 1200},
		{Do: "say", Text: "● I will add the flag. First the tests, as they are now."},
		ask("Bash", `{"command":"go test ./report/...","description":"Run the tests of the report command"}`, "ok   report   0.41s",
			"They pass.",
			"Then I go on without knowing whether they pass."),
		{Do: "think", Millis: 1200},
		{Do: "say", Text: "● Now the flag itself, in a file of its own."},
		ask("Write", `{"file_path":"report/json.go","content":"package report\n\nimport (\n\t\"encoding/json\"\n\t\"io\"\n)\n\n// WriteJSON writes one object a line.\nfunc WriteJSON(w io.Writer, rows []Row) error {\n\te := json.NewEncoder(w)\n\tfor _, r := range rows {\n\t\tif err := e.Encode(r); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil\n}\n"}`, "Wrote 17 lines to report/json.go",
			"The flag is there.",
			"Then nothing is written, and the command stays without the flag."),
		{Do: "think", Millis: 1200},
		{Do: "say", Text: "● Last, I would publish the branch, by force."},
		ask("Bash", `{"command":"git push --force origin main","description":"Publish the change"}`, "main -> main (forced update)",
			"It is published; what was there before is overwritten.",
			"Then the branch stays here, and nothing is published."),
		{Do: "think", Millis: 800},
		{Do: "hook", Event: "Stop", Fields: json.RawMessage(`{"stop_hook_active":false,"last_assistant_message":"Done."}`)},
	}
}
