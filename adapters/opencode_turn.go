package adapters

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"signaltty/proto"
)

// openCodeTurns runs `opencode run`, which itself rejects whatever OpenCode
// asks, or with --auto allows it. The gate, which runs before, asks in its
// stead. Measured on 1.18.33.
func openCodeTurns() *Headless {
	return &Headless{
		Resumes: true,
		Unasked: true,
		Declares: Obligations{
			Command: "Model, tools, resume; the prompt goes by stdin.",
			Stream:  "Texts, usage and cost; a call and its result are told together, when it has ended.",
			Gate:    "Every call is judged before it runs. What OpenCode would ask is asked by the gate.",
			Audit:   "From its plugin's hooks and the stream.",
			Session: "The stream tells the id; --session goes on with it.",
		},
		State:    []string{".local/share/opencode", ".local/state/opencode", ".cache/opencode"},
		Command:  openCodeTurnCommand,
		Converse: func(TurnLaunch) Conversation { return &openCodeTurn{} },
	}
}

// openCodeTurnTools are the canonical tools that OpenCode can be denied. MCP
// servers have a name for each of theirs.
var openCodeTurnTools = map[string][]string{
	proto.ToolRead: nil, proto.ToolEdit: nil, proto.ToolRun: nil, proto.ToolFetch: nil, proto.ToolSearch: nil, proto.ToolMCP: nil, proto.ToolAgent: nil,
}

// openCodePure is the variable by which OpenCode loads no plugins.
const openCodePure = "OPENCODE_PURE"

func openCodeTurnCommand(l TurnLaunch) (TurnCommand, error) {
	if _, err := translate("OpenCode", openCodeTurnTools, l.Spec.Tools); err != nil {
		return TurnCommand{}, err
	}
	if v := lookupEnv(l.Env, openCodePure); !slices.Contains([]string{"", "0", "false", "no", "off", "n"}, strings.ToLower(v)) {
		return TurnCommand{}, fmt.Errorf("%s=%s keeps OpenCode from loading plugins, and without signaltty's nothing would ask; unset it", openCodePure, v)
	}
	p := turnPolicy(true)
	if l.Spec.Tools != nil {
		for _, tool := range canonical(openCodeTurnTools) {
			if !slices.Contains(l.Spec.Tools, tool) {
				p.Denies = append(p.Denies, Deny{Tools: []string{tool}})
			}
		}
	}
	args := []string{"run", "--format", "json", "--auto"}
	if l.Spec.Model != "" {
		args = append(args, "--model", l.Spec.Model)
	}
	if l.Spec.Resume != "" {
		args = append(args, "--session", l.Spec.Resume)
	}
	cmd, err := launchOpenCode(Launch{Argv: args, Dir: l.Spec.Dir, PaneID: l.PaneID, FilesDir: l.FilesDir, Self: l.Self, Env: l.Env, Policy: p})
	if err != nil {
		return TurnCommand{}, err
	}
	return TurnCommand{Argv: cmd.Argv, Env: cmd.Env, Files: cmd.Files, Stdin: []byte(l.Spec.Prompt)}, nil
}

// openCodeTurn reads the stream of `--format json`.
type openCodeTurn struct{ summary Summary }

// openCodeLine is one line: the fields that signaltty uses.
type openCodeLine struct {
	Type    string `json:"type"`
	Session string `json:"sessionID"`
	Part    struct {
		Text   string  `json:"text"`
		Reason string  `json:"reason"`
		Cost   float64 `json:"cost"`
		Tokens struct {
			Input     int64 `json:"input"`
			Output    int64 `json:"output"`
			Reasoning int64 `json:"reasoning"`
			Cache     struct {
				Read int64 `json:"read"`
			} `json:"cache"`
		} `json:"tokens"`
		Tool  string `json:"tool"`
		Call  string `json:"callID"`
		State struct {
			Status   string          `json:"status"`
			Input    json.RawMessage `json:"input"`
			Output   string          `json:"output"`
			Error    string          `json:"error"`
			Metadata struct {
				Exit *int   `json:"exit"`
				Diff string `json:"diff"`
				File string `json:"filepath"`
			} `json:"metadata"`
			Time struct {
				Start int64 `json:"start"` // milliseconds
			} `json:"time"`
		} `json:"state"`
	} `json:"part"`
	Error *struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
}

