package anthropic

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Request is one request that was answered from the script.
type Request struct {
	// Rule is the Match of the rule that answered it, "" for none; Turn is
	// the turn's index.
	Rule string
	Turn int
	Body Body
}

// Result is the result of a tool call as the model received it.
type Result struct {
	Text    string
	IsError bool
}

// Requests is everything that was asked so far, in the order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// record keeps r, wakes who waits, and returns r's number from 1.
func (s *Server) record(r Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	close(s.more)
	s.more = make(chan struct{})
	return len(s.requests)
}

// Await waits for the n-th request, from 1, that is answered by the rule
// with this Match.
func (s *Server) Await(ctx context.Context, match string, n int) (Request, error) {
	seen := 0
	return s.await(ctx, fmt.Sprintf("request %d of %s", n, match), func(r Request) bool {
		if r.Rule == match {
			seen++
		}
		return seen == n
	})
}

// Result waits for the result of the tool call with this id.
func (s *Server) Result(ctx context.Context, id string) (Result, error) {
	r, err := s.await(ctx, "the result of "+id, func(r Request) bool {
		_, ok := r.Result(id)
		return ok
	})
	if err != nil {
		return Result{}, err
	}
	res, _ := r.Result(id)
	return res, nil
}

// await returns the first request for which is holds. It is called once for
// each request, in order.
func (s *Server) await(ctx context.Context, what string, is func(Request) bool) (Request, error) {
	for i := 0; ; i++ {
		r, ok := s.nth(ctx, i)
		if !ok {
			return Request{}, fmt.Errorf("waiting for %s: %w after %d requests", what, context.Cause(ctx), i)
		}
		if is(r) {
			return r, nil
		}
	}
}

// nth waits for the request with this index, from 0.
func (s *Server) nth(ctx context.Context, i int) (Request, bool) {
	for {
		s.mu.Lock()
		more := s.more
		if i < len(s.requests) {
			r := s.requests[i]
			s.mu.Unlock()
			return r, true
		}
		s.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return Request{}, false
		}
	}
}

// Result is the result of the tool call with this id, if r carries it.
func (r Request) Result(id string) (Result, bool) {
	for _, m := range r.Body.Messages {
		for _, p := range m.Content {
			if p.Type == "tool_result" && p.ToolUseID == id {
				return Result{Text: p.resultText(), IsError: p.IsError}, true
			}
		}
	}
	return Result{}, false
}

func (p Part) resultText() string {
	var parts []string
	for _, c := range p.Content {
		if c.Type == "text" {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}
