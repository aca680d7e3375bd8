package adapters

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"signaltty/proto"
)

// geminiInstall is Gemini CLI's settings.json. Measured on 0.61.0: time-outs
// are in milliseconds, and a command is a line for a shell.
func geminiInstall() *Install {
	return &Install{
		File: func(home string, env func(string) string) string {
			return filepath.Join(first(env("GEMINI_CLI_HOME"), home), ".gemini", "settings.json")
		},
		Entries: geminiEntries,
		Ours:    func(element []byte) bool { return geminiCommand(element) != nil },
		Command: geminiCommand,
		Off: func(settings []byte) string {
			if f, ok := isObject(settings); ok && f["hooksConfig"] != nil && hooksOff(f["hooksConfig"]) {
				return "hooksConfig turns hooks off"
			}
			return ""
		},
		Others: func(dir string) []string {
			return []string{filepath.Join(dir, ".gemini", "settings.json"), geminiSystemFile(nil)}
		},
		CanaryEvent: "BeforeTool",
		CanaryEnv:   []string{proto.EnvDecide + "=1"},
		Canary: func(dir string) []byte {
			payload, _ := json.Marshal(map[string]any{ // strings always can
				"session_id": "signaltty-canary", "cwd": dir, "hook_event_name": "BeforeTool",
				"tool_name": "run_shell_command", "tool_input": map[string]string{"command": "true"},
			})
			return payload
		},
		Refused: func(stdout []byte, message string) bool {
			var r geminiReply
			return json.Unmarshal(stdout, &r) == nil && r.Decision == "deny" && r.Reason == message
		},
	}
}

func geminiEntries(self string) ([]Entry, error) {
	a, _ := Lookup("gemini")
	var list []Entry
	for _, e := range a.Events {
		if e.TimeoutSeconds == 0 || e.Of != "" {
			continue
		}
		line := shellLine(append([]string{self}, a.installedArgs(e)...))
		value, err := encodePlain(geminiGroup{[]geminiHook{{"signaltty", "command", line, a.InstalledSeconds(e) * 1000}}})
		if err != nil {
			return nil, err
		}
		list = append(list, Entry{Path: []string{"hooks", e.Name}, Event: e.Name, Value: value})
	}
	return list, nil
}

// geminiCommand is how Gemini CLI runs one of our groups; nil for one that is
// not ours.
func geminiCommand(element []byte) []string {
	var g geminiGroup
	if json.Unmarshal(element, &g) != nil || len(g.Hooks) != 1 {
		return nil
	}
	words := strings.Fields(g.Hooks[0].Command)
	if !slices.Contains(words, "hook-event") || !slices.Contains(words, installed) {
		return nil
	}
	return []string{"bash", "-c", g.Hooks[0].Command}
}
