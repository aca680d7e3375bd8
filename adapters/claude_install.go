package adapters

import (
	"encoding/json"
	"path/filepath"
	"slices"
)

// claudeInstall is Claude Code's settings.json. Measured on 2.1.197: hooks of
// all sources run, those with one and the same command once; a time-out is in
// seconds; with args Claude starts the command itself, with no shell.
func claudeInstall() *Install {
	return &Install{
		File: func(home string, env func(string) string) string {
			if dir := env("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
				return filepath.Join(dir, "settings.json")
			}
			return filepath.Join(home, ".claude", "settings.json")
		},
		Entries: claudeEntries,
		Ours:    claudeOurs,
		Command: claudeCommand,
		Off:     claudeOff,
		Others: func(dir string) []string {
			return []string{
				filepath.Join(dir, ".claude", "settings.json"), filepath.Join(dir, ".claude", "settings.local.json"),
				"/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json",
			}
		},
		Trust:       claudeTrust,
		CanaryEvent: "PermissionRequest",
		Canary: func(dir string) []byte {
			payload, _ := json.Marshal(map[string]any{ // strings always can
				"session_id": "signaltty-canary", "cwd": dir, "hook_event_name": "PermissionRequest", "permission_mode": "default",
				"tool_name": "Bash", "tool_input": map[string]string{"command": "true"},
			})
			return payload
		},
		Refused: func(stdout []byte, message string) bool {
			var r claudeReply
			return json.Unmarshal(stdout, &r) == nil && r.Output.Decision.Behavior == "deny" && r.Output.Decision.Message == message
		},
	}
}

func claudeEntries(self string) ([]Entry, error) {
	a, _ := Lookup("claude")
	var list []Entry
	for _, e := range a.Events {
		if e.TimeoutSeconds == 0 {
			continue
		}
		args := a.installedArgs(e)
		value, err := encodePlain(hookGroup{[]hookCommand{{"command", self, args, e.TimeoutSeconds}}})
		if err != nil {
			return nil, err
		}
		list = append(list, Entry{Path: []string{"hooks", e.Name}, Event: e.Name, Value: value})
	}
	return list, nil
}

// claudeOurs knows a group by the arguments of its only command.
func claudeOurs(element []byte) bool {
	var g hookGroup
	if json.Unmarshal(element, &g) != nil || len(g.Hooks) != 1 {
		return false
	}
	args := g.Hooks[0].Args
	return len(args) > 0 && args[0] == "hook-event" && slices.Contains(args, installed)
}

func claudeCommand(element []byte) []string {
	var g hookGroup
	if json.Unmarshal(element, &g) != nil || len(g.Hooks) != 1 {
		return nil
	}
	return append([]string{g.Hooks[0].Command}, g.Hooks[0].Args...)
}

// claudeOff reads disableAllHooks, which counts in any source (measured on
// 2.1.197), and allowManagedHooksOnly, which is the administrator's (from its
// manual, not measured).
func claudeOff(settings []byte) string {
	f, ok := isObject(settings)
	if !ok {
		return ""
	}
	for _, name := range []string{"disableAllHooks", "allowManagedHooksOnly"} {
		if string(f[name]) == "true" {
			return name + " is true"
		}
	}
	return ""
}

// claudeTrust reads ~/.claude.json. Trust is inherited by folders below a
// trusted one (measured on 2.1.197).
func claudeTrust(home string, env func(string) string, dir string) string {
	file := filepath.Join(home, ".claude.json")
	if config := env("CLAUDE_CONFIG_DIR"); filepath.IsAbs(config) {
		file = filepath.Join(config, ".claude.json")
	}
	data, err := readRegular(file, "/")
	if err != nil {
		return "it has not run yet, and will ask its first questions"
	}
	var state struct {
		Onboarded bool `json:"hasCompletedOnboarding"`
		Projects  map[string]struct {
			Trusted bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	if json.Unmarshal(data, &state) != nil {
		return file + " is not JSON"
	}
	if !state.Onboarded {
		return "its first questions are not answered yet"
	}
	for d := dir; ; d = filepath.Dir(d) {
		if state.Projects[d].Trusted {
			return ""
		}
		if d == filepath.Dir(d) {
			return "it will ask whether to trust " + dir + ", and runs no hooks before"
		}
	}
}
