package anthropic

import (
	"encoding/json"
	"strings"
)

// Rule is what the model does after a prompt that contains Match: the turns
// in order, one for each request, the last one again for any further one.
type Rule struct {
	Match string
	Turns []Turn
}

// Turn is one answer of the model.
type Turn struct {
	Content []Block
	// After holds the answer back until the channel is closed: the agent
	// shows that it is working.
	After <-chan struct{}
	// Status, when it is not 0, is an HTTP error to answer with instead, and
	// Message its text.
	Status  int
	Message string
}

// Block is a part of a turn: text, or the call of a tool.
type Block struct {
	Type  string `json:"type"` // "text" or "tool_use"
	Text  string `json:"text,omitempty"`
	ID    string `json:"id,omitempty"`
	Name  string `json:"name,omitempty"`
	Input any    `json:"input,omitempty"`
}

// Say is a turn of text. The agent's turn ends with it.
func Say(text string) Turn {
	return Turn{Content: []Block{{Type: "text", Text: text}}}
}

// Call is a turn that calls tools.
func Call(tools ...Block) Turn {
	return Turn{Content: tools}
}

// Tool is the call of a tool. The id is what the tool's result refers to; the
// test chooses it ("toolu_…"), so that it can wait for that result.
func Tool(id, name string, input map[string]any) Block {
	return Block{Type: "tool_use", ID: id, Name: name, Input: input}
}

// pick finds the turn: the newest user message that carries some rule's
// token decides the rule (the last token in it, the longer one of two at the
// same place), and the answers given since decide the turn.
func pick(rules []Rule, messages []Message) (match string, n int, turn Turn) {
	answers := 0
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "assistant" {
			answers++
			continue
		}
		r, ok := find(rules, messages[i].text())
		if !ok {
			continue
		}
		return r.Match, answers, r.Turns[min(answers, len(r.Turns)-1)]
	}
	return "", 0, Say("ok")
}

func find(rules []Rule, text string) (best Rule, ok bool) {
	at := -1
	for _, r := range rules {
		p := strings.LastIndex(text, r.Match)
		if p < 0 || len(r.Turns) == 0 {
			continue
		}
		if p > at || p == at && len(r.Match) > len(best.Match) {
			best, at = r, p
		}
	}
	return best, at >= 0
}

// text is what the message says outside tool results.
func (m Message) text() string {
	var parts []string
	for _, c := range m.Content {
		if c.Type == "text" {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// stopReason is why the model stopped after these blocks.
func stopReason(content []Block) string {
	for _, b := range content {
		if b.Type == "tool_use" {
			return "tool_use"
		}
	}
	return "end_turn"
}

// Body is what a request carries, as far as the script looks at it.
type Body struct {
	Model        string            `json:"model"`
	Stream       bool              `json:"stream"`
	System       json.RawMessage   `json:"system"`
	Tools        []json.RawMessage `json:"tools"`
	Messages     []Message         `json:"messages"`
	OutputConfig json.RawMessage   `json:"output_config"`
}

// Message is one message of the conversation.
type Message struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}

// Content is a message's parts. On the wire it is a list of parts, or a
// string that stands for one text.
type Content []Part

// Part is a part of a message as the agent sends it.
type Part struct {
	Type      string  `json:"type"`
	Text      string  `json:"text"`
	ToolUseID string  `json:"tool_use_id"`
	IsError   bool    `json:"is_error"`
	Content   Content `json:"content"` // of a tool result
}

// UnmarshalJSON reads both forms.
func (c *Content) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		*c = Content{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]Part)(c))
}
