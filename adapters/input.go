package adapters

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"signaltty/proto"
)

// Sizes of what is shown of an input that is too large to travel, and of
// texts that are only a hint, in bytes.
const (
	detailHead = 12 << 10
	detailTail = 4 << 10
	maxSummary = 1 << 10
	maxMessage = 4 << 10
)

// inputKey is a hash of a tool's input that does not depend on the order of
// its keys or on white space: two hooks of one call carry deep-equal inputs,
// not the same bytes. It is "" for an absent input.
func inputKey(input json.RawMessage) string {
	if len(input) == 0 {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber() // a float64 would make one of two large numbers
	var v any
	if d.Decode(&v) != nil {
		return ""
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return digest(sorted)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// fields is a tool's input by exact key. A struct would not do: encoding/json
// matches keys without regard to case, so that {"command": A, "Command": B}
// would show B while the agent runs A.
type fields map[string]json.RawMessage

// text is a field as a person reads it: a string's content, or the JSON of
// anything else. It is "" for an absent field.
func (f fields) text(key string) string {
	return plain(f[key])
}

func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return compact(raw)
}

// shorten cuts the middle out of a long text, on rune boundaries, and says so
// in its place.
func shorten(s string) string {
	if len(s) <= detailHead+detailTail {
		return s
	}
	head, tail := headOf(s, detailHead), s[len(s)-detailTail:]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return fmt.Sprintf("%s\n[%d bytes are not shown]\n%s", head, len(s)-len(head)-len(tail), tail)
}

// headOf is at most n bytes of s, not ending inside a rune.
func headOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// clip is headOf with a mark that something is missing.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return headOf(s, n-len("…")) + "…"
}

// bound takes out of an ask what is too large to travel.
func bound(a *proto.Ask, path string) {
	a.Summary = clip(a.Summary, maxSummary)
	if len(a.Input) > proto.MaxInput {
		leaveOut(a, path, a.Input)
	}
}

// leaveOut replaces what is too large to travel by its size and hash, and
// shortens what is shown of it.
func leaveOut(a *proto.Ask, path string, what []byte) {
	a.Truncated = &proto.Truncated{Path: path, Bytes: len(what), SHA256: digest(what)}
	a.Input, a.Amendable = nil, ""
	if path == "" {
		// What is left out can be looked at nowhere, so it cannot be allowed.
		a.Options = slices.DeleteFunc(slices.Clone(a.Options), func(o proto.Option) bool {
			return o.ID != proto.OptionDeny && o.ID != proto.OptionHandBack
		})
		a.Questions, a.Standing = nil, nil
	}
	for i, d := range a.Detail {
		a.Detail[i].Text = shorten(d.Text)
	}
	// An input of many small parts is as long as one of a large part.
	const most = 64
	if n := len(a.Detail); n > most {
		a.Detail = append(a.Detail[:most:most], proto.Detail{
			Form: "text", Text: fmt.Sprintf("[%d more parts are not shown]", n-most),
		})
	}
}

// firstLine is what a summary shows of a text of many lines.
func firstLine(s string) string {
	s = strings.TrimSpace(s)
	if line, _, more := strings.Cut(s, "\n"); more {
		return line + " …"
	}
	return s
}

// encodePlain is json.Marshal that leaves <, > and & alone.
func encodePlain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
