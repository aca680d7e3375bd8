package adapters

import (
	"slices"
	"strings"
	"testing"

	"signaltty/proto"
)

func codex(t *testing.T) Adapter {
	t.Helper()
	a, ok := Lookup("codex")
	if !ok {
		t.Fatal("no codex")
	}
	return a
}

func TestCodexArguments(t *testing.T) {
	c, err := codex(t).Launch(Launch{Argv: []string{"resume", "--last", "-c", "model=x"}, Self: self})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Argv) != 7 || c.Argv[0] != "codex" || c.Argv[1] != "-c" || !slices.Equal(c.Argv[3:], []string{"resume", "--last", "-c", "model=x"}) {
		t.Errorf("got %q", c.Argv)
	}
	golden(t, fixtures+"/codex/hooks.out.json", strings.Split(c.Argv[2], ",\""))
	for _, test := range []struct {
		argv []string
		want string
	}{
		{[]string{"-c", "hooks.Stop=[]"}, "-c hooks.Stop would take the place"},
		{[]string{"exec", "--config", " hooks = {}"}, "-c hooks would take the place"},
		{[]string{"--config=hooks.state={}"}, "-c hooks.state would"},
		{[]string{"-chooks.Stop=[]"}, "-c hooks.Stop would"},
		{[]string{"-c=hooks.Stop=[]"}, "-c hooks.Stop would"},
		{[]string{"--remote", "unix://x"}, "start it without --agent"},
		{[]string{"--remote=unix://x"}, "start it without --agent"},
	} {
		if _, err := codex(t).Launch(Launch{Argv: test.argv, Self: self}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %q in it", test.argv, err, test.want)
		}
	}
	for _, argv := range [][]string{{"--", "-c", "hooks=x"}, {"-c", "hooksy.a=1"}, {"-c"}, {"-cd", "/x"}, {"explain -c hooks=1"}} {
		if _, err := codex(t).Launch(Launch{Argv: argv, Self: self}); err != nil {
			t.Errorf("%q: %v", argv, err)
		}
	}
}

// The hashes are Codex's own: read from hooks/list of its app-server, 0.171.0.
func TestCodexHash(t *testing.T) {
	const command = `'/tmp/cx/hook.sh' hook-event --agent codex "é\" <&>`
	for event, want := range map[string]string{"PreToolUse": "5bd5df6459053", "Stop": "5f5ff04fe2cb3", "SubagentStart": "fdbb44b6dcb59"} {
		if got := codexHash(EventRow{Name: event, TimeoutSeconds: 77}, command); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s…", event, got, want)
		}
	}
}

func TestShellLine(t *testing.T) {
	got := shellLine([]string{"/opt/my tools/signaltty", "it's", "", "--event=Stop", "a\nb", "é"})
	if want := `'/opt/my tools/signaltty' 'it'\''s' '' --event=Stop 'a` + "\n" + `b' 'é'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if back := shellWords(got); !slices.Equal(back, []string{"/opt/my tools/signaltty", "it's", "", "--event=Stop", "a\nb", "é"}) {
		t.Errorf("read back as %q", back)
	}
}

func TestCodexTitles(t *testing.T) {
	for title, want := range map[string]proto.State{
		"⠙ codex": proto.StateWorking, "codex": proto.StateIdle, "": "",
		"[ ! ] Action Required | fix it | codex": proto.StateBlocked,
		"[ . ] Action Required | fix it | codex": proto.StateBlocked,
		"[x] fix it":                             proto.StateIdle,
	} {
		if got := codexTitle(title); got != want {
			t.Errorf("%q is %q, want %q", title, got, want)
		}
	}
}
