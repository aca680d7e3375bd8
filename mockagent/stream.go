package mockagent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// streamed is one headless run: it reads its prompt and the answers to its
// asks from stdin and tells what it does on stdout, in the format of Claude
// Code's stream-json with the permission protocol.
type streamed struct {
	in      *bufio.Reader
	out     *json.Encoder
	raw     io.Writer
	session string
	cwd     string
	asked   int
	denials []map[string]any
	text    string
}

// stream plays the steps. Without any it repeats its prompt.
func stream(steps []Step, resume string, stdin, stdout *os.File) int {
	s := streamed{in: bufio.NewReader(stdin), out: json.NewEncoder(stdout), raw: stdout, session: resume}
	if s.session == "" {
		s.session = newID("mock-")
	}
	s.cwd, _ = os.Getwd()
	prompt := s.prompt()
	s.line("system", "subtype", "init", "cwd", s.cwd)
	if steps == nil {
		steps = []Step{{Do: "say", Text: "You said: " + prompt}}
	}
	for _, step := range steps {
		if code, over := s.step(step); over {
			return code
		}
	}
	s.line("result", "subtype", "success", "is_error", false, "stop_reason", "end_turn", "result", s.text,
		"total_cost_usd", 0.001*float64(len(steps)), "usage", map[string]int{"input_tokens": len(prompt), "output_tokens": len(s.text)},
		"permission_denials", s.denials)
	_, _ = io.Copy(io.Discard, s.in) // until the other side has read the result
	return 0
}

// line writes one line: its type and then keys and values.
func (s *streamed) line(kind string, pairs ...any) {
	m := map[string]any{"type": kind, "session_id": s.session}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	_ = s.out.Encode(m) // a reader that is gone ends the run by itself
}

// block writes a message of one block.
func (s *streamed) block(role string, block map[string]any) {
	s.line(role, "message", map[string]any{"role": role, "content": []any{block}})
}

// prompt is the text of the first line.
func (s *streamed) prompt() string {
	var m struct {
		Message struct {
			Content string `json:"content"`
		} `json:"message"`
	}
	text, _ := s.in.ReadBytes('\n')
	_ = json.Unmarshal(text, &m)
	return m.Message.Content
}

func (s *streamed) step(step Step) (code int, over bool) {
	switch step.Do {
	case "say":
		s.text = step.Text
		s.block("assistant", map[string]any{"type": "text", "text": step.Text})
	case "think":
		s.block("assistant", map[string]any{"type": "thinking", "thinking": step.Text})
		time.Sleep(time.Duration(step.Millis) * time.Millisecond)
	case "ask":
		for _, a := range step.Asks {
			s.ask(a)
		}
	case "shell":
		s.shell(step.Text)
	case "emit":
		_, _ = io.WriteString(s.raw, step.Text)
	case "complain":
		fmt.Fprintln(os.Stderr, step.Text)
	case "exit":
		return step.Code, true
	case "crash":
		_ = s.raw.(*os.File).Close()
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	}
	return 0, false
}

// ask makes one call: it asks, and tells the result.
func (s *streamed) ask(a Ask) {
	s.asked++
	use, request := fmt.Sprintf("toolu_%d", s.asked), fmt.Sprintf("ask-%d", s.asked)
	s.block("assistant", map[string]any{"type": "tool_use", "id": use, "name": a.Tool, "input": a.Input})
	s.line("control_request", "request_id", request, "request", map[string]any{
		"subtype": "can_use_tool", "tool_name": a.Tool, "input": a.Input, "tool_use_id": use, "agent_id": a.AgentID,
	})
	allowed, message := s.verdict(request)
	result := map[string]any{"type": "tool_result", "tool_use_id": use, "content": a.Output}
	if !allowed {
		result["content"], result["is_error"] = message, true
		s.denials = append(s.denials, map[string]any{"tool_name": a.Tool, "tool_use_id": use, "tool_input": a.Input})
	}
	s.block("user", result)
	if said := map[bool]string{true: a.Allowed, false: a.Denied}[allowed]; said != "" {
		s.text = strings.TrimPrefix(said, "● ")
		s.block("assistant", map[string]any{"type": "text", "text": s.text})
	}
}

// verdict waits for the answer to one request. The end of stdin is a denial.
func (s *streamed) verdict(request string) (allowed bool, message string) {
	for {
		text, err := s.in.ReadBytes('\n')
		if err != nil {
			return false, "nobody answered"
		}
		var m struct {
			Response struct {
				RequestID string `json:"request_id"`
				Response  struct {
					Behavior string `json:"behavior"`
					Message  string `json:"message"`
				} `json:"response"`
			} `json:"response"`
		}
		if json.Unmarshal(text, &m) == nil && m.Response.RequestID == request {
			return m.Response.Response.Behavior == "allow", m.Response.Response.Message
		}
	}
}

// shell does what a script of a test says, without asking: what an agent does
// that no gate has seen.
func (s *streamed) shell(command string) {
	s.asked++
	use := fmt.Sprintf("toolu_%d", s.asked)
	s.block("assistant", map[string]any{"type": "tool_use", "id": use, "name": "Bash", "input": map[string]string{"command": command}})
	cmd := exec.Command("sh", "-c", command)
	cmd.WaitDelay = 100 * time.Millisecond // what it leaves behind holds its output
	out, err := cmd.CombinedOutput()
	s.block("user", map[string]any{"type": "tool_result", "tool_use_id": use, "content": string(out), "is_error": err != nil})
}
