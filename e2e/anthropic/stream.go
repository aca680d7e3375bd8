package anthropic

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chunk is how many bytes of text or of a tool's input go into one event.
const chunk = 40

// message is an answer of the Messages API.
type message struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	Role         string  `json:"role"`
	Model        string  `json:"model"`
	Content      []Block `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        usage   `json:"usage"`
}

type usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

func newMessage(n int, model string, content []Block) message {
	stop := stopReason(content)
	return message{
		ID:         fmt.Sprintf("msg_%06d", n),
		Type:       "message",
		Role:       "assistant",
		Model:      model,
		Content:    content,
		StopReason: &stop,
		Usage:      usage{InputTokens: 1000, OutputTokens: 50},
	}
}

// stream sends m as server-sent events: the order and the shapes of the
// Messages API's streaming form. A client that went away is not an error: an
// agent drops the stream when its person presses Esc.
func stream(w http.ResponseWriter, m message) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	e := events{w: w, flush: http.NewResponseController(w).Flush}

	head := m
	head.Content, head.StopReason = []Block{}, nil
	e.send("message_start", map[string]any{"message": head})
	for i, b := range m.Content {
		e.block(i, b)
	}
	e.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": m.StopReason, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": m.Usage.OutputTokens},
	})
	e.send("message_stop", map[string]any{})
}

// events writes server-sent events; after the first error it writes nothing.
type events struct {
	w     http.ResponseWriter
	flush func() error
	err   error
}

func (e *events) block(i int, b Block) {
	start := map[string]any{"type": "text", "text": ""}
	kind, field, body := "text_delta", "text", b.Text
	if b.Type == "tool_use" {
		start = map[string]any{"type": "tool_use", "id": b.ID, "name": b.Name, "input": map[string]any{}}
		input, err := json.Marshal(b.Input)
		if err != nil {
			e.err = err
			return
		}
		kind, field, body = "input_json_delta", "partial_json", string(input)
	}
	e.send("content_block_start", map[string]any{"index": i, "content_block": start})
	for _, part := range cut(body, chunk) {
		e.send("content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": kind, field: part}})
	}
	e.send("content_block_stop", map[string]any{"index": i})
}

func (e *events) send(name string, data map[string]any) {
	if e.err != nil {
		return
	}
	data["type"] = name
	line, err := json.Marshal(data)
	if err != nil {
		e.err = err
		return
	}
	if _, e.err = fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, line); e.err == nil {
		e.err = e.flush()
	}
}

// cut divides s into parts of about n bytes, never inside a character.
func cut(s string, n int) []string {
	var parts []string
	start := 0
	for i := range s {
		if i-start >= n {
			parts = append(parts, s[start:i])
			start = i
		}
	}
	if start < len(s) {
		parts = append(parts, s[start:])
	}
	return parts
}
