package policy

import (
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"signaltty/proto"
)

// Place is what a policy is bound to: where its paths begin.
type Place struct {
	// Home and Workspace are absolute directories, as the server knows them. Of
	// a call whose workspace is not known it is "": rules that deny or ask then
	// hold below any directory, and those that allow below none.
	Home, Workspace string
	Files           Files
	// Fold says that the file system ignores case.
	Fold bool
	// Own are the paths of signaltty itself, which no tool may change.
	Own []string
}

// Judge is a policy bound to a place. It may be used from any goroutine.
type Judge struct {
	policy Policy
	root   root
	rules  []bound
	here   place // the workspace, as rules are matched against it
}

// bound is a compiled rule.
type bound struct {
	Rule
	builtIn    bool
	tools      []string
	names      []glob
	paths      []pathGlob
	commands   []words
	hosts      []glob
	agents     []glob
	workspaces []pathGlob
}

// Bind compiles a policy for a place.
func (p Policy) Bind(at Place) *Judge {
	j := &Judge{policy: p, root: root{at.Home, at.Workspace, at.Files, at.Fold}, here: place{paths: []string{string(unknown)}}}
	if at.Workspace != "" {
		j.root.workspace = path.Clean("/" + at.Workspace)
		if real, broken := j.root.follow(j.root.workspace); broken == "" {
			j.root.workspace = real
		}
		j.here = j.root.folded(place{paths: []string{j.root.workspace}})
	} else {
		j.policy.Unprotect = slices.DeleteFunc(slices.Clone(p.Unprotect), relative)
	}
	for _, r := range p.Rules {
		if r.Verdict == proto.Allow && at.Workspace == "" && slices.ContainsFunc(r.Paths, relative) {
			if r.Paths = slices.DeleteFunc(slices.Clone(r.Paths), relative); len(r.Paths) == 0 {
				continue
			}
		}
		j.rules = append(j.rules, j.bind(r))
	}
	for _, r := range protection(at.Own) {
		b := j.bind(r)
		b.builtIn = true
		j.rules = append(j.rules, b)
	}
	return j
}

func (j *Judge) bind(r Rule) bound {
	b := bound{Rule: r, tools: r.tools()}
	for _, s := range r.Paths {
		b.paths = append(b.paths, j.root.compilePath(s))
	}
	for _, s := range r.Workspaces {
		b.workspaces = append(b.workspaces, j.root.compilePath(s))
	}
	for _, s := range r.Commands {
		b.commands = append(b.commands, compileWords(s))
	}
	for _, s := range r.Hosts {
		b.hosts = append(b.hosts, compileGlob(strings.ToLower(s), true))
	}
	for _, s := range r.Names {
		b.names = append(b.names, compileGlob(s, true))
	}
	for _, s := range r.Agents {
		b.agents = append(b.agents, compileGlob(s, true))
	}
	return b
}

// condition is one condition of a rule, and how it matched.
type condition struct {
	name  string
	want  []string
	match match
}

// conditions yields how each condition of a rule relates to an access. The
// cheap ones come first.
func (b *bound) conditions(j *Judge, a *Ask, x *access) iter.Seq[condition] {
	allow := b.Verdict == proto.Allow
	return func(yield func(condition) bool) {
		_ = (len(b.tools) == 0 || yield(condition{"tool", b.tools, sure(slices.Contains(b.tools, x.tool))})) &&
			(len(b.paths) == 0 || yield(condition{"path", b.Paths, anyPath(b.paths, x.place, allow)})) &&
			(len(b.hosts) == 0 || yield(condition{"host", b.Hosts, given(x.host != "", b.hosts, x.host)})) &&
			(len(b.names) == 0 || yield(condition{"tool_name", b.Names, given(x.name != "", b.names, x.name)})) &&
			(len(b.commands) == 0 || yield(condition{"command", b.Commands, anyCommand(b.commands, x, allow)})) &&
			(len(b.agents) == 0 || yield(condition{"agent", b.Agents, anyOf(b.agents, a.Agent)})) &&
			(b.Pane == "" || yield(condition{"pane", []string{b.Pane}, sure(b.Pane == a.Pane)})) &&
			(b.Session == "" || yield(condition{"session", []string{b.Session}, sure(b.Session == a.Session)})) &&
			(len(b.workspaces) == 0 || yield(condition{"workspace", b.Workspaces, anyPath(b.workspaces, j.here, allow)}))
	}
}

func given(is bool, globs []glob, s string) match {
	if !is {
		return no
	}
	return anyOf(globs, s)
}

func anyPath(globs []pathGlob, p place, allow bool) match {
	best := no
	for i := 0; i < len(globs) && len(p.paths) > 0 && best < yes; i++ {
		best = max(best, globs[i].against(p, allow))
	}
	return best
}

