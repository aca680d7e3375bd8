package policy

import (
	"time"

	"signaltty/proto"
)

// Policy is a person's rules, as written.
type Policy struct {
	// Default is what happens to a call that no rule is about: NoVerdict, the
	// agent's own flow, or Deny.
	Default proto.Behavior
	Rules   []Rule
	// Unprotect are path patterns that the built-in protection leaves alone.
	Unprotect []string
	// NativePaths says that agents are told the rules about paths as well. An
	// agent that refuses by them does so before its hooks: with its own words,
	// and with no row in the audit (measured on Claude Code 2.1.197).
	NativePaths bool
}

// Rule is one standing answer. It is about what all of its conditions match;
// a condition with several patterns matches when one of them does.
type Rule struct {
	// Name is the person's name for the rule, or the file and line.
	Name    string
	Verdict proto.Behavior // Allow, AskFirst or Deny
	// Message is told to the model, and shown to the person.
	Message string

	Tools      []string // canonical: proto.ToolRead and so on
	Names      []string // globs of the agent's own names of tools
	Paths      []string // globs; relative ones are below the workspace
	Commands   []string // words of a simple command, with * and **
	Hosts      []string // globs
	Agents     []string // globs
	Workspaces []string // globs of the workspace's directory
	Pane       string   // the scope of a rule that was made for one pane
	Session    string   // or for one session of an agent
	Expires    time.Time
	// OnFailure is what happens when signaltty itself fails: Deny, or
	// NoVerdict for the agent's own flow.
	OnFailure proto.Behavior
}

// Empty says that the policy decides nothing, so that only the built-in
// protection is left.
func (p Policy) Empty() bool { return len(p.Rules) == 0 && p.Default != proto.Deny }

// With is p and what q adds to it: the rules of both, and the stricter default.
func (p Policy) With(q Policy) Policy {
	out := p
	out.Rules = append(append([]Rule{}, p.Rules...), q.Rules...)
	if q.Default == proto.Deny {
		out.Default = proto.Deny
	}
	return out
}

// Ask is a tool call with what the server itself knows of it.
type Ask struct {
	Agent, Pane, Session string
	// Cwd is where relative paths of the call begin.
	Cwd  string
	Call proto.Call
	Now  time.Time
}

// Verdict is what the policy says of a call.
type Verdict struct {
	// Behavior is Allow, AskFirst, Deny, or NoVerdict: the agent's own flow.
	Behavior proto.Behavior
	// Rule names what decided; "" when no rule did.
	Rule string
	// Reason is for the model and the person: it names signaltty and the rule.
	Reason string
	// OnFailure is the rule's own: what to do if the verdict cannot be recorded.
	OnFailure proto.Behavior
	// Steps tell how each thing that the call touches was judged.
	Steps []Step
}

// StricterThan says that v lets less happen than w: deny is the strictest, then
// ask, then the agent's own flow.
func (v Verdict) StricterThan(w Verdict) bool { return strictness[v.Behavior] > strictness[w.Behavior] }

var strictness = map[proto.Behavior]int{proto.Allow: 0, proto.NoVerdict: 1, proto.AskFirst: 2, proto.Deny: 3}

// Step is one thing that a call touches, and the rule that was about it.
type Step struct {
	Touches  string         `json:"touches"` // such as "run: git push" or "edit: /etc/hosts"
	Behavior proto.Behavior `json:"verdict"`
	Rule     string         `json:"rule,omitempty"`
	Why      string         `json:"why,omitempty"`
	// Near are the rules that all but one condition of which matched.
	Near []Near `json:"near,omitempty"`
}

// Near is a rule that nearly matched.
type Near struct {
	Rule string `json:"rule"`
	// Missed is the condition that did not match, such as "path".
	Missed string `json:"missed"`
	Want   string `json:"want"` // what that condition says
}

// Gates lists the canonical tools whose calls must not run when signaltty
// cannot judge them: those that a rule which fails closed is about.
func (p Policy) Gates() []string {
	need := map[string]bool{}
	if p.Default == proto.Deny {
		for _, t := range Tools {
			need[t] = true
		}
	}
	for _, r := range p.Rules {
		if r.Verdict == proto.Allow || r.OnFailure == proto.NoVerdict {
			continue
		}
		for _, t := range Tools {
			if r.aboutTool(t) {
				need[t] = true
			}
		}
	}
	var list []string
	for _, t := range Tools {
		if need[t] {
			list = append(list, t)
		}
	}
	return list
}

// Tools are the canonical tools.
var Tools = []string{
	proto.ToolRead, proto.ToolEdit, proto.ToolRun, proto.ToolFetch, proto.ToolSearch, proto.ToolMCP, proto.ToolAgent,
}

// aboutTool says that a rule can be about calls of a tool. A shell command
// reads, edits and fetches too.
func (r Rule) aboutTool(tool string) bool {
	tools := r.tools()
	if len(tools) == 0 {
		return true
	}
	for _, t := range tools {
		if t == tool || tool == proto.ToolRun && (t == proto.ToolRead || t == proto.ToolEdit || t == proto.ToolFetch) {
			return true
		}
	}
	return false
}

// tools are the tools that a rule is about: those it names, or those that
// its other conditions can be about. None means every tool.
func (r Rule) tools() []string {
	switch {
	case len(r.Tools) > 0:
		return r.Tools
	case len(r.Paths) > 0:
		return []string{proto.ToolRead, proto.ToolEdit, proto.ToolSearch}
	case len(r.Commands) > 0:
		return []string{proto.ToolRun}
	case len(r.Hosts) > 0:
		return []string{proto.ToolFetch}
	}
	return nil
}
