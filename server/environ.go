package server

import (
	"slices"
	"strings"

	"signaltty/proto"
)

// agentMarkers are variables that an agent sets on what it runs: a process
// that has one is an agent's child.
//
// Claude Code: measured on 2.1.197. Codex, Gemini CLI, OpenCode, Cursor and
// Qwen Code: as other programs recognise them, not measured.
var agentMarkers = []string{
	"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID",
	"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI",
	"OPENCODE", "GEMINI_CLI", "QWEN_CODE", "CURSOR_AGENT", "AI_AGENT",
}

// scrubbed are the variables, beside the markers, that tell a program where
// its parent runs and not what the person wants. A * ends a prefix.
//
// What configures an agent stays: ANTHROPIC_*, CLAUDE_CONFIG_DIR and most of
// CLAUDE_CODE_*, CODEX_HOME, OPENCODE_CONFIG, GEMINI_API_KEY and their like.
var scrubbed = []string{
	// The run of an agent that this environment came from.
	"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_REMOTE*",
	"CLAUDE_CODE_AGENT*", "CLAUDE_CODE_TEAM*", "CLAUDE_CODE_PARENT*", "CLAUDE_CODE_SESSION*",
	"CLAUDE_AGENT_SDK_*", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_*", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE",
	"CODEX_SANDBOX*", "CODEX_SESSION*", "CODEX_MANAGED_*", "CODEX_INTERNAL_*",
	"OPENCODE_PID", "OPENCODE_RUN_ID", "OPENCODE_SESSION*", "OPENCODE_PROCESS_ROLE",
	"OPENCODE_CALLER", "OPENCODE_CLIENT", "OPENCODE_BIN_PATH", "OPENCODE_SERVER",
	"GEMINI_CLI_NO_RELAUNCH", "GEMINI_CLI_IDE_*", "GEMINI_PROJECT_DIR", "GEMINI_SESSION*", "GEMINI_CWD",
	"CURSOR_TRACE_ID", "AGENT",

	// Multiplexers and terminals.
	"TMUX", "TMUX_*", "STY", "ZELLIJ", "ZELLIJ_*", "KITTY_*", "WEZTERM_*", "GHOSTTY_*", "ITERM_*",
	"ALACRITTY_*", "KONSOLE_*", "GNOME_TERMINAL_*", "WARP_*", "VSCODE_*", "LC_TERMINAL", "LC_TERMINAL_*",
	"VTE_VERSION", "WT_SESSION", "WT_PROFILE_ID", "TERM_SESSION_ID", "TERMINATOR_*", "TILIX_ID",
	"TERMINAL_EMULATOR", "XTERM_*", "WINDOWID", "INSIDE_EMACS", "VIM", "VIMRUNTIME", "VIM_TERMINAL", "NVIM",
	"TERM", "TERM_FEATURES", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERMCAP", "COLORTERM",
	"LINES", "COLUMNS", "GPG_TTY",

	// The process that this environment came from.
	"_", "OLDPWD", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "INVOCATION_ID", "JOURNAL_STREAM",

	"SIGNALTTY_*",
}

// paneEnv makes the environment of a pane ("NAME=value" each) from the
// caller's: what says where the caller runs is taken out, what describes this
// pane is set, and extra, the adapter's own, comes last and wins. Each name
// appears once.
//
// TERM is xterm-256color and TERM_PROGRAM a name that agents do not know: for
// the names of other terminals Claude Code 2.1.197 turns on what the screen
// would have to answer for (kitty keyboard, OSC 8), and 24-bit colour needs
// COLORTERM only.
func paneEnv(caller []string, paneID, socket string, extra []string) []string {
	kept := slices.DeleteFunc(slices.Clone(caller), func(entry string) bool {
		name, _, ok := strings.Cut(entry, "=")
		return !ok || name == "" || isAgentMarker(name) || isScrubbed(name)
	})
	return lastOfEach(slices.Concat(kept, []string{
		"TERM=xterm-256color",
		"COLORTERM=truecolor",
		"TERM_PROGRAM=signaltty",
		proto.EnvPane + "=" + paneID,
		proto.EnvSocket + "=" + socket,
	}, extra))
}

func isAgentMarker(name string) bool { return slices.Contains(agentMarkers, name) }

func isScrubbed(name string) bool {
	return slices.ContainsFunc(scrubbed, func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return name == pattern
	})
}

// lastOfEach keeps the last entry of each name, where the first one stood.
func lastOfEach(env []string) []string {
	at := map[string]int{}
	var out []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if i, ok := at[name]; ok {
			out[i] = entry
			continue
		}
		at[name] = len(out)
		out = append(out, entry)
	}
	return out
}

// lookupEnv finds a variable in env.
func lookupEnv(env []string, name string) (string, bool) {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}