func (t *openCodeTurn) Line(text []byte) Step {
	var l openCodeLine
	if err := json.Unmarshal(text, &l); err != nil {
		return strange(text, err)
	}
	s := Step{}
	if l.Session != "" && l.Session != t.summary.Session {
		t.summary.Session, s.Session = l.Session, l.Session
	}
	switch l.Type {
	case "text":
		s.tell(proto.EnvelopeText, proto.TurnText{Text: l.Part.Text})
	case "reasoning":
		s.tell(proto.EnvelopeThinking, proto.TurnText{Text: l.Part.Text})
	case "tool_use":
		t.call(l, &s)
	case "step_finish":
		u := &t.summary.Usage
		u.Input += l.Part.Tokens.Input
		u.Output += l.Part.Tokens.Output
		u.Reasoning += l.Part.Tokens.Reasoning
		u.CacheRead += l.Part.Tokens.Cache.Read
		u.Cost += l.Part.Cost
		t.summary.StopReason = l.Part.Reason
	case "error":
		t.summary.Failed = "the turn failed"
		if l.Error != nil {
			t.summary.Failed = first(l.Error.Data.Message, l.Error.Name, t.summary.Failed)
		}
		s.tell(proto.EnvelopeError, proto.TurnError{Source: "agent", Message: t.summary.Failed})
	}
	return s
}

// What OpenCode says of a call that its own permissions stopped.
const (
	openCodeRejected  = "The user rejected permission"
	openCodeForbidden = "The user has specified a rule which prevents"
)

func (t *openCodeTurn) call(l openCodeLine, s *Step) {
	st := l.Part.State
	c, _ := openCodeCall(l.Part.Tool, st.Input)
	call := proto.TurnToolCall{ID: l.Part.Call, Tool: c.Tool, Name: l.Part.Tool, Input: whole(st.Input)}
	call.Summary = clip(firstLine(first(append([]string{c.Command, c.URL}, c.Paths...)...)), maxSummary)
	if st.Time.Start > 0 {
		call.Began = time.UnixMilli(st.Time.Start).UTC()
	}
	s.tell(proto.EnvelopeToolCall, call)
	r := proto.TurnToolResult{ID: l.Part.Call, OK: st.Status == "completed", Exit: st.Metadata.Exit, Output: clip(first(st.Error, st.Output), maxOutput)}
	if r.Exit != nil && *r.Exit != 0 {
		r.OK = false
	}
	if strings.HasPrefix(st.Error, openCodeRejected) || strings.HasPrefix(st.Error, openCodeForbidden) {
		r.Denied = true
		t.summary.Denials = append(t.summary.Denials, l.Part.Tool+": "+call.Summary)
	}
	if r.OK && c.Tool == proto.ToolEdit {
		r.Diff = openCodeDiff(l.Part.Tool, c.Paths, st.Input, st.Metadata.Diff)
	}
	s.tell(proto.EnvelopeToolResult, r)
}

// openCodeDiff counts the lines that a call changed, by the diff that it
// tells, or by what it wrote.
func openCodeDiff(tool string, paths []string, input json.RawMessage, diff string) []proto.DiffEntry {
	if len(paths) != 1 {
		var list []proto.DiffEntry
		for _, p := range paths {
			list = append(list, proto.DiffEntry{Path: p})
		}
		return list
	}
	d := proto.DiffEntry{Path: paths[0]}
	var f fields
	if diff == "" && tool == "write" && json.Unmarshal(input, &f) == nil {
		d.Added = len(slices.Collect(strings.Lines(f.text("content"))))
	}
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"):
			d.Added++
		case strings.HasPrefix(line, "-"):
			d.Removed++
		}
	}
	return []proto.DiffEntry{d}
}

// Answer has nothing to say: OpenCode asks nothing on its stream.
func (t *openCodeTurn) Answer(string, proto.Verdict) []byte { return nil }

func (t *openCodeTurn) End() Step {
	s := Step{}
	if t.summary.StopReason == "" && t.summary.Failed == "" {
		t.summary.Health = append(t.summary.Health, "the stream ended before the turn did")
	}
	s.tell(proto.EnvelopeUsage, t.summary.Usage)
	return s
}

func (t *openCodeTurn) Summary() Summary { return t.summary }
