package server

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"signaltty/proto"
)

// canaries are the tokens of tries of a hook. A try goes the whole way of an
// ask, from the agent's settings to the agent's reply, but for the state: it
// raises no decision, and its verdict is always a denial.
type canaries struct {
	mu     sync.Mutex
	tokens map[string]time.Time // until when each is good
}

const (
	canaryLife  = time.Minute
	maxCanaries = 64
)

func (c *canaries) issue() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for token, until := range c.tokens {
		if now.After(until) {
			delete(c.tokens, token)
		}
	}
	if len(c.tokens) >= maxCanaries {
		return "", proto.Errorf(proto.CodeTooLarge, "%d tries are under way already; wait a minute", maxCanaries)
	}
	if c.tokens == nil {
		c.tokens = map[string]time.Time{}
	}
	token := rand.Text()
	c.tokens[token] = now.Add(canaryLife)
	return token, nil
}

// verdict answers a try, once. Of an unknown token nothing is said.
func (c *canaries) verdict(token string) proto.Verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	until, ok := c.tokens[token]
	delete(c.tokens, token)
	if !ok || time.Now().After(until) {
		return proto.Verdict{Behavior: proto.NoVerdict}
	}
	return proto.Verdict{Behavior: proto.Deny, Message: "signaltty canary " + token}
}

func hookCanary(c *client, _ context.Context, _ proto.None) (any, error) {
	token, err := c.s.canaries.issue()
	if err != nil {
		return nil, err
	}
	return proto.Canary{Token: token}, nil
}
