package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"signaltty/proto"
)

// nesting tells what else is around this terminal, in words for the person
// who attaches in it; "" when there is nothing. A pane of the very server at
// socket is refused: a screen inside itself has no end.
func nesting(ctx context.Context, socket string) (string, error) {
	if pane := os.Getenv(proto.EnvPane); pane != "" {
		inside, err := isOwnPane(ctx, socket, pane)
		if err != nil {
			return "", err
		}
		if inside != "" {
			return "", exitError{proto.ExitRefused, fmt.Errorf("this is already pane %s of signaltty, and a screen inside itself has no end; "+
				"attach from a terminal outside of it, or, if this is none of its panes, unset %s", inside, proto.EnvPane)}
		}
		return "inside pane " + pane + " of another signaltty: press the prefix twice to reach this one", nil
	}
	switch {
	case os.Getenv("TMUX") != "":
		return "inside tmux, whose prefix comes first; copying needs its set-clipboard on, shift+enter its extended-keys on", nil
	case os.Getenv("STY") != "":
		return "inside screen, whose prefix comes first; it passes no clipboard and no shift+enter on", nil
	}
	return "", nil
}

// isOwnPane returns the pane of the server at socket that this process runs
// in, "" when it runs in none or no server runs there. A process that left its
// pane, such as one under a tmux that was started there, is not the person's
// to the server, and its environment has the pane's id.
func isOwnPane(ctx context.Context, socket, pane string) (string, error) {
	c, w, err := proto.Dial(ctx, socket, proto.Hello{Client: "attach", Build: build()})
	if errors.Is(err, proto.ErrNoServer) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer c.Close()
	if w.Inside != "" {
		return w.Inside, nil
	}
	if !w.Person {
		return pane, nil
	}
	return "", nil
}
