package adapters

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"signaltty/proto"
)

func openCode(t *testing.T) Adapter {
	t.Helper()
	a, ok := Lookup("opencode")
	if !ok {
		t.Fatal("no adapter")
	}
	return a
}

func TestOpenCodeLaunch(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"nothing", "", `{"plugin":["FILE"]}`},
		{"blank", " \n", `{"plugin":["FILE"]}`},
		{"theirs stays first", `{"plugin":["mine@1",["file:///x.js",{"a":1}]]}`, `{"plugin":["mine@1",["file:///x.js",{"a":1}],"FILE"]}`},
		{"values stay", `{"permission":{"bash":{"*":"ask","git *":"allow"}},"n":1e99}`, `{"n":1e99,"permission":{"bash":{"*":"ask","git *":"allow"}},"plugin":["FILE"]}`},
		{"comments", "{ // mine, \"all\n\"a\": \"//b /*c*/\", /* , */ \"l\": [1, 2, ],\n}", `{"a":"//b /*c*/","l":[1,2],"plugin":["FILE"]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a b#%")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			c, err := openCode(t).Launch(Launch{
				Argv: []string{"--prompt", "hi"}, FilesDir: dir, Self: self,
				Env: []string{openCodeContent + "=old", openCodeContent + "=" + test.content},
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(c.Argv, []string{"opencode", "--prompt", "hi"}) {
				t.Errorf("argv is %q", c.Argv)
			}
			var f fields
			content, _ := strings.CutPrefix(c.Env[0], openCodeContent+"=")
			if err := json.Unmarshal([]byte(content), &f); err != nil {
				t.Fatal(err)
			}
			file := "file://" + filepath.Dir(dir) + "/a%20b%23%25/opencode.mjs"
			if got := strings.Replace(content, file, "FILE", 1); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			want := []string{filepath.Join(dir, "opencode-hooks.json"), filepath.Join(dir, "opencode.mjs")}
			if !slices.Equal(c.Files, want) {
				t.Errorf("files are %q", c.Files)
			}
			golden(t, fixtures+"/opencode/hooks.out.json", json.RawMessage(read(t, want[0])))
		})
	}
}

func TestOpenCodeBadContent(t *testing.T) {
	for content, want := range map[string]string{
		`{"a":`:             "is not a JSON object",
		`[]`:                "is not a JSON object",
		`null`:              "is not a JSON object",
		`{"plugin":"mine"}`: `"plugin" must be a list`,
	} {
		_, err := openCode(t).Launch(Launch{FilesDir: t.TempDir(), Env: []string{openCodeContent + "=" + content}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), openCodeContent) {
			t.Errorf("%s: got %v, want %q", content, err, want)
		}
	}
}

func TestOpenCodeVerdicts(t *testing.T) {
	tests := []struct {
		event string
		v     proto.Verdict
		want  string
	}{
		{"permission.asked", proto.Verdict{Behavior: proto.Allow, Option: proto.OptionOnce}, `{"reply":"once"}`},
		{"permission.asked", proto.Verdict{Behavior: proto.Allow, Option: proto.OptionAlways}, `{"reply":"always"}`},
		{"permission.asked", proto.Verdict{Behavior: proto.Deny, Message: "no <b>"}, `{"reply":"reject","message":"no <b>"}`},
		// Without a message OpenCode ends the turn.
		{"permission.asked", proto.Verdict{Behavior: proto.Deny, Interrupt: true, Message: "no"}, `{"reply":"reject"}`},
		{"question.asked", proto.Verdict{Behavior: proto.Allow, Option: proto.OptionAnswer, Answers: [][]string{{"a"}, {"b", "c"}}}, `{"answers":[["a"],["b","c"]]}`},
		{"question.asked", proto.Verdict{Behavior: proto.Deny}, `{}`},
		{"question.asked", proto.Verdict{Behavior: proto.Allow}, ``},
	}
	for _, test := range tests {
		out := openCode(t).Encode(test.event, nil, test.v)
		if got := strings.TrimSpace(string(out.Stdout)); got != test.want || out.Exit != 0 {
			t.Errorf("%s %+v: got %q, want %q", test.event, test.v, got, test.want)
		}
	}
}

func TestOpenCodeCalls(t *testing.T) {
	tests := []struct {
		tool, input string
		want        proto.Call
		dir         string
	}{
		{"bash", `{"command":"ls","workdir":"sub"}`, proto.Call{Tool: proto.ToolRun, Command: "ls"}, "sub"},
		{"read", `{"filePath":"/a"}`, proto.Call{Tool: proto.ToolRead, Paths: []string{"/a"}}, ""},
		{"grep", `{"pattern":"../x"}`, proto.Call{Tool: proto.ToolSearch, Paths: []string{"."}}, ""},
		{"glob", `{"pattern":"../*.go"}`, proto.Call{Tool: proto.ToolSearch, Paths: []string{".", "../*.go"}}, ""},
		{"glob", `{"pattern":"**/*.go","path":"src"}`, proto.Call{Tool: proto.ToolSearch, Paths: []string{"src"}}, ""},
		{"apply_patch", `{"patchText":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n*** Delete File: c.go\n*** End Patch"}`, proto.Call{Tool: proto.ToolEdit, Paths: []string{"a.go", "b.go", "c.go"}}, ""},
		{"webfetch", `{"url":"http://x/"}`, proto.Call{Tool: proto.ToolFetch, URL: "http://x/"}, ""},
		{"glob", `{"pattern":"{/etc,src}/*"}`, proto.Call{Tool: proto.ToolSearch, Paths: []string{".", "{/etc,src}/*"}}, ""},
		{"linear_get", `{"id":1}`, proto.Call{Tool: proto.ToolMCP}, ""},
		{"todowrite", `{"todos":[]}`, proto.Call{}, ""},
	}
	for _, test := range tests {
		test.want.Name = test.tool
		got, dir := openCodeCall(test.tool, json.RawMessage(test.input))
		if !equalJSON(t, got, test.want) || dir != test.dir {
			t.Errorf("%s %s: got %+v in %q", test.tool, test.input, got, dir)
		}
	}
	for tool, input := range map[string]string{"read": `{}`, "apply_patch": `{"patchText":"rm -rf"}`, "bash": `[]`, "edit": `{"filePath":""}`} {
		if got, _ := openCodeCall(tool, json.RawMessage(input)); got.Partial == "" {
			t.Errorf("%s %s passes for all that it touches: %+v", tool, input, got)
		}
	}
}

// A diff can be much larger than the input that it comes of.
func TestOpenCodeLargeDiff(t *testing.T) {
	lines := strings.Repeat("-a\n+b\n", 40_000)
	payload := encoded(t, map[string]any{
		"session_id": "s", "tool_name": "edit", "tool_input": map[string]any{"filePath": "/f", "oldString": "a", "newString": "b", "replaceAll": true},
		"request": map[string]any{"id": "per_1", "permission": "edit", "metadata": map[string]any{"filepath": "/f", "diff": "@@ -1 +1 @@\n" + lines}},
	})
	e, err := openCode(t).Decode("permission.asked", payload)
	if err != nil {
		t.Fatal(err)
	}
	if e.Ask.Truncated == nil || e.Ask.Truncated.Path != "/f" || len(e.Ask.Detail) > 100 {
		t.Errorf("%+v, %d parts", e.Ask.Truncated, len(e.Ask.Detail))
	}
}

func FuzzPlainJSON(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,}`, "{//x\n}", `{/*`, `"\`, `[1,/*,*/]`, `{"a":"//"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := plainJSON([]byte(s))
		if len(out) != len(s) {
			t.Fatalf("%d bytes became %d", len(s), len(out))
		}
		if json.Valid([]byte(s)) && string(out) != s {
			t.Fatalf("%q is JSON and became %q", s, out)
		}
	})
}
