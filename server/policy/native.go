package policy

import (
	"path"
	"slices"
	"strings"
	"time"

	"signaltty/proto"
)

// Writable are the paths that the policy's own rules allow an agent to edit in
// this place, for whatever it runs, absolute or with globs. Rules that allow
// more narrowly than by agent and workspace, or anywhere (**), name none.
func (j *Judge) Writable(agent string, now time.Time) []string {
	var list []string
	for i := range j.rules {
		b := &j.rules[i]
		switch {
		case b.Verdict != proto.Allow, !slices.Contains(b.tools, proto.ToolEdit), len(b.Commands)+len(b.Hosts)+len(b.Names) > 0:
			continue
		case b.Pane != "", b.Session != "", !b.Expires.IsZero() && !now.Before(b.Expires):
			continue
		case len(b.agents) > 0 && anyOf(b.agents, agent) != yes, len(b.workspaces) > 0 && anyPath(b.workspaces, j.here, true) != yes:
			continue
		}
		for _, p := range b.Paths {
			if strings.HasPrefix(p, "**") {
				continue
			}
			if list = append(list, j.absolute(p)); len(list) > maxWritable {
				return list[:maxWritable]
			}
		}
	}
	return list
}

// maxWritable bounds a command line that is made from a policy.
const maxWritable = 200

// absolute is a path pattern of a rule with its beginning spelt out.
func (j *Judge) absolute(p string) string {
	switch {
	case relative(p):
		return path.Join(j.root.workspace, p)
	case p == "~" || strings.HasPrefix(p, "~/"):
		return path.Join(j.root.home, p[1:])
	}
	return path.Clean(p)
}

// Denies are the rules that always deny for an agent in this place, with their
// paths spelt out: what the agent can be told in its own terms at its launch.
// A rule for a pane, a session or a time is left to the gate, and so are rules
// about paths where the policy does not say otherwise.
func (j *Judge) Denies(agent string) []Rule {
	if j.policy.Empty() {
		return nil
	}
	var list []Rule
	for i := range j.rules {
		b := &j.rules[i]
		switch {
		case b.Verdict != proto.Deny, b.Pane != "", b.Session != "", !b.Expires.IsZero(), len(b.Names) > 0:
			continue
		case len(b.agents) > 0 && anyOf(b.agents, agent) != yes:
			continue
		case len(b.workspaces) > 0 && anyPath(b.workspaces, j.here, false) != yes:
			continue
		case len(b.paths) > 0 && !j.policy.NativePaths:
			continue
		case b.builtIn && len(j.policy.Unprotect) > 0:
			continue // the gate knows what is taken out of it
		}
		r := b.Rule
		r.Tools = b.tools
		r.Paths = nil
		for _, p := range b.Paths {
			if relative(p) {
				p = strings.TrimSuffix(j.root.workspace, "/") + "/" + strings.TrimPrefix(p, "./")
			}
			r.Paths = append(r.Paths, p)
		}
		list = append(list, r)
	}
	return list
}
