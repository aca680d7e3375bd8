package policy

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"signaltty/proto"
)

// maxFile is how large a policy file may be, in bytes, and maxRules how many
// rules it may have.
const (
	maxFile  = 1 << 20
	maxRules = 5000
)

// file is policy.toml as it is written.
type file struct {
	Default   string     `toml:"default"`
	Unprotect []string   `toml:"unprotect"`
	Native    bool       `toml:"native_paths"`
	Rules     []fileRule `toml:"rule"`
}

type fileRule struct {
	Name      string    `toml:"name"`
	Verdict   string    `toml:"verdict"`
	Message   string    `toml:"message"`
	Tool      any       `toml:"tool"`
	ToolName  any       `toml:"tool_name"`
	Path      any       `toml:"path"`
	Command   any       `toml:"command"`
	Host      any       `toml:"host"`
	Agent     any       `toml:"agent"`
	Workspace any       `toml:"workspace"`
	Pane      string    `toml:"pane"`
	Session   string    `toml:"session"`
	Expires   time.Time `toml:"expires"`
	OnFailure string    `toml:"on_failure"`
}

// Parse reads a policy; source is its file's name, for errors and the names
// of rules. The error names each wrong key and value, and what is right.
func Parse(source string, data []byte) (Policy, error) {
	if len(data) > maxFile {
		return Policy{}, fmt.Errorf("%s: it is larger than %d KiB", source, maxFile>>10)
	}
	var f file
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&f); err != nil {
		return Policy{}, parseError(source, err)
	}
	if len(f.Rules) > maxRules {
		return Policy{}, fmt.Errorf("%s: it has more than %d rules", source, maxRules)
	}
	p := Policy{Default: proto.NoVerdict, Unprotect: f.Unprotect, NativePaths: f.Native}
	var wrong []error
	switch f.Default {
	case "", "agent":
	case "deny":
		p.Default = proto.Deny
	default:
		wrong = append(wrong, fmt.Errorf("%s: default is %q; it is \"agent\" (its own flow) or \"deny\"", source, f.Default))
	}
	for _, pattern := range f.Unprotect {
		if err := checkPath(pattern); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: unprotect: %w", source, err))
		}
	}
	lines := ruleLines(data)
	for i, fr := range f.Rules {
		at := fmt.Sprintf("%s, rule %d", source, i+1)
		if i < len(lines) {
			at = fmt.Sprintf("%s:%d", source, lines[i])
		}
		r, errs := fr.rule()
		for _, err := range errs {
			wrong = append(wrong, fmt.Errorf("%s: %w", at, err))
		}
		if r.Name == "" {
			r.Name = path.Base(at)
		}
		p.Rules = append(p.Rules, r)
	}
	if err := errors.Join(wrong...); err != nil {
		return Policy{}, err
	}
	return p, nil
}

// ParseProject reads the policy of a project, which may only tighten.
func ParseProject(source string, data []byte) (Policy, error) {
	p, err := Parse(source, data)
	if err != nil {
		return p, err
	}
	if len(p.Unprotect) > 0 {
		return Policy{}, fmt.Errorf("%s: unprotect is for the person's own policy; a project may only tighten", source)
	}
	for _, r := range p.Rules {
		if r.Verdict == proto.Allow || r.OnFailure == proto.NoVerdict {
			return Policy{}, fmt.Errorf("%s: rule %q loosens; a project may only tighten: use deny or ask, and no on_failure", source, r.Name)
		}
	}
	return p, nil
}

func parseError(source string, err error) error {
	if strict, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		var all []error
		for _, e := range strict.Errors {
			line, _ := e.Position()
			all = append(all, fmt.Errorf("%s:%d: there is no key %q; a rule has name, verdict, message, tool, tool_name, path, command, host, agent, workspace, pane, session, expires, on_failure", source, line, strings.Join(e.Key(), ".")))
		}
		return errors.Join(all...)
	}
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := e.Position()
		return fmt.Errorf("%s:%d: %s", source, line, strings.TrimPrefix(e.Error(), "toml: "))
	}
	return fmt.Errorf("%s: %w", source, err)
}

// ruleLines are the lines on which rules begin.
func ruleLines(data []byte) []int {
	var lines []int
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if bytes.HasPrefix(bytes.ReplaceAll(bytes.TrimSpace(line), []byte(" "), nil), []byte("[[rule]]")) {
			lines = append(lines, n)
		}
	}
	return lines
}

