package adapters

import (
	"encoding/json"
	"fmt"
	"strings"

	"signaltty/proto"
)

// codexTurns runs Codex as an app-server of this turn alone, which speaks
// JSON-RPC on its stdin and stdout. `codex exec` would ask nothing and hide
// what was refused. Measured on 0.171.0.
func codexTurns() *Headless {
	return &Headless{
		Resumes: true,
		Declares: Obligations{
			Command: "Model, resume, the prompt by stdin. Its tools cannot be taken away: one that is not the turn's is asked about. It has no tool of its own to fetch.",
			Stream:  "Texts, commands, patches, asks and usage, no cost. Of a call that the hook denies it tells nothing; the turn learns of it from the gate.",
			Gate:    "Commands, patches and MCP tools by its hook, before they run; what leaves its own sandbox it asks for.",
			Audit:   "From the hooks and the stream.",
			Session: "The stream tells the thread's id; a thread is resumed by it.",
		},
		State:   []string{".codex/sessions", ".codex/tmp", ".codex/log"},
		Command: codexTurnCommand,
		Converse: func(l TurnLaunch) Conversation {
			return &codexTurn{launch: l, items: map[string]codexItem{}, asks: map[string]codexApproval{}, told: map[string]bool{}}
		},
	}
}

// codexTurnTools are the canonical tools that Codex has.
var codexTurnTools = map[string][]string{
	proto.ToolRead: nil, proto.ToolEdit: nil, proto.ToolRun: nil, proto.ToolMCP: nil, proto.ToolAgent: nil,
}

// The requests of a turn by their ids, and the ways of Codex's own sandbox.
const (
	codexInit, codexThread, codexStart = 1, 2, 3

	codexReadOnly, codexWorkspace = "read-only", "workspace-write"
)

func codexTurnCommand(l TurnLaunch) (TurnCommand, error) {
	if _, err := translate("Codex", codexTurnTools, l.Spec.Tools); err != nil {
		return TurnCommand{}, err
	}
	a, _ := Lookup("codex")
	argv := []string{
		a.Binary, "-c", a.codexHooks(l.Self, turnPolicy(true)),
		// The directory of temporary files is not the turn's to write.
		"-c", "sandbox_workspace_write.exclude_slash_tmp=true", "-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true",
	}
	if l.Spec.AllPaths {
		argv = append(argv, "-c", `sandbox_workspace_write.writable_roots=["/"]`)
	}
	argv = append(argv, "app-server")
	thread := map[string]any{"cwd": l.Spec.Dir, "approvalPolicy": "on-request", "sandbox": codexSandbox(l.Spec)}
	if l.Spec.Model != "" {
		thread["model"] = l.Spec.Model
	}
	method := "thread/start"
	if l.Spec.Resume != "" {
		method, thread["threadId"] = "thread/resume", l.Spec.Resume
	}
	var stdin []byte
	for _, m := range []any{
		rpcRequest(codexInit, "initialize", map[string]any{"clientInfo": map[string]string{"name": "signaltty", "title": "signaltty", "version": "1"}}),
		map[string]string{"method": "initialized"},
		rpcRequest(codexThread, method, thread),
	} {
		line, err := encodePlain(m)
		if err != nil {
			return TurnCommand{}, err
		}
		stdin = append(stdin, line...)
	}
	return TurnCommand{Argv: argv, Env: []string{"NO_COLOR=1"}, Stdin: stdin, Duplex: true}, nil
}

// codexSandbox is Codex's own sandbox for what the turn may write. Paths
// within the directory are held to by the gate and the check after the turn.
// Without a sandbox Codex would ask nothing.
func codexSandbox(s proto.TurnSpec) string {
	if len(s.Paths) == 0 && !s.AllPaths {
		return codexReadOnly
	}
	return codexWorkspace
}

func rpcRequest(id int, method string, params any) map[string]any {
	return map[string]any{"id": id, "method": method, "params": params}
}

// codexTurn reads what the app-server says.
type codexTurn struct {
	launch  TurnLaunch
	summary Summary
	items   map[string]codexItem     // calls that have not ended
	asks    map[string]codexApproval // requests that wait
	told    map[string]bool          // calls whose denial is known
	over    bool
}

