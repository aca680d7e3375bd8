package policy

import (
	"testing"

	"pgregory.net/rapid"

	"signaltty/budget"
	"signaltty/proto"
)

// No command makes the judge panic or run for long.
func FuzzShell(f *testing.F) {
	for _, r := range rows(f) {
		f.Add(r.call)
	}
	j := parsed(f, "bypass.toml").Bind(here)
	f.Fuzz(func(t *testing.T, code string) {
		budget.Keep(t, len(code), 30000, func() { j.Judge(ask(call(proto.ToolRun, code))) })
	})
}

// No path does either.
func FuzzPath(f *testing.F) {
	for _, r := range rows(f) {
		f.Add(r.call)
	}
	j := parsed(f, "bypass.toml").Bind(here)
	f.Fuzz(func(t *testing.T, path string) {
		budget.Keep(t, len(path), 5000, func() { j.Judge(ask(call(proto.ToolEdit, path))) })
	})
}

// A policy file is parsed whole or refused.
func FuzzParse(f *testing.F) {
	f.Add([]byte("default = \"deny\"\n[[rule]]\nverdict = \"deny\"\npath = [\"~/x/**\"]\n"))
	f.Add([]byte("[[rule]]\nverdict = \"ask\"\ncommand = \"git push **\"\nexpires = 2026-01-01T00:00:00Z\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p Policy
		var err error
		budget.Keep(t, len(data), 5000, func() { p, err = Parse("policy.toml", data) })
		if err == nil {
			p.Bind(here).Judge(ask(call(proto.ToolEdit, "/work/app/x")))
		}
	})
}

// anyRule draws a rule of things that occur in the bypass table.
func anyRule(verdicts ...proto.Behavior) *rapid.Generator[Rule] {
	return rapid.Custom(func(t *rapid.T) Rule {
		r := Rule{Name: "drawn", Verdict: rapid.SampledFrom(verdicts).Draw(t, "verdict")}
		switch rapid.SampledFrom([]string{"path", "command", "host", "tool"}).Draw(t, "about") {
		case "path":
			r.Paths = []string{rapid.SampledFrom([]string{"**", "/etc/**", "~/.ssh", "src/**", "**/.env", "*.go", "/work/app/src/a"}).Draw(t, "path")}
		case "command":
			r.Commands = []string{rapid.SampledFrom([]string{"**", "git **", "git push", "rm -rf **", "* -c **", "cat *"}).Draw(t, "command")}
		case "host":
			r.Hosts = []string{rapid.SampledFrom([]string{"*", "*.example", "example.com"}).Draw(t, "host")}
		case "tool":
			r.Tools = []string{rapid.SampledFrom(Tools).Draw(t, "tool")}
		}
		return r
	})
}

var rank = map[proto.Behavior]int{proto.Allow: 0, proto.NoVerdict: 1, proto.AskFirst: 2, proto.Deny: 3}

// Adding a deny rule, anywhere, never makes a verdict milder, nor does an ask
// rule, except where nothing but the default denied.
func TestRulesOnlyTighten(t *testing.T) {
	table := rows(t)
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{
			Default: rapid.SampledFrom([]proto.Behavior{proto.NoVerdict, proto.Deny}).Draw(t, "default"),
			Rules:   rapid.SliceOfN(anyRule(proto.Allow, proto.AskFirst, proto.Deny), 0, 8).Draw(t, "rules"),
		}
		more := p
		at := rapid.IntRange(0, len(p.Rules)).Draw(t, "at")
		added := anyRule(proto.AskFirst, proto.Deny).Draw(t, "added")
		more.Rules = append(append(append([]Rule{}, p.Rules[:at]...), added), p.Rules[at:]...)
		r := rapid.SampledFrom(table).Draw(t, "row")
		c := ask(call(r.tool, r.call))
		before, after := p.Bind(here).Judge(c), more.Bind(here).Judge(c)
		if added.Verdict == proto.AskFirst && before.Rule == "built-in: default" {
			return
		}
		if rank[after.Behavior] < rank[before.Behavior] {
			t.Fatalf("%q was %s (%s) and is %s (%s) with %+v", r.call, before.Behavior, before.Reason, after.Behavior, after.Reason, added)
		}
	})
}

// The order of the rules does not count.
func TestOrderDoesNotCount(t *testing.T) {
	table := rows(t)
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(anyRule(proto.Allow, proto.AskFirst, proto.Deny), 1, 8).Draw(t, "rules")
		mixed := rapid.Permutation(rules).Draw(t, "mixed")
		r := rapid.SampledFrom(table).Draw(t, "row")
		c := ask(call(r.tool, r.call))
		a, b := Policy{Rules: rules}.Bind(here).Judge(c), Policy{Rules: mixed}.Bind(here).Judge(c)
		if a.Behavior != b.Behavior {
			t.Fatalf("%q is %s in one order and %s in another", r.call, a.Behavior, b.Behavior)
		}
	})
}
