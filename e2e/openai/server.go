// Package openai is a scripted OpenAI Responses API on loopback, for tests
// that run the real Codex without a model.
//
// It owns the server and the shapes of that API; what is said is e2e/model's.
// Every answer is a stream.
//
// It may import e2e/model and the standard library.
package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"signaltty/e2e/model"
)

// maxBody is the largest request that is read, in bytes.
const maxBody = 64 << 20

// Server plays a script. URL is the base URL of a provider.
type Server struct {
	*model.Script
	URL string

	asked atomic.Int64
}

// Start serves the rules until the test ends.
func Start(t testing.TB, rules ...model.Rule) *Server {
	t.Helper()
	s := &Server{Script: model.New(rules...)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", s.responses)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[],"models":[]}`)
	})
	h := httptest.NewServer(mux)
	s.URL = h.URL + "/v1"
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return s
}

// tool is one that the agent offers.
type tool struct {
	Name string `json:"name"`
}

// item is one of a request's input: a message, a call, or a call's output.
type item struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	CallID  string          `json:"call_id"`
	Output  json.RawMessage `json:"output"`
}

func (s *Server) responses(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var body struct {
		Input []item `json:"input"`
		Tools []tool `json:"tools"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	turn := s.Next(conversation(body.Input))
	id := fmt.Sprintf("%06d", s.asked.Add(1))
	for _, c := range turn.Calls {
		if !slices.Contains(body.Tools, tool{c.Name}) {
			turn = model.Turn{Calls: []model.Call{{ID: early + id, Name: "apply_patch", Text: "The other tools are not there yet."}}}
			break
		}
	}
	stream(w, id, turn)
}

// early starts the id of a call that is no part of the script: Codex 0.171.0
// offers its shell only when its environment is up, which its first requests
// may be ahead of. It is kept asking until then.
const early = "early_"

// conversation puts the items of one answer together: calls side by side are
// one turn of the model.
func conversation(items []item) []model.Message {
	var list []model.Message
	for _, it := range items {
		switch {
		case strings.HasPrefix(it.CallID, early):
		case strings.HasSuffix(it.Type, "_output"):
			list = append(list, model.Message{Results: map[string]string{it.CallID: text(it.Output)}})
		case it.Type == "message" && it.Role != "assistant":
			list = append(list, model.Message{Text: text(it.Content)})
		case len(list) == 0 || !list[len(list)-1].Model:
			list = append(list, model.Message{Model: true})
		}
	}
	return list
}

// text is a content that is a string, or a list of parts with a text each.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts) // anything else has no text
	for _, p := range parts {
		s += p.Text
	}
	return s
}

// stream sends an answer as server-sent events. A client that went away is no
// error: an agent drops the stream when its person presses Esc.
func stream(w http.ResponseWriter, id string, turn model.Turn) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	send := func(kind string, fields map[string]any) {
		fields["type"] = kind
		line, err := json.Marshal(fields)
		if err == nil {
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, line)
			_ = flush()
		}
	}
	send("response.created", map[string]any{"response": map[string]any{"id": "resp_" + id}})
	for i, it := range output(id, turn) {
		send("response.output_item.done", map[string]any{"output_index": i, "item": it})
	}
	send("response.completed", map[string]any{"response": map[string]any{"id": "resp_" + id, "usage": map[string]any{
		"input_tokens": 100, "input_tokens_details": map[string]any{"cached_tokens": 0},
		"output_tokens": 20, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 120,
	}}})
}

func output(id string, turn model.Turn) []map[string]any {
	var items []map[string]any
	for i, c := range turn.Calls {
		it := map[string]any{"type": "function_call", "id": fmt.Sprintf("fc_%s_%d", id, i), "call_id": c.ID, "name": c.Name}
		if c.Text != "" {
			it["type"], it["input"] = "custom_tool_call", c.Text
		} else {
			args, err := json.Marshal(c.Args)
			if err != nil {
				panic(err) // the script of a test
			}
			it["arguments"] = string(args)
		}
		items = append(items, it)
	}
	if turn.Text != "" {
		items = append(items, map[string]any{"type": "message", "id": "msg_" + id, "role": "assistant",
			"content": []any{map[string]any{"type": "output_text", "text": turn.Text}}})
	}
	return items
}