// codexApproval is a request that waits: its id as it came, and the call.
type codexApproval struct {
	id   json.RawMessage
	item string
}

// codexItem is one item of a thread: the fields that signaltty uses.
type codexItem struct {
	Type    string        `json:"type"`
	ID      string        `json:"id"`
	Text    string        `json:"text"`
	Status  string        `json:"status"`
	Command string        `json:"command"`
	Actions []codexAction `json:"commandActions"`
	Output  *string       `json:"aggregatedOutput"`
	Exit    *int          `json:"exitCode"`
	Changes []struct {
		Path string `json:"path"`
		Kind struct {
			Type string `json:"type"`
			Move string `json:"move_path"`
		} `json:"kind"`
		Diff string `json:"diff"`
	} `json:"changes"`
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	Query     string          `json:"query"`
	Summary   []string        `json:"summary"`
}

// codexAction is what Codex makes of a command.
type codexAction struct {
	Command string `json:"command"`
}

// codexLine is one line: a notification, a request, or a reply.
type codexLine struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Thread  string        `json:"threadId"`
		Item    codexItem     `json:"item"`
		ItemID  string        `json:"itemId"`
		Reason  string        `json:"reason"`
		Command string        `json:"command"`
		Actions []codexAction `json:"commandActions"`
		// Of serverRequest/resolved.
		Request json.RawMessage `json:"requestId"`
		Usage   struct {
			Total struct {
				Input     int64 `json:"inputTokens"`
				Cached    int64 `json:"cachedInputTokens"`
				Output    int64 `json:"outputTokens"`
				Reasoning int64 `json:"reasoningOutputTokens"`
			} `json:"total"`
		} `json:"tokenUsage"`
		Turn  codexTurnState `json:"turn"`
		Error codexError     `json:"error"`
		Retry bool           `json:"willRetry"`
	} `json:"params"`
	Result struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	} `json:"result"`
	Error *codexError `json:"error"`
}

type codexTurnState struct {
	Status string      `json:"status"`
	Error  *codexError `json:"error"`
}

type codexError struct {
	Message string `json:"message"`
}

func (t *codexTurn) Line(text []byte) Step {
	var l codexLine
	if err := json.Unmarshal(text, &l); err != nil {
		return strange(text, err)
	}
	s := Step{}
	switch {
	case l.Method == "":
		t.reply(l, &s)
	case l.Params.Thread != "" && l.Params.Thread != t.summary.Session:
		t.elsewhere(l, &s)
	case len(l.ID) > 0:
		t.request(l, &s)
	default:
		t.notification(l, &s)
	}
	return s
}

// reply takes the answer to one of our own requests.
func (t *codexTurn) reply(l codexLine, s *Step) {
	if l.Error != nil {
		t.fail(l.Error.Message, s)
		return
	}
	if string(l.ID) != fmt.Sprint(codexThread) {
		return
	}
	t.summary.Session, s.Session = l.Result.Thread.ID, l.Result.Thread.ID
	line, err := encodePlain(rpcRequest(codexStart, "turn/start", map[string]any{
		"threadId": t.summary.Session, "input": []map[string]string{{"type": "text", "text": t.launch.Spec.Prompt}},
	}))
	if err != nil {
		t.fail(err.Error(), s)
		return
	}
	s.Say = append(s.Say, line[:len(line)-1])
}

// fail ends the turn by the agent's own word.
func (t *codexTurn) fail(why string, s *Step) {
	t.over, t.summary.Failed = true, why
	s.tell(proto.EnvelopeError, proto.TurnError{Source: "agent", Message: why})
	s.Done = true
}

// elsewhere takes a line of a thread beside the turn's, such as a subagent's:
// its calls count, its end is not the turn's.
func (t *codexTurn) elsewhere(l codexLine, s *Step) {
	switch {
	case len(l.ID) > 0:
		t.request(l, s)
	case l.Method == "item/started", l.Method == "item/completed", l.Method == "serverRequest/resolved":
		t.notification(l, s)
	}
}

