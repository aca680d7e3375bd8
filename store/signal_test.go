package store

import (
	"fmt"
	"strings"
	"testing"

	"signaltty/proto"
)

func TestExplain(t *testing.T) {
	s := open(t, Options{})
	p := addPane(t, s, "claude")
	hook := func(m proto.Moment, event, subagent string) {
		s.Hook(proto.HookEvent{Agent: "claude", Event: event, Moment: m, Session: "s", SubagentID: subagent, Pane: p}, Origin{Pane: p}, nil)
	}
	hook(proto.MomentSessionStart, "SessionStart", "")
	s.SetTitle(p, "w", proto.StateWorking)
	s.SetTitle(p, "i", proto.StateIdle)
	hook(proto.MomentPrompt, "UserPromptSubmit", "")
	s.SetTitle(p, "w", proto.StateWorking)
	hook(proto.MomentToolEnd, "PostToolUse", "a1")
	hook(proto.MomentToolEnd, "PostToolUse", "a1")
	hook(proto.MomentNotice, "Notification", "")
	hook(proto.MomentTurnEnd, "Stop", "")
	s.PaneExited(p, proto.Exit{})
	hook(proto.MomentSessionEnd, "SessionEnd", "")
	e, err := s.Explain(p)
	must(t, err)
	var got []string
	for _, x := range e.Signals {
		counts := "counts"
		if x.Not != "" {
			counts = "not"
		}
		got = append(got, fmt.Sprintf("%s says %s %d %s", x.From, x.Says, x.Count, counts))
	}
	want := `started says unknown 0 counts
hook SessionStart says idle 0 counts
title says working 0 counts
title says idle 0 not
hook UserPromptSubmit says working 0 counts
title says working 0 not
hook PostToolUse of a subagent says working 2 not
hook Notification says working 0 not
hook Stop says done 0 counts
process ended says exited 0 counts
hook SessionEnd says idle 0 not`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	for i := range 3 * maxSignals {
		s.SetTitle(p, fmt.Sprint(i), []proto.State{proto.StateIdle, proto.StateWorking}[i%2])
	}
	if e, _ := s.Explain(p); len(e.Signals) > maxSignals {
		t.Errorf("%d signals are remembered", len(e.Signals))
	}
	if _, err := s.Explain("p9-9"); err == nil {
		t.Error("a pane that is not there is explained")
	}
}

func TestSilent(t *testing.T) {
	s := open(t, Options{})
	p := addPane(t, s, "claude")
	since := func() proto.Pane { v, _ := s.Pane(p); return v }
	s.Silent(p, since().Since.Add(-1))
	if v := since(); v.Attention != "" {
		t.Fatalf("the silence of another start is taken for this one's: %+v", v)
	}
	s.Silent(p, since().Since)
	if v := since(); v.State != proto.StateUnknown || !strings.HasPrefix(v.Reason, "hooks silent") || v.Attention != proto.AttentionNotice {
		t.Fatalf("a silent pane is %+v", v)
	}
	s.Hook(proto.HookEvent{Agent: "claude", Event: "SessionStart", Moment: proto.MomentSessionStart, Session: "s", Pane: p}, Origin{Pane: p}, nil)
	s.Silent(p, since().Since)
	if v := since(); v.State != proto.StateIdle || v.Reason != "hook SessionStart" {
		t.Fatalf("one that spoke is %+v", v)
	}
}
