package adapters

import (
	"slices"
	"strings"
)

// The flags of Claude Code that hold for a conversation and so for its
// resumption, by what follows each (`claude --help` of 2.1.197). A flag that
// is not here is left out: whether a prompt follows it cannot be told.
var (
	claudeSwitches = []string{
		"--allow-dangerously-skip-permissions", "--ax-screen-reader", "--bare", "--brief", "--chrome",
		"--dangerously-skip-permissions", "--disable-slash-commands", "--exclude-dynamic-system-prompt-sections", "--ide",
		"--no-chrome", "--safe-mode", "--strict-mcp-config", "--verbose",
	}
	claudeValues = []string{
		"--agent", "--agents", "--append-system-prompt", "--debug-file", "--effort", "--fallback-model", "--model", "--name", "-n",
		"--permission-mode", "--plugin-dir", "--plugin-url", "--setting-sources", settingsFlag, "--system-prompt",
	}
	claudeLists = []string{
		"--add-dir", "--allowed-tools", "--allowedTools", "--betas", "--disallowed-tools", "--disallowedTools", "--mcp-config", "--tools",
	}
)

// resumeClaude takes up a conversation. Claude Code finds it in the directory
// that it was had in, and keeps its id.
func resumeClaude(session string) []string { return []string{"--resume", session} }

// keepClaude leaves the prompt out, and the flags that choose a conversation.
func keepClaude(args []string) []string {
	return keepFlags(args, claudeSwitches, claudeValues, claudeLists)
}

// keepFlags keeps of the arguments the flags that are named, with the words
// that belong to each: none, one, or all up to the next flag.
func keepFlags(args, switches, values, lists []string) []string {
	flags, _ := splitPrompt(args)
	var kept []string
	for i := 0; i < len(flags); i++ {
		name, _, inline := strings.Cut(flags[i], "=")
		n := 0 // words that belong to it
		switch {
		case slices.Contains(switches, name):
		case slices.Contains(values, name) && inline, slices.Contains(lists, name) && inline:
		case slices.Contains(values, name) && i+1 < len(flags):
			n = 1
		case slices.Contains(lists, name):
			for i+1+n < len(flags) && !strings.HasPrefix(flags[i+1+n], "-") {
				n++
			}
		default:
			continue
		}
		kept = append(kept, flags[i:i+1+n]...)
		i += n
	}
	return kept
}
