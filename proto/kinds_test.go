package proto_test

import (
	"bytes"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"signaltty/proto"
)

var update = flag.Bool("update", false, "write the golden lines and the sections of docs/protocol.md")

const (
	goldens = "../testdata/proto"
	page    = "../docs/protocol.md"
)

// sent is what a Conn writes while send runs.
func sent(t *testing.T, send func(*proto.Conn) error) string {
	t.Helper()
	var w recorder
	if err := send(proto.NewConn(&w)); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

// recorder is a connection that keeps what is written to it.
type recorder struct {
	net.Conn
	bytes.Buffer
}

func (r *recorder) Read(p []byte) (int, error)  { return r.Buffer.Read(p) }
func (r *recorder) Write(p []byte) (int, error) { return r.Buffer.Write(p) }
func (r *recorder) Close() error                { return nil }

// lines are the golden lines of a kind: the request and its reply, or the event.
func lines(t *testing.T, k proto.Kind) string {
	t.Helper()
	e, ok := examples[k.Name]
	if !ok {
		t.Fatalf("%s: there is no example of this kind in examples_test.go", k.Name)
	}
	if k.Form == proto.Event {
		return sent(t, func(c *proto.Conn) error { return c.Event(k.Name, seq(k), e.params) })
	}
	request := sent(t, func(c *proto.Conn) error { return c.Send(7, k.Name, e.params) })
	if k.Result == nil {
		return request
	}
	return request + sent(t, func(c *proto.Conn) error { return c.Reply(7, e.result) })
}

// seq is the number of a kind's example: frames have none.
func seq(k proto.Kind) uint64 {
	if k.Name == proto.EventFrame {
		return 0
	}
	return 42
}

// The golden lines pin every name on the wire: what this version writes is
// what they say, and what they say reads as what was meant.
func TestGoldenLines(t *testing.T) {
	for _, k := range proto.Kinds {
		t.Run(k.Name, func(t *testing.T) {
			path := filepath.Join(goldens, k.Name+".jsonl")
			got := lines(t, k)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s no longer matches.\ngot  %s\nwant %s", path, got, want)
			}
			readBack(t, k, want)
		})
	}
}

// readBack decodes golden lines and compares them with the example.
func readBack(t *testing.T, k proto.Kind, golden []byte) {
	t.Helper()
	e := examples[k.Name]
	for i, line := range bytes.Split(bytes.TrimSpace(golden), []byte("\n")) {
		m, err := proto.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		want := e.params
		if i == 1 {
			want = e.result
		} else if m.Method+m.Event != k.Name {
			t.Errorf("the line is of kind %q", m.Method+m.Event)
		}
		got := reflect.New(reflect.TypeOf(want))
		if err := m.Decode(got.Interface()); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Elem().Interface(), want) {
			t.Errorf("read back\n%+v\nwant\n%+v", got.Elem(), want)
		}
	}
}

func TestGoldenErrorLine(t *testing.T) {
	want := proto.Errorf(proto.CodeNoSuchDecision, "decision %s was answered before", "d1")
	want.Data = map[string]any{"end": "answered"}
	got := sent(t, func(c *proto.Conn) error { return c.Fail(7, want) })
	const line = `{"id":7,"error":{"code":"NO_SUCH_DECISION","message":"decision d1 was answered before","data":{"end":"answered"}}}` + "\n"
	if got != line {
		t.Errorf("got %s want %s", got, line)
	}
	m, err := proto.Parse([]byte(got))
	if err != nil || m.ID != 7 || !reflect.DeepEqual(m.Error, want) {
		t.Errorf("read back %+v, %v", m, err)
	}
}

func TestEveryGoldenHasItsKind(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(goldens, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, ok := proto.Lookup(strings.TrimSuffix(filepath.Base(f), ".jsonl")); !ok {
			t.Errorf("%s is of no kind", f)
		}
	}
}

// Every field of every type appears in some golden line, else its name could
// change unseen.
func TestGoldensNameEveryField(t *testing.T) {
	seen := map[string]bool{}
	all := map[string]bool{}
	for _, k := range proto.Kinds {
		for _, v := range []any{examples[k.Name].params, examples[k.Name].result} {
			if v != nil {
				fields(reflect.ValueOf(v), all, seen)
			}
		}
	}
	for f := range all {
		if !seen[f] {
			t.Errorf("%s is not set in any example", f)
		}
	}
}

// fields notes the struct fields below v, and which of them are set.
func fields(v reflect.Value, all, seen map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fields(v.Elem(), all, seen)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fields(v.Index(i), all, seen)
		}
	case reflect.Struct:
		if v.Type().PkgPath() != reflect.TypeFor[proto.Pane]().PkgPath() {
			return
		}
		for f, value := range v.Fields() {
			name := v.Type().Name() + "." + f.Name
			all[name] = true
			seen[name] = seen[name] || !value.IsZero()
			fields(value, all, seen)
		}
	}
}

func TestKindsAreWellFormed(t *testing.T) {
	names := map[string]bool{}
	for _, k := range proto.Kinds {
		if names[k.Name] {
			t.Errorf("%s is in the table twice", k.Name)
		}
		names[k.Name] = true
		if !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%s: the doc is not a sentence: %q", k.Name, k.Doc)
		}
		request := k.Form == proto.Request
		if request != (k.Access != "") || !request && k.Result != nil || k.Params == nil {
			t.Errorf("%s: every kind has params, and an event has neither access nor result", k.Name)
		}
		if got, ok := proto.Lookup(k.Name); !ok || got.Doc != k.Doc {
			t.Errorf("Lookup(%q) does not find it", k.Name)
		}
	}
	if _, ok := proto.Lookup("pane.explode"); ok {
		t.Error("Lookup finds a kind that is not there")
	}
}

// The page has a section per kind, made of the table and the golden lines.
func TestProtocolPage(t *testing.T) {
	const begin, end = "<!-- kinds: begin -->\n", "<!-- kinds: end -->\n"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := strings.Cut(string(data), begin)
	got, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has lost its markers", page)
	}
	var want strings.Builder
	for _, k := range proto.Kinds {
		want.WriteString(section(t, k))
	}
	if *update {
		if err := os.WriteFile(page, []byte(head+begin+want.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want.String() {
		t.Errorf("the sections of %s are stale: run go test ./proto -update", page)
	}
}

func section(t *testing.T, k proto.Kind) string {
	t.Helper()
	about := "Event."
	if k.Form == proto.Request {
		about = fmt.Sprintf("Request; %s may call it.", map[proto.Access]string{
			proto.Anyone: "anyone", proto.Person: "the person, not an agent,",
		}[k.Access])
	}
	return fmt.Sprintf("\n### %s\n\n%s %s\n\n```json\n%s```\n", k.Name, k.Doc, about, lines(t, k))
}
