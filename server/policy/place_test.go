package policy

import (
	"testing"

	"signaltty/proto"
)

// Of a call whose workspace is not known, what is denied in the workspace is
// denied in every directory, and what is allowed there is allowed nowhere.
func TestWorkspaceUnknown(t *testing.T) {
	p, err := Parse("policy.toml", []byte(`
unprotect = [".claude/settings.json"]
[[rule]]
name = "no secrets"
verdict = "deny"
path = "secret/*.txt"
[[rule]]
name = "sources"
verdict = "allow"
tool = "edit"
path = ["src/**", "/data"]
[[rule]]
name = "here"
verdict = "deny"
tool = "fetch"
workspace = "~/app"
`))
	if err != nil {
		t.Fatal(err)
	}
	at := here
	at.Workspace = ""
	j := p.Bind(at)
	for _, test := range []struct {
		cwd, tool, call string
		want            proto.Behavior
	}{
		{"/anywhere/at/all", proto.ToolEdit, "secret/a.txt", proto.Deny},
		{"/anywhere", proto.ToolRun, "cd at && rm secret/a.txt", proto.Deny},
		{"/anywhere", proto.ToolEdit, "src/a.go", proto.NoVerdict},
		{"/src", proto.ToolEdit, "/src/a.go", proto.NoVerdict},
		{"", proto.ToolEdit, "/data/a", proto.Allow},
		{"", proto.ToolEdit, "data/a", proto.AskFirst}, // it may be anything
		{"", proto.ToolRun, "rm a.txt", proto.AskFirst},
		{"/work/app", proto.ToolEdit, ".claude/settings.json", proto.Deny},
		{"/work/app", proto.ToolFetch, "https://example.org", proto.AskFirst},
	} {
		a := ask(call(test.tool, test.call))
		a.Cwd = test.cwd
		if v := j.Judge(a); v.Behavior != test.want {
			t.Errorf("%s %q in %q is %s, want %s: %s", test.tool, test.call, test.cwd, v.Behavior, test.want, v.Reason)
		}
	}
}
