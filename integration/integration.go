package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/tailscale/hujson"

	"signaltty/adapters"
)

// Person is whose settings are meant, and by which binary.
type Person struct {
	Home  string
	Env   func(string) string
	State string // where records of the edits are kept, absolute
	Self  string // the binary that hooks are to run, absolute
}

// State is how an agent's settings stand.
type State string

// The states of an integration.
const (
	Installed State = "installed"
	Absent    State = "absent"
	Outdated  State = "outdated" // ours are there, but not as this binary would write them
	Broken    State = "broken"   // the file cannot be read
	None      State = "none"     // the agent's settings take no hooks of ours
)

// Report is how an agent's settings stand, or what was done to them.
type Report struct {
	Agent   string
	File    string
	State   State
	Changed bool
	Detail  string
}

// record is what an edit leaves behind for its undoing.
type record struct {
	File   string `json:"file"`
	Before []byte `json:"before"` // nil when there was no file
	After  []byte `json:"after"`
}

// Status says how the settings of an agent stand.
func (p Person) Status(a adapters.Adapter) Report {
	r := Report{Agent: a.Name, State: None, Detail: "its settings take no hooks of signaltty; panes that signaltty opens need none"}
	if a.Install == nil {
		return r
	}
	r.File = a.Install.File(p.Home, p.Env)
	file, err := target(r.File)
	var now []byte
	if err == nil {
		now, err = read(file)
	}
	var found, want int
	if err == nil {
		found, want, err = p.count(a, now)
	}
	switch {
	case err != nil:
		r.State, r.Detail = Broken, err.Error()
	case found == 0:
		r.State, r.Detail = Absent, "signaltty's hooks are not in it"
	case found != want:
		r.State, r.Detail = Outdated, "its hooks are of another signaltty, or not all there; `signaltty integration install "+a.Name+"` renews them"
	default:
		r.State, r.Detail = Installed, fmt.Sprintf("%d hooks run %s", found, p.Self)
	}
	return r
}

// count counts our entries in a file and those that should be there; they
// differ also when one is not as it should be.
func (p Person) count(a adapters.Adapter, now []byte) (found, want int, err error) {
	entries, err := a.Install.Entries(p.Self)
	if err != nil {
		return 0, 0, err
	}
	if now == nil {
		return 0, len(entries), nil
	}
	t, _ := body(now)
	right := 0
	for _, path := range paths(entries) {
		items, err := t.list(path)
		if err != nil {
			return 0, 0, err
		}
		for _, i := range items {
			value := standard(i.value)
			if !a.Install.Ours(value) {
				continue
			}
			found++
			if slices.ContainsFunc(entries, func(e adapters.Entry) bool { return slices.Equal(e.Path, path) && sameJSON(e.Value, value) }) {
				right++
			}
		}
	}
	if right != found && found == len(entries) {
		found++ // as many, but not these
	}
	return found, len(entries), nil
}

// Commands are what the agent would run at an event because of our entries in
// its settings.
func (p Person) Commands(a adapters.Adapter, event string) ([][]string, error) {
	if a.Install == nil {
		return nil, nil
	}
	file, err := target(a.Install.File(p.Home, p.Env))
	if err != nil {
		return nil, err
	}
	now, err := read(file)
	if err != nil || now == nil {
		return nil, err
	}
	entries, err := a.Install.Entries(p.Self)
	if err != nil {
		return nil, err
	}
	t, _ := body(now)
	var list [][]string
	for _, e := range entries {
		if e.Event != event {
			continue
		}
		items, err := t.list(e.Path)
		if err != nil {
			return nil, err
		}
		for _, i := range items {
			if value := standard(i.value); a.Install.Ours(value) {
				list = append(list, a.Install.Command(value))
			}
		}
	}
	return list, nil
}

// Off says what in the settings that count in dir keeps an agent's hooks from
// running, and where; "" when nothing does.
func (p Person) Off(a adapters.Adapter, dir string) string {
	if a.Install == nil {
		return ""
	}
	for _, file := range append([]string{a.Install.File(p.Home, p.Env)}, a.Install.Others(dir)...) {
		data, err := read(file)
		if err != nil || data == nil {
			continue // a broken one is told by Status, another one's is not ours to read
		}
		t, _ := body(data)
		v, err := t.parse()
		if err != nil {
			continue
		}
		if why := a.Install.Off(standard(v)); why != "" {
			return why + " in " + file
		}
	}
	return ""
}

// body is the JSON of a file without a byte order mark, which comes back as
// the head. Of an empty file it is an empty object.
func body(data []byte) (t text, head []byte) {
	mark := []byte("\ufeff")
	if bytes.HasPrefix(data, mark) {
		data, head = data[len(mark):], mark
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return text("{}\n"), head
	}
	return text(data), head
}

func paths(entries []adapters.Entry) [][]string {
	var list [][]string
	for _, e := range entries {
		if !slices.ContainsFunc(list, func(p []string) bool { return slices.Equal(p, e.Path) }) {
			list = append(list, e.Path)
		}
	}
	return list
}

// standard is a value as plain JSON.
func standard(v hujson.Value) []byte {
	c := v.Clone()
	c.Minimize()
	return c.Pack()
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, _ := json.Marshal(x) // what was just read can be written
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}

// Install puts our hooks into the settings of an agent, in place of those of
// an earlier signaltty.
func (p Person) Install(a adapters.Adapter) (Report, error) {
	return p.edit(a, func(file string, now []byte, old *record) ([]byte, *record, error) {
		found, want, err := p.count(a, now)
		if err != nil || found == want {
			return now, old, err
		}
		before, err := p.without(a, now, old)
		if err != nil {
			return nil, nil, err
		}
		after, err := p.with(a, before)
		return after, &record{file, before, after}, err
	})
}

