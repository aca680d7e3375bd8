package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "signaltty"

// importRule says which packages of this module one package may import, and
// which packages from outside it.
type importRule struct {
	path    string // below the module; "/..." takes in what is below
	own     string // separated by spaces; "*" for any
	outside string // prefixes, separated by spaces; "*" for any
	reason  string
}

// importRules is the right-hand column of the tree in docs/architecture.md.
var importRules = []importRule{
	{"", "cli", "", "main is three lines: what is put together is put together in cli"},
	{"cli", "*", "*", "cli is the composition root"},
	{"proto", "", "", "the vocabulary is a leaf; were it not, its types would get twins"},
	{"adapters", "proto", "", "every hook is a process of milliseconds that pays for each import, and knows agents alone"},
	{"hook", "proto adapters", "golang.org/x/sys/unix", "the same, and it translates without knowing the server"},
	{"turn/tree", "proto", "", "what may be written is a function that it is given; it knows files and Git"},
	{"turn", "proto adapters", "golang.org/x/sys/unix", "it drives an agent and asks the server by the protocol, as a hook does"},
	{"integration", "proto adapters", "github.com/tailscale/hujson golang.org/x/sys/unix", "files of the person's are edited here and nowhere else; no hook and no server needs it"},
	{"mockagent", "proto", "github.com/charmbracelet/x/term", "the mock agent is a program of its own, as real agents are: it reaches the server by its hooks"},
	{"server", "proto adapters store server/...", "github.com/creack/pty golang.org/x/sys/unix", "processes and connections live here; screens are term's and the state is store's"},
	{"server/term", "proto", "github.com/clipperhouse/", "bytes to screen is pure: no process, no clock, no socket"},
	{"server/policy", "proto", "mvdan.cc/sh github.com/pelletier/go-toml", "a rule's verdict is a function of the rules and the ask, of nothing else; the text of the rules is parsed where they are defined"},
	{"server/confine", "", "github.com/landlock-lsm/ golang.org/x/sys/unix", "it runs in the child between fork and exec"},
	{"store", "proto", "modernc.org/sqlite", "a transition must not be able to wait for a process, a socket or a screen"},
	{"tui", "proto tui/...", "*", "the screen is a client like any other: what the protocol does not say it cannot know"},
	{"tui/paint", "", "charm.land/ github.com/charmbracelet/ github.com/clipperhouse/ golang.org/x/sys/unix", "the last step knows cells and a terminal, not panes"},
	{"tui/tuitest", "proto tui tui/...", "*", "the driver plays a server and a terminal to the screen, nothing below them"},
	{"budget", "", "", "tests of every package use it"},
	{"docs/man", "", "", "pages are data"},
	{"script/...", "*", "*", "programs of the house, in no binary"},
	{"field", "proto e2e/...", "*", "field reports are tried on the binary"},
	{"e2e/...", "proto server/term e2e/...", "*", "end to end means through the binary; the emulator only reads what it draws"},
}

// importers says who alone may import a package from outside.
var importers = []struct {
	outside string
	by      string
	reason  string
}{
	{"github.com/spf13/cobra", "cli script/man", "verbs are cli's"},
	{"github.com/pelletier/go-toml", "cli server/policy", "config.toml is cli's, policy.toml is policy's"},
	{"mvdan.cc/sh", "server/policy", "shell is parsed to be judged, in one place"},
	{"github.com/tailscale/hujson", "integration", "settings with comments are edited there"},
	{"charm.land/", "tui tui/paint tui/tuitest", "the screen is the client's"},
	{"github.com/yuin/goldmark", "tui", "plans are rendered by the screen that shows them"},
	{"github.com/hinshun/vt10x", "tui", "vt10x reads frames only; a program's own bytes hang or crash it"},
	{"modernc.org/sqlite", "store", "the state has one owner"},
	{"github.com/creack/pty", "server mockagent tui tui/tuitest e2e/tty script/compare", "terminals are opened by the server, by tests and by what measures"},
}

// goPackage is what `go list -json` tells of a package.
type goPackage struct {
	ImportPath   string
	Name         string
	Dir          string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

func (p goPackage) below() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

// packages lists the packages of this module.
func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Dir,Imports,TestImports,XTestImports,Deps", "./...").Output()
	if err != nil {
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("go list: %v\n%s", err, e.Stderr)
		}
		t.Fatal(err)
	}
	var list []goPackage
	d := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		rule := ruleOf(p.below())
		if rule == nil {
			t.Errorf("%s has no rule in imports_test.go", p.ImportPath)
			continue
		}
		for _, i := range p.Imports {
			own, isOwn := ownPath(i)
			switch {
			case !isOwn && standard(i):
			case isOwn && !allowed(own, rule.own, samePath), !isOwn && !allowed(i, rule.outside, strings.HasPrefix):
				t.Errorf("%s must not import %s: %s", p.ImportPath, i, rule.reason)
			}
		}
	}
}

func TestImporters(t *testing.T) {
	for _, p := range packages(t) {
		for _, i := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for _, rule := range importers {
				if strings.HasPrefix(i, rule.outside) && !allowed(p.below(), rule.by, samePath) {
					t.Errorf("%s imports %s, which is for %s: %s", p.ImportPath, i, rule.by, rule.reason)
				}
			}
		}
	}
}

// What a hook's process needs is what every tool call of every agent waits for.
func TestHookNeedsNothingHeavy(t *testing.T) {
	heavy := []string{"regexp", "net/http", "database/sql", "text/template", "log/slog", "signaltty/server", "signaltty/store", "signaltty/tui"}
	for _, p := range packages(t) {
		if p.below() != "hook" {
			continue
		}
		for _, d := range p.Deps {
			if slices.Contains(heavy, d) {
				t.Errorf("%s depends on %s, which costs every hook its start", p.ImportPath, d)
			}
		}
	}
}

// ruleOf finds the rule of a package, the exact one first.
func ruleOf(path string) *importRule {
	for _, exact := range []bool{true, false} {
		for i, r := range importRules {
			if exact && r.path == path || !exact && samePath(path, r.path) {
				return &importRules[i]
			}
		}
	}
	return nil
}

func ownPath(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, module+"/")
	return rest, ok
}

// standard says that a package is of the standard library: the first element
// of such a path has no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func allowed(path, list string, match func(path, pattern string) bool) bool {
	return list == "*" || slices.ContainsFunc(strings.Fields(list), func(pattern string) bool { return match(path, pattern) })
}

// samePath says that path is pattern, or below it where it ends in "/...".
func samePath(path, pattern string) bool {
	tree, ok := strings.CutSuffix(pattern, "/...")
	return path == pattern || ok && (path == tree || strings.HasPrefix(path, tree+"/"))
}
