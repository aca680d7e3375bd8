package policy_test

import (
	"strings"
	"testing"
	"time"

	"signaltty/proto"
	"signaltty/server/policy"
)

// noLinks is a file system without links, in which everything is there.
type noLinks struct{}

func (noLinks) Link(string) (string, bool) { return "", true }

func limits(t *testing.T, spec proto.TurnSpec, unasked bool) *policy.Limits {
	t.Helper()
	spec.Dir = "/w"
	l, err := policy.Limit(spec, policy.Place{Home: "/home/p", Workspace: "/w", Files: noLinks{}}, unasked)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLimits(t *testing.T) {
	edit := func(p string) proto.Call { return proto.Call{Tool: proto.ToolEdit, Name: "Write", Paths: []string{p}} }
	run := func(c string) proto.Call { return proto.Call{Tool: proto.ToolRun, Name: "Bash", Command: c} }
	src := proto.TurnSpec{Paths: []string{"src/**"}}
	for _, tc := range []struct {
		name string
		spec proto.TurnSpec
		call proto.Call
		had  proto.Behavior // the policy's word
		want proto.Behavior
	}{
		{"inside", src, edit("/w/src/a.go"), proto.NoVerdict, proto.Allow},
		{"inside, relative", src, edit("src/a.go"), proto.NoVerdict, proto.Allow},
		{"outside", src, edit("/w/doc/a.md"), proto.NoVerdict, proto.Deny},
		{"outside by dots", src, edit("/w/src/../doc/a.md"), proto.NoVerdict, proto.Deny},
		{"outside, allowed by a rule", src, edit("/w/doc/a.md"), proto.Allow, proto.Deny},
		{"inside, asked by a rule", src, edit("/w/src/a.go"), proto.AskFirst, proto.AskFirst},
		{"inside, denied by a rule", src, edit("/w/src/a.go"), proto.Deny, proto.Deny},
		{"nothing may be written", proto.TurnSpec{}, edit("/w/a"), proto.NoVerdict, proto.Deny},
		{"all may be written", proto.TurnSpec{AllPaths: true}, edit("/w/a"), proto.NoVerdict, proto.Allow},
		{"** is below the directory", proto.TurnSpec{Paths: []string{"**"}}, edit("/etc/passwd"), proto.NoVerdict, proto.Deny},
		{"edit is no tool of the turn", proto.TurnSpec{Tools: []string{proto.ToolRun}, AllPaths: true}, edit("/w/a"), proto.NoVerdict, proto.AskFirst},
		{"no tool of a turn without a person", proto.TurnSpec{Tools: []string{proto.ToolRun}, Paths: []string{"/w/**"}, Ask: proto.AskPolicy}, edit("/w/a"), proto.NoVerdict, proto.Deny},
		{"asked by a rule, without a person", proto.TurnSpec{Paths: []string{"/w/src/**"}, Ask: proto.AskPolicy}, edit("/w/src/a.go"), proto.AskFirst, proto.Deny},
		{"of an agent that does not ask", src, proto.Call{Tool: proto.ToolRun, Name: "bare", Command: "make"}, proto.NoVerdict, proto.AskFirst},
		{"reading, of an agent that does not ask", src, proto.Call{Tool: proto.ToolRead, Name: "bare", Paths: []string{"/w/a"}}, proto.NoVerdict, proto.NoVerdict},
		{"inside, of an agent that does not ask", src, proto.Call{Tool: proto.ToolEdit, Name: "bare", Paths: []string{"/w/src/a"}}, proto.NoVerdict, proto.Allow},
		{"a tool that touches nothing", proto.TurnSpec{Tools: []string{proto.ToolRun}, AllPaths: true}, proto.Call{Name: "TodoWrite"}, proto.NoVerdict, proto.NoVerdict},
		{"a command that is no tool of the turn", src, run("make"), proto.NoVerdict, proto.NoVerdict},
		{"a command", proto.TurnSpec{Tools: []string{proto.ToolRun}}, run("make"), proto.NoVerdict, proto.Allow},
		{"a command that writes outside", proto.TurnSpec{Tools: []string{proto.ToolRun}}, run("echo x > /w/a"), proto.NoVerdict, proto.Deny},
		{"a command that writes inside", proto.TurnSpec{Tools: []string{proto.ToolRun}, Paths: []string{"a"}}, run("echo x > a"), proto.NoVerdict, proto.Allow},
		{"a command that removes a tree around", proto.TurnSpec{Tools: []string{proto.ToolRun}, Paths: []string{"src/a"}}, run("rm -rf src"), proto.NoVerdict, proto.Deny},
		{"a command that is not understood", proto.TurnSpec{Tools: []string{proto.ToolRun}, AllPaths: true}, run("eval $X"), proto.NoVerdict, proto.NoVerdict},
		{"a place that is not known", proto.TurnSpec{Tools: []string{proto.ToolRun}}, run("echo x > $F"), proto.NoVerdict, proto.NoVerdict},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := limits(t, tc.spec, tc.call.Name == "bare").Judge(policy.Verdict{Behavior: tc.had}, policy.Ask{Agent: "mock", Cwd: "/w", Call: tc.call, Now: time.Now()})
			if v.Behavior != tc.want {
				t.Errorf("%s: %s", v.Behavior, v.Reason)
			}
			if tc.had != proto.Deny && tc.spec.Ask == "" && v.Behavior == proto.Deny && !strings.Contains(v.Reason, "/") {
				t.Errorf("no path in %q", v.Reason)
			}
		})
	}
}

func TestWritable(t *testing.T) {
	l := limits(t, proto.TurnSpec{Paths: []string{"src/**", "/tmp/x", "*.md"}}, false)
	for p, want := range map[string]bool{
		"/w/src": true, "/w/src/a/b": true, "/tmp/x": true, "/tmp/x/y": true, "/w/a.md": true,
		"/w/srcs": false, "/w/doc/a.md": false, "/tmp/xy": false, "/w": false,
	} {
		if got := l.Writable(p); got != want {
			t.Errorf("%s: %v", p, got)
		}
	}
}

func TestLimitsRefuse(t *testing.T) {
	for _, spec := range []proto.TurnSpec{{Dir: "/a*b", Paths: []string{"x"}}, {Dir: "/w", Paths: []string{""}}} {
		if _, err := policy.Limit(spec, policy.Place{Home: "/home/p", Files: noLinks{}}, false); err == nil {
			t.Errorf("%+v passed", spec)
		}
	}
}