func anyCommand(patterns []words, x *access, allow bool) match {
	best := no
	for i := 0; i < len(patterns) && len(x.argv) > 0 && best < yes; i++ {
		best = max(best, patterns[i].against(x, allow))
	}
	return best
}

// against says how a rule relates to an access.
func (b *bound) against(j *Judge, a *Ask, x *access) match {
	if !b.Expires.IsZero() && !a.Now.Before(b.Expires) {
		return no
	}
	worst := yes
	for c := range b.conditions(j, a, x) {
		if worst = min(worst, c.match); worst == no {
			return no
		}
	}
	if x.soft && worst == yes && b.Verdict == proto.Deny {
		return maybe
	}
	return worst
}

// Gates lists the canonical tools whose calls must not run unjudged.
func (j *Judge) Gates() []string { return j.policy.Gates() }

// Judge says what the policy says of a call.
func (j *Judge) Judge(a Ask) Verdict { return j.judge(a, false) }

// Explain is Judge that also tells what nearly matched.
func (j *Judge) Explain(a Ask) Verdict { return j.judge(a, true) }

func (j *Judge) judge(a Ask, explain bool) Verdict {
	none := Verdict{Behavior: proto.NoVerdict, Reason: "no rule is about this: the agent's own flow decides"}
	var steps []Step
	var strictest, allow *Verdict
	whole := true // all that needs an allow has one
	list := j.accesses(a)
	for i := range list {
		x := &list[i]
		s := j.step(&a, x)
		if explain {
			s.Near = j.near(&a, x)
		}
		steps = append(steps, s.Step)
		switch s.Behavior {
		case proto.Deny, proto.AskFirst:
			if strictest == nil || s.Behavior == proto.Deny && strictest.Behavior != proto.Deny {
				strictest = &s.verdict
			}
		case proto.Allow:
			if allow == nil {
				allow = &s.verdict
			}
		default:
			whole = whole && x.implied
		}
	}
	v := none
	switch {
	case strictest != nil:
		v = *strictest
	case allow != nil && whole:
		v = *allow
	}
	v.Steps = steps
	return v
}

// judged is a step with what the whole would be if this decided.
type judged struct {
	Step
	verdict Verdict
}

// step judges one access by every rule: the strictest that matches counts.
func (j *Judge) step(a *Ask, x *access) judged {
	var denies, asks, mays, allows *bound
	for i := range j.rules {
		r := &j.rules[i]
		if r.Verdict == proto.Allow && allows != nil || r.Verdict == proto.Deny && denies != nil {
			continue
		}
		m := r.against(j, a, x)
		switch {
		case m == no:
		case r.builtIn && (j.unprotected(x) || m != yes && j.policy.Empty() && !x.ofInput()):
		case r.Verdict == proto.Deny && m == yes:
			denies = r
		case r.Verdict == proto.Deny && mays == nil:
			mays = r
		case r.Verdict == proto.AskFirst && asks == nil:
			asks = r
		case r.Verdict == proto.Allow && m == yes:
			allows = r
		}
	}
	what := x.describe()
	switch {
	case denies != nil:
		return byRule(what, proto.Deny, denies, "")
	case x.place.broken != "" && x.tool == proto.ToolEdit && !j.policy.Empty():
		return builtIn(what, proto.Deny, "broken link", x.place.broken)
	case asks != nil:
		return byRule(what, proto.AskFirst, asks, "")
	case mays != nil:
		return byRule(what, proto.AskFirst, mays, "it may be what the rule is about: what it becomes is known only when it runs")
	case x.unclear != "" && !j.policy.Empty():
		return builtIn(what, proto.AskFirst, "not understood", x.unclear)
	case allows != nil && x.unclear == "":
		return byRule(what, proto.Allow, allows, "")
	case x.implied || x.tool == "" || j.policy.Default != proto.Deny:
		return judged{Step: Step{Touches: what, Behavior: proto.NoVerdict}}
	}
	return builtIn(what, proto.Deny, "default", "no rule allows it, and the policy's default is deny")
}

// unprotected says that the person took a path out of the built-in protection.
func (j *Judge) unprotected(x *access) bool {
	return len(x.place.paths) > 0 && slices.ContainsFunc(j.policy.Unprotect, func(p string) bool {
		return matches(j.root.compilePath(p), x.place)
	})
}

func matches(g pathGlob, p place) bool { return g.against(p, true) == yes }

func byRule(what string, b proto.Behavior, r *bound, why string) judged {
	reason := fmt.Sprintf("signaltty: %s by rule %q (%s)", done[b], r.Name, what)
	if r.Message != "" {
		reason += ": " + r.Message
	}
	if why != "" {
		reason += "; " + why
	}
	return judged{
		Step:    Step{Touches: what, Behavior: b, Rule: r.Name, Why: why},
		verdict: Verdict{Behavior: b, Rule: r.Name, Reason: reason, OnFailure: r.OnFailure},
	}
}

