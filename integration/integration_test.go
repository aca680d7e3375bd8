package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/adapters"
)

// someone is a person with an empty home, and the path of Claude's settings.
func someone(t *testing.T) (Person, string) {
	t.Helper()
	dir := t.TempDir()
	p := Person{Home: dir, Env: func(string) string { return "" }, State: filepath.Join(dir, "state"), Self: "/opt/signal tty/bin/signaltty"}
	return p, filepath.Join(dir, ".claude", "settings.json")
}

func claude(t *testing.T) adapters.Adapter {
	t.Helper()
	a, ok := adapters.Lookup("claude")
	if !ok {
		t.Fatal("there is no adapter of Claude Code")
	}
	return a
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func install(t *testing.T, p Person) Report {
	t.Helper()
	r, err := p.Install(claude(t))
	if err != nil || r.State != Installed {
		t.Fatalf("installing: %+v, %v", r, err)
	}
	return r
}

func uninstall(t *testing.T, p Person) Report {
	t.Helper()
	r, err := p.Uninstall(claude(t))
	if err != nil || r.State != Absent {
		t.Fatalf("uninstalling: %+v, %v", r, err)
	}
	return r
}

// settings are what persons have in their files.
var settings = map[string]string{
	"empty file":   "",
	"white space":  " \n",
	"empty object": "{}",
	"no newline":   `{"model": "opus"}`,
	"lines":        "{\n}\n",
	"usual":        "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Bash(npm test *)\"]\n  }\n}\n",
	"byte order":   "\ufeff{\n\t\"model\": \"opus\"\n}\n",
	"crlf":         "{\r\n    \"model\": \"opus\"\r\n}\r\n",
	"foreign hooks": "{\n  // mine\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}, // keep\n    ],\n" +
		"    \"PreToolUse\": [],\n    \"PermissionRequest\": [ ]\n  },\n  \"z\": {\"b\": 1, \"a\": 2},\n}\n",
}

func TestUninstallLeavesTheBytes(t *testing.T) {
	for name, before := range settings {
		t.Run(name, func(t *testing.T) {
			p, file := someone(t)
			write(t, file, before, 0o640)
			if r := install(t, p); !r.Changed {
				t.Error("nothing was changed")
			}
			once := contents(t, file)
			for _, word := range []string{"// mine", "say done", "// keep", "opus", "npm test"} {
				if strings.Contains(before, word) != strings.Contains(once, word) {
					t.Errorf("%q was lost:\n%s", word, once)
				}
			}
			if r := install(t, p); r.Changed || contents(t, file) != once {
				t.Error("installing twice changes it again")
			}
			if info, err := os.Stat(file); err != nil || info.Mode() != 0o640 {
				t.Errorf("its mode is %v, %v", info.Mode(), err)
			}
			uninstall(t, p)
			if after := contents(t, file); after != before {
				t.Errorf("after all it is %q, was %q", after, before)
			}
			if r := uninstall(t, p); r.Changed {
				t.Error("uninstalling twice changes it again")
			}
			entries, _ := os.ReadDir(filepath.Dir(file))
			if len(entries) != 1 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
}

// What the person changes while our hooks are in stays, and nothing else.
func TestUninstallAfterOtherEdits(t *testing.T) {
	for name, before := range settings {
		if strings.TrimSpace(before) == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p, file := someone(t)
			write(t, file, before, 0o600)
			install(t, p)
			edit := strings.NewReplacer("opus", "haiku", "say done", "say it", "{}", `{}`).Replace
			edited := edit(contents(t, file)) + "\n"
			write(t, file, edited, 0o600)
			uninstall(t, p)
			want := edit(before) + "\n"
			after := contents(t, file)
			if name == "empty object" || name == "lines" { // how an empty object was broken into lines is lost
				after, want = strings.Join(strings.Fields(after), ""), strings.Join(strings.Fields(want), "")
			}
			if after != want {
				t.Errorf("after all it is\n%q, want\n%q", after, want)
			}
		})
	}
}

func TestNoFileBefore(t *testing.T) {
	p, file := someone(t)
	if r := p.Status(claude(t)); r.State != Absent {
		t.Errorf("status is %+v", r)
	}
	uninstall(t, p)
	install(t, p)
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	uninstall(t, p)
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	// Without its record it is known by what stands there.
	install(t, p)
	if err := os.RemoveAll(p.State); err != nil {
		t.Fatal(err)
	}
	uninstall(t, p)
	if got := strings.Join(strings.Fields(contents(t, file)), ""); got != "{}" {
		t.Errorf("left is %q", got)
	}
}

func TestLinks(t *testing.T) {
	p, file := someone(t)
	real := filepath.Join(p.Home, "dotfiles", "claude.json")
	write(t, real, "{}\n", 0o644)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/claude.json", file); err != nil {
		t.Fatal(err)
	}
	install(t, p)
	if to, err := os.Readlink(file); err != nil || to != "../dotfiles/claude.json" {
		t.Errorf("the link is %q, %v", to, err)
	}
	if !strings.Contains(contents(t, real), "hook-event") {
		t.Error("its target has no hooks")
	}
	uninstall(t, p)
	if got := contents(t, real); got != "{}\n" {
		t.Errorf("the target is %q", got)
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Install(claude(t)); err == nil || !strings.Contains(err.Error(), "link to a file that is not there") {
		t.Errorf("a link to nowhere: %v", err)
	}
}

func TestMalformedIsRefused(t *testing.T) {
	for bad, want := range map[string]string{
		"{\n  \"a\": 1\n  \"b\": 2\n}": "line 3, column 3",
		`{"hooks": []}`:                `"hooks" (line 1, column 11) is not an object`,
		`{"hooks": {"Stop": {}}}`:      `"hooks.Stop" (line 1, column 20) is not a list`,
		"[]":                           "is not an object",
	} {
		p, file := someone(t)
		write(t, file, bad, 0o600)
		for what, do := range map[string]func(adapters.Adapter) (Report, error){"install": p.Install, "uninstall": p.Uninstall} {
			_, err := do(claude(t))
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "nothing was changed") || !strings.Contains(err.Error(), file) {
				t.Errorf("%s on %q: %v", what, bad, err)
			}
		}
		if r := p.Status(claude(t)); r.State != Broken || !strings.Contains(r.Detail, want) {
			t.Errorf("the status of %q is %+v", bad, r)
		}
		if got := contents(t, file); got != bad {
			t.Errorf("it became %q", got)
		}
	}
}

// Another binary's entries are replaced, and each is there once.
func TestRenewed(t *testing.T) {
	p, file := someone(t)
	write(t, file, "{\n  \"model\": \"opus\"\n}\n", 0o600)
	install(t, p)
	write(t, file, strings.Replace(contents(t, file), "opus", "haiku", 1), 0o600)
	p.Self = "/usr/bin/signaltty"
	if r := p.Status(claude(t)); r.State != Outdated {
		t.Errorf("status is %+v", r)
	}
	install(t, p)
	var s struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Type, Command string
				Args          []string
				Timeout       int
			}
		}
	}
	if err := json.Unmarshal([]byte(contents(t, file)), &s); err != nil {
		t.Fatal(err)
	}
	for _, e := range claude(t).Events {
		groups := s.Hooks[e.Name]
		if e.TimeoutSeconds == 0 {
			if len(groups) != 0 {
				t.Errorf("%s is installed", e.Name)
			}
			continue
		}
		if len(groups) != 1 || len(groups[0].Hooks) != 1 {
			t.Fatalf("%s has %+v", e.Name, groups)
		}
		if h := groups[0].Hooks[0]; h.Command != p.Self || h.Timeout != e.TimeoutSeconds || h.Type != "command" || h.Args[len(h.Args)-1] != "--installed" {
			t.Errorf("%s has %+v", e.Name, h)
		}
	}
	uninstall(t, p)
	if got := contents(t, file); got != "{\n  \"model\": \"haiku\"\n}\n" {
		t.Errorf("after all it is %q", got)
	}
}

func TestChangedMeanwhile(t *testing.T) {
	_, file := someone(t)
	write(t, file, "{}", 0o600)
	if err := replace(file, []byte("{ }"), []byte("x")); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("%v", err)
	}
	if got := contents(t, file); got != "{}" {
		t.Errorf("it is %q", got)
	}
}

func TestManyAtOnce(t *testing.T) {
	p, file := someone(t)
	write(t, file, "{\n  \"model\": \"opus\"\n}\n", 0o600)
	before := contents(t, file)
	errs := make(chan error, 16)
	for range cap(errs) {
		go func() {
			_, err := p.Install(claude(t))
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := bytes.Count([]byte(contents(t, file)), []byte("PermissionRequest")); n != 2 { // the event, and its argument
		t.Errorf("it is there %d times", n)
	}
	uninstall(t, p)
	if got := contents(t, file); got != before {
		t.Errorf("after all it is %q", got)
	}
	if t.Failed() {
		fmt.Println(contents(t, file))
	}
}
