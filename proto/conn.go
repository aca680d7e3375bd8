package proto

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"sync"
)

// Sizes that are capped while reading.
const (
	// MaxLine is the longest line, in bytes, that either side reads.
	MaxLine = 4 << 20
	// MaxPayload is the largest hook payload that is decided on.
	MaxPayload = 8 << 20
	// MaxInput is the largest tool input that travels; beyond it the ask
	// carries path, size and hash.
	MaxInput = 64 << 10
)

// ErrTooLong says that the peer sent a line longer than MaxLine.
var ErrTooLong = errors.New("line is longer than 4 MiB")

// Message is one line as it was read: a request, a reply or an event.
type Message struct {
	ID     uint64
	Method string // of a request
	Event  string // of an event
	Seq    uint64
	Body   json.RawMessage // params, result or data
	Error  *Error          // of a failed reply
	frame  *Frame          // what Body holds, when that is known already
}

// Conn carries JSONL messages over a stream. Reads belong to one goroutine;
// writes may come from any and each is one whole line.
type Conn struct {
	c  net.Conn
	r  *bufio.Reader
	wm sync.Mutex
}

// NewConn wraps c. It takes c over: Close closes it.
func NewConn(c net.Conn) *Conn {
	return &Conn{c: c, r: bufio.NewReaderSize(c, 16<<10)}
}

// NetConn is the stream below, for peer credentials and deadlines.
func (c *Conn) NetConn() net.Conn { return c.c }

// Close ends both directions.
func (c *Conn) Close() error { return c.c.Close() }

// Read reads the next message. A line that is too long gives ErrTooLong and a
// line that is not a message gives an *Error with CodeBadRequest; after the
// former the connection is of no more use.
func (c *Conn) Read() (Message, error) {
	line, err := c.readLine()
	if err != nil {
		return Message{}, err
	}
	return Parse(line)
}

// readLine returns a copy of the next line. Its parts are joined only once
// the line is whole, so that an endless one costs no more than MaxLine.
func (c *Conn) readLine() ([]byte, error) {
	var parts [][]byte
	size := 0
	for {
		part, err := c.r.ReadSlice('\n')
		if size += len(part); size > MaxLine {
			return nil, ErrTooLong
		}
		switch {
		case err == nil && parts == nil:
			return bytes.Clone(part[:size-1]), nil
		case err == nil:
			return bytes.Join(append(parts, part[:len(part)-1]), nil), nil
		case errors.Is(err, bufio.ErrBufferFull):
			parts = append(parts, bytes.Clone(part))
		case errors.Is(err, io.EOF) && size > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// Parse reads one line.
func Parse(line []byte) (Message, error) {
	if f, ok := parseFrame(line); ok {
		return Message{Event: EventFrame, Body: line[len(frameHead) : len(line)-1], frame: f}, nil
	}
	var m message
	if err := decode("message", line, &m); err != nil {
		return Message{}, err
	}
	forms := 0
	for _, set := range []bool{m.Method != "", m.Event != "", m.Method == "" && m.ID != 0} {
		if set {
			forms++
		}
	}
	if forms != 1 || m.Method != "" && m.ID == 0 {
		return Message{}, Errorf(CodeBadRequest, "a line is a request with id (not 0) and method, a reply with id, or an event")
	}
	out := Message{ID: m.ID, Method: m.Method, Event: m.Event, Seq: m.Seq, Error: m.Error}
	switch {
	case m.Method != "":
		out.Body = m.Params
	case m.Event != "":
		out.Body = m.Data
	default:
		out.Body = m.Result
	}
	return out, nil
}

// Decode reads a message's body into v, a pointer. Unknown fields are
// ignored; a wrong type is refused by the field's name.
func (m Message) Decode(v any) error {
	if f, ok := v.(*Frame); ok && m.frame != nil {
		*f = *m.frame
		return nil
	}
	what := m.Method + m.Event
	if what == "" {
		what = "result"
	}
	if len(m.Body) == 0 {
		return decode(what, []byte("{}"), v)
	}
	return decode(what, m.Body, v)
}

func decode(what string, data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return Errorf(CodeBadRequest, "%s: field %q cannot be %s: it is %s", what, wrong.Field, wrong.Value, typeName(wrong.Type))
	}
	return Errorf(CodeBadRequest, "%s: %v", what, err)
}

// typeName says what JSON a Go type is written as.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return "a base64 string"
		}
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	case reflect.Float64:
		return "a number"
	case reflect.Uint64:
		return "a whole number from 0"
	default:
		return "a whole number"
	}
}

// Send writes a request with an id of the caller's choice, not 0.
func (c *Conn) Send(id uint64, method string, params any) error {
	return c.write(method, message{ID: id, Method: method}, params, func(m *message, b json.RawMessage) { m.Params = b })
}

// Reply answers a request.
func (c *Conn) Reply(id uint64, result any) error {
	return c.write("reply", message{ID: id}, result, func(m *message, b json.RawMessage) { m.Result = b })
}

// Fail answers a request with an error.
func (c *Conn) Fail(id uint64, e *Error) error {
	return c.write("error", message{ID: id, Error: e}, nil, nil)
}

// Event writes an event.
func (c *Conn) Event(name string, seq uint64, data any) error {
	return c.write(name, message{Event: name, Seq: seq}, data, func(m *message, b json.RawMessage) { m.Data = b })
}

func (c *Conn) write(what string, m message, body any, set func(*message, json.RawMessage)) error {
	if set != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("encoding %s: %w", what, err)
		}
		set(&m, b)
	}
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", what, err)
	}
	return c.WriteLine(line)
}

// WriteLine writes an encoded message and the newline.
func (c *Conn) WriteLine(line []byte) error {
	if len(line) >= MaxLine {
		return ErrTooLong
	}
	c.wm.Lock()
	defer c.wm.Unlock()
	if _, err := c.c.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("writing to the socket: %w", err)
	}
	return nil
}
