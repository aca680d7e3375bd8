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

func gemini(t *testing.T) Adapter {
	t.Helper()
	a, ok := Lookup("gemini")
	if !ok {
		t.Fatal("no gemini")
	}
	return a
}

func TestGeminiSettingsGolden(t *testing.T) {
	own := fields{}
	user := `{ // theirs
		"ui": {"theme": "a // b", "x": "\"/*"}, /* more */
		"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "say <done>", "timeout": 5}]}]}, "big": 12345678901234567890}`
	if err := json.Unmarshal(plainJSON([]byte(user)), &own); err != nil {
		t.Fatal(err)
	}
	merged, err := gemini(t).mergeGemini(own, Launch{Self: "/opt/my tools/signaltty"})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, fixtures+"/gemini/settings.out.json", json.RawMessage(merged))
	if _, err := gemini(t).mergeGemini(fields{"hooks": json.RawMessage(`[]`)}, Launch{}); err == nil {
		t.Error("hooks that are a list were taken")
	}
}

// The files of a temporary directory are never such that root alone could have
// written them: the pane is started without hooks of its own.
func TestGeminiWithoutRoot(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	l := Launch{Argv: []string{"-i", "hello"}, Dir: dir, FilesDir: dir, Self: self, Env: []string{"HOME=" + dir}}
	c, err := gemini(t).Launch(l)
	if err != nil || !slices.Equal(c.Argv, []string{"gemini", "-i", "hello"}) || len(c.Env)+len(c.Files) > 0 {
		t.Errorf("%+v, %v", c, err)
	}
	l.Decide = true
	if _, err := gemini(t).Launch(l); err == nil || !strings.Contains(err.Error(), "integration install gemini") {
		t.Errorf("yolo without a hook: %v", err)
	}
	settings := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, ".gemini"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".gemini", "settings.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const hook = `"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"/x/signaltty hook-event --agent gemini --event BeforeTool --payload-stdin --installed"}]}]}`
	settings(`{` + hook + `}`)
	c, err = gemini(t).Launch(l)
	if err != nil || !slices.Equal(c.Argv, []string{"gemini", "--approval-mode", "yolo", "-i", "hello"}) || !slices.Equal(c.Env, []string{proto.EnvDecide + "=1"}) {
		t.Errorf("%+v, %v", c, err)
	}
	for _, off := range []string{`"hooksConfig":{"enabled":false}`, `"hooksConfig":7`, `"hooksConfig":{"disabled":["signaltty"]}`} {
		settings(`{` + off + `,` + hook + `}`)
		if _, err := gemini(t).Launch(l); err == nil || !strings.Contains(err.Error(), "turn hooks off") {
			t.Errorf("%s: %v", off, err)
		}
	}
}

func TestGeminiDecideArguments(t *testing.T) {
	for _, argv := range [][]string{{"-y"}, {"--yolo"}, {"--approval-mode", "default"}, {"--approval-mode=plan"}, {"-p", "x"}, {"--prompt=x"}} {
		if err := geminiArguments(argv); err == nil {
			t.Errorf("%q goes with decisions", argv)
		}
	}
	for _, argv := range [][]string{nil, {"-i", "x"}, {"--", "-y"}, {"--model", "x"}} {
		if err := geminiArguments(argv); err != nil {
			t.Errorf("%q: %v", argv, err)
		}
	}
}

func TestGeminiTitles(t *testing.T) {
	for title, want := range map[string]proto.State{
		"◇  Ready (work)": proto.StateIdle, "✦  Working… (work)": proto.StateWorking, "✋  Action Required (work)": proto.StateBlocked, "work": "", "": "",
	} {
		if got := geminiTitle(title); got != want {
			t.Errorf("%q is %q, want %q", title, got, want)
		}
	}
}
