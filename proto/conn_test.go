package proto_test

import (
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"

	"signaltty/proto"
)

// endless is a connection whose peer writes one line without end.
type endless struct {
	net.Conn
	sent int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.sent += len(p)
	return len(p), nil
}

func TestReadEndlessLine(t *testing.T) {
	peer := &endless{}
	c := proto.NewConn(peer)
	_, err := c.Read()
	if !errors.Is(err, proto.ErrTooLong) {
		t.Fatalf("got %v, want ErrTooLong", err)
	}
	if limit := proto.MaxLine + 64<<10; peer.sent > limit {
		t.Errorf("read %d bytes of an endless line, more than %d", peer.sent, limit)
	}
}

func TestEndlessLineCostsNoMoreThanALine(t *testing.T) {
	var before, after runtime.MemStats
	c := proto.NewConn(&endless{})
	runtime.ReadMemStats(&before)
	_, _ = c.Read()
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > proto.MaxLine+proto.MaxLine/8 {
		t.Errorf("allocated %d bytes for a line that is refused at %d", used, proto.MaxLine)
	}
}

func TestReadLines(t *testing.T) {
	long := `{"event":"` + strings.Repeat("x", 1<<20) + `"}`
	exact := `{"event":"` + strings.Repeat("x", proto.MaxLine-13) + `"}`
	tests := []struct {
		name, in string
		events   []string // the lengths tell them apart
		err      error
	}{
		{"two in one write", `{"event":"a"}` + "\n" + `{"event":"bb"}` + "\n", []string{"a", "bb"}, io.EOF},
		{"longer than the buffer", long + "\n" + `{"event":"a"}` + "\n", []string{strings.Repeat("x", 1<<20), "a"}, io.EOF},
		{"as long as can be", exact + "\n", []string{strings.Repeat("x", proto.MaxLine-13)}, io.EOF},
		{"one byte longer", strings.Replace(exact, "x", "xx", 1) + "\n", nil, proto.ErrTooLong},
		{"half a line, then the end", `{"event":"a"}` + "\n" + `{"ev`, []string{"a"}, io.ErrUnexpectedEOF},
		{"nothing", "", nil, io.EOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &recorder{}
			w.WriteString(tt.in)
			c := proto.NewConn(w)
			for _, want := range tt.events {
				m, err := c.Read()
				if err != nil || m.Event != want {
					t.Fatalf("got an event of %d bytes and %v, want %d bytes", len(m.Event), err, len(want))
				}
			}
			if _, err := c.Read(); !errors.Is(err, tt.err) {
				t.Errorf("ended in %v, want %v", err, tt.err)
			}
		})
	}
}

// A message must survive the reading of the next one.
func TestMessagesAreNotBorrowed(t *testing.T) {
	w := &recorder{}
	w.WriteString(`{"event":"a","data":{"message":"first"}}` + "\n" + `{"event":"b","data":{"message":"other"}}` + "\n")
	c := proto.NewConn(w)
	first, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(); err != nil {
		t.Fatal(err)
	}
	if string(first.Body) != `{"message":"first"}` {
		t.Errorf("the first message became %s", first.Body)
	}
}

func TestWriteRefusesALineThatIsTooLong(t *testing.T) {
	w := &recorder{}
	err := proto.NewConn(w).Send(1, proto.MethodPanePaste, proto.PanePaste{Text: strings.Repeat("x", proto.MaxLine)})
	if !errors.Is(err, proto.ErrTooLong) || w.Len() != 0 {
		t.Errorf("got %v and %d bytes written, want ErrTooLong and none", err, w.Len())
	}
}

func TestParseRefuses(t *testing.T) {
	const forms = "a line is a request with id (not 0) and method, a reply with id, or an event"
	tests := []struct{ line, message string }{
		{``, "message: unexpected end of JSON input"},
		{`hello`, "message: invalid character 'h' looking for beginning of value"},
		{`{}`, forms},
		{`null`, forms},
		{`{"method":"status"}`, forms},
		{`{"method":"status","id":0}`, forms},
		{`{"id":1,"method":"status","event":"frame"}`, forms},
		{`{"id":"1","method":"status"}`, `message: field "id" cannot be string: it is a whole number from 0`},
		{`{"id":-1,"method":"status"}`, `message: field "id" cannot be number -1: it is a whole number from 0`},
		{`{"id":1,"method":7}`, `message: field "method" cannot be number: it is a string`},
		{`{"id":1,"error":"no"}`, `message: field "error" cannot be string: it is an object`},
		{`[1]`, "message: json: cannot unmarshal array into Go value of type proto.message"},
	}
	for _, tt := range tests {
		_, err := proto.Parse([]byte(tt.line))
		e, ok := errors.AsType[*proto.Error](err)
		if !ok || e.Code != proto.CodeBadRequest || e.Message != tt.message {
			t.Errorf("Parse(%s)\n got %v\nwant %s", tt.line, err, tt.message)
		}
	}
}

func TestDecodeNamesTheWrongField(t *testing.T) {
	tests := []struct {
		method, params, message string
	}{
		{proto.MethodPaneInput, `{"pane_id":5}`, `pane.input: field "pane_id" cannot be number: it is a string`},
		{proto.MethodPaneInput, `{"data":true}`, `pane.input: field "data" cannot be bool: it is a base64 string`},
		{proto.MethodPaneInput, `{"passive":"yes"}`, `pane.input: field "passive" cannot be string: it is true or false`},
		{proto.MethodPaneResize, `{"size":{"cols":"80"}}`, `pane.resize: field "size.cols" cannot be string: it is a whole number`},
		{proto.MethodPaneResize, `{"size":{"cols":80.5}}`, `pane.resize: field "size.cols" cannot be number 80.5: it is a whole number`},
		{proto.MethodPaneNew, `{"argv":"ls"}`, `pane.new: field "argv" cannot be string: it is a list`},
		{proto.MethodTabArrange, `{"tree":{"a":true}}`, `tab.arrange: field "tree.a" cannot be bool: it is an object`},
		{proto.MethodHookEvent, `{"ask":{"options":[{"id":1}]}}`, `hook.event: field "ask.options.id" cannot be number: it is a string`},
	}
	for _, tt := range tests {
		m, err := proto.Parse([]byte(`{"id":1,"method":"` + tt.method + `","params":` + tt.params + `}`))
		if err != nil {
			t.Fatal(err)
		}
		k, _ := proto.Lookup(tt.method)
		err = m.Decode(zero(k.Params))
		if e, ok := errors.AsType[*proto.Error](err); !ok || e.Code != proto.CodeBadRequest || e.Message != tt.message {
			t.Errorf("%s %s\n got %v\nwant %s", tt.method, tt.params, err, tt.message)
		}
	}
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	m, err := proto.Parse([]byte(`{"id":1,"method":"pane.close","colour":"red","params":{"pane_id":"p1","force":{"deep":[true]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var p proto.PaneRef
	if err := m.Decode(&p); err != nil || p.Pane != "p1" {
		t.Errorf("got %+v, %v", p, err)
	}
}
