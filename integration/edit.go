package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// text is a settings file in JSON, which may have comments and trailing
// commas. Every edit leaves the bytes around it alone.
type text []byte

// item is a member of an object or an element of a list, by its place.
type item struct {
	name   string
	start  int // of the name or the element
	before int // of the white space and comments before it
	end    int // of the value
	comma  int // of the comma after it; -1 when there is none
	value  hujson.Value
}

// parse reads the text. An empty one is an empty object.
func (t text) parse() (hujson.Value, error) {
	v, err := hujson.Parse(t)
	if err != nil {
		return v, fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return v, nil
}

func itemsOf(v hujson.Value) ([]item, bool) {
	var list []item
	add := func(name string, first, value hujson.Value) {
		list = append(list, item{
			name: name, start: first.StartOffset, before: first.StartOffset - len(first.BeforeExtra),
			end: value.EndOffset, comma: value.EndOffset + len(value.AfterExtra), value: value,
		})
	}
	trailing := false
	switch c := v.Value.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			name := ""
			if l, ok := m.Name.Value.(hujson.Literal); ok {
				name = l.String()
			}
			add(name, m.Name, m.Value)
			trailing = m.Value.AfterExtra != nil
		}
	case *hujson.Array:
		for _, e := range c.Elements {
			add("", e, e)
			trailing = e.AfterExtra != nil
		}
	default:
		return nil, false
	}
	if n := len(list); n > 0 && !trailing {
		list[n-1].comma = -1
	}
	return list, true
}

// position names a place in the text for a person.
func (t text) position(at int) string {
	head := t[:at]
	line := bytes.Count(head, []byte("\n")) + 1
	return fmt.Sprintf("line %d, column %d", line, at-bytes.LastIndexByte(head, '\n'))
}

// find goes down a path of names and returns the value that stands at its
// end, or the last one that does, and the names that are missing below it.
func (t text) find(path []string) (at hujson.Value, missing []string, err error) {
	at, err = t.parse()
	if err != nil {
		return at, nil, err
	}
	for i, name := range path {
		if _, ok := at.Value.(*hujson.Object); !ok {
			return at, nil, fmt.Errorf("%s (%s) is not an object", quoted(path[:i]), t.position(at.StartOffset))
		}
		items, _ := itemsOf(at)
		found := -1
		for j, m := range items {
			if m.name != name {
				continue
			}
			if found >= 0 {
				return at, nil, fmt.Errorf("%s is there twice, the second time at %s", quoted(path[:i+1]), t.position(m.start))
			}
			found = j
		}
		if found < 0 {
			return at, path[i:], nil
		}
		at = items[found].value
	}
	return at, nil, nil
}

func quoted(path []string) string {
	if len(path) == 0 {
		return "the whole of it"
	}
	return `"` + strings.Join(path, ".") + `"`
}

// list is the elements of the list at a path; none when there is no such list.
func (t text) list(path []string) ([]item, error) {
	at, missing, err := t.find(path)
	if err != nil || len(missing) > 0 {
		return nil, err
	}
	if _, ok := at.Value.(*hujson.Array); !ok {
		return nil, fmt.Errorf("%s (%s) is not a list", quoted(path), t.position(at.StartOffset))
	}
	items, _ := itemsOf(at)
	return items, nil
}

// add appends a value to the list at a path, which is made if it is missing.
func (t text) add(path []string, value []byte) (text, error) {
	if _, err := t.list(path); err != nil {
		return nil, err
	}
	at, missing, err := t.find(path)
	if err != nil {
		return nil, err
	}
	if len(missing) == 0 {
		return t.insert(at, "", value), nil
	}
	if _, ok := at.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("%s (%s) is not an object", quoted(path[:len(path)-len(missing)]), t.position(at.StartOffset))
	}
	value = slices.Concat([]byte("["), value, []byte("]"))
	for _, name := range slices.Backward(missing[1:]) {
		value = slices.Concat([]byte("{"), mustJSON(name), []byte(":"), value, []byte("}"))
	}
	return t.insert(at, missing[0], value), nil
}

