package policy

import (
	"strings"
	"testing"

	"signaltty/proto"
)

// The tests below are named after the field reports that they are about.

// rulesOf is a policy of rules about commands.
func rulesOf(t *testing.T, text string) *Judge {
	t.Helper()
	p, err := Parse("policy.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p.Bind(here)
}

// verdictOf is what a policy says of a shell command.
func verdictOf(j *Judge, command string) Verdict { return j.Judge(ask(call(proto.ToolRun, command))) }

// An allow of a first word allows neither what is substituted, nor what is
// written, run by find, dumped or read elsewhere, nor the other half of a pipe.
func TestC01FirstWord(t *testing.T) {
	j := rulesOf(t, `
[[rule]]
verdict = "allow"
command = ["echo **", "find **", "printenv **", "cat **", "grep **"]
`)
	for _, c := range []string{
		`echo "$(id)"`, `echo hi > f`, `find . -exec rm {} +`, `printenv`, `cat ~/.ssh/id_rsa`, `rm x | grep y`, "echo `id`", `echo <(id)`, `cat x; rm y`,
	} {
		if v := verdictOf(j, c); v.Behavior == proto.Allow {
			t.Errorf("%q is allowed: %s", c, v.Reason)
		}
	}
	for _, c := range []string{`echo hi`, `find . -name x`, `cat go.mod`, `grep -r x src`} {
		if v := verdictOf(j, c); v.Behavior != proto.Allow {
			t.Errorf("%q is %s: %s", c, v.Behavior, v.Reason)
		}
	}
}

// What is made of allowed parts is allowed.
func TestC03AllowedParts(t *testing.T) {
	j := rulesOf(t, `
[[rule]]
verdict = "allow"
command = ["a **", "b **"]
`)
	for _, c := range []string{`a | b`, `cd src && a`, `VAR=1 a`, `a && b || a; b`, `(a; b)`, `if a; then b; fi`, `for x in 1 2; do a "$x"; done`, `! a`, `time a`, "a \\\n b"} {
		if v := verdictOf(j, c); v.Behavior != proto.Allow {
			t.Errorf("%q is %s: %s", c, v.Behavior, v.Reason)
		}
	}
	for _, c := range []string{`a | c`, `c && a`, `VAR=$(c) a`, `PATH=/tmp a`} {
		if v := verdictOf(j, c); v.Behavior == proto.Allow {
			t.Errorf("%q is allowed", c)
		}
	}
}

// A text that mentions a command is none; a text that an interpreter reads is.
func TestC04TextAndCode(t *testing.T) {
	j := rulesOf(t, `
[[rule]]
name = "no wiping"
verdict = "deny"
command = "rm -rf /"
[[rule]]
verdict = "allow"
command = ["git commit **", "cat **", "bash **"]
[[rule]]
verdict = "allow"
tool = "edit"
path = "src"
`)
	for c, want := range map[string]proto.Behavior{
		`git commit -m "rm -rf /"`:                      proto.Allow,
		"cat > src/f <<'EOF'\nrm -rf /\nEOF":            proto.Allow,
		"cat > other <<'EOF'\nrm -rf /\nEOF":            proto.NoVerdict,
		"bash <<'EOF'\nrm -rf /\nEOF":                   proto.Deny,
		"bash -c 'rm -fr /'":                            proto.Deny,
		"git commit -m \"$(rm -r -f /)\"":               proto.Deny,
		"cat <<EOF | sh\nrm --recursive --force /\nEOF": proto.Deny,
	} {
		if v := verdictOf(j, c); v.Behavior != want {
			t.Errorf("%q is %s, want %s: %s", c, v.Behavior, want, v.Reason)
		}
	}
}

// Deny beats ask, ask beats allow, wherever they stand, and the rule is named.
func TestC09Precedence(t *testing.T) {
	rules := []string{
		"[[rule]]\nname = \"all\"\nverdict = \"allow\"\ncommand = \"**\"\n",
		"[[rule]]\nname = \"push\"\nverdict = \"ask\"\ncommand = \"git push*\"\n",
		"[[rule]]\nname = \"x\"\nverdict = \"deny\"\ncommand = \"x\"\n",
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}} {
		text := ""
		for _, i := range order {
			text += rules[i]
		}
		j := rulesOf(t, text)
		for c, want := range map[string]string{"ls": "all", "git push origin": "push", "x -y": "x", "git push && x": "x", "ls; git push": "push"} {
			if v := verdictOf(j, c); v.Rule != want {
				t.Errorf("%v: %q is decided by %q, want %q", order, c, v.Rule, want)
			}
		}
	}
}

// Each deny and each ask names signaltty and the rule.
func TestC20NamesTheRule(t *testing.T) {
	j := rulesOf(t, "[[rule]]\nname = \"mine\"\nverdict = \"deny\"\ncommand = \"x\"\nmessage = \"use y\"\n[[rule]]\nverdict = \"ask\"\ncommand = \"z\"\n")
	for c, want := range map[string]string{"x": `"mine"`, "z": `"policy.toml:6"`, "$X": `"built-in: not understood"`} {
		if v := verdictOf(j, c); !strings.HasPrefix(v.Reason, "signaltty: ") || !strings.Contains(v.Reason, want) {
			t.Errorf("%q: %q", c, v.Reason)
		}
	}
	if v := verdictOf(j, "x"); !strings.HasSuffix(v.Reason, ": use y") {
		t.Errorf("the message is missing: %q", v.Reason)
	}
}

