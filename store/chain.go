package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// chainForm stands first in the canonical bytes of a row, so that another
// form can follow one day.
const chainForm = "signaltty audit 1"

// Written is a row as the audit keeps it and as export, the sink and the files
// of set-aside rows tell it, one JSON object a line.
type Written struct {
	ID       int64   `json:"id"` // 1, 2, 3 … without a gap
	At       string  `json:"at"` // UTC, of one width, so that text sorts as time
	Kind     RowKind `json:"kind"`
	Agent    string  `json:"agent"` // "" where the row is about no agent
	Pane     string  `json:"pane"`
	Session  string  `json:"session"`
	Decision string  `json:"decision"`
	Tool     string  `json:"tool"`
	Option   string  `json:"option"`
	End      string  `json:"end"`
	Rule     string  `json:"rule"`
	Client   string  `json:"client"`
	UID      int     `json:"uid"`
	PID      int     `json:"pid"`
	Fact     string  `json:"fact"`
	// Body is what else there is to tell: JSON in ASCII, keys sorted, no spaces.
	Body json.RawMessage `json:"body"`
	// Hash is the SHA-256, in hex, of the canonical bytes, which begin with
	// the hash of the row before.
	Hash string `json:"hash"`
}

// canonical is what a row's hash is of: a JSON array in ASCII, without
// spaces. docs/audit.md has it in words, with a program that checks it.
func (w *Written) canonical(before string) []byte {
	b := make([]byte, 0, 512+len(w.Body))
	b = append(b, '[')
	b = appendString(b, chainForm)
	b = appendString(append(b, ','), before)
	b = strconv.AppendInt(append(b, ','), w.ID, 10)
	for _, s := range []string{w.At, string(w.Kind), w.Agent, w.Pane, w.Session, w.Decision, w.Tool, w.Option, w.End, w.Rule, w.Client} {
		b = appendString(append(b, ','), s)
	}
	b = strconv.AppendInt(append(b, ','), int64(w.UID), 10)
	b = strconv.AppendInt(append(b, ','), int64(w.PID), 10)
	b = appendString(append(b, ','), w.Fact)
	b = appendString(append(b, ','), string(w.Body))
	return append(b, ']')
}

// chain gives the row its hash, after a row with the hash before.
func (w *Written) chain(before string) string {
	sum := sha256.Sum256(w.canonical(before))
	return hex.EncodeToString(sum[:])
}

// written makes of a row what is kept of it: its times in one form, its
// secrets redacted, its body in canonical JSON. It has no id and no hash yet.
func written(r Row) Written {
	body, err := encodeBody(redactBody(r.Body))
	if err != nil {
		// Of what cannot be told the row is told all the same.
		body, _ = encodeBody(map[string]string{"unwritable": err.Error()}) // strings can be written
	}
	return Written{
		At: stamp(r.At), Kind: r.Kind, Agent: word(r.Agent), Pane: word(r.Pane), Session: word(r.Session), Decision: word(r.Decision),
		Tool: word(r.Tool), Option: word(r.Option), End: word(string(r.End)), Rule: word(r.Rule), Client: word(r.Client),
		UID: r.UID, PID: r.PID, Fact: word(r.Fact), Body: body,
	}
}

// maxWord is how much is kept of what should be a name.
const maxWord = 1 << 10

// word is a name or an id as it is kept. An agent chooses some of them.
func word(s string) string {
	return cutText(redact(strings.ToValidUTF8(cutText(s, 4*maxWord), "\ufffd")), maxWord)
}

// stampForm has one width for all times, so that they sort as text.
const stampForm = "2006-01-02T15:04:05.000000000Z"

func stamp(t time.Time) string { return t.UTC().Format(stampForm) }

// encodeBody is the canonical JSON of a body: what Python's json.dumps gives
// with sort_keys and separators (",", ":").
func encodeBody(v any) (json.RawMessage, error) {
	if v == nil {
		return json.RawMessage("{}"), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return toASCII(bytes.TrimSpace(b.Bytes())), nil
}

// sameBody brings the JSON of a body, in whatever escapes, to its canonical form.
func sameBody(text []byte) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return encodeBody(v)
}

// toASCII escapes in a JSON text all that is beyond ASCII.
func toASCII(text []byte) []byte {
	if bytes.IndexFunc(text, beyondASCII) < 0 {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/2)
	for _, r := range string(text) {
		out = appendRune(out, r)
	}
	return out
}

// beyondASCII is all that is escaped: DEL too, which is no printed character.
func beyondASCII(r rune) bool { return r >= 0x7f }

func appendRune(b []byte, r rune) []byte {
	if !beyondASCII(r) {
		return append(b, byte(r))
	}
	if r1, r2 := utf16.EncodeRune(r); r1 != utf8.RuneError {
		return fmt.Appendf(b, `\u%04x\u%04x`, r1, r2)
	}
	return fmt.Appendf(b, `\u%04x`, r)
}

// appendString appends a JSON string in ASCII.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\b':
			b = append(b, `\b`...)
		case r == '\f':
			b = append(b, `\f`...)
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = appendRune(b, r)
		}
	}
	return append(b, '"')
}
