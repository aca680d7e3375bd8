// Package model is what a scripted model says, whatever the API that it is
// asked through: tests of real agents put it behind a server on loopback.
//
// It owns the script and the record of what the agent sent. It promises that
// the answer is chosen from the conversation alone, so sessions in parallel
// share one script, and that a tool's result can be waited for without polling.
//
// It may import the standard library only.
package model

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// Rule is what the model does after a prompt that contains Match: the turns
// in order, one for each request, the last one again for any further one.
type Rule struct {
	Match string
	Turns []Turn
}

// Turn is one answer of the model: calls of tools, or a text, with which the
// agent's turn ends.
type Turn struct {
	Text  string
	Calls []Call
}

// Call is the call of a tool. The test chooses the id, so that it can wait for
// the call's result. Text is the input of a tool that takes no arguments but
// one text.
type Call struct {
	ID, Name string
	Args     map[string]any
	Text     string
}

// Message is one message of a conversation: the model's own, or what the
// agent says to it.
type Message struct {
	Model   bool
	Text    string
	Results map[string]string // of tool calls, by their id
}

// Script answers conversations.
type Script struct {
	mu      sync.Mutex
	rules   []Rule
	results map[string]string
	asked   map[string]bool // by a rule's token
	more    chan struct{}   // closed and replaced when results grows
}

// New makes a script of rules.
func New(rules ...Rule) *Script {
	return &Script{rules: rules, results: map[string]string{}, asked: map[string]bool{}, more: make(chan struct{})}
}

// Add adds rules.
func (s *Script) Add(rules ...Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = append(s.rules, rules...)
}

// Next records what a request carries and gives the answer to it: the newest
// message with some rule's token decides the rule, the answers given since
// decide the turn.
func (s *Script) Next(messages []Message) Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range messages {
		for id, text := range m.Results {
			s.results[id] = text
		}
	}
	close(s.more)
	s.more = make(chan struct{})
	answers := 0
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Model {
			answers++
			continue
		}
		for _, r := range s.rules {
			if strings.Contains(messages[i].Text, r.Match) {
				s.asked[r.Match] = true
				return r.Turns[min(answers, len(r.Turns)-1)]
			}
		}
	}
	return Turn{Text: "ok"}
}

// Asked says whether the rule with this token was asked for.
func (s *Script) Asked(match string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[match]
}

// Result waits for the result of the tool call with this id, as the model
// received it.
func (s *Script) Result(ctx context.Context, id string) (string, error) {
	for {
		s.mu.Lock()
		text, ok := s.results[id]
		more := s.more
		s.mu.Unlock()
		if ok {
			return text, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return "", fmt.Errorf("waiting for the result of %s: %w", id, context.Cause(ctx))
		}
	}
}