func (t *codexTurn) notification(l codexLine, s *Step) {
	p := l.Params
	switch l.Method {
	case "item/started":
		t.began(p.Item, s)
	case "item/completed":
		t.ended(p.Item, s)
	case "serverRequest/resolved":
		if _, ok := t.asks[string(p.Request)]; ok {
			delete(t.asks, string(p.Request))
			s.Withdrawn = append(s.Withdrawn, string(p.Request))
		}
	case "thread/tokenUsage/updated":
		u := p.Usage.Total
		t.summary.Usage = proto.TurnUsage{Input: u.Input, Output: u.Output, CacheRead: u.Cached, Reasoning: u.Reasoning}
	case "error":
		if !p.Retry && p.Error.Message != "" {
			s.tell(proto.EnvelopeError, proto.TurnError{Source: "agent", Message: p.Error.Message})
		}
	case "turn/completed":
		t.over = true
		t.summary.StopReason = p.Turn.Status
		if p.Turn.Status == "failed" {
			t.summary.Failed = "the turn failed"
			if p.Turn.Error != nil {
				t.summary.Failed = p.Turn.Error.Message
			}
		}
		s.tell(proto.EnvelopeUsage, t.summary.Usage)
		s.Done = true
	}
}

// hooked is a call as the hooks get it: the tool's name, "" for an item that
// is no call, and its input.
func (i codexItem) hooked() (name string, input json.RawMessage) {
	switch i.Type {
	case "commandExecution":
		return "Bash", object("command", i.command())
	case "fileChange":
		return "apply_patch", object("command", i.patch())
	case "mcpToolCall":
		return "mcp__" + i.Server + "__" + i.Tool, i.Arguments
	case "webSearch":
		return "web_search", object("query", i.Query)
	}
	return "", nil
}

// call is the tool call that an item is, nil for an item that is none.
func (i codexItem) call() *proto.TurnToolCall {
	name, input := i.hooked()
	if name == "" {
		return nil
	}
	c := &proto.TurnToolCall{ID: i.ID, Name: name, Input: whole(input), Tool: codexCall(name, input).Tool}
	switch i.Type {
	case "commandExecution":
		c.Summary = i.command()
	case "fileChange":
		var changed []string
		for _, f := range i.Changes {
			changed = append(changed, f.Path)
		}
		c.Summary = strings.Join(changed, ", ")
	case "webSearch":
		c.Tool, c.Summary = proto.ToolSearch, i.Query
	}
	c.Summary = clip(firstLine(c.Summary), maxSummary)
	return c
}

// command is what the shell is given: Codex wraps it in `bash -lc`, and tells
// a single command without that too.
func (i codexItem) command() string {
	if len(i.Actions) == 1 && i.Actions[0].Command != "" {
		return i.Actions[0].Command
	}
	return i.Command
}

