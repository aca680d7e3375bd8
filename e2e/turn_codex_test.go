//go:build linux

package e2e

import (
	"testing"

	"signaltty/e2e/codex"
	"signaltty/e2e/model"
)

// codexTurns is a turner of the real Codex. What it asks about is what leaves
// its own sandbox.
func codexTurns(t *testing.T) turner {
	t.Helper()
	w := newCodexWorld(t,
		rule("#go", codex.Patch("call_1", "ok/a.txt", "x"), codex.Patch("call_2", "evil-tool", "x"), codex.Shell("call_3", "echo x > evil-shell"), codex.Shell("call_4", "./build")),
		rule("#ask", codex.Escalated("call_ask", "touch asked.txt")), rule("#sleep", codex.Shell("call_sleep", sleeps)),
		model.Rule{Match: "#text", Turns: []model.Turn{{Text: "Nothing to do."}}}, model.Rule{Match: "#more", Turns: []model.Turn{{Text: "It goes on."}}},
	)
	return turner{w.Place, "codex"}
}

func TestTurnGateOfCodex(t *testing.T) { codexTurns(t).gated() }
func TestTurnEndsOfCodex(t *testing.T) { codexTurns(t).all() }