// A policy that fails closed says for which tools.
func TestGates(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"[[rule]]\nverdict = \"allow\"\ncommand = \"ls\"":                        "",
		"[[rule]]\nverdict = \"deny\"\ncommand = \"rm\"":                         "run",
		"[[rule]]\nverdict = \"deny\"\ntool = \"edit\"\npath = \"/etc\"":         "edit run",
		"[[rule]]\nverdict = \"ask\"\nhost = \"x.example\"":                      "run fetch",
		"[[rule]]\nverdict = \"deny\"\ncommand = \"rm\"\non_failure = \"agent\"": "",
		"default = \"deny\"":                              "read edit run fetch search mcp agent",
		"[[rule]]\nverdict = \"deny\"\nagent = \"codex\"": "read edit run fetch search mcp agent",
	} {
		p, err := Parse("policy.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Gates(), " "); got != want {
			t.Errorf("%q closes %q, want %q", text, got, want)
		}
	}
}

// The person can take a path out of the built-in protection, and nothing else can.
func TestProtection(t *testing.T) {
	path := "/home/u/.claude/settings.json"
	for text, want := range map[string]proto.Behavior{
		"": proto.Deny,
		"[[rule]]\nverdict = \"allow\"\ntool = \"edit\"\npath = \"/\"": proto.Deny,
		"unprotect = [\"~/.claude/settings.json\"]":                    proto.NoVerdict,
	} {
		if v := rulesOf(t, text).Judge(ask(call(proto.ToolEdit, path))); v.Behavior != want {
			t.Errorf("with %q it is %s, want %s", text, v.Behavior, want)
		}
	}
	// Without rules of the person's, only what is surely signaltty's is denied.
	if v := verdictOf(rulesOf(t, ""), `echo x > "$F"`); v.Behavior != proto.NoVerdict {
		t.Errorf("no rules, and %s", v.Reason)
	}
}

// On a file system that ignores case, so do paths.
func TestFold(t *testing.T) {
	p, err := Parse("policy.toml", []byte("[[rule]]\nverdict = \"deny\"\npath = \"~/Secret\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	folding := here
	folding.Fold = true
	private := Place{Home: "/home/u", Workspace: "/tmp/w", Files: tree{"/tmp": "private/tmp", "/private": "", "/private/tmp": "", "/private/tmp/w": ""}}
	for _, test := range []struct {
		at   Place
		path string
		want proto.Behavior
	}{
		{here, "/home/u/SECRET/x", proto.NoVerdict}, {folding, "/home/u/SECRET/x", proto.Deny}, {folding, "/HOME/u/secret", proto.Deny},
	} {
		if v := p.Bind(test.at).Judge(ask(call(proto.ToolEdit, test.path))); v.Behavior != test.want {
			t.Errorf("%s (fold %v) is %s", test.path, test.at.Fold, v.Behavior)
		}
	}
	ws, err := Parse("policy.toml", []byte("[[rule]]\nverdict = \"deny\"\npath = \"x\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/tmp/w/x", "/private/tmp/w/x"} {
		if v := ws.Bind(private).Judge(ask(call(proto.ToolEdit, path))); v.Behavior != proto.Deny {
			t.Errorf("%s is %s", path, v.Behavior)
		}
	}
}

// Each condition of a rule keeps it from what is not meant.
func TestConditions(t *testing.T) {
	meant := Ask{Agent: "claude", Pane: "p1-1", Session: "s1", Cwd: "/work/app", Now: ask(proto.Call{}).Now, Call: call(proto.ToolMCP, "mcp__hub__push")}
	for condition, other := range map[string]func(*Ask){
		`agent = "claude"`:                 func(a *Ask) { a.Agent = "codex" },
		`pane = "p1-1"`:                    func(a *Ask) { a.Pane = "p1-2" },
		`session = "s1"`:                   func(a *Ask) { a.Session = "s2" },
		`tool = "mcp"`:                     func(a *Ask) { a.Call = call(proto.ToolAgent, "mcp__hub__push") },
		`tool_name = "mcp__hub__*"`:        func(a *Ask) { a.Call = call(proto.ToolMCP, "mcp__other__push") },
		`expires = 2026-12-02T00:00:00Z`:   func(a *Ask) { a.Now = a.Now.AddDate(0, 0, 2) },
		`workspace = ["/work/*", "~/new"]`: nil, // elsewhere, below
	} {
		text := "[[rule]]\nname = \"x\"\nverdict = \"deny\"\n" + condition + "\n"
		if !strings.Contains(condition, "tool") {
			text += "tool = [\"mcp\", \"agent\"]\n"
		}
		j := rulesOf(t, text)
		if v := j.Judge(meant); v.Rule != "x" {
			t.Errorf("%s: what is meant is decided by %q (%s)", condition, v.Rule, v.Reason)
		}
		a := meant
		if other != nil {
			other(&a)
		} else {
			p, _ := Parse("policy.toml", []byte(text))
			elsewhere := here
			elsewhere.Workspace = "/tmp"
			j = p.Bind(elsewhere)
		}
		if v := j.Judge(a); v.Rule == "x" {
			t.Errorf("%s: it also decides %+v", condition, a)
		}
	}
}
