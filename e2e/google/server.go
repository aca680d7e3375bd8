// Package google is a scripted Gemini API on loopback, for tests that run the
// real Gemini CLI without a model.
//
// It owns the server and the shapes of that API; what is said is e2e/model's.
//
// It may import e2e/model and the standard library.
package google

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"signaltty/e2e/model"
)

// maxBody is the largest request that is read, in bytes.
const maxBody = 64 << 20

// Server plays a script. URL is what GOOGLE_GEMINI_BASE_URL is set to.
type Server struct {
	*model.Script
	URL string
}

// Start serves the rules until the test ends.
func Start(t testing.TB, rules ...model.Rule) *Server {
	t.Helper()
	s := &Server{Script: model.New(rules...)}
	h := httptest.NewServer(http.HandlerFunc(s.handle))
	s.URL = h.URL
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return s
}

// body is a request, as far as the script looks at it.
type body struct {
	Contents []struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	} `json:"contents"`
	Tools  []json.RawMessage `json:"tools"`
	Config struct {
		MIME   string          `json:"responseMimeType"`
		Schema json.RawMessage `json:"responseJsonSchema"`
	} `json:"generationConfig"`
}

type part struct {
	Text     string `json:"text"`
	Response *struct {
		ID   string          `json:"id"`
		Body json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// side answers the questions that Gemini CLI asks its model beside the
// conversation: who speaks next, which model to take.
const side = `{"reasoning":"scripted","next_speaker":"user","model_choice":"flash","complexity_reasoning":"scripted","complexity_score":10}`

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.Path, "countTokens") {
		reply(w, r, map[string]any{"totalTokens": 10})
		return
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var b body
	if err == nil {
		err = json.Unmarshal(raw, &b)
	}
	if err != nil || !strings.Contains(r.URL.Path, "enerateContent") {
		http.Error(w, fmt.Sprintf("not understood: %s, %v", r.URL.Path, err), http.StatusBadRequest)
		return
	}
	turn := model.Turn{Text: "ok"}
	switch {
	case b.Config.MIME == "application/json" || b.Config.Schema != nil:
		turn.Text = side
	case len(b.Tools) > 0:
		turn = s.Next(b.conversation())
	}
	reply(w, r, answer(turn))
}

func (b body) conversation() []model.Message {
	var list []model.Message
	for _, c := range b.Contents {
		m := model.Message{Model: c.Role == "model", Results: map[string]string{}}
		for _, p := range c.Parts {
			m.Text += p.Text
			if p.Response != nil {
				m.Results[p.Response.ID] = string(p.Response.Body)
			}
		}
		list = append(list, m)
	}
	return list
}

func answer(turn model.Turn) map[string]any {
	var parts []any
	for _, c := range turn.Calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": c.Name, "args": c.Args, "id": c.ID}})
	}
	if turn.Text != "" {
		parts = append(parts, map[string]any{"text": turn.Text})
	}
	return map[string]any{
		"candidates":   []any{map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "index": 0, "finishReason": "STOP"}},
		"modelVersion": "scripted", "usageMetadata": map[string]any{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
	}
}

// reply sends JSON, as one server-sent event where a stream is asked for.
func reply(w http.ResponseWriter, r *http.Request, v any) {
	line, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if strings.Contains(r.URL.Path, "stream") {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\n", line)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(line) // an agent that went away is no error
}