func mustJSON(s string) []byte {
	b, _ := json.Marshal(s) // a string always can
	return b
}

// insert puts a value, with a name if it goes into an object, at the end of an
// object or a list, in the form that the rest of it has.
func (t text) insert(into hujson.Value, name string, value []byte) text {
	items, _ := itemsOf(into)
	value = bytes.TrimSpace(value)
	unit, eol := t.unit(), t.eol()
	outer := t.indent(into.StartOffset)
	inner := outer + unit
	lines := len(items) == 0 || bytes.Contains(t[into.StartOffset:items[len(items)-1].start], []byte("\n"))
	if n := len(items); lines && n > 0 {
		inner = t.indent(items[n-1].start)
	}
	var body bytes.Buffer
	if name != "" {
		body.Write(mustJSON(name))
		body.WriteString(": ")
	}
	before, end := eol+inner, ""
	if lines {
		_ = json.Indent(&body, value, inner, unit) // it is JSON
	} else {
		before = " "
		_ = json.Compact(&body, value)
	}
	added := strings.ReplaceAll(body.String(), "\n", eol)
	if eol == "\n" {
		added = body.String()
	}
	last := into.EndOffset - 1 // the closing bracket
	gap := into.StartOffset + 1
	var out []byte
	switch n := len(items); {
	case n == 0:
		out = slices.Clone(t[:gap])
	case items[n-1].comma >= 0:
		gap, end = items[n-1].comma+1, ","
		out = slices.Clone(t[:gap])
	default:
		gap = items[n-1].end
		out = append(slices.Clone(t[:gap]), ',')
	}
	// Comments that stand in the gap stay with what they are about.
	rest := t[gap:last]
	kept := len(bytes.TrimRight(rest, " \t\r\n"))
	out = append(out, rest[:kept]...)
	if kept > 0 && before == " " {
		before = eol + inner // it may be a comment to the end of its line
	}
	out = append(out, before+added+end...)
	if rest = rest[kept:]; lines && !bytes.Contains(rest, []byte("\n")) {
		rest = []byte(eol + outer)
	}
	out = append(out, rest...)
	return append(out, t[last:]...)
}

// cut takes the items out of a value for which is holds.
func (t text) cut(path []string, is func(item) bool) (text, error) {
	for {
		at, missing, err := t.find(path)
		if err != nil || len(missing) > 0 {
			return t, err
		}
		items, _ := itemsOf(at)
		i := slices.IndexFunc(items, is)
		if i < 0 {
			return t, nil
		}
		t = t.cutOne(items, i)
	}
}

func (t text) cutOne(items []item, i int) text {
	m := items[i]
	// What stands before it and is not white space is a comment, and stays.
	start := m.before + len(bytes.TrimRight(t[m.before:m.start], " \t\r\n"))
	var out []byte
	switch {
	case m.comma >= 0:
		out = slices.Concat(t[:start], t[m.end:m.comma], t[m.comma+1:])
	case i > 0:
		c := items[i-1].comma
		out = slices.Concat(t[:c], t[c+1:start], t[m.end:])
	default:
		out = slices.Concat(t[:start], t[m.end:])
	}
	return out
}

// unit is one step of indentation, as the text has it.
func (t text) unit() string {
	v, err := t.parse()
	if err != nil {
		return "  "
	}
	items, _ := itemsOf(v)
	if len(items) == 0 {
		return "  "
	}
	if in := t.indent(items[0].start); in != "" {
		return in
	}
	return "  "
}

// indent is the white space that the line of a place begins with.
func (t text) indent(at int) string {
	line := t[bytes.LastIndexByte(t[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// eol is how the text ends its lines.
func (t text) eol() string {
	if i := bytes.IndexByte(t, '\n'); i > 0 && t[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
