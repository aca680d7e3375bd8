package adapters

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"signaltty/proto"
)

// claudeTurns runs Claude Code with the permission protocol on its streams:
// what it would ask a person comes as control_request, with the id of the
// call, and the answer goes back on stdin. Measured on 2.1.197.
func (c claudeHooks) turns(command func(TurnLaunch) (TurnCommand, error)) *Headless {
	return &Headless{
		Resumes: true,
		Declares: Obligations{
			Command: "Model, tools, paths, resume; the prompt goes by stdin.",
			Stream:  "Complete: texts, calls, results, asks, usage, cost and denials.",
			Gate:    "Every call that asks is judged before it runs; calls that the person's own settings allow are judged by the hook.",
			Audit:   "From the hooks and the stream; a call that both tell is one row.",
			Session: "The stream tells the id; --resume goes on with it.",
		},
		State:    ownState[c.agent],
		Command:  command,
		Converse: func(TurnLaunch) Conversation { return &claudeTurn{agent: c.agent, calls: map[string]bool{}} },
	}
}

// claudeTurnTools are the tools of Claude Code's that a turn is given for a
// canonical one.
var claudeTurnTools = map[string][]string{
	proto.ToolRead:   {"Read"},
	proto.ToolEdit:   {"Write", "Edit", "NotebookEdit"},
	proto.ToolRun:    {"Bash"},
	proto.ToolFetch:  {"WebFetch"},
	proto.ToolSearch: {"WebSearch"},
	proto.ToolAgent:  {"Task"},
}

// translate names canonical tools as the agent does. A tool that it has no
// name for is an error: left out, the agent's own default would count.
func translate(agent string, names map[string][]string, tools []string) ([]string, error) {
	var out []string
	for _, tool := range tools {
		own, ok := names[tool]
		if !ok {
			return nil, fmt.Errorf("%s cannot be told to allow the tool %q; it knows %s", agent, tool, strings.Join(canonical(names), ", "))
		}
		out = append(out, own...)
	}
	return out, nil
}