// Uninstall takes our hooks out of the settings of an agent.
func (p Person) Uninstall(a adapters.Adapter) (Report, error) {
	return p.edit(a, func(_ string, now []byte, old *record) ([]byte, *record, error) {
		before, err := p.without(a, now, old)
		return before, nil, err
	})
}

// edit changes an agent's settings by change, which gets the file as it is and
// the record of the last edit, and gives what they are to be.
func (p Person) edit(a adapters.Adapter, change func(file string, now []byte, old *record) ([]byte, *record, error)) (Report, error) {
	if a.Install == nil {
		return p.Status(a), nil
	}
	l, err := lock(filepath.Join(p.State, "lock"))
	if err != nil {
		return Report{}, fmt.Errorf("locking the records of edits: %w", err)
	}
	defer l.Close()
	name := a.Install.File(p.Home, p.Env)
	file, err := target(name)
	if err != nil {
		return Report{}, fmt.Errorf("finding the settings of %s: %w", a.Title, err)
	}
	fail := func(err error) (Report, error) {
		return Report{}, fmt.Errorf("%s: %w; nothing was changed", name, err)
	}
	now, err := read(file)
	if err != nil {
		return fail(err)
	}
	records := filepath.Join(p.State, a.Name+".json")
	old := readRecord(records, file)
	then, rec, err := change(file, now, old)
	if err != nil {
		return fail(err)
	}
	// The record first: an edit without one could not be undone to the byte,
	// a record without its edit is of no use and does no harm.
	if rec != nil && rec != old {
		if err := writeRecord(records, rec); err != nil {
			return fail(err)
		}
	}
	if err := replace(file, now, then); err != nil {
		return fail(err)
	}
	if rec == nil {
		if err := os.Remove(records); err != nil && !os.IsNotExist(err) {
			return Report{}, fmt.Errorf("removing the record of the edit: %w", err)
		}
	}
	r := p.Status(a)
	r.Changed = !bytes.Equal(now, then) || (now == nil) != (then == nil)
	return r, nil
}

// with adds our hooks to a file.
func (p Person) with(a adapters.Adapter, before []byte) ([]byte, error) {
	entries, err := a.Install.Entries(p.Self)
	if err != nil {
		return nil, err
	}
	t, head := body(before)
	for _, e := range entries {
		if t, err = t.add(e.Path, e.Value); err != nil {
			return nil, err
		}
	}
	return slices.Concat(head, t), nil
}

// without is a file as it would be had we never been there. When nobody else
// has changed it since our edit, that is what was there before, to the byte.
func (p Person) without(a adapters.Adapter, now []byte, old *record) ([]byte, error) {
	if old != nil && now != nil && bytes.Equal(now, old.After) {
		return old.Before, nil
	}
	found, _, err := p.count(a, now)
	if err != nil || found == 0 {
		return now, err
	}
	entries, err := a.Install.Entries(p.Self)
	if err != nil {
		return nil, err
	}
	var before text
	if old != nil {
		before, _ = body(old.Before)
	}
	t, head := body(now)
	for _, path := range paths(entries) {
		if t, err = t.cut(path, func(i item) bool { return a.Install.Ours(standard(i.value)) }); err != nil {
			return nil, err
		}
		if t, err = t.tidy(path, before); err != nil {
			return nil, err
		}
	}
	if old != nil && old.Before == nil && string(bytes.Join(bytes.Fields(t), nil)) == "{}" {
		return nil, nil
	}
	return slices.Concat(head, t), nil
}

// tidy takes away what was made to hold our hooks and holds nothing now. What
// was there empty before gets its own form back.
func (t text) tidy(path []string, before text) (text, error) {
	for n := len(path); n > 0; n-- {
		at, missing, err := t.find(path[:n])
		if err != nil || len(missing) > 0 {
			return t, err
		}
		inside := t[at.StartOffset+1 : at.EndOffset-1]
		if len(bytes.TrimSpace(inside)) > 0 {
			return t, nil
		}
		if before != nil {
			if was, missing, err := before.find(path[:n]); err == nil && len(missing) == 0 {
				return slices.Concat(t[:at.StartOffset], before[was.StartOffset:was.EndOffset], t[at.EndOffset:]), nil
			}
		}
		name := path[n-1]
		if t, err = t.cut(path[:n-1], func(i item) bool { return i.name == name }); err != nil {
			return t, err
		}
	}
	return t, nil
}

func readRecord(path, file string) *record {
	data, err := os.ReadFile(path)
	var r record
	if err != nil || json.Unmarshal(data, &r) != nil || r.File != file {
		return nil // of no edit, or of another file: then it is undone by what stands there
	}
	return &r
}

func writeRecord(path string, r *record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	was, err := read(path)
	if err != nil {
		return err
	}
	return replace(path, was, data)
}

// Self is the path by which hooks are to run this binary: the name under which
// PATH finds it, when that is this very file, since an upgrade keeps that name
// and may move what it leads to.
func Self() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this binary: %w", err)
	}
	found, err := exec.LookPath("signaltty")
	if err != nil || !filepath.IsAbs(found) {
		return exe, nil
	}
	a, err1 := os.Stat(found)
	b, err2 := os.Stat(exe)
	if err1 == nil && err2 == nil && os.SameFile(a, b) {
		return found, nil
	}
	return exe, nil
}
