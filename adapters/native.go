package adapters

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"signaltty/proto"
)

// Policy is what a pane's agent is told of the person's policy at its launch.
// The gate judges every call all the same: what is said here holds as well
// when the gate's hook does not run.
type Policy struct {
	// Closed are the canonical tools whose calls are denied when the gate gets
	// no verdict.
	Closed []string
	Denies []Deny
	// Streams says that what the agent asks comes on its stream: no hook holds
	// for it, so that one ask is one decision.
	Streams bool
}

// turnPolicy is that of a headless turn, whose every call is judged by the
// turn's limits: without a verdict none runs.
func turnPolicy(streams bool) Policy {
	return Policy{Streams: streams, Closed: []string{
		proto.ToolRead, proto.ToolEdit, proto.ToolRun, proto.ToolFetch, proto.ToolSearch, proto.ToolMCP, proto.ToolAgent,
	}}
}

// Deny is one rule that denies, as far as agents have words for it.
type Deny struct {
	Tools    []string // canonical; none means every tool
	Paths    []string // globs: absolute, below ~, or anywhere (**/)
	Commands []string // words with * and **
	Hosts    []string
}

// whole says that the rule denies tools altogether.
func (d Deny) whole() bool { return len(d.Paths)+len(d.Commands)+len(d.Hosts) == 0 }

// errNoTool is why an agent is not started: it would have nothing to work
// with, and none of these agents can be told so but by telling it nothing.
var errNoTool = errors.New("the policy leaves the agent no tool; allow one in policy.toml, or start the program without --agent")

// nativeTools are the canonical tools that agents have names for.
var nativeTools = []string{proto.ToolRead, proto.ToolEdit, proto.ToolRun, proto.ToolFetch, proto.ToolSearch, proto.ToolAgent}

// tools are the canonical tools that a policy does not deny altogether.
func (p Policy) tools() []string {
	var left []string
	for _, tool := range nativeTools {
		if !slices.ContainsFunc(p.Denies, func(d Deny) bool { return d.whole() && d.about(tool) }) {
			left = append(left, tool)
		}
	}
	return left
}

func (d Deny) about(tool string) bool { return len(d.Tools) == 0 || slices.Contains(d.Tools, tool) }

