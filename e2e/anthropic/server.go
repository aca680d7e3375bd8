// Package anthropic is a scripted Anthropic Messages API on loopback, for
// tests that run the real Claude Code without a model.
//
// It owns the server, the script that it plays and the record of what it was
// sent. It promises that the answer is chosen from the request's body alone,
// so sessions in parallel, subagents and resumed sessions share one server,
// and that what the model received can be waited for without polling.
//
// It may import the standard library only.
package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// maxBody is the largest request that is read, in bytes.
const maxBody = 64 << 20

// Server plays a script. URL is what ANTHROPIC_BASE_URL is set to.
type Server struct {
	URL string

	stop context.CancelFunc
	http *httptest.Server

	mu       sync.Mutex
	rules    []Rule
	requests []Request
	more     chan struct{} // closed and replaced when requests grows
}

// Start serves the rules until the test ends.
func Start(t testing.TB, rules ...Rule) *Server {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{rules: rules, stop: stop, more: make(chan struct{})}
	s.http = httptest.NewServer(s.routes(ctx))
	s.URL = s.http.URL
	t.Cleanup(s.close)
	return s
}

// Add adds rules, for what depends on where the agent turned out to work.
func (s *Server) Add(rules ...Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = append(s.rules, rules...)
}

func (s *Server) script() []Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.rules)
}

// close releases the turns that are held back, and waits for every handler.
func (s *Server) close() {
	s.stop()
	s.http.CloseClientConnections()
	s.http.Close()
}

func (s *Server) routes(ctx context.Context) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) {
		s.messages(ctx, w, r)
	})
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"input_tokens": 1000})
	})
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"data": []any{}, "has_more": false})
	})
	mux.HandleFunc("HEAD /{$}", func(w http.ResponseWriter, r *http.Request) {})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "not_found_error", "no such path: "+r.URL.Path)
	})
	return mux
}

func (s *Server) messages(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeError(w, http.StatusRequestEntityTooLarge, "request_too_large", err.Error())
		return
	}
	var body Body
	if err := json.Unmarshal(raw, &body); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	req := Request{Body: body}
	turn := side(body)
	if len(body.Tools) > 0 {
		req.Rule, req.Turn, turn = pick(s.script(), body.Messages)
	}
	id := s.record(req)
	if turn.After != nil {
		select {
		case <-turn.After:
		case <-r.Context().Done():
			return
		case <-ctx.Done():
			// To return would be to answer with nothing.
			panic(http.ErrAbortHandler)
		}
	}
	if turn.Status != 0 {
		writeError(w, turn.Status, "api_error", turn.Message)
		return
	}
	m := newMessage(id, body.Model, turn.Content)
	w.Header().Set("Request-Id", fmt.Sprintf("req_%06d", id))
	if !body.Stream {
		writeJSON(w, http.StatusOK, m)
		return
	}
	stream(w, m)
}

// side answers the requests that Claude Code makes beside the conversation:
// the title of the session, the topic, the probe of the quota. They carry no
// tools.
func side(b Body) Turn {
	if b.OutputConfig != nil || strings.Contains(strings.ToLower(string(b.System)), "title") {
		return Say(`{"title": "Scripted session", "isNewTopic": false}`)
	}
	return Say("ok")
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func writeError(w http.ResponseWriter, status int, kind, message string) {
	writeJSON(w, status, map[string]any{
		"type":  "error",
		"error": map[string]any{"type": kind, "message": message},
	})
}
