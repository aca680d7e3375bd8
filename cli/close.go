package cli

import (
	"fmt"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

func closeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "close PANE",
		Short: "End a pane and everything that runs in it",
		Long: "End a pane and everything that runs in it: hangup, a moment's grace, then kill.\n" +
			"It prints how the program ended.",
		Args:              words("PANE"),
		ValidArgsFunction: completePanes,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r, err := call[proto.PaneClosed](cmd, proto.MethodPaneClose, proto.PaneRef{Pane: args[0]})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", args[0], exitText(&r.Exit))
		return err
	}
	return cmd
}
