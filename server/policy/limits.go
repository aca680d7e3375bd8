package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"signaltty/proto"
)

// limitsRule is the name of the rule that a turn's limits decide by.
const limitsRule = "built-in: the turn's limits"

// Limits are what one headless turn may do, bound to a place. They may be used
// from any goroutine.
type Limits struct {
	judge *Judge
	tools []string
	all   bool // every path may be written
	paths []pathGlob
	globs []string // as they were given
	ask   proto.TurnAsk
	open  bool // the agent asks nothing by itself
}

// Limit binds the limits of a turn. Its globs are below its directory, unless
// they are absolute or begin with ~. Of an agent that asks nothing by itself,
// which is unasked, what nothing allows is to be asked.
func Limit(spec proto.TurnSpec, at Place, unasked bool) (*Limits, error) {
	at.Workspace = spec.Dir
	l := &Limits{judge: Policy{}.Bind(at), tools: spec.Tools, all: spec.AllPaths, globs: spec.Paths, ask: spec.Ask, open: unasked}
	if strings.ContainsAny(spec.Dir, "*?") {
		return nil, fmt.Errorf("the directory %q has a * or a ? in its name, which globs of paths below it cannot express", spec.Dir)
	}
	for _, g := range spec.Paths {
		if g == "" {
			return nil, errors.New("a path that the turn may write is empty")
		}
		if err := checkPath(g); err != nil {
			return nil, fmt.Errorf("the path %q that the turn may write: %w", g, err)
		}
		if !strings.HasPrefix(g, "/") && g != "~" && !strings.HasPrefix(g, "~/") {
			g = path.Join(spec.Dir, g)
		}
		l.paths = append(l.paths, l.judge.root.compilePath(g))
	}
	return l, nil
}

// Writable says whether the turn may write a path, which is absolute and leads
// through no link.
func (l *Limits) Writable(p string) bool {
	return l.writable(l.judge.root.folded(place{paths: []string{p}}))
}

func (l *Limits) writable(p place) bool {
	if l.all {
		return true
	}
	return len(p.paths) > 0 && p.broken == "" && !slices.ContainsFunc(p.paths, l.gits) && anyPath(l.paths, p, true) == yes
}

// gits says that a path is Git's own, which a glob means only when it says so:
// what is written there runs.
func (l *Limits) gits(p string) bool {
	return slices.Contains(elements(p), ".git") && !slices.ContainsFunc(l.globs, func(g string) bool { return strings.Contains(g, ".git") })
}

// Judge is what the limits make of a verdict of the person's policy. A write
// outside of the paths is denied, whatever a rule allows. What the policy
// leaves open is allowed when every part of it is, and is to be asked when its
// tool is none of the turn's. What is to be asked is denied where nobody is
// asked. Nothing else changes, so that a turn can never do more than the
// person's rules let it.
func (l *Limits) Judge(v Verdict, a Ask) Verdict {
	if v = l.judged(v, a); v.Behavior == proto.AskFirst && (l.ask == proto.AskPolicy || l.ask == proto.AskDeny) {
		v.Behavior, v.OnFailure = proto.Deny, proto.Deny
		v.Reason = fmt.Sprintf("%s; nobody is asked in this turn (--ask %s)", v.Reason, l.ask)
	}
	return v
}

// Asked is what becomes of a verdict on what the agent itself asks.
func (l *Limits) Asked(v Verdict) Verdict {
	if v.Behavior == proto.NoVerdict && (l.ask == proto.AskPolicy || l.ask == proto.AskDeny) {
		v.Behavior, v.Rule, v.OnFailure = proto.Deny, limitsRule, proto.Deny
		v.Reason = fmt.Sprintf("signaltty: no rule allows this, and nobody is asked in this turn (--ask %s)", l.ask)
	}
	return v
}

func (l *Limits) judged(v Verdict, a Ask) Verdict {
	if v.Behavior == proto.Deny {
		return v
	}
	whole := true
	list := l.judge.accesses(a)
	for i := range list {
		x := &list[i]
		if x.tool == proto.ToolEdit && !x.soft && !l.writable(x.place) && known(x.place) {
			return Verdict{Behavior: proto.Deny, Rule: limitsRule, OnFailure: proto.Deny, Reason: fmt.Sprintf(
				"signaltty: this turn may not write %s; it may write %s", strings.TrimPrefix(x.describe(), "edit: "), l.say())}
		}
		whole = whole && l.allows(x)
	}
	switch {
	case v.Behavior != proto.NoVerdict:
	case whole:
		v.Behavior, v.Rule, v.OnFailure = proto.Allow, limitsRule, proto.Deny
		v.Reason = "signaltty: allowed by the turn's own limits"
	case l.open && proto.Acts(a.Call.Tool):
		v.Behavior, v.Rule, v.OnFailure = proto.AskFirst, limitsRule, proto.Deny
		v.Reason = fmt.Sprintf("signaltty: nothing allows this %s, and the agent does not ask by itself", a.Call.Tool)
	case l.tools != nil && a.Call.Tool != "" && !slices.Contains(l.tools, a.Call.Tool):
		v.Behavior, v.Rule, v.OnFailure = proto.AskFirst, limitsRule, proto.Deny
		v.Reason = fmt.Sprintf("signaltty: %s is none of the tools that this turn may use without asking", a.Call.Tool)
	}
	return v
}

// known says that a place is one that is known now, and not only when the
// command runs.
func known(p place) bool {
	return len(p.paths) > 0 && !slices.ContainsFunc(p.paths, func(s string) bool { return !isStatic(s) })
}

// allows says that the turn's own tools and paths cover an access.
func (l *Limits) allows(x *access) bool {
	switch {
	case x.unclear != "":
		return false
	case x.implied:
		return true
	case x.tool == proto.ToolEdit:
		return l.writable(x.place) && (l.tools == nil || slices.Contains(l.tools, proto.ToolEdit) || len(x.argv) > 0)
	}
	return slices.Contains(l.tools, x.tool)
}

// say names what may be written.
func (l *Limits) say() string {
	if len(l.globs) == 0 {
		return "nothing (--allow-path)"
	}
	return strings.Join(l.globs, ", ")
}
