package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"signaltty/adapters"
	"signaltty/proto"
	"signaltty/server/policy"
	"signaltty/store"
)

// gate judges tool calls by the person's policy before they run.
//
// The policy file is looked at on each call and read again when it has
// changed. One that cannot be read leaves the last good policy in force; when
// there was none, every call is denied until it can. Both are told as the
// server's trouble: a gate is never silently open.
type gate struct {
	s    *Server
	path string // of policy.toml; "" for none

	mu     sync.Mutex
	read   os.FileInfo // of what was read last; nil when there was no file
	good   policy.Policy
	wrong  error // of what was read last
	never  bool  // no good policy was ever read while wrong
	judges map[string]*policy.Judge
}

// maxJudges is how many workspaces have their policy ready.
const maxJudges = 64

func newGate(s *Server, path string) *gate {
	return &gate{s: s, path: path, judges: map[string]*policy.Judge{}}
}

// judge is the policy for a workspace, and what is wrong with it when no
// policy can be relied on.
func (g *gate) judge(workspace string) (*policy.Judge, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reload()
	if g.never {
		return nil, g.wrong
	}
	if j := g.judges[workspace]; j != nil {
		return j, nil
	}
	if len(g.judges) >= maxJudges {
		clear(g.judges)
	}
	p := g.good
	if text, ok := g.s.store.Trusted(workspace); ok {
		project, err := policy.ParseProject(filepath.Join(workspace, ProjectPolicy), []byte(text))
		if err != nil {
			return nil, fmt.Errorf("the project's policy: %w; trust a right one", err)
		}
		p = p.With(project)
	}
	home, _ := os.UserHomeDir() // without one, ~ matches nothing
	j := p.Bind(policy.Place{
		Home: home, Workspace: workspace, Files: Disk{}, Fold: runtime.GOOS == "darwin", Own: Own(g.s.opts, g.s.self),
	})
	g.judges[workspace] = j
	return j, nil
}

// forget makes the judges anew, when what they are made from has changed.
func (g *gate) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.judges)
}

// reload reads the policy file when it has changed.
func (g *gate) reload() {
	if g.path == "" {
		return
	}
	info, err := os.Stat(g.path)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = nil, nil
	}
	if err == nil && g.wrong == nil && sameFile(info, g.read) {
		return
	}
	if err == nil && g.wrong != nil && info != nil && sameFile(info, g.read) {
		return
	}
	p := policy.Policy{Default: proto.NoVerdict}
	if err == nil && info != nil {
		var data []byte
		if data, err = os.ReadFile(g.path); err == nil {
			p, err = policy.Parse(g.path, data)
		}
	}
	had := g.read != nil && !g.never
	g.read, g.wrong = info, err
	clear(g.judges)
	if err != nil {
		g.never = !had
		then := "the policy before it holds"
		if g.never {
			then = "until it is right, every tool call is denied"
		}
		g.s.store.PolicyTrouble(fmt.Sprintf("the policy cannot be used: %v; %s", err, then))
		return
	}
	changed := info != nil || had
	g.good, g.never = p, false
	g.s.store.PolicyTrouble("")
	if changed {
		g.s.store.Note(store.Row{Kind: store.RowPolicy, Body: map[string]any{"file": g.path, "rules": len(p.Rules), "read": info != nil}})
	}
}

func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// Own are the paths of signaltty itself, which no tool may change.
func Own(o Options, self string) []string {
	own := []string{o.Socket, filepath.Join(filepath.Dir(o.Socket), "panes"), self, o.Database + "*"}
	for _, dir := range []string{filepath.Dir(o.Socket), filepath.Dir(o.Database)} {
		if filepath.Base(dir) == "signaltty" {
			own = append(own, dir)
		}
	}
	if o.Policy != "" {
		own = append(own, filepath.Dir(o.Policy))
	}
	return own
}

// native is what the agent of a new pane is told of the policy.
func (g *gate) native(agent, workspace string) adapters.Policy {
	j, err := g.judge(workspace)
	if err != nil {
		return adapters.Policy{Closed: policy.Tools}
	}
	out := adapters.Policy{Closed: j.Gates()}
	for _, r := range j.Denies(agent) {
		out.Denies = append(out.Denies, adapters.Deny{Tools: r.Tools, Paths: r.Paths, Commands: r.Commands, Hosts: r.Hosts})
	}
	return out
}

// gated judges an event and answers it when the policy decides. It says
// whether the event has its answer.
func (c *client) gated(id uint64, ev *proto.HookEvent, pane string) (done bool) {
	if ev.Call == nil || !ev.Gate && ev.Ask == nil {
		return false
	}
	g := c.s.gate
	v := g.verdict(ev, pane, c.peer)
	if v.Behavior == proto.NoVerdict {
		if ev.Ask != nil && ev.Ask.Kind == proto.KindPermission {
			ev.Ask.Detail = append(ev.Ask.Detail, g.missed(ev, pane, c.peer)...)
		}
		return false
	}
	if ev.Ask != nil {
		return c.ruled(id, ev, pane, v)
	}
	origin := store.Origin{Pane: pane, PID: c.peer.pid}
	if v.Behavior == proto.AskFirst && ev.Wait {
		c.holdGate(id, ev, origin, v)
		return true
	}
	// The call is known as begun, so that the ask and the end of it find it.
	c.s.store.Hook(*ev, origin, nil)
	out := proto.Verdict{Behavior: v.Behavior, Message: v.Reason, Rule: v.Rule, End: proto.EndRule}
	if err := c.s.store.Record(context.Background(), gateRow(ev, pane, v)); err != nil && v.Behavior != proto.Deny {
		if v.OnFailure == proto.NoVerdict && v.Behavior == proto.AskFirst {
			out = proto.Verdict{Behavior: proto.NoVerdict}
		} else {
			out.Behavior, out.Message = proto.Deny, fmt.Sprintf("signaltty denies this, since its audit cannot be written: %v", err)
		}
	}
	if out.Behavior == proto.Deny || out.Behavior == proto.Allow {
		c.s.tellGated(ev, pane, out)
	}
	_ = c.conn.Reply(id, out) // a hook that is gone needs none
	return true
}

