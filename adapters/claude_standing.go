package adapters

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"signaltty/proto"
)

// suggestion is one of the permission_suggestions that come with an ask.
type suggestion struct {
	Type  string `json:"type"` // addRules, addDirectories, setMode
	Rules []struct {
		Tool    string `json:"toolName"`
		Content string `json:"ruleContent"`
	} `json:"rules"`
	Behavior    string `json:"behavior"`
	Destination string `json:"destination"`
}

// destinations are the places where a rule is saved, and how it is taken back.
var destinations = map[string]struct{ where, undo string }{
	"session":       {"this session, nothing on disk", "it ends with the session"},
	"localSettings": {".claude/settings.local.json of the project", "remove it from permissions.allow in that file, or by /permissions in the pane"},
}

// claudeStanding finds the one suggestion that the option always saves, and
// gives it as it came. It must be a single rule that allows, for this tool,
// something narrower than all of it, kept where nobody else is bound by it.
//
// Not offered, as measured on Claude Code 2.1.197: addDirectories for a
// shell's redirect, after which the same command asked again, and setMode,
// which is no rule but lets every later edit through.
func claudeStanding(tool string, suggestions []json.RawMessage) (*proto.Standing, json.RawMessage) {
	for _, raw := range suggestions {
		var s suggestion
		if json.Unmarshal(raw, &s) != nil {
			continue
		}
		to, known := destinations[s.Destination]
		if !known || s.Type != "addRules" || s.Behavior != "allow" || len(s.Rules) != 1 {
			continue
		}
		r := s.Rules[0]
		if r.Tool != tool || !narrow(tool, r.Content) || len(r.Tool)+len(r.Content) > maxSummary {
			continue
		}
		rule := r.Tool
		if r.Content != "" {
			rule = fmt.Sprintf("%s(%s)", r.Tool, r.Content)
		}
		return &proto.Standing{Rule: rule, Destination: to.where, Undo: to.undo}, raw
	}
	return nil, nil
}

// runners are programs that run what their arguments say: a rule for one of
// them with any arguments is a rule for everything.
var runners = []string{
	"sh", "bash", "zsh", "dash", "fish", "python", "python3", "node", "deno", "bun", "perl", "ruby", "php", "lua",
	"sudo", "doas", "su", "env", "xargs", "eval", "exec", "ssh", "docker", "npx", "uvx", "nohup", "timeout", "time", "watch", "find",
}

// narrow says whether a rule allows less than all of a tool. A tool of an MCP
// server has no narrower rule than its name.
func narrow(tool, content string) bool {
	content = strings.TrimSpace(content)
	if content == "" {
		return strings.HasPrefix(tool, "mcp__")
	}
	if tool != "Bash" {
		return strings.Trim(content, "*/: ") != ""
	}
	words := strings.Fields(strings.ReplaceAll(content, ":*", " *"))
	if words[0] == "*" {
		return false
	}
	return !(slices.Contains(runners, words[0]) && len(words) > 1 && words[1] == "*")
}
