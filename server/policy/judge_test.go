package policy

import (
	"os"
	"strings"
	"testing"
	"time"

	"signaltty/proto"
)

const testdata = "../../testdata/policy/"

// tree is a file system of a test: where each path leads, "" for what is no link.
type tree map[string]string

func (t tree) Link(path string) (string, bool) {
	target, ok := t[path]
	return target, ok
}

// files are those of the bypass table.
var files = tree{
	"/etc": "", "/etc/hosts": "", "/etc/passwd": "", "/home": "", "/home/u": "", "/home/u/.ssh": "", "/home/u/.ssh/config": "", "/home/u/.ssh/id_rsa": "",
	"/home/u/.claude": "", "/home/u/.config": "", "/work": "", "/work/app": "", "/work/app/src": "", "/work/app/src/a": "", "/work/app/.env": "", "/work/app/.claude": "",
	"/work/app/.git": "", "/tmp": "", "/usr": "", "/proc": "", "/proc/self": "",
	"/work/app/src/etclink": "/etc", "/work/app/src/homelink": "../../../home/u", "/work/app/src/envlink": "../.env",
	"/work/app/src/dangling": "nowhere", "/work/app/src/danglingetc": "/etc/new", "/work/app/src/loop": "loop",
}

// here is where the table plays.
var here = Place{
	Home: "/home/u", Workspace: "/work/app", Files: files,
	Own: []string{"~/.config/signaltty", "~/.local/state/signaltty", "/run/u/signaltty", "/opt/signaltty/signaltty"},
}

func parsed(t testing.TB, file string) Policy {
	t.Helper()
	data, err := os.ReadFile(testdata + file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// call is a row's call.
func call(tool, text string) proto.Call {
	c := proto.Call{Tool: tool, Name: tool}
	switch tool {
	case proto.ToolRun:
		c.Command = text
	case proto.ToolFetch:
		c.URL = text
	case proto.ToolMCP, proto.ToolAgent:
		c.Name = text
	case "-":
		c.Tool, c.Name = "", text
	case "partial":
		c.Tool, c.Partial = "", text
	default:
		c.Paths = []string{text}
	}
	return c
}

func ask(c proto.Call) Ask {
	return Ask{Agent: "claude", Pane: "p1-1", Cwd: "/work/app", Call: c, Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
}

// row is a row of the bypass table.
type row struct{ verdict, kind, tool, call string }

func rows(t testing.TB) []row {
	t.Helper()
	data, err := os.ReadFile(testdata + "bypass.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []row
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			t.Fatalf("a row of %d fields: %q", len(f), line)
		}
		list = append(list, row{f[0], f[1], f[2], strings.ReplaceAll(f[3], "␤", "\n")})
	}
	return list
}

// The bypass table: what people and agents try, and the verdict that is right.
func TestBypassTable(t *testing.T) {
	j := parsed(t, "bypass.toml").Bind(here)
	kinds, verdicts := map[string]bool{}, map[string]int{}
	for _, r := range rows(t) {
		kinds[r.kind] = true
		verdicts[r.verdict]++
		v := j.Judge(ask(call(r.tool, r.call)))
		if string(v.Behavior) != r.verdict {
			t.Errorf("%s: %s %q is %s, want %s: %s\n%+v", r.kind, r.tool, r.call, v.Behavior, r.verdict, v.Reason, v.Steps)
		}
		if v.Behavior != proto.NoVerdict && (v.Rule == "" || !strings.Contains(v.Reason, v.Rule) || !strings.Contains(v.Reason, "signaltty")) {
			t.Errorf("%q: the reason does not name signaltty and the rule: %q", r.call, v.Reason)
		}
	}
	if len(rows(t)) < 150 || len(kinds) < 40 || verdicts["allow"] < 30 || verdicts["ask"] < 30 || verdicts["deny"] < 30 {
		t.Errorf("the table has %d kinds and %v", len(kinds), verdicts)
	}
}

// The canaries: everyday commands that a careful policy leaves alone.
func TestCanaries(t *testing.T) {
	data, err := os.ReadFile(testdata + "canary.txt")
	if err != nil {
		t.Fatal(err)
	}
	var strict Policy
	for _, r := range parsed(t, "bypass.toml").Rules {
		if r.Verdict != proto.Allow {
			strict.Rules = append(strict.Rules, r)
		}
	}
	judges := []*Judge{parsed(t, "bypass.toml").Bind(here), strict.Bind(here)}
	n := 0
	for line := range strings.Lines(string(data)) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "␤", "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		for _, j := range judges {
			if v := j.Judge(ask(call(proto.ToolRun, line))); v.Behavior == proto.Deny || v.Behavior == proto.AskFirst {
				t.Errorf("%q: %s", line, v.Reason)
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d canaries", n)
	}
}