// claudeNames are the tools of Claude Code by the canonical ones.
func claudeNames(tool string) []string {
	var names []string
	for name, canonical := range claudeCanonical {
		if canonical == tool {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// claudeDenies states denies in Claude Code's permission rules: Read and Edit
// take a path (// begins an absolute one) for all its tools that read or edit,
// Bash the words of a command, WebFetch a domain.
func claudeDenies(p Policy) ([]string, error) {
	if len(p.tools()) == 0 {
		return nil, errNoTool
	}
	var rules []string
	for _, d := range p.Denies {
		if d.whole() {
			for _, tool := range nativeTools {
				if d.about(tool) {
					rules = append(rules, claudeNames(tool)...)
				}
			}
			continue
		}
		for _, pattern := range d.Paths {
			for tool, name := range map[string]string{proto.ToolRead: "Read", proto.ToolEdit: "Edit"} {
				if d.about(tool) && len(d.Commands) == 0 {
					rules = append(rules, claudePath(name, pattern)...)
				}
			}
		}
		for _, c := range d.Commands {
			if d.about(proto.ToolRun) && len(d.Paths) == 0 {
				rules = append(rules, claudeRun(c)...)
			}
		}
		for _, h := range d.Hosts {
			if d.about(proto.ToolFetch) && !strings.ContainsAny(h, "*?") && len(d.Commands) == 0 {
				rules = append(rules, "WebFetch(domain:"+h+")")
			}
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules), nil
}

func claudePath(name, pattern string) []string {
	switch {
	case strings.ContainsAny(pattern, "()"):
		return nil // it would end the rule
	case strings.HasPrefix(pattern, "**"):
		pattern = "//" + pattern
	case strings.HasPrefix(pattern, "/"):
		pattern = "/" + pattern
	}
	rules := []string{name + "(" + pattern + ")"}
	if !strings.ContainsAny(pattern, "*?") {
		rules = append(rules, name+"("+strings.TrimSuffix(pattern, "/")+"/**)")
	}
	return rules
}

// claudeRun is a command as Claude Code matches it: by its words, with
// more after them. One with a ** in the middle is left to the gate.
func claudeRun(c string) []string {
	c = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(c), "**"))
	if c == "" {
		return claudeNames(proto.ToolRun)
	}
	if strings.Contains(c, "**") || strings.ContainsAny(c, "()") {
		return nil
	}
	return []string{"Bash(" + c + ")", "Bash(" + c + " *)"}
}

// denyIn adds our denies to the person's own settings of Claude Code.
func denyIn(user fields, rules []string) error {
	if len(rules) == 0 {
		return nil
	}
	permissions := fields{}
	if raw, ok := user["permissions"]; ok {
		if err := json.Unmarshal(raw, &permissions); err != nil {
			return fmt.Errorf("\"permissions\" must be an object: %w", err)
		}
	}
	if permissions == nil {
		permissions = fields{}
	}
	var own []json.RawMessage
	if raw, ok := permissions["deny"]; ok {
		if err := json.Unmarshal(raw, &own); err != nil {
			return fmt.Errorf("\"permissions.deny\" must be a list: %w", err)
		}
	}
	for _, r := range rules {
		raw, err := encodePlain(r)
		if err != nil {
			return err
		}
		own = append(own, raw)
	}
	var err error
	if permissions["deny"], err = encodePlain(own); err != nil {
		return err
	}
	user["permissions"], err = encodePlain(permissions)
	return err
}

// openCodePermission states denies in OpenCode's permission config: for each
// of its permissions a map from patterns to "deny". Its edit patterns are
// relative to the directory that it works in; the last pattern that matches counts.
func openCodePermission(p Policy, dir string) (map[string]map[string]string, error) {
	if len(p.tools()) == 0 {
		return nil, errNoTool
	}
	out := map[string]map[string]string{}
	deny := func(permission, pattern string) {
		if out[permission] == nil {
			out[permission] = map[string]string{}
		}
		out[permission][pattern] = "deny"
	}
	names := map[string][]string{
		proto.ToolRead: {"read"}, proto.ToolEdit: {"edit"}, proto.ToolRun: {"bash"}, proto.ToolFetch: {"webfetch", "websearch"},
		proto.ToolSearch: {"glob", "grep", "list"}, proto.ToolAgent: {"task"},
	}
	for _, d := range p.Denies {
		for _, tool := range slices.Sorted(maps.Keys(names)) {
			for _, name := range names[tool] {
				switch {
				case !d.about(tool):
				case d.whole():
					deny(name, "*")
				case tool == proto.ToolRun && len(d.Paths) == 0:
					for _, c := range d.Commands {
						deny(name, strings.TrimSuffix(strings.ReplaceAll(c, "**", "*"), " *")+"*")
					}
				case (tool == proto.ToolRead || tool == proto.ToolEdit) && len(d.Commands) == 0:
					for _, pattern := range d.Paths {
						deny(name, openCodePath(pattern, dir))
					}
				}
			}
		}
	}
	return out, nil
}

// denyPermissions adds denies to OpenCode's configuration, after the person's
// own patterns: the last one that matches counts.
func denyPermissions(config fields, denies map[string]map[string]string) error {
	if len(denies) == 0 {
		return nil
	}
	permission := fields{}
	if raw, ok := config["permission"]; ok {
		var all string
		if json.Unmarshal(raw, &all) == nil {
			permission["*"] = raw
		} else if err := json.Unmarshal(raw, &permission); err != nil || permission == nil {
			return errors.New("\"permission\" must be a word or an object")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(denies)) {
		if denies[name]["*"] != "" {
			permission[name] = json.RawMessage(`"deny"`) // some take no patterns
			continue
		}
		patterns, err := encodePlain(denies[name])
		if err != nil {
			return err
		}
		own, ok := permission[name]
		if permission[name] = patterns; !ok {
			continue
		}
		var word string
		if json.Unmarshal(own, &word) == nil {
			if own, err = encodePlain(map[string]string{"*": word}); err != nil {
				return err
			}
		}
		// Their text stays as it is, in its order, and ours follows.
		head, tail := strings.TrimRight(strings.TrimSpace(string(own)), "} \n\t"), strings.TrimSpace(string(patterns))[1:]
		if strings.HasSuffix(head, "{") {
			continue
		}
		permission[name] = json.RawMessage(head + "," + tail)
		if !json.Valid(permission[name]) {
			return fmt.Errorf("\"permission.%s\" must be a word or an object of words", name)
		}
	}
	var err error
	config["permission"], err = encodePlain(permission)
	return err
}

// openCodePath is a path pattern as OpenCode matches it, whose * takes slashes.
func openCodePath(pattern, dir string) string {
	if rel, ok := strings.CutPrefix(pattern, strings.TrimSuffix(path.Clean(dir), "/")+"/"); ok {
		pattern = rel
	}
	pattern = strings.ReplaceAll(strings.TrimPrefix(pattern, "**/"), "**", "*")
	if strings.HasPrefix(pattern, "*") || strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~") {
		return pattern
	}
	return "*" + pattern
}
