package adapters

import "slices"

// ownState are the directories, below the person's home, that each agent
// writes as its own: what a kernel that limits writing leaves to it. The mock agent
// has none.
//
// Codex, Gemini CLI and OpenCode make files beside their settings or their
// login, so that a kernel that can grant whole directories only cannot keep
// those from them.
var ownState = map[string][]string{
	// Measured on Claude Code 2.1.197: without session-env its Bash tool fails,
	// without projects nothing can be resumed.
	"claude": {".claude/session-env", ".claude/shell-snapshots", ".claude/projects"},
	// Measured on Codex 0.171.0: its databases and locks are in ~/.codex itself,
	// and it does not start when it cannot write them.
	"codex": {".codex"},
	// Measured on Gemini CLI: it ends when it cannot replace ~/.gemini/projects.json.
	"gemini": {".gemini"},
	// Measured on OpenCode 1.18.33: its database is beside its login.
	"opencode": {".local/share/opencode", ".local/state/opencode", ".cache/opencode"},
}

// Shared says that the agent's settings or its login are in the directories of
// its state, so that a kernel that leaves those to it does not keep it from
// its settings.
func (a Adapter) Shared() bool { return sharedState[a.Name] }

var sharedState = map[string]bool{"codex": true, "gemini": true, "opencode": true}

// StateDirs are the directories of the agent's own state, below the person's
// home.
func (a Adapter) StateDirs() []string {
	dirs := slices.Clone(ownState[a.Name])
	if a.Turns != nil {
		for _, dir := range a.Turns.State {
			if !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}
