package cli

import (
	"fmt"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

// lastSession names the newest session of the agent in the directory.
const lastSession = "last"

// sessionFor finds the session that a turn goes on with: of an earlier turn,
// or of a pane. Agents keep sessions by directory: in another one they say
// only that there is none, or begin anew.
func sessionFor(cmd *cobra.Command, agent, dir, want string) (string, error) {
	turns, err := call[proto.TurnList](cmd, proto.MethodTurnList, proto.TurnQuery{Agent: agent})
	if err != nil {
		return "", err
	}
	panes, err := call[proto.PaneList](cmd, proto.MethodPaneList, proto.None{})
	if err != nil {
		return "", err
	}
	elsewhere := ""
	see := func(session, of string) bool {
		switch {
		case session == "" || want != lastSession && session != want:
		case of == dir:
			return true
		case elsewhere == "":
			elsewhere = of
		}
		return false
	}
	for _, t := range turns.Turns {
		if see(t.Session, t.Dir) {
			return t.Session, nil
		}
	}
	for _, p := range panes.Panes {
		if p.Agent == agent && see(p.Session, p.Cwd) {
			return p.Session, nil
		}
	}
	switch {
	case want == lastSession && elsewhere == "":
		return "", exitError{proto.ExitNoThing, fmt.Errorf("run: there is no earlier session of %s; leave --resume out", agent)}
	case want == lastSession:
		return "", exitError{proto.ExitNoThing, fmt.Errorf("run: there is no session of %s in %s; the newest of another directory is in %s (--cwd)", agent, dir, elsewhere)}
	case elsewhere != "":
		return "", exitError{proto.ExitNoThing, fmt.Errorf("run: the session %s of %s is of the directory %s, not %s; give --cwd %s", want, agent, elsewhere, dir, elsewhere)}
	}
	return "", exitError{proto.ExitNoThing, fmt.Errorf("run: signaltty knows no session %q of %s; --resume last is the newest", want, agent)}
}
