//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"signaltty/e2e/gemini"
	"signaltty/e2e/model"
)

// geminiTurns is a turner of the real Gemini CLI.
func geminiTurns(t *testing.T) turner {
	t.Helper()
	w := newGeminiWorld(t)
	write := func(id, name string) model.Call {
		return model.Call{ID: id, Name: "write_file", Args: map[string]any{"file_path": filepath.Join(w.home.Work, name), "content": "x\n"}}
	}
	w.model.Add(
		rule("#go", write("call_1", "ok/a.txt"), write("call_2", "evil-tool"), gemini.Shell("call_3", "echo x > evil-shell"), gemini.Shell("call_4", "./build")),
		rule("#ask", gemini.Shell("call_ask", "touch asked.txt")), rule("#sleep", gemini.Shell("call_sleep", sleeps)),
		model.Rule{Match: "#text", Turns: []model.Turn{{Text: "Nothing to do."}}}, model.Rule{Match: "#more", Turns: []model.Turn{{Text: "It goes on."}}},
	)
	if os.Getuid() != 0 {
		w.install()
	}
	return turner{w.Place, "gemini"}
}

func TestTurnGateOfGemini(t *testing.T) { geminiTurns(t).gated() }

func TestTurnEndsOfGemini(t *testing.T) {
	a := geminiTurns(t)
	if os.Getuid() == 0 {
		a.all()
		return
	}
	a.stopped() // an installed gate tells and does not wait
}
