//go:build linux

package e2e

import (
	"path/filepath"
	"testing"

	"signaltty/e2e/anthropic"
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
