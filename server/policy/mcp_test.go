package policy

import (
	"testing"

	"signaltty/proto"
)

// What an MCP server is given of paths and hosts that a rule denies is asked
// about: what it does with them is not known. Signaltty's own files and the
// hooks of agents are asked about without any rule.
func TestPathsOfMCP(t *testing.T) {
	j := parsed(t, "bypass.toml").Bind(here)
	none := Policy{}.Bind(here)
	for _, test := range []struct {
		paths      []string
		url        string
		want, bare proto.Behavior
	}{
		{[]string{"/home/u/.ssh/id_rsa"}, "", proto.AskFirst, proto.NoVerdict},
		{[]string{"~/.ssh/id_rsa"}, "", proto.AskFirst, proto.NoVerdict},
		{[]string{"src/a", "src/envlink"}, "", proto.AskFirst, proto.NoVerdict},
		{[]string{"src/etclink/hosts"}, "", proto.AskFirst, proto.NoVerdict},
		{nil, "https://evil.example/x", proto.AskFirst, proto.NoVerdict},
		{[]string{"src/a"}, "https://example.com", proto.NoVerdict, proto.NoVerdict},
		{[]string{"/work/app/.claude/settings.json"}, "", proto.AskFirst, proto.AskFirst},
		{[]string{"/home/u/.config/signaltty/policy.toml"}, "", proto.AskFirst, proto.AskFirst},
	} {
		a := ask(proto.Call{Tool: proto.ToolMCP, Name: "mcp__files__write", Paths: test.paths, URL: test.url})
		if v := j.Judge(a); v.Behavior != test.want {
			t.Errorf("%q %s is %s, want %s: %s", test.paths, test.url, v.Behavior, test.want, v.Reason)
		}
		if v := none.Judge(a); v.Behavior != test.bare {
			t.Errorf("without rules %q %s is %s, want %s: %s", test.paths, test.url, v.Behavior, test.bare, v.Reason)
		}
	}
}