// patch is the change of files in the words of apply_patch, as hooks get it.
func (i codexItem) patch() string {
	verbs := map[string]string{"add": "Add", "delete": "Delete"}
	var b strings.Builder
	b.WriteString(patchBegin + "\n")
	for _, c := range i.Changes {
		fmt.Fprintf(&b, "*** %s File: %s\n", first(verbs[c.Kind.Type], "Update"), c.Path)
		if c.Kind.Move != "" {
			b.WriteString(patchMove + c.Kind.Move + "\n")
		}
		for line := range strings.Lines(c.Diff) {
			if c.Kind.Type == "add" {
				b.WriteByte('+') // its diff is the new file as it will be
			}
			b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return b.String() + patchEnd
}

func object(name, value string) json.RawMessage {
	line, err := encodePlain(map[string]string{name: value})
	if err != nil {
		return nil
	}
	return line[:len(line)-1]
}

func (t *codexTurn) began(i codexItem, s *Step) {
	if c := i.call(); c != nil {
		t.items[i.ID] = i
		s.tell(proto.EnvelopeToolCall, *c)
	}
}

func (t *codexTurn) ended(i codexItem, s *Step) {
	switch i.Type {
	case "agentMessage":
		s.tell(proto.EnvelopeText, proto.TurnText{Text: i.Text})
		return
	case "reasoning":
		if text := strings.Join(i.Summary, "\n"); text != "" {
			s.tell(proto.EnvelopeThinking, proto.TurnText{Text: text})
		}
		return
	}
	if i.call() == nil {
		return
	}
	if _, ok := t.items[i.ID]; !ok {
		t.began(i, s) // some items are told only when they have ended
	}
	delete(t.items, i.ID)
	r := proto.TurnToolResult{ID: i.ID, OK: i.Status == "completed" && (i.Exit == nil || *i.Exit == 0), Denied: i.Status == "declined", Exit: i.Exit}
	if i.Type == "webSearch" {
		r.OK = true // it has no status
	}
	if i.Output != nil {
		r.Output = clip(*i.Output, maxOutput)
	} else if i.Type == "mcpToolCall" {
		r.Output = clip(string(i.Result), maxOutput)
	}
	if r.OK {
		r.Diff = i.diff()
	}
	if r.Denied && !t.told[i.ID] {
		t.summary.Denials = append(t.summary.Denials, i.call().Name+": "+i.call().Summary)
	}
	s.tell(proto.EnvelopeToolResult, r)
}

// diff counts the lines that a change of files adds and removes.
func (i codexItem) diff() []proto.DiffEntry {
	var list []proto.DiffEntry
	for _, c := range i.Changes {
		d := proto.DiffEntry{Path: c.Path}
		for line := range strings.Lines(c.Diff) {
			switch {
			case c.Kind.Type == "add", c.Kind.Type == "update" && strings.HasPrefix(line, "+"):
				d.Added++
			case c.Kind.Type == "delete", strings.HasPrefix(line, "-"):
				d.Removed++
			}
		}
		list = append(list, d)
	}
	return list
}

// request takes what Codex wants to be decided. One that a turn has no answer
// to is refused, so that it does not wait.
func (t *codexTurn) request(l codexLine, s *Step) {
	p := l.Params
	i, known := t.items[p.ItemID]
	switch {
	case l.Method == "item/commandExecution/requestApproval" && !known: // it names the command too
		i = codexItem{Type: "commandExecution", ID: p.ItemID, Command: p.Command, Actions: p.Actions}
	case l.Method == "item/commandExecution/requestApproval", l.Method == "item/fileChange/requestApproval" && known:
	default:
		s.tell(proto.EnvelopeError, proto.TurnError{Source: "stream", Message: "Codex asks what a headless turn has no answer to: " + clip(l.Method, maxSummary)})
		s.Say = append(s.Say, rpcReply(l.ID, "error", map[string]any{"code": -32601, "message": "signaltty has no answer to this"}))
		return
	}
	name, input := i.hooked()
	call := *boundCall(codexCall(name, input))
	if p.Reason != "" {
		var f fields
		_ = json.Unmarshal(input, &f) // it is an object of ours
		f["description"] = json.RawMessage(jsonText(p.Reason))
		input, _ = json.Marshal(f)
	}
	a, err := codexPermission(codexPayload{Tool: name, Input: input})
	if err != nil {
		s.Say = append(s.Say, rpcReply(l.ID, "result", codexDecline))
		return
	}
	a.Dialog = proto.DialogNone
	id := string(l.ID)
	t.asks[id] = codexApproval{l.ID, i.ID}
	s.Asks = append(s.Asks, TurnAsked{ID: id, Ask: a, ToolUse: i.ID, Session: t.summary.Session, Call: call})
}

var codexAccept, codexDecline = map[string]string{"decision": "accept"}, map[string]string{"decision": "decline"}

// Answer is the reply to an ask. Codex takes no words with a denial.
func (t *codexTurn) Answer(id string, v proto.Verdict) []byte {
	ask, ok := t.asks[id]
	if !ok {
		return nil
	}
	delete(t.asks, id)
	if v.Behavior == proto.Allow {
		return rpcReply(ask.id, "result", codexAccept)
	}
	t.told[ask.item] = true
	if v.Interrupt {
		return rpcReply(ask.id, "result", map[string]string{"decision": "cancel"})
	}
	return rpcReply(ask.id, "result", codexDecline)
}

func rpcReply(id json.RawMessage, key string, value any) []byte {
	line, err := encodePlain(map[string]any{"id": id, key: value})
	if err != nil {
		return nil
	}
	return line[:len(line)-1]
}

func (t *codexTurn) End() Step {
	if !t.over {
		t.summary.Health = append(t.summary.Health, "the stream ended before the turn did")
	}
	if n := len(t.items); n > 0 {
		t.summary.Health = append(t.summary.Health, fmt.Sprintf("%d tool calls have no result", n))
	}
	return Step{}
}

func (t *codexTurn) Summary() Summary { return t.summary }