func canonical(names map[string][]string) []string {
	var out []string
	for name := range names {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// claudeTurnCommand builds `claude -p` with hooks of this turn alone.
func claudeTurnCommand(l TurnLaunch) (TurnCommand, error) {
	tools, err := translate("Claude Code", claudeTurnTools, l.Spec.Tools)
	if err != nil {
		return TurnCommand{}, err
	}
	args := []string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--permission-prompt-tool", "stdio",
	}
	if l.Spec.Model != "" {
		args = append(args, "--model", l.Spec.Model)
	}
	if l.Spec.Resume != "" {
		args = append(args, "--resume", l.Spec.Resume)
	}
	if len(tools) > 0 {
		args = append(args, "--tools", strings.Join(tools, ","))
	}
	cmd, err := launchClaude(Launch{Argv: args, Dir: l.Spec.Dir, PaneID: l.PaneID, FilesDir: l.FilesDir, Self: l.Self, Env: l.Env, Policy: turnPolicy(true)})
	if err != nil {
		return TurnCommand{}, err
	}
	prompt, err := claudePrompt(l.Spec.Prompt)
	return TurnCommand{Argv: cmd.Argv, Env: cmd.Env, Files: cmd.Files, Stdin: prompt, Duplex: true}, err
}

// claudePrompt is the line on stdin that starts the turn.
func claudePrompt(text string) ([]byte, error) {
	return encodePlain(map[string]any{"type": "user", "message": map[string]string{"role": "user", "content": text}})
}

// claudeTurn reads the stream of `--output-format stream-json`.
type claudeTurn struct {
	agent   string
	summary Summary
	calls   map[string]bool          // that have no result yet
	asked   map[string]claudePayload // that wait
	over    bool
}

// claudeLine is one line of the stream: the fields that signaltty uses.
type claudeLine struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Session string `json:"session_id"`
	Parent  string `json:"parent_tool_use_id"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Result    json.RawMessage `json:"tool_use_result"`
	RequestID string          `json:"request_id"`
	Request   struct {
		Subtype string          `json:"subtype"`
		Tool    string          `json:"tool_name"`
		Input   json.RawMessage `json:"input"`
		ToolUse string          `json:"tool_use_id"`
		AgentID string          `json:"agent_id"`
	} `json:"request"`

	IsError    bool     `json:"is_error"`
	Text       string   `json:"result"`
	Errors     []string `json:"errors"`
	StopReason string   `json:"stop_reason"`
	Cost       float64  `json:"total_cost_usd"`
	Usage      struct {
		Input     int64 `json:"input_tokens"`
		Output    int64 `json:"output_tokens"`
		CacheRead int64 `json:"cache_read_input_tokens"`
	} `json:"usage"`
	Denials []struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
	} `json:"permission_denials"`
}

// claudeBlock is one block of a message.
type claudeBlock struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	ToolUse  string          `json:"tool_use_id"`
	Content  json.RawMessage `json:"content"`
	IsError  bool            `json:"is_error"`
}

func (t *claudeTurn) Line(text []byte) Step {
	var l claudeLine
	if err := json.Unmarshal(text, &l); err != nil {
		return strange(text, err)
	}
	s := Step{}
	if l.Session != "" && t.summary.Session != l.Session {
		t.summary.Session, s.Session = l.Session, l.Session
	}
	switch l.Type {
	case "assistant", "user":
		t.message(l, &s)
	case "control_request":
		t.ask(l, &s)
	case "control_cancel_request":
		delete(t.asked, l.RequestID)
		s.Withdrawn = append(s.Withdrawn, l.RequestID)
	case "result":
		t.result(l, &s)
	}
	return s
}

// strange tells of a line that is not of the stream.
func strange(text []byte, err error) Step {
	message := fmt.Sprintf("a line that is not of the agent's stream (%v): %s", err, clip(strings.ToValidUTF8(string(text), "�"), maxSummary))
	return Step{Envelopes: []Told{{proto.EnvelopeError, proto.TurnError{Source: "stream", Message: message}}}}
}

// message takes the blocks of one message.
func (t *claudeTurn) message(l claudeLine, s *Step) {
	var blocks []claudeBlock
	if json.Unmarshal(l.Message.Content, &blocks) != nil {
		return // a prompt as plain text, which the turn has told already
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			if l.Type == "assistant" {
				s.tell(proto.EnvelopeText, proto.TurnText{Text: b.Text, Subagent: l.Parent})
			}
		case "thinking":
			s.tell(proto.EnvelopeThinking, proto.TurnText{Text: b.Thinking, Subagent: l.Parent})
		case "tool_use":
			t.calls[b.ID] = true
			summary := toolSummary(b.Name, b.Input)
			s.tell(proto.EnvelopeToolCall, proto.TurnToolCall{
				ID: b.ID, Tool: claudeCall(b.Name, b.Input).Tool, Name: b.Name, Summary: summary, Input: whole(b.Input), Subagent: l.Parent,
			})
		case "tool_result":
			delete(t.calls, b.ToolUse)
			s.tell(proto.EnvelopeToolResult, proto.TurnToolResult{
				ID: b.ToolUse, OK: !b.IsError, Output: clip(blockText(b.Content), maxOutput), Diff: claudeDiff(l.Result),
			})
		}
	}
}

func (s *Step) tell(kind proto.EnvelopeType, data any) {
	s.Envelopes = append(s.Envelopes, Told{kind, data})
}

// maxOutput is how much of a result's text travels, in bytes.
const maxOutput = 16 << 10

// whole is an input, unless it is too large to travel.
func whole(input json.RawMessage) json.RawMessage {
	if len(input) > proto.MaxInput {
		return nil
	}
	return input
}

func toolSummary(tool string, input json.RawMessage) string {
	var f fields
	if json.Unmarshal(input, &f) != nil {
		return ""
	}
	summary, _ := toolView(tool).show(f, input)
	return clip(firstLine(summary), maxSummary)
}

// blockText is the text of a result, which is a string or a list of blocks.
func blockText(raw json.RawMessage) string {
	var blocks []claudeBlock
	if json.Unmarshal(raw, &blocks) != nil {
		return plain(raw)
	}
	var texts []string
	for _, b := range blocks {
		texts = append(texts, first(b.Text, "["+b.Type+"]"))
	}
	return strings.Join(texts, "\n")
}

// claudeDiff counts the lines that an edit changed.
func claudeDiff(raw json.RawMessage) []proto.DiffEntry {
	var r struct {
		Type    string `json:"type"`
		Path    string `json:"filePath"`
		Content string `json:"content"`
		Patch   []struct {
			Lines []string `json:"lines"`
		} `json:"structuredPatch"`
	}
	if json.Unmarshal(raw, &r) != nil || r.Path == "" {
		return nil
	}
	d := proto.DiffEntry{Path: r.Path}
	if r.Type == "create" {
		d.Added = strings.Count(r.Content, "\n")
		if r.Content != "" && !strings.HasSuffix(r.Content, "\n") {
			d.Added++
		}
	}
	for _, p := range r.Patch {
		for _, line := range p.Lines {
			switch {
			case strings.HasPrefix(line, "+"):
				d.Added++
			case strings.HasPrefix(line, "-"):
				d.Removed++
			}
		}
	}
	return []proto.DiffEntry{d}
}

// ask takes what the agent wants to be decided.
func (t *claudeTurn) ask(l claudeLine, s *Step) {
	r := l.Request
	if r.Subtype != "can_use_tool" {
		s.Say = append(s.Say, t.reply(l.RequestID, "error", nil))
		return
	}
	p := claudePayload{Tool: r.Tool, Input: r.Input, AgentID: r.AgentID}
	a, err := claudeAsk(p)
	if err != nil {
		s.tell(proto.EnvelopeError, proto.TurnError{Source: "stream", Message: err.Error()})
		s.Say = append(s.Say, t.deny(l.RequestID, err.Error(), false))
		return
	}
	a.Dialog = proto.DialogNone
	if t.asked == nil {
		t.asked = map[string]claudePayload{}
	}
	t.asked[l.RequestID] = p
	s.Asks = append(s.Asks, TurnAsked{
		ID: l.RequestID, Ask: a, ToolUse: r.ToolUse, Session: t.summary.Session, Call: *claudeCall(r.Tool, r.Input),
	})
}

// Answer is the control_response to an ask. An allow carries the whole input,
// since Claude runs what comes back. What cannot be allowed as it was is
// denied, and the model is told why.
func (t *claudeTurn) Answer(id string, v proto.Verdict) []byte {
	p, ok := t.asked[id]
	if !ok {
		return nil
	}
	delete(t.asked, id)
	if v.Behavior != proto.Allow {
		return t.deny(id, first(v.Message, denialOf(p.Tool)), v.Interrupt)
	}
	d := claudeDecision{Behavior: "allow", Input: p.Input}
	if err := d.allow(p, v); err != nil {
		return t.deny(id, "signaltty denies this: "+err.Error(), false)
	}
	return t.reply(id, "success", d)
}

func (t *claudeTurn) deny(id, message string, interrupt bool) []byte {
	return t.reply(id, "success", claudeDecision{Behavior: "deny", Message: message, Interrupt: interrupt})
}

func (t *claudeTurn) reply(id, subtype string, response any) []byte {
	r := map[string]any{"subtype": subtype, "request_id": id}
	if response != nil {
		r["response"] = response
	} else {
		r["error"] = "signaltty does not know this request"
	}
	line, err := encodePlain(map[string]any{"type": "control_response", "response": r})
	if err != nil {
		return nil
	}
	return line[:len(line)-1]
}

// result takes the last line of a turn.
func (t *claudeTurn) result(l claudeLine, s *Step) {
	t.over = true
	t.summary.StopReason = l.StopReason
	t.summary.Usage = proto.TurnUsage{Input: l.Usage.Input, Output: l.Usage.Output, CacheRead: l.Usage.CacheRead, Cost: l.Cost}
	for _, d := range l.Denials {
		t.summary.Denials = append(t.summary.Denials, d.Tool+": "+toolSummary(d.Tool, d.Input))
	}
	if l.IsError || strings.HasPrefix(l.Subtype, "error") {
		t.summary.Failed = first(l.Text, strings.Join(l.Errors, "; "), l.Subtype)
		s.tell(proto.EnvelopeError, proto.TurnError{Source: "agent", Message: t.summary.Failed})
	}
	s.tell(proto.EnvelopeUsage, t.summary.Usage)
	s.Done = true
}

func (t *claudeTurn) End() Step {
	if !t.over {
		t.summary.Health = append(t.summary.Health, "the stream ended without a result")
	}
	if n := len(t.calls); n > 0 {
		t.summary.Health = append(t.summary.Health, fmt.Sprintf("%d tool calls have no result", n))
	}
	return Step{}
}

func (t *claudeTurn) Summary() Summary { return t.summary }
