package cli

import (
	"fmt"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

// signalColumns are the properties of a signal that scripts rely on.
var signalColumns = []column[proto.Signal]{
	{name: "at", value: func(s proto.Signal) any { return s.At }},
	{name: "from", value: func(s proto.Signal) any { return s.From }},
	{name: "says", value: func(s proto.Signal) any { return s.Says }},
	{name: "count", value: func(s proto.Signal) any { return max(s.Count, 1) }},
	{name: "not", value: func(s proto.Signal) any { return s.Not }},
}

func explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain PANE",
		Short: "Tell how a pane came to its state",
		Long: "Tell how a pane came to its state: what spoke of it (a hook of the agent, its title,\n" +
			"a decision, the end of its process), when, what it said, and why it did not count\n" +
			"if it did not. The oldest comes first; only so many are remembered.\n\n" +
			"With --json the first line is the pane and each other one a signal.",
		Args:              words("PANE"),
		ValidArgsFunction: completePanes,
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		e, err := call[proto.PaneExplained](cmd, proto.MethodPaneExplain, proto.PaneRef{Pane: args[0]})
		if err != nil {
			return err
		}
		w := cmd.OutOrStdout()
		if *asJSON {
			if err := list(w, true, paneColumns, []proto.Pane{e.Pane}); err != nil {
				return err
			}
		} else if _, err := fmt.Fprintf(w, "%s is %s: %s\n", e.Pane.ID, e.Pane.State, visible(e.Pane.Reason)); err != nil {
			return err
		}
		return list(w, *asJSON, signalColumns, e.Signals)
	}
	return cmd
}
