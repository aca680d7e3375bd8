package policy

import "signaltty/proto"

// protection are the rules that always hold: no tool changes signaltty's own
// files, nor the settings by which agents run its hooks. What Claude Code,
// Codex, OpenCode and Gemini CLI read their hooks from is as each documents it.
func protection(own []string) []Rule {
	rule := func(name, message string, paths ...string) Rule {
		return Rule{Name: "built-in: " + name, Verdict: proto.Deny, Message: message, Tools: []string{proto.ToolEdit}, Paths: paths}
	}
	list := []Rule{rule("agents' hooks", "these settings decide which hooks run; the person changes them, outside of a pane",
		"**/.claude/settings*.json", "**/.claude/hooks/**",
		"**/.codex/config.toml", "**/.codex/hooks.json", "**/.codex/hooks/**",
		"**/.gemini/settings.json", "**/.gemini/hooks/**", "~/.gemini/extensions/**", "~/.claude/plugins/**",
		"**/.pi/settings.json", "**/.pi/extensions/**", "~/.pi/agent/settings.json", "~/.pi/agent/extensions/**",
		"~/.config/opencode/opencode.json*", "~/.config/opencode/plugin/**", "~/.config/opencode/plugins/**",
		"**/.opencode/opencode.json*", "**/.opencode/plugin/**", "**/.opencode/plugins/**", "**/opencode.json", "**/opencode.jsonc",
		// Spelt out, so that moving the directory above them away counts too.
		"~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json", "~/.codex/config.toml", ".codex/config.toml",
		"~/.gemini/settings.json", ".gemini/settings.json", "~/.config/opencode/opencode.json", ".opencode/plugin/**", ".pi/extensions/**",
	), rule("signaltty's own files", "they are the guardrails themselves; the person changes them, outside of a pane",
		append([]string{"**/.signaltty/**", ".signaltty/policy.toml"}, own...)...)}
	return list
}
