package adapters

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"signaltty/proto"
)

// geminiTurns runs Gemini CLI in its yolo mode, in which its shell and its
// edits exist without a terminal: without it they are not registered. The gate
// asks in its stead. Measured on 0.61.0.
func geminiTurns() *Headless {
	return &Headless{
		Resumes: true,
		Unasked: true,
		Unnamed: true,
		Declares: Obligations{
			Command: "Model, resume; the prompt goes by stdin. Its tools cannot be taken away: one that is not the turn's is asked about.",
			Stream:  "Texts, calls, results and usage, no cost.",
			Gate:    "Every call is judged before it runs, by a hook. Should that hook be killed the tool runs; what it wrote is checked after the turn.",
			Audit:   "From the hooks.",
			Session: "The stream tells the id; --resume goes on with it.",
		},
		State:    []string{".gemini/tmp", ".gemini/history"},
		Command:  geminiTurnCommand,
		Converse: func(TurnLaunch) Conversation { return &geminiTurn{calls: map[string]proto.TurnToolCall{}} },
	}
}

// geminiTurnTools are the canonical tools that Gemini CLI has.
var geminiTurnTools = map[string][]string{
	proto.ToolRead: nil, proto.ToolEdit: nil, proto.ToolRun: nil, proto.ToolFetch: nil, proto.ToolSearch: nil, proto.ToolMCP: nil, proto.ToolAgent: nil,
}

func geminiTurnCommand(l TurnLaunch) (TurnCommand, error) {
	if _, err := translate("Gemini CLI", geminiTurnTools, l.Spec.Tools); err != nil {
		return TurnCommand{}, err
	}
	args := []string{"--output-format", "stream-json", "--approval-mode", "yolo"}
	if l.Spec.Model != "" {
		args = append(args, "--model", l.Spec.Model)
	}
	if l.Spec.Resume != "" {
		args = append(args, "--resume", l.Spec.Resume)
	}
	launch := Launch{Argv: args, Dir: l.Spec.Dir, PaneID: l.PaneID, FilesDir: l.FilesDir, Self: l.Self, Env: l.Env, Policy: turnPolicy(false)}
	a, _ := Lookup("gemini")
	cmd, err := launchGemini(launch)
	if err == nil && len(cmd.Files) == 0 && !a.geminiInstalled(launch) {
		err = errors.New("a headless turn needs hooks, and Gemini CLI takes those of one run only from files that root alone can write; " +
			"run `signaltty integration install gemini` once, then start it again")
	}
	if err == nil {
		err = geminiHooksOff(launch)
	}
	if err != nil {
		return TurnCommand{}, err
	}
	return TurnCommand{Argv: cmd.Argv, Env: cmd.Env, Files: cmd.Files, Stdin: []byte(l.Spec.Prompt)}, nil
}

// geminiTurn reads the stream of `--output-format stream-json`.
type geminiTurn struct {
	summary Summary
	calls   map[string]proto.TurnToolCall // that have no result yet
	text    strings.Builder               // of the message that streams
	over    bool
}

// geminiLine is one line: the fields that signaltty uses.
type geminiLine struct {
	Type    string          `json:"type"`
	Session string          `json:"session_id"`
	Role    string          `json:"role"`
	Content string          `json:"content"`
	Tool    string          `json:"tool_name"`
	ID      string          `json:"tool_id"`
	Input   json.RawMessage `json:"parameters"`
	Status  string          `json:"status"`
	Output  string          `json:"output"`
	// Error and Message are of a result, and of an error line.
	Error *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	Message  string `json:"message"`
	Severity string `json:"severity"`
	Stats    struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
		Cached int64 `json:"cached"`
	} `json:"stats"`
}