// gateRow is what the audit keeps of a gate's verdict.
func gateRow(ev *proto.HookEvent, pane string, v policy.Verdict) store.Row {
	r := store.Row{Kind: store.RowVerdict, Pane: pane, Agent: ev.Agent, Session: ev.Session, Tool: ev.Tool, Option: string(v.Behavior), Rule: v.Rule,
		End: proto.EndRule, Fact: gateFact(ev, v), Body: map[string]any{"prompt": callText(ev.Call), "reason": v.Reason, "tool_use": ev.ToolUse, "subagent": ev.Subagent, "event": ev.Event}}
	if v.Behavior == proto.Deny {
		r.Kind = store.RowViolation
	}
	return r
}

// gateFact names the verdict on a call, which two hooks of one agent may ask
// for. Another verdict on the same call is another fact.
func gateFact(ev *proto.HookEvent, v policy.Verdict) string {
	if ev.ToolUse == "" {
		return ""
	}
	return strings.Join([]string{"gate", ev.Agent, ev.Session, ev.ToolUse, ev.InputKey, string(v.Behavior), v.Rule}, " ")
}

// callText is what a call would touch, in a line.
func callText(c *proto.Call) string {
	if c == nil {
		return ""
	}
	return strings.TrimSpace(strings.Join(append([]string{c.Command, c.URL}, c.Paths...), " "))
}

// ruled answers an ask that a rule decides. What a rule wants asked goes the
// way of every ask.
func (c *client) ruled(id uint64, ev *proto.HookEvent, pane string, v policy.Verdict) bool {
	switch {
	case v.Behavior == proto.AskFirst:
		ev.Ask.Detail = append(ev.Ask.Detail, ruleDetail(v.Reason))
		return false
	case v.Behavior == proto.Allow && (ev.Ask.Kind != proto.KindPermission || !ev.Ask.Answerable):
		return false // a bare allow answers no question
	}
	out := proto.Verdict{Behavior: v.Behavior, Message: v.Reason, Rule: v.Rule, End: proto.EndRule}
	if v.Behavior == proto.Allow {
		out.Message = ""
	}
	c.s.store.Ruled(*ev, store.Origin{Pane: pane, PID: c.peer.pid}, out, c.held(id, ev, pane))
	return true
}

// gateHold is the hold of a gate: whatever ends it without a person's allow
// denies.
type gateHold struct {
	hold   store.Hold
	reason string
}

func (h gateHold) Release(v proto.Verdict) error {
	if v.Behavior != proto.Allow && v.Behavior != proto.Deny {
		v.Behavior, v.Message = proto.Deny, fmt.Sprintf("%s; nobody allowed it (%s)", h.reason, v.End)
	}
	return h.hold.Release(v)
}

// holdGate raises a decision about a call that an agent's gate waits for.
func (c *client) holdGate(id uint64, ev *proto.HookEvent, o store.Origin, v policy.Verdict) {
	c.s.store.Hook(*ev, o, nil)
	ask := *ev
	ask.Moment, ask.Ask = proto.MomentAsk, gateAsk(ev.Call, v)
	d := c.s.store.Hook(ask, o, gateHold{c.held(id, ev, o.Pane), v.Reason})
	if d == nil {
		_ = c.conn.Reply(id, proto.Verdict{Behavior: proto.Deny, Message: v.Reason + "; there is no room for another decision", Rule: v.Rule})
		return
	}
	c.hold = d.ID
	_, above := c.s.kin.above(c.s.kin.chain(c.peer))
	c.watchAgent(d.ID, above)
}

// gateAsk is the ask of a gate. There is no dialog of the agent's, so there is
// nothing to hand it back to.
func gateAsk(call *proto.Call, v policy.Verdict) *proto.Ask {
	a := &proto.Ask{
		Kind: proto.KindPermission, Tool: call.Name, Answerable: true, Dialog: proto.DialogNone,
		Options: []proto.Option{
			{ID: proto.OptionOnce, Label: proto.OptionLabels[proto.OptionOnce]},
			{ID: proto.OptionDeny, Label: proto.OptionLabels[proto.OptionDeny], Message: true},
		},
	}
	add := func(form, text string) {
		if text != "" {
			a.Detail = append(a.Detail, proto.Detail{Form: form, Text: text})
			if a.Summary == "" {
				a.Summary = text[:min(len(text), maxText-1)]
			}
		}
	}
	add("command", call.Command)
	for _, p := range call.Paths {
		add("path", p)
	}
	add("url", call.URL)
	if a.Summary == "" {
		a.Summary = call.Name
	}
	a.Detail = append(a.Detail, ruleDetail(v.Reason))
	return a
}

func ruleDetail(reason string) proto.Detail {
	return proto.Detail{Label: "Rule", Form: "text", Text: reason}
}
