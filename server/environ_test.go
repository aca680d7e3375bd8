package server

import (
	"slices"
	"testing"
)

// What every pane has at the end of its environment.
var paneOwn = []string{
	"TERM=xterm-256color", "COLORTERM=truecolor", "TERM_PROGRAM=signaltty",
	"SIGNALTTY_PANE=p1", "SIGNALTTY_SOCKET=/run/s",
}

func TestPaneEnv(t *testing.T) {
	for _, c := range []struct {
		name   string
		caller []string
		extra  []string
		want   []string // before paneOwn
		last   []string // after it
	}{
		{
			name:   "what is not known stays",
			caller: []string{"HOME=/home/p", "PATH=/bin:/usr/bin", "LANG=de_DE.UTF-8", "NO_COLOR=1", "EMPTY="},
			want:   []string{"HOME=/home/p", "PATH=/bin:/usr/bin", "LANG=de_DE.UTF-8", "NO_COLOR=1", "EMPTY="},
		}, {
			name: "the run of Claude Code",
			caller: []string{
				"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ID=x", "CLAUDE_CODE_CHILD_SESSION=1",
				"CLAUDE_CODE_SSE_PORT=1", "CLAUDE_PROJECT_DIR=/p", "CLAUDE_EFFORT=high", "CLAUDE_ENV_FILE=/e",
			},
		}, {
			name: "the runs of other agents",
			caller: []string{
				"CODEX_SANDBOX=seatbelt", "CODEX_SANDBOX_NETWORK_DISABLED=1", "CODEX_THREAD_ID=t", "CODEX_CI=1",
				"OPENCODE=1", "OPENCODE_PID=3", "GEMINI_CLI=1", "GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_IDE_SERVER_PORT=1",
				"GEMINI_PROJECT_DIR=/p", "QWEN_CODE=1", "CURSOR_AGENT=1", "AI_AGENT=x", "AGENT=1",
			},
		}, {
			name: "configuration of agents stays",
			caller: []string{
				"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=u", "CLAUDE_CONFIG_DIR=/c", "CLAUDE_CODE_USE_BEDROCK=1",
				"CLAUDE_CODE_OAUTH_TOKEN=t", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=1", "CLAUDE_CODE_SUBAGENT_MODEL=m",
				"CODEX_HOME=/h", "CODEX_API_KEY=k", "OPENCODE_CONFIG=/o", "OPENCODE_CONFIG_CONTENT={}", "OPENCODE_SERVER_PASSWORD=p",
				"GEMINI_API_KEY=k", "GEMINI_CLI_HOME=/g", "GEMINI_CLI_SYSTEM_SETTINGS_PATH=/s", "GEMINI_SANDBOX=docker",
			},
			want: []string{
				"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=u", "CLAUDE_CONFIG_DIR=/c", "CLAUDE_CODE_USE_BEDROCK=1",
				"CLAUDE_CODE_OAUTH_TOKEN=t", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=1", "CLAUDE_CODE_SUBAGENT_MODEL=m",
				"CODEX_HOME=/h", "CODEX_API_KEY=k", "OPENCODE_CONFIG=/o", "OPENCODE_CONFIG_CONTENT={}", "OPENCODE_SERVER_PASSWORD=p",
				"GEMINI_API_KEY=k", "GEMINI_CLI_HOME=/g", "GEMINI_CLI_SYSTEM_SETTINGS_PATH=/s", "GEMINI_SANDBOX=docker",
			},
		}, {
			name: "multiplexers and terminals",
			caller: []string{
				"TMUX=/t,1,0", "TMUX_PANE=%1", "STY=s", "ZELLIJ=0", "ZELLIJ_SESSION_NAME=z", "KITTY_WINDOW_ID=1", "WEZTERM_PANE=1",
				"GHOSTTY_RESOURCES_DIR=/g", "ITERM_SESSION_ID=w", "LC_TERMINAL=iTerm2", "LC_TERMINAL_VERSION=3", "VTE_VERSION=1",
				"ALACRITTY_SOCKET=/a", "WT_SESSION=g", "TERM_SESSION_ID=s", "VSCODE_INJECTION=1", "LINES=1", "COLUMNS=1", "WINDOWID=1",
				"TERM=tmux-256color", "TERM_PROGRAM=vscode", "TERM_PROGRAM_VERSION=1", "COLORTERM=24bit", "GPG_TTY=/dev/pts/1",
			},
		}, {
			name:   "names that only begin alike stay",
			caller: []string{"TMUXINATOR=1", "STYLE=x", "TERMINFO=/t", "OPENCODER=1", "AGENTS=2", "LINESMAN=1"},
			want:   []string{"TMUXINATOR=1", "STYLE=x", "TERMINFO=/t", "OPENCODER=1", "AGENTS=2", "LINESMAN=1"},
		}, {
			name:   "another signaltty",
			caller: []string{"SIGNALTTY_PANE=old", "SIGNALTTY_SOCKET=/old", "SIGNALTTY_FUTURE=1"},
		}, {
			name:   "malformed and repeated",
			caller: []string{"A=1", "no equals sign", "=x", "", "B=2", "A=3"},
			want:   []string{"A=3", "B=2"},
		}, {
			name:   "extra wins",
			caller: []string{"A=1", "CLAUDECODE=1"},
			extra:  []string{"TERM=xterm-direct", "A=2", "CODEX_HOME=/h", "TERM_PROGRAM_VERSION=1"},
			want:   []string{"A=2"},
			last:   []string{"CODEX_HOME=/h", "TERM_PROGRAM_VERSION=1"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := slices.Clone(c.caller)
			got := paneEnv(c.caller, "p1", "/run/s", c.extra)
			want := slices.Concat(c.want, paneOwn, c.last)
			if c.extra != nil {
				want[slices.Index(want, "TERM=xterm-256color")] = c.extra[0]
			}
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			if !slices.Equal(c.caller, before) {
				t.Errorf("the caller's environment was altered: %q", c.caller)
			}
		})
	}
}
