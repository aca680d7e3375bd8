package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"signaltty/proto"
	"signaltty/store"
	"signaltty/tui"

	"github.com/pelletier/go-toml/v2"
)

// config is what a person's config.toml says, with the defaults for the rest.
type config struct {
	keys tui.Keys
	// waitBeside is how long a decision waits whose dialog stands beside the
	// bar, waitOnly how long the others do.
	waitBeside, waitOnly time.Duration
	// waitHooks is how long a new agent's hooks may say nothing before its pane
	// tells.
	waitHooks time.Duration
	// historyLines is how many lines of scrollback a pane keeps.
	historyLines int
	// auditRows is how many rows the database keeps, auditSink the file or FIFO
	// that is told them, auditAnchor the command that is told their head.
	auditRows   int
	auditSink   string
	auditAnchor []string
	// notify is how the person is called by the screen; onDecision is the
	// command that the server tells each new decision.
	notify     tui.Notify
	onDecision []string
}

func defaultConfig() config {
	return config{keys: tui.DefaultKeys(), waitBeside: 24 * time.Hour, waitOnly: 2 * time.Minute, waitHooks: store.DefaultSilence, historyLines: 10_000, auditRows: store.DefaultAuditRows, notify: defaultNotify()}
}

// loadConfig reads config.toml. Without the file the defaults hold. The error
// names each wrong key and value with its line and what is allowed there.
func loadConfig() (config, error) {
	dir, err := proto.ConfigDir()
	if err != nil {
		return config{}, err
	}
	path := filepath.Join(dir, "config.toml")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return defaultConfig(), nil
	}
	if err != nil {
		return config{}, fmt.Errorf("reading the configuration: %w; make the file readable or move it away", err)
	}
	return parseConfig(path, data)
}

// parseConfig reads the text of a config.toml; path is for the errors.
func parseConfig(path string, data []byte) (config, error) {
	c := defaultConfig()
	lines, err := keyLines(data)
	if err != nil {
		return c, err.in(path)
	}
	var tables map[string]any
	if err := toml.Unmarshal(data, &tables); err != nil {
		return c, fmt.Errorf("%s: %w", path, err) // keyLines has parsed it before: not reached
	}
	var wrong []problem
	for _, key := range lines {
		name := qualified(tables, key.name)
		for _, err := range split(c.set(name, lookup(tables, name))) {
			wrong = append(wrong, problem{key.line, err})
		}
	}
	wrong = append(wrong, c.clashes(tables, lines, wrong)...)
	slices.SortStableFunc(wrong, func(a, b problem) int { return a.line - b.line })
	var all []error
	for _, p := range wrong {
		all = append(all, p.in(path))
	}
	return c, errors.Join(all...)
}

// clashes tells each key that two commands share where it was given last, and
// where the other one has it from. A setting that is wrong in itself is no
// part of it.
func (c *config) clashes(tables map[string]any, lines []keyLine, wrong []problem) []problem {
	set := map[string]int{} // the line of each command's keys
	for _, key := range lines {
		if name, ok := strings.CutPrefix(qualified(tables, key.name), "keys."); ok {
			set[name] = key.line
		}
	}
	broken := func(name string) bool {
		return set[name] > 0 && slices.ContainsFunc(wrong, func(p problem) bool { return p.line == set[name] })
	}
	var list []problem
	for _, clash := range c.keys.Clashes() {
		here, there := clash.Names[0], clash.Names[1]
		if broken(here) || broken(there) {
			continue
		}
		if set[here] < set[there] {
			here, there = there, here
		}
		from := "by default"
		if line := set[there]; line > 0 {
			from = fmt.Sprintf("in line %d", line)
		}
		list = append(list, problem{set[here], fmt.Errorf("key %s: %s is %s too, %s; give one of them another key", here, clash.Chord, there, from)})
	}
	return list
}

// split takes joined errors apart.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// keyLine is where a key stands.
type keyLine struct {
	name string // dotted, such as "keys.once"
	line int
}

// problem is what is wrong with a line.
type problem struct {
	line int
	err  error
}

func (p problem) in(path string) error { return fmt.Errorf("%s:%d: %w", path, p.line, p.err) }

