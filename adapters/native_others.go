package adapters

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"signaltty/proto"
)

// geminiNames are the tools of Gemini CLI by the canonical ones, as far as it
// knows them by name.
var geminiNames = map[string][]string{
	proto.ToolRead:   {"read_file", "read_many_files", "list_directory"},
	proto.ToolEdit:   {"write_file", "replace"},
	proto.ToolRun:    {"run_shell_command"},
	proto.ToolFetch:  {"web_fetch", "google_web_search"},
	proto.ToolSearch: {"glob", "grep_search"},
	proto.ToolAgent:  {"invoke_agent"},
}

// geminiPolicy writes denies as a policy file of Gemini CLI's and names it in
// the arguments that go before the person's own. The tier is the one above
// their own policies, which stay. A tool that is denied altogether the model
// never sees; a command is denied as the text that it begins with. Paths and
// hosts it has no words for.
func geminiPolicy(p Policy, dir string) ([]string, string, error) {
	if len(p.tools()) == 0 {
		return nil, "", errNoTool
	}
	var b strings.Builder
	rule := func(tool, command string) {
		fmt.Fprintf(&b, "[[rule]]\ntoolName = %s\n", jsonText(tool))
		if command != "" {
			fmt.Fprintf(&b, "commandPrefix = %s\n", jsonText(command))
		}
		fmt.Fprintf(&b, "decision = \"deny\"\npriority = 900\ndenyMessage = \"denied by a rule of the person's (signaltty policy)\"\n\n")
	}
	for _, d := range p.Denies {
		for _, tool := range nativeTools {
			switch {
			case !d.about(tool):
			case d.whole():
				for _, name := range geminiNames[tool] {
					rule(name, "")
				}
			case tool == proto.ToolRun && len(d.Paths)+len(d.Hosts) == 0:
				for _, c := range d.Commands {
					if c = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(c), "**")); c != "" && !strings.ContainsAny(c, "*?") {
						rule("run_shell_command", c)
					}
				}
			}
		}
	}
	if b.Len() == 0 {
		return nil, "", nil
	}
	file := filepath.Join(dir, "gemini-policy.toml")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		return nil, "", fmt.Errorf("writing the pane's policy for Gemini CLI: %w", err)
	}
	return []string{"--admin-policy", file}, file, nil
}

// codexPolicy states in Codex's own settings that nothing is fetched. For
// commands and paths it has only files of the person's, for edits nothing; and
// without its shell tool it hangs over a call of it (measured on 0.171.0).
func codexPolicy(p Policy) ([]string, error) {
	if len(p.tools()) == 0 {
		return nil, errNoTool
	}
	if slices.Contains(p.tools(), proto.ToolFetch) {
		return nil, nil
	}
	return []string{"-c", `web_search="disabled"`}, nil
}