func builtIn(what string, b proto.Behavior, name, why string) judged {
	name = "built-in: " + name
	return judged{
		Step:    Step{Touches: what, Behavior: b, Rule: name, Why: why},
		verdict: Verdict{Behavior: b, Rule: name, Reason: fmt.Sprintf("signaltty: %s by rule %q (%s): %s", done[b], name, what, why)},
	}
}

var done = map[proto.Behavior]string{proto.Deny: "denied", proto.AskFirst: "asked", proto.Allow: "allowed"}

// near lists the rules that one condition alone kept from matching.
func (j *Judge) near(a *Ask, x *access) []Near {
	var list []Near
	for r, c := range j.nearly(a, x) {
		list = append(list, Near{r.Name, c.name, strings.Join(c.want, ", ")})
	}
	return list
}

// Missed are the allow rules that one condition alone kept from answering a
// call: why a person is asked once more. A rule about another tool, or about
// the commands of another program, is none.
func (j *Judge) Missed(a Ask) []Near {
	var list []Near
	accesses := j.accesses(a)
	for i := range accesses {
		x := &accesses[i]
		for r, c := range j.nearly(&a, x) {
			if r.Verdict == proto.Allow && c.name != "tool" && (c.name != "command" || r.about(x)) {
				list = append(list, Near{r.Name, c.name, strings.Join(c.want, ", ")})
			}
		}
	}
	return list
}

// about says that one of a rule's commands is of the program of an access.
func (b *bound) about(x *access) bool {
	return len(x.bare) > 0 && slices.ContainsFunc(b.commands, func(w words) bool {
		return len(w.globs) > 0 && w.globs[0].against(x.bare[0]) == yes
	})
}

// nearly yields the rules that one condition alone kept from matching, and
// that condition.
func (j *Judge) nearly(a *Ask, x *access) iter.Seq2[*bound, condition] {
	return func(yield func(*bound, condition) bool) {
		for i := range j.rules {
			r := &j.rules[i]
			var missed []condition
			all := 0
			for c := range r.conditions(j, a, x) {
				all++
				if c.match == no {
					missed = append(missed, c)
				}
			}
			if len(missed) == 1 && all > 1 && !r.builtIn && !yield(r, missed[0]) {
				return
			}
		}
	}
}

// accesses is what a call touches.
func (j *Judge) accesses(a Ask) []access {
	c := a.Call
	base := access{tool: c.Tool, name: c.Name}
	var list []access
	if c.Partial != "" {
		x := base
		x.unclear = c.Partial
		list = append(list, x)
	}
	switch c.Tool {
	case proto.ToolRun:
		if c.Command != "" {
			return append(list, j.named(c.Name, j.root.shell(c.Command, a.Cwd))...)
		}
	case proto.ToolMCP:
		return append(append(list, base), j.root.given(a)...)
	case proto.ToolFetch:
		x := base
		if c.URL != "" {
			x.host = hostOf(c.URL)
		}
		return append(list, x)
	}
	for _, p := range c.Paths {
		x := base
		if strings.ContainsAny(p, "\x00\x01\x02") {
			x.unclear = "its path has bytes that no path has"
		}
		if strings.HasPrefix(p, "~/") || p == "~" {
			p = j.root.home + p[1:]
		}
		x.place = j.root.locate(a.Cwd, p)
		list = append(list, x)
	}
	if len(list) == 0 {
		list = append(list, base)
	}
	return list
}

// named gives the agent's name of its shell tool to the commands in it.
func (j *Judge) named(name string, list []access) []access {
	for i := range list {
		if list[i].tool == proto.ToolRun {
			list[i].name = name
		}
	}
	return list
}

// ofInput says that an access is of what stands in the input of a tool whose
// doings are not known, and not of a shell command's.
func (x *access) ofInput() bool { return x.soft && x.name != "" }

// describe tells an access in a few words.
func (x *access) describe() string {
	what := ""
	switch {
	case len(x.place.paths) > 0:
		what = x.place.paths[len(x.place.paths)-1]
	case x.host != "":
		what = x.host
	case len(x.argv) > 0:
		what = strings.Join(x.argv, " ")
	default:
		what = x.name
	}
	what = strings.NewReplacer("\x00", "…", "\x01", "*", "\x02", "…").Replace(what)
	if len(what) > 200 {
		what = strings.ToValidUTF8(what[:200], "") + "…"
	}
	tool := x.tool
	if tool == "" {
		tool = "tool"
	}
	return tool + ": " + what
}
