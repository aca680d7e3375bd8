package mockagent

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// session is what is common to all payloads of one run.
type session struct {
	self   string // this binary
	id     string
	source string // of its start
	cwd    string
	gate   string // the tools that the gate's hook closes, as it takes them
}

// newSession begins a conversation, or takes up the one with an id.
func newSession(resume string) (session, error) {
	self, err := os.Executable()
	if err != nil {
		return session{}, fmt.Errorf("finding this binary, which the hooks run: %w", err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return session{}, fmt.Errorf("finding the working directory: %w", err)
	}
	if resume != "" {
		return session{self: self, id: resume, source: "resume", cwd: cwd}, nil
	}
	return session{self: self, id: newID("mock-"), source: "startup", cwd: cwd}, nil
}

func newID(prefix string) string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}

type payload map[string]any

// run is the child process of one hook event, and what it wrote:
// to be read after Wait.
type run struct {
	*exec.Cmd
	out, err bytes.Buffer
}

// start starts a hook as Claude Code does: in a session of its own, the
// payload as one line on stdin. The payload is written when it returns, so
// that an agent which dies right after leaves a whole hook behind.
func (s session) start(event string, fields payload, wait bool) (*run, error) {
	p := payload{"session_id": s.id, "cwd": s.cwd, "permission_mode": "default", "hook_event_name": event}
	maps.Copy(p, fields)
	line, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encoding the payload of %s: %w", event, err)
	}
	args := []string{"hook-event", "--agent", "mock", "--event", event, "--payload-stdin"}
	if wait {
		args = append(args, "--wait-for-answer")
	}
	if event == "PreToolUse" && s.gate != "" {
		args = append(args, "--gate", s.gate)
	}
	r := &run{Cmd: exec.Command(s.self, args...)}
	r.Stdout, r.Stderr = &r.out, &r.err
	r.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := r.StdinPipe()
	if err == nil {
		err = r.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting the hook of %s: %w", event, err)
	}
	stdin.Write(append(line, '\n')) // a hook that has died says so by its exit
	stdin.Close()
	return r, nil
}

// tell sends an event and waits for its hook.
func (s session) tell(event string, fields payload) error {
	r, err := s.start(event, fields, false)
	if err != nil {
		return err
	}
	if err := r.Wait(); err != nil {
		return fmt.Errorf("hook %s: %w", event, err)
	}
	return nil
}

// elicitation is the tool of an ask that is a form of an MCP server: its input
// is the message and requested_schema. Its dialog appears when it is handed back.
const elicitation = "Elicitation"

// hold is a permission hook that is open, and the call that it asks for.
type hold struct {
	ask  Ask
	use  string // the tool call's id
	hook *run
	done bool // the hook has ended
}

// result is what a hook said when it ended.
type result struct {
	hold     *hold
	behavior string // allow, deny, or "" for no verdict
	message  string
	// interrupt says that a deny ends the turn.
	interrupt bool
	said      string // what goes with an allow: answers, another input, a mode, a rule
}

// open starts the permission hook of an ask. ended is called once, on
// another goroutine, when the hook has ended.
func (s session) open(ask Ask, ended func(result)) (*hold, error) {
	h := &hold{ask: ask, use: newID("tool_")}
	if ask.Tool != elicitation {
		r, err := s.gated(h)
		if err != nil {
			return nil, err
		}
		if r.behavior != "" {
			h.hook = new(run)
			ended(r)
			return h, nil
		}
	}
	var err error
	event, fields := "PermissionRequest", h.fields("")
	if ask.Tool == elicitation {
		event, fields = elicitation, payload{"mcp_server_name": "demo", "mode": "form"}
		if err := json.Unmarshal(ask.Input, &fields); err != nil {
			return nil, fmt.Errorf("the form of an Elicitation: %w", err)
		}
	}
	if h.hook, err = s.start(event, fields, true); err != nil {
		return nil, err
	}
	// Not joined: a hook outlives the answer in the dialog, and the agent.
	go func() {
		h.hook.Wait()
		r := verdict(h.hook.out.Bytes())
		r.hold = h
		ended(r)
	}()
	return h, nil
}

// gated runs the hook before a call, which may deny or allow it at once: as
// Claude Code does, exit code 2 denies with what stands on stderr.
func (s session) gated(h *hold) (result, error) {
	hook, err := s.start("PreToolUse", h.fields("tool_use_id"), false)
	if err != nil {
		return result{}, err
	}
	err = hook.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 2:
		return result{hold: h, behavior: "deny", message: strings.TrimSpace(hook.err.String())}, nil
	case err != nil:
		return result{}, fmt.Errorf("hook PreToolUse: %w", err)
	}
	var reply struct {
		Output struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(hook.out.Bytes(), &reply) != nil || reply.Output.Decision != "deny" && reply.Output.Decision != "allow" {
		return result{hold: h}, nil // it asks
	}
	return result{hold: h, behavior: reply.Output.Decision, message: reply.Output.Reason}, nil
}

// abort ends the hook as Claude Code does when its verdict is not wanted any more.
func (h *hold) abort() {
	if !h.done && h.hook.Process != nil {
		h.hook.Process.Signal(syscall.SIGTERM)
	}
}

// fields are the call's own fields of a payload. PermissionRequest carries no id.
func (h *hold) fields(idField string) payload {
	p := payload{"tool_name": h.ask.Tool, "tool_input": h.ask.Input}
	if idField == "" && len(h.ask.Suggestions) > 0 {
		p["permission_suggestions"] = h.ask.Suggestions
	}
	if idField != "" {
		p[idField] = h.use
	}
	if h.ask.AgentID != "" {
		p["agent_id"], p["agent_type"] = h.ask.AgentID, h.ask.AgentType
	}
	return p
}

// verdict reads what a hook wrote. Anything but a decision is none, as for Claude Code.
func verdict(stdout []byte) result {
	var reply struct {
		Output struct {
			Decision struct {
				Behavior    string            `json:"behavior"`
				Message     string            `json:"message"`
				Interrupt   bool              `json:"interrupt"`
				Input       json.RawMessage   `json:"updatedInput"`
				Permissions []json.RawMessage `json:"updatedPermissions"`
			} `json:"decision"`
			Action  string          `json:"action"` // of an Elicitation
			Content json.RawMessage `json:"content"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(stdout, &reply) != nil {
		return result{}
	}
	d := reply.Output.Decision
	switch reply.Output.Action {
	case "accept":
		return result{behavior: "allow", said: string(reply.Output.Content)}
	case "decline":
		return result{behavior: "deny", message: "declined"}
	}
	if d.Behavior != "allow" && d.Behavior != "deny" {
		return result{}
	}
	r := result{behavior: d.Behavior, message: d.Message, interrupt: d.Interrupt}
	var input struct {
		Answers json.RawMessage `json:"answers"`
		Command string          `json:"command"`
	}
	switch {
	case len(d.Permissions) > 0:
		r.said = string(d.Permissions[0])
	case json.Unmarshal(d.Input, &input) != nil:
	case len(input.Answers) > 0:
		r.said = string(input.Answers)
	default:
		r.said = input.Command
	}
	return r
}
