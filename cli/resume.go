package cli

import (
	"fmt"
	"os"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

func resumeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume PANE",
		Short: "Start the program of an exited pane again",
		Long: "Start the program of an exited pane again, and print the pane's id. An agent takes up\n" +
			"exactly the conversation that the pane had; one in which nothing was said yet starts\n" +
			"anew, without its first prompt. When it fails the pane keeps its conversation.\n\n" +
			"After a restart of the server shells run again by themselves and everything else\n" +
			"waits for this.",
		Args:              words("PANE"),
		ValidArgsFunction: completePanes,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := call[proto.Pane](cmd, proto.MethodPaneResume, proto.PaneResume{Pane: args[0], Env: os.Environ()})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), p.ID)
		return err
	}
	return cmd
}
