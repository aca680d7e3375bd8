package server

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"signaltty/proto"
	"signaltty/server/policy"
)

// question is a call as the policy judges it: by the rules of one workspace,
// with its relative paths below one directory.
type question struct {
	judge *policy.Judge
	ask   policy.Ask
}

// questions are what a call is judged as. More than one are there when the
// agent's word and the server's own record differ: the strictest verdict
// counts.
//
// Where relative paths begin is what the agent says, and where its hook runs as
// the kernel says, or else where the pane is. The workspace is the pane's. A
// hook that is bound to no pane has the workspaces of those directories and of
// the pane that it names; when the kernel tells nothing, also none, by which
// what a rule protects in the workspace is protected in every directory.
func (g *gate) questions(ev *proto.HookEvent, pane string, from peer) ([]question, error) {
	here := from.dir()
	workspace, cwd := g.s.store.PlaceOf(cmp.Or(pane, ev.Pane))
	if here != "" {
		cwd = here
	}
	dirs, workspaces := []string{}, []string{}
	for _, dir := range []string{ev.Cwd, cwd} {
		if filepath.IsAbs(dir) {
			dirs = once(dirs, filepath.Clean(dir))
		}
	}
	if workspace != "" {
		workspaces = once(workspaces, workspace)
	}
	if pane == "" {
		for _, dir := range dirs {
			workspaces = once(workspaces, workspaceDir(dir))
		}
	}
	if len(workspaces) == 0 || pane == "" && here == "" {
		workspaces = once(workspaces, "")
	}
	if len(dirs) == 0 {
		dirs = once(dirs, "") // no relative path is known
	}
	var list []question
	for _, w := range workspaces {
		j, err := g.judge(w)
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			list = append(list, question{j, policy.Ask{Agent: ev.Agent, Pane: pane, Session: ev.Session, Cwd: dir, Call: *ev.Call, Now: time.Now()}})
		}
	}
	return list, nil
}

// once adds what is not in a list yet.
func once(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// dir is where the peer works, as the kernel says; "" when it cannot be known.
func (p peer) dir() string {
	dir := cwdOf(p.pid)
	// The pid may have passed to another process.
	if now, err := readProc(p.pid); err != nil || now.id != p.procID {
		return ""
	}
	return dir
}

// verdict judges a hook event of a gate, or an ask, in a pane. A call that
// cannot be judged is denied.
func (g *gate) verdict(ev *proto.HookEvent, pane string, from peer) policy.Verdict {
	list, err := g.questions(ev, pane, from)
	if err != nil {
		return policy.Verdict{Behavior: proto.Deny, Rule: "built-in: no policy", OnFailure: proto.Deny,
			Reason: fmt.Sprintf("signaltty denies this, since its policy cannot be read: %v", err)}
	}
	var strictest policy.Verdict
	for i, q := range list {
		v := q.judge.Judge(q.ask)
		if p, err := g.s.pane(pane); err == nil && p.limits != nil {
			v = p.limits.Judge(v, q.ask)
			if ev.Ask != nil {
				v = p.limits.Asked(v)
			}
		}
		if i == 0 || v.StricterThan(strictest) {
			strictest = v
		}
	}
	return strictest
}

// maxMissed is how many rules an ask names that nearly answered it.
const maxMissed = 3

// missed says which rules nearly answered an ask, so that a person who wrote
// one sees why they are asked all the same.
func (g *gate) missed(ev *proto.HookEvent, pane string, from peer) []proto.Detail {
	questions, err := g.questions(ev, pane, from)
	if err != nil {
		return nil
	}
	var list []proto.Detail
	for _, n := range questions[0].judge.Missed(questions[0].ask) {
		if len(list) < maxMissed {
			list = append(list, ruleDetail(fmt.Sprintf("%q nearly allows this, but for its %s (%s)", n.Rule, n.Missed, n.Want)))
		}
	}
	return list
}
