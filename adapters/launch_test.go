package adapters

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const self = "/usr/local/bin/signaltty"

func TestClaudeArguments(t *testing.T) {
	tests := []struct {
		name       string
		argv, want []string
	}{
		{"none", nil, []string{"claude", "--settings", "FILE"}},
		{"flags", []string{"--model", "x", "--add-dir", "a", "b"}, []string{"claude", "--model", "x", "--add-dir", "a", "b", "--settings", "FILE"}},
		{"theirs is taken out", []string{"--settings", "{}", "-c"}, []string{"claude", "-c", "--settings", "FILE"}},
		{"with =", []string{"--settings={}", "hello"}, []string{"claude", "hello", "--settings", "FILE"}},
		{"twice", []string{"--settings", "missing.json", "--settings={}"}, []string{"claude", "--settings", "FILE"}},
		{"after --", []string{"-c", "--", "--settings", "x"}, []string{"claude", "-c", "--settings", "FILE", "--", "--settings", "x"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			c, err := claude(t).Launch(Launch{Argv: test.argv, Dir: dir, FilesDir: dir, Self: self})
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "claude-settings.json")
			for i, arg := range c.Argv {
				if arg == file {
					c.Argv[i] = "FILE"
				}
			}
			if !slices.Equal(c.Argv, test.want) {
				t.Errorf("got %q, want %q", c.Argv, test.want)
			}
			if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 || !slices.Equal(c.Files, []string{file}) {
				t.Errorf("%v, %v, files %q", info, err, c.Files)
			}
		})
	}
}

func TestClaudeSettingsGolden(t *testing.T) {
	dir := t.TempDir()
	user := `{"model":"opus","env":{"NUM":"<1>"},"big":12345678901234567890,
		"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done","timeout":5}]}],"FileChanged":[{"matcher":"*.go","hooks":[]}]}}`
	if err := os.WriteFile(filepath.Join(dir, "mine.json"), []byte(user), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := claude(t).Launch(Launch{Argv: []string{"--settings", "mine.json"}, Dir: dir, FilesDir: dir, Self: self})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, fixtures+"/claude/settings.out.json", json.RawMessage(read(t, c.Files[0])))
}

func TestClaudeBadSettings(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "list.json"), []byte(`[]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, value, want string }{
		{"half an object", `{"a":`, "the JSON given to --settings is not a JSON object"},
		{"comments", "{ // mine\n}", "the JSON given to --settings is not a JSON object"},
		{"a list", "list.json", "the settings file list.json is not a JSON object"},
		{"no file", "none.json", "no such file"},
		{"a pipe", "pipe", "not a regular file"},
		{"a directory", ".", "not a regular file"},
		{"hooks are a list", `{"hooks":[]}`, `"hooks" must be an object of lists`},
		{"an event is a string", `{"hooks":{"Stop":"x"}}`, `"hooks" must be an object of lists`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := claude(t).Launch(Launch{Argv: []string{"--settings", test.value}, Dir: dir, FilesDir: dir, Self: self})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
	if _, err := claude(t).Launch(Launch{Argv: []string{"-c", "--settings"}, FilesDir: dir}); err == nil {
		t.Error("a --settings without a value was taken")
	}
}

func TestMockIsBuiltIn(t *testing.T) {
	a, _ := Lookup("mock")
	c, err := a.Launch(Launch{Self: self, Argv: []string{"--once"}})
	if err != nil || !slices.Equal(c.Argv, []string{self, "mock-agent", "--once"}) || a.Binary != "" {
		t.Errorf("%+v, %v", c, err)
	}
}
