//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/anthropic"
	"signaltty/proto"
)

// openTurns is a turner of the real OpenCode.
func openTurns(t *testing.T) turner {
	t.Helper()
	w := newOpenWorld(t)
	call := func(id, tool string, args map[string]any) anthropic.Turn {
		args["description"] = "do it"
		return anthropic.Call(anthropic.Tool(id, tool, args))
	}
	w.model.Add(turnRules(
		func(id, name string) anthropic.Turn {
			return call(id, "write", map[string]any{"filePath": filepath.Join(w.home.Work, name), "content": "x\n"})
		},
		func(id, command string) anthropic.Turn { return call(id, "bash", map[string]any{"command": command}) },
	)...)
	return turner{w.Place, "opencode"}
}

func TestTurnGateOfOpenCode(t *testing.T) { openTurns(t).gated() }
func TestTurnEndsOfOpenCode(t *testing.T) { openTurns(t).all() }

// A turn in which signaltty's plugin is there and does nothing fails, though
// OpenCode itself is content.
func TestTurnWithoutGateOfOpenCode(t *testing.T) {
	a := openTurns(t)
	mine := "export const mine = async () => { globalThis[Symbol.for(\"signaltty\")] = true; return {} }\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(a.Work), "mine.mjs"), []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	r := a.start("--allow-all-paths", "#ask")
	a.ends(r, proto.ExitGate)
	if want := "did not judge"; !a.made("asked.txt") || !strings.Contains(r.out.String(), want) {
		t.Errorf("made: %t; its envelopes do not tell that signaltty's hook %s:\n%s", a.made("asked.txt"), want, &r.out)
	}
}