// keyLines lists the keys of a document in their order. It decodes strictly
// into tables that know no key, which reports every key with its place.
func keyLines(data []byte) ([]keyLine, *problem) {
	var sections struct {
		Keys    struct{} `toml:"keys"`
		Wait    struct{} `toml:"wait"`
		History struct{} `toml:"history"`
		Audit   struct{} `toml:"audit"`
		Notify  struct{} `toml:"notify"`
	}
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&sections)
	if strict, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		var keys []keyLine
		for _, e := range strict.Errors {
			line, _ := e.Position()
			keys = append(keys, keyLine{strings.Join(e.Key(), "."), line})
		}
		return keys, nil
	}
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := e.Position()
		return nil, &problem{line, errors.New(strings.TrimPrefix(e.Error(), "toml: "))}
	}
	if err != nil {
		return nil, &problem{1, err}
	}
	return nil, nil
}

// qualified is a key's full name: the keys of an inline table are reported
// without the table's.
func qualified(tables map[string]any, name string) string {
	if lookup(tables, name) != nil {
		return name
	}
	for table := range tables {
		if full := table + "." + name; lookup(tables, full) != nil {
			return full
		}
	}
	return name
}

// lookup finds a dotted key's value.
func lookup(tables map[string]any, name string) any {
	table, key, dotted := strings.Cut(name, ".")
	if inner, ok := tables[table].(map[string]any); ok && dotted {
		return lookup(inner, key)
	}
	return tables[name]
}

// set gives one setting its value. The error says what is allowed.
func (c *config) set(name string, value any) error {
	if key, ok := strings.CutPrefix(name, "keys."); ok {
		return c.setKey(key, value)
	}
	switch name {
	case "wait.beside":
		return setWait(&c.waitBeside, name, value)
	case "wait.only":
		return setWait(&c.waitOnly, name, value)
	case "wait.hooks":
		return setWait(&c.waitHooks, name, value)
	case "history.lines":
		n, ok := value.(int64)
		if !ok || n < 0 || n > 1_000_000 {
			return fmt.Errorf("%s is %v; it is a number of lines from 0 to 1000000", name, value)
		}
		c.historyLines = int(n)
		return nil
	}
	if key, ok := strings.CutPrefix(name, "audit."); ok {
		return c.setAudit(key, value)
	}
	if key, ok := strings.CutPrefix(name, "notify."); ok {
		return c.setNotify(key, value)
	}
	return noSetting(name)
}

func noSetting(name string) error {
	return fmt.Errorf("there is no setting %q; there are [wait] with beside, only and hooks, [history] with lines, [audit] with sink, anchor and rows, [notify] with desktop, command, bell and on_decision, and [keys]", name)
}

// setAudit gives a setting of the audit its value.
func (c *config) setAudit(key string, value any) error {
	switch key {
	case "sink":
		path, _ := value.(string)
		if !filepath.IsAbs(path) {
			return fmt.Errorf("audit.sink is %v; it is the full path of a file or a FIFO, such as \"/run/collector/audit\"", value)
		}
		c.auditSink = path
	case "anchor":
		return setCommand(&c.auditAnchor, "audit.anchor", value, `["ssh", "safe", "cat >> heads"]`)
	case "rows":
		n, _ := value.(int64)
		if n < minAuditRows || n > maxAuditRows {
			return fmt.Errorf("audit.rows is %v; it is a number of rows from %d to %d", value, minAuditRows, maxAuditRows)
		}
		c.auditRows = int(n)
	default:
		return noSetting("audit." + key)
	}
	return nil
}

// The bounds of how many rows the database keeps.
const (
	minAuditRows = 1_000
	maxAuditRows = 10_000_000
)

// setKey binds chords, given as one string or a list, to a command.
func (c *config) setKey(name string, value any) error {
	var chords []string
	switch v := value.(type) {
	case string:
		chords = []string{v}
	case []any:
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				return fmt.Errorf("keys.%s has %v in its list; a key is written as a string, such as \"ctrl+]\"", name, item)
			}
			chords = append(chords, s)
		}
	default:
		if slices.Contains(tui.KeyNames(), name) {
			return fmt.Errorf("keys.%s is %v; it is a key such as \"ctrl+]\", or a list of keys", name, value)
		}
	}
	return c.keys.Set(name, chords...)
}

// The bounds of a wait. The upper one is below the time-out that is installed
// in the agents, so that a hook ends by itself and is never killed.
const (
	minWait = time.Second
	maxWait = 24 * time.Hour
)

func setWait(to *time.Duration, name string, value any) error {
	s, _ := value.(string)
	d, err := time.ParseDuration(s)
	if err != nil || d < minWait || d > maxWait {
		return fmt.Errorf("%s is %v; it is a time from \"1s\" to \"24h\", such as \"90s\" or \"10m\"", name, value)
	}
	*to = d
	return nil
}