// rule checks one rule and says all that is wrong with it.
func (f fileRule) rule() (Rule, []error) {
	var wrong []error
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	r := Rule{Name: f.Name, Message: f.Message, Pane: f.Pane, Session: f.Session, Expires: f.Expires, OnFailure: proto.Deny}
	switch f.Verdict {
	case "allow":
		r.Verdict = proto.Allow
	case "ask":
		r.Verdict = proto.AskFirst
	case "deny":
		r.Verdict = proto.Deny
	default:
		fail("verdict is %q; it is \"allow\", \"ask\" or \"deny\"", f.Verdict)
	}
	switch f.OnFailure {
	case "", "deny":
	case "agent":
		r.OnFailure = proto.NoVerdict
	default:
		fail("on_failure is %q; it is \"deny\" or \"agent\" (its own flow)", f.OnFailure)
	}
	for _, list := range []struct {
		key   string
		value any
		into  *[]string
		check func(string) error
	}{
		{"tool", f.Tool, &r.Tools, checkTool}, {"tool_name", f.ToolName, &r.Names, nil}, {"path", f.Path, &r.Paths, checkPath},
		{"command", f.Command, &r.Commands, checkCommand}, {"host", f.Host, &r.Hosts, checkHost}, {"agent", f.Agent, &r.Agents, nil},
		{"workspace", f.Workspace, &r.Workspaces, checkPath},
	} {
		values, err := oneOrMore(list.key, list.value)
		if err != nil {
			wrong = append(wrong, err)
		}
		for _, v := range values {
			if list.check == nil {
				continue
			}
			if err := list.check(v); err != nil {
				fail("%s: %w", list.key, err)
			}
		}
		*list.into = values
	}
	if strings.HasPrefix(f.Name, "built-in:") {
		fail("name: what begins with \"built-in:\" is signaltty's own")
	}
	return r, append(wrong, r.clashes()...)
}

// clashes are conditions that can never hold together.
func (r Rule) clashes() []error {
	var wrong []error
	never := func(condition string, tools ...string) {
		if len(r.Tools) > 0 && !slices.ContainsFunc(r.Tools, func(t string) bool { return slices.Contains(tools, t) }) {
			wrong = append(wrong, fmt.Errorf("%s is about the tools %s, which tool leaves out: the rule could never match", condition, strings.Join(tools, ", ")))
		}
	}
	if len(r.Paths) > 0 {
		never("path", proto.ToolRead, proto.ToolEdit, proto.ToolSearch)
	}
	if len(r.Hosts) > 0 {
		never("host", proto.ToolFetch)
	}
	if len(r.Commands) > 0 {
		never("command", proto.ToolRun, proto.ToolRead, proto.ToolEdit, proto.ToolFetch)
	}
	if len(r.Paths) > 0 && len(r.Hosts) > 0 {
		wrong = append(wrong, errors.New("path and host stand in one rule: nothing is both; make two rules"))
	}
	return wrong
}

// oneOrMore is a text or a list of texts.
func oneOrMore(key string, v any) ([]string, error) {
	var out []string
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		out = []string{v}
	case []any:
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("%s has %v in its list; it takes texts", key, item)
			}
			out = append(out, s)
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("%s is an empty list, which matches nothing; leave it out to match everything", key)
		}
	default:
		return nil, fmt.Errorf("%s is %v; it is a text or a list of texts", key, v)
	}
	for _, s := range out {
		if s == "" || !isStatic(s) {
			return nil, fmt.Errorf("%s has an empty text or a control byte; leave %s out to match everything", key, key)
		}
	}
	return out, nil
}

func checkTool(s string) error {
	if !slices.Contains(Tools, s) {
		return fmt.Errorf("there is no tool %q; there are %s (and tool_name for an agent's own name)", s, strings.Join(Tools, ", "))
	}
	return nil
}

func checkPath(s string) error {
	switch {
	case strings.ContainsAny(s, "[]{}"):
		return fmt.Errorf("%q: a path takes *, ** and ?, and no [ ] or { }; write several", s)
	case strings.Contains(s, "***") || strings.Count(s, "**") > 3:
		return fmt.Errorf("%q: a path takes at most three **", s)
	case strings.HasPrefix(s, "~") && s != "~" && !strings.HasPrefix(s, "~/"):
		return fmt.Errorf("%q: ~ is the home directory alone; write other users' homes out", s)
	case slices.Contains(strings.Split(s, "/"), ".."):
		return fmt.Errorf("%q: write the path without \"..\"", s)
	}
	return nil
}

func checkCommand(s string) error {
	switch {
	case len(strings.Fields(s)) == 0:
		return errors.New("it is empty; ** is any command")
	case strings.Count(s, "**") > 3 || len(strings.Fields(s)) > 64:
		return fmt.Errorf("%q: a command takes at most three ** and 64 words", s)
	case strings.ContainsAny(s, "|;&<>`$\"'"):
		return fmt.Errorf("%q: a command is the words of one simple command, with no quotes, pipes, redirects or variables; rules are matched against each command of a script", s)
	}
	return nil
}

func checkHost(s string) error {
	if strings.ContainsAny(s, "/: ") {
		return fmt.Errorf("%q: a host is a name such as \"example.com\" or \"*.example.com\", without scheme, port or path", s)
	}
	return nil
}