func (t *geminiTurn) Line(text []byte) Step {
	var l geminiLine
	if err := json.Unmarshal(text, &l); err != nil {
		return strange(text, err)
	}
	s := Step{}
	if l.Type == "message" && l.Role == "assistant" {
		// It comes in pieces, without a mark at the last one.
		if t.text.Len()+len(l.Content) > maxMessageText {
			t.say(&s, true)
		}
		t.text.WriteString(l.Content)
		return s
	}
	t.say(&s, false)
	switch l.Type {
	case "init":
		t.summary.Session, s.Session = l.Session, l.Session
	case "tool_use":
		c := boundCall(geminiCall(l.Tool, l.Input))
		call := proto.TurnToolCall{ID: l.ID, Tool: c.Tool, Name: l.Tool, Input: whole(l.Input)}
		call.Summary = clip(firstLine(first(append([]string{c.Command, c.URL}, c.Paths...)...)), maxSummary)
		t.calls[l.ID] = call
		s.tell(proto.EnvelopeToolCall, call)
	case "tool_result":
		t.result(l, &s)
	case "error":
		s.tell(proto.EnvelopeError, proto.TurnError{Source: "agent", Message: l.Message})
	case "result":
		t.end(l, &s)
	}
	return s
}

// maxMessageText is how much of a message is gathered, in bytes.
const maxMessageText = 256 << 10

// say tells what was gathered of a message.
func (t *geminiTurn) say(s *Step, more bool) {
	if t.text.Len() > 0 {
		s.tell(proto.EnvelopeText, proto.TurnText{Text: t.text.String(), Partial: more})
		t.text.Reset()
	}
}

// What Gemini CLI says of a call that it refused: of one that no mode allows,
// of one that a policy denies, and the beginning of what it says where a hook
// does.
const (
	geminiUnregistered = "tool_not_registered"
	geminiViolation    = "policy_violation"
	geminiByHook       = "Tool execution blocked"
)

func (t *geminiTurn) result(l geminiLine, s *Step) {
	call := t.calls[l.ID]
	delete(t.calls, l.ID)
	r := proto.TurnToolResult{ID: l.ID, OK: l.Status == "success", Output: clip(l.Output, maxOutput)}
	if l.Error != nil {
		r.Output = clip(first(l.Output, l.Error.Message), maxOutput)
		r.Denied = l.Error.Type == geminiUnregistered || l.Error.Type == geminiViolation
		if r.Denied && !strings.HasPrefix(l.Error.Message, geminiByHook) { // else the gate tells
			t.summary.Denials = append(t.summary.Denials, call.Name+": "+call.Summary)
		}
	}
	if r.OK && call.Tool == proto.ToolEdit {
		r.Diff = []proto.DiffEntry{{Path: call.Summary}}
		var f fields
		if json.Unmarshal(call.Input, &f) == nil {
			r.Diff[0].Added = strings.Count(strings.TrimSuffix(first(f.text("content"), f.text("new_string")), "\n"), "\n") + 1
			if old := f.text("old_string"); old != "" {
				r.Diff[0].Removed = strings.Count(strings.TrimSuffix(old, "\n"), "\n") + 1
			}
		}
	}
	s.tell(proto.EnvelopeToolResult, r)
}

func (t *geminiTurn) end(l geminiLine, s *Step) {
	t.over = true
	t.summary.StopReason = l.Status
	t.summary.Usage = proto.TurnUsage{Input: l.Stats.Input, Output: l.Stats.Output, CacheRead: l.Stats.Cached}
	if l.Status == "error" {
		t.summary.Failed = "the turn failed"
		if l.Error != nil {
			t.summary.Failed = first(l.Error.Message, l.Error.Type, t.summary.Failed)
		}
		s.tell(proto.EnvelopeError, proto.TurnError{Source: "agent", Message: t.summary.Failed})
	}
	s.tell(proto.EnvelopeUsage, t.summary.Usage)
}

// Answer has nothing to say: Gemini CLI asks nothing on its stream.
func (t *geminiTurn) Answer(string, proto.Verdict) []byte { return nil }

func (t *geminiTurn) End() Step {
	s := Step{}
	t.say(&s, false)
	if !t.over {
		t.summary.Health = append(t.summary.Health, "the stream ended without a result")
	}
	if n := len(t.calls); n > 0 {
		t.summary.Health = append(t.summary.Health, fmt.Sprintf("%d tool calls have no result", n))
	}
	return s
}

func (t *geminiTurn) Summary() Summary { return t.summary }
