package codex

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
)

// reply is an answer of Codex's app-server to hooks/list.
type reply struct {
	ID     int `json:"id"`
	Result struct {
		Data []struct {
			Hooks []struct {
				Event  string `json:"eventName"`
				Source string `json:"source"`
				Trust  string `json:"trustStatus"`
			} `json:"hooks"`
		} `json:"data"`
	} `json:"result"`
}

// Trust asks Codex, started with argv, which hooks it trusts. Those of a run
// stand by their event's name, the person's own one as "own".
func (h Home) Trust(t testing.TB, argv []string) map[string]string {
	t.Helper()
	cmd := exec.Command(filepath.Join(h.Bin, "codex"), append(argv[1:], "app-server")...)
	cmd.Dir, cmd.Env = h.Work, h.Env()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	for _, line := range []any{
		map[string]any{"id": 1, "method": "initialize", "params": map[string]any{
			"clientInfo": map[string]any{"name": "test", "title": "test", "version": "1"}, "capabilities": map[string]any{"experimentalApi": true}}},
		map[string]any{"method": "initialized"},
		map[string]any{"id": 2, "method": "hooks/list", "params": map[string]any{"cwds": []string{h.Work}}},
	} {
		if err := json.NewEncoder(in).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	d := json.NewDecoder(out)
	for {
		var r reply
		if err := d.Decode(&r); err != nil {
			t.Fatalf("asking for the hooks: %v", err)
		}
		if r.ID == 2 {
			return r.trust()
		}
	}
}

func (r reply) trust() map[string]string {
	trust := map[string]string{}
	for _, d := range r.Result.Data {
		for _, k := range d.Hooks {
			if k.Source == "sessionFlags" {
				trust[capital(k.Event)] = k.Trust
			} else {
				trust["own"] = k.Trust
			}
		}
	}
	return trust
}

// capital is preToolUse as PreToolUse.
func capital(s string) string {
	if s == "" {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
