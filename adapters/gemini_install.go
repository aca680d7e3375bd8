package adapters

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"signaltty/proto"
)

// geminiInstall is Gemini CLI's settings.json. Measured on 0.61.0: the hooks of
// all sources run, by a shell, and a time-out is in milliseconds.
func geminiInstall() *Install {
	return &Install{
		File: func(home string, env func(string) string) string {
			if dir := env("GEMINI_CLI_HOME"); filepath.IsAbs(dir) {
				home = dir
			}
			return filepath.Join(home, ".gemini", "settings.json")
		},
		Entries: func(self string) ([]Entry, error) {
			a, _ := Lookup("gemini")
			return a.geminiEntries(self, Policy{}, installed)
		},
		Ours: func(element []byte) bool {
			args := geminiCommand(element)
			return len(args) > 1 && args[1] == "hook-event" && slices.Contains(args, installed)
		},
		Command: geminiCommand,
		Off: func(settings []byte) string {
			f, ok := isObject(settings)
			if raw, set := f["hooksConfig"]; ok && set && hooksOff(raw) {
				return "hooksConfig turns hooks off"
			}
			return ""
		},
		Others: func(dir string) []string {
			return []string{filepath.Join(dir, ".gemini", "settings.json"), geminiSystemFile(nil)}
		},
		// Whether a folder that is not trusted keeps these hooks from running was
		// not measured.
		Trust:       func(string, func(string) string, string) string { return "" },
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

// geminiEntries are our hooks as Gemini CLI's settings take them, with more
// arguments for each.
func (a Adapter) geminiEntries(self string, p Policy, more ...string) ([]Entry, error) {
	var list []Entry
	for _, e := range a.installed(p) {
		if e.Of != "" {
			continue
		}
		command := shellLine(slices.Concat([]string{self}, a.HookArgs(e), more))
		value, err := encodePlain(geminiGroup{[]geminiHook{{"signaltty", "command", command, a.InstalledSeconds(e) * 1000}}})
		if err != nil {
			return nil, err
		}
		list = append(list, Entry{Path: []string{"hooks", e.Name}, Event: e.Name, Value: value})
	}
	return list, nil
}

func geminiCommand(element []byte) []string {
	var g geminiGroup
	if json.Unmarshal(element, &g) != nil || len(g.Hooks) != 1 {
		return nil
	}
	return shellWords(g.Hooks[0].Command)
}

// shellWords reads what shellLine wrote.
func shellWords(line string) []string {
	var words []string
	word, quoted, open := strings.Builder{}, false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			quoted, open = !quoted, true
		case c == '\\' && !quoted && i+1 < len(line):
			i++
			word.WriteByte(line[i])
		case c == ' ' && !quoted:
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}
