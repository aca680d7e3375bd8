package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

// waitable are the states that --until takes.
var waitable = []proto.State{
	proto.StateWorking, proto.StateBlocked, proto.StateDone, proto.StateIdle, proto.StateFailed, proto.StateExited,
}

func waitCommand() *cobra.Command {
	var until []string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait PANE --until STATE[,STATE]",
		Short: "Wait until a pane is in one of some states",
		Long: "Wait until a pane is in one of some states, and print that state. The states are\n" +
			stateNames() + ".\n\n" +
			"It ends in 5 when --timeout passed first. A pane that is closed has exited.",
		Args:              words("PANE"),
		ValidArgsFunction: completePanes,
	}
	cmd.Flags().StringSliceVar(&until, "until", nil, "the `STATES` to wait for, with commas")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "the `TIME` to wait, such as 90s (default: for ever)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		states, err := parseStates(until)
		if err != nil {
			return err
		}
		if timeout > 0 {
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			cmd.SetContext(ctx)
		}
		s, err := waitFor(cmd, args[0], states)
		if errors.Is(err, context.DeadlineExceeded) {
			return exitError{proto.ExitTimeout, fmt.Errorf("pane %s was not %s within %v; `signaltty ls` shows how it is", args[0], strings.Join(until, " or "), timeout)}
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), s)
		return err
	}
	return cmd
}

func stateNames() string {
	var names []string
	for _, s := range waitable {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func parseStates(names []string) ([]proto.State, error) {
	if len(names) == 0 {
		return nil, usagef("wait: --until is missing; it takes %s", stateNames())
	}
	var states []proto.State
	for _, n := range names {
		s := proto.State(strings.TrimSpace(n))
		if !slices.Contains(waitable, s) {
			return nil, usagef("wait: %q is not a state; --until takes %s", n, stateNames())
		}
		states = append(states, s)
	}
	return states, nil
}

// waitFor follows a pane until it is in one of the wanted states.
func waitFor(cmd *cobra.Command, id string, wanted []proto.State) (proto.State, error) {
	c, s, err := subscribe(cmd)
	if err != nil {
		return "", err
	}
	defer c.Close()
	i := slices.IndexFunc(s.Panes, func(p proto.Pane) bool { return p.ID == id })
	if i < 0 {
		return "", proto.Errorf(proto.CodeNoSuchPane, "no pane %q; `signaltty ls` lists them", id)
	}
	if state, over, err := reached(s.Panes[i], wanted); over {
		return state, err
	}
	for m, err := range messages(cmd.Context(), c) {
		if err != nil {
			return "", fmt.Errorf("waiting for pane %s: %w", id, err)
		}
		p, concerned, err := paneChange(m, id)
		if err != nil {
			return "", err
		}
		if !concerned {
			continue
		}
		if state, over, err := reached(p, wanted); over {
			return state, err
		}
	}
	return "", fmt.Errorf("waiting for pane %s: stopped before it came so far", id)
}

// paneChange is what an event says of one pane. A removed pane has exited.
func paneChange(m proto.Message, id string) (p proto.Pane, concerned bool, err error) {
	switch m.Event {
	case proto.EventPaneUpdated:
		err = m.Decode(&p)
	case proto.EventPaneRemoved:
		var ref proto.PaneRef
		err = m.Decode(&ref)
		p = proto.Pane{ID: ref.Pane, State: proto.StateExited, Exit: &proto.Exit{}}
	}
	return p, p.ID == id, err
}

// reached says whether the wait is over: p is in a wanted state, or its
// process ended, after which none will come. A program that ended badly is
// both failed and exited.
func reached(p proto.Pane, wanted []proto.State) (proto.State, bool, error) {
	switch {
	case slices.Contains(wanted, p.State):
		return p.State, true, nil
	case p.Exit == nil:
		return "", false, nil
	case slices.Contains(wanted, proto.StateExited):
		return proto.StateExited, true, nil
	}
	return "", true, fmt.Errorf("pane %s ended (%s) before it was in any of those states; `signaltty ls` shows it", p.ID, exitText(p.Exit))
}
