package adapters

import "slices"

// ownState are the directories, below the person's home, that each agent
// writes as its own: what a kernel that limits writing leaves to it, and never
// where its settings or its login are. The mock agent has none.
var ownState = map[string][]string{
	// Measured on Claude Code 2.1.197: without session-env its Bash tool fails,
	// without projects nothing can be resumed.
	"claude": {".claude/session-env", ".claude/shell-snapshots", ".claude/projects"},
}

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
