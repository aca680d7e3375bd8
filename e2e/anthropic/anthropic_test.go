package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// turn is a user's message, or an assistant's.
func turn(role string, content any) map[string]any {
	return map[string]any{"role": role, "content": content}
}

func post(t *testing.T, s *Server, body map[string]any) string {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(s.URL+"/v1/messages?beta=true", "application/json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestPick(t *testing.T) {
	rules := []Rule{
		{Match: "#run", Turns: []Turn{Say("run 0"), Say("run 1")}},
		{Match: "#runmore", Turns: []Turn{Say("more 0")}},
	}
	user := func(text string) Message { return Message{"user", Content{{Type: "text", Text: text}}} }
	result := func(text string) Message {
		return Message{"user", Content{{Type: "tool_result", ToolUseID: "x", Content: Content{{Type: "text", Text: text}}}}}
	}
	said := Message{Role: "assistant"}
	tests := []struct {
		name     string
		messages []Message
		want     string
	}{
		{"nothing matches", []Message{user("hello")}, "ok"},
		{"first turn", []Message{user("please #run it")}, "run 0"},
		{"second turn", []Message{user("#run"), said, result("done")}, "run 1"},
		{"the last turn repeats", []Message{user("#run"), said, result(""), said, result("")}, "run 1"},
		{"the longer token", []Message{user("#runmore")}, "more 0"},
		{"the last token", []Message{user("#runmore then #run")}, "run 0"},
		{"the newest prompt", []Message{user("#runmore"), said, user("#run")}, "run 0"},
		{"a result is no prompt", []Message{user("#run"), said, result("#runmore")}, "run 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, got := pick(rules, tt.messages)
			if got.Content[0].Text != tt.want {
				t.Errorf("picked %q, want %q", got.Content[0].Text, tt.want)
			}
		})
	}
}

func TestStream(t *testing.T) {
	s := Start(t, Rule{"#go", []Turn{Call(
		Block{Type: "text", Text: "I will run – a command that is longer than one event."},
		Tool("toolu_a", "Bash", map[string]any{"command": "echo hi"}),
	)}})
	out := post(t, s, map[string]any{"stream": true, "tools": []any{1}, "messages": []any{turn("user", "#go")}})

	var names []string
	var text, input strings.Builder
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			names = append(names, strings.TrimSpace(name))
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var ev struct {
			Type  string
			Delta struct {
				Text    string
				Partial string `json:"partial_json"`
				Stop    string `json:"stop_reason"`
			}
		}
		if err := json.Unmarshal([]byte(data), &ev); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		text.WriteString(ev.Delta.Text)
		input.WriteString(ev.Delta.Partial)
		if ev.Type == "message_delta" && ev.Delta.Stop != "tool_use" {
			t.Errorf("stop reason %q, want tool_use", ev.Delta.Stop)
		}
	}
	want := "message_start content_block_start content_block_delta content_block_delta content_block_stop " +
		"content_block_start content_block_delta content_block_stop message_delta message_stop"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("events\n%s\nwant\n%s", got, want)
	}
	if got, want := text.String(), "I will run – a command that is longer than one event."; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if got, want := input.String(), `{"command":"echo hi"}`; got != want {
		t.Errorf("input %s, want %s", got, want)
	}
}

func TestSideRequestsAreNotTheScript(t *testing.T) {
	s := Start(t, Rule{"#go", []Turn{Say("scripted")}})
	if out := post(t, s, map[string]any{"messages": []any{turn("user", "#go")}}); strings.Contains(out, "scripted") {
		t.Errorf("a request without tools was answered from the script: %s", out)
	}
}

func TestFailure(t *testing.T) {
	s := Start(t, Rule{"#go", []Turn{{Status: 529, Message: "too busy"}}})
	out := post(t, s, map[string]any{"tools": []any{1}, "messages": []any{turn("user", "#go")}})
	if !strings.Contains(out, "too busy") {
		t.Errorf("got %s", out)
	}
}

func TestAwait(t *testing.T) {
	s := Start(t, Rule{"#go", []Turn{Say("one"), Say("two")}})
	got := make(chan Result, 1)
	go func() {
		r, err := s.Result(t.Context(), "toolu_a")
		if err != nil {
			t.Error(err)
		}
		got <- r
	}()
	first := turn("user", "#go")
	post(t, s, map[string]any{"tools": []any{1}, "messages": []any{first}})
	post(t, s, map[string]any{"tools": []any{1}, "messages": []any{
		first,
		turn("assistant", "one"),
		turn("user", []any{map[string]any{
			"type": "tool_result", "tool_use_id": "toolu_a", "is_error": true,
			"content": []any{map[string]any{"type": "text", "text": "no"}},
		}}),
	}})
	if r := <-got; r != (Result{Text: "no", IsError: true}) {
		t.Errorf("result %+v", r)
	}
	r, err := s.Await(t.Context(), "#go", 2)
	if err != nil {
		t.Fatal(err)
	}
	if r.Turn != 1 {
		t.Errorf("turn %d of the second request, want 1", r.Turn)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := s.Await(ctx, "#go", 3); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a third request: %v", err)
	}
}

// A turn that is held back is sent when its channel closes, and one that
// never is does not keep the server from ending.
func TestAfter(t *testing.T) {
	release := make(chan struct{})
	s := Start(t,
		Rule{"#later", []Turn{{Content: Say("at last").Content, After: release}}},
		Rule{"#never", []Turn{{After: make(chan struct{})}}},
	)
	out := make(chan string, 1)
	ask := func(prompt string) map[string]any {
		return map[string]any{"tools": []any{1}, "messages": []any{turn("user", prompt)}}
	}
	go func() { out <- post(t, s, ask("#later")) }()
	if _, err := s.Await(t.Context(), "#later", 1); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-out:
		t.Fatalf("answered before its time: %s", got)
	default:
	}
	close(release)
	if got := <-out; !strings.Contains(got, "at last") {
		t.Errorf("got %s", got)
	}

	data, _ := json.Marshal(ask("#never"))
	gone := make(chan error, 1)
	go func() {
		resp, err := http.Post(s.URL+"/v1/messages", "application/json", bytes.NewReader(data))
		if err == nil {
			resp.Body.Close()
		}
		gone <- err
	}()
	if _, err := s.Await(t.Context(), "#never", 1); err != nil {
		t.Fatal(err)
	}
	s.close()
	if err := <-gone; err == nil {
		t.Error("the held request was answered")
	}
}
