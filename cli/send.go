package cli

import (
	"signaltty/proto"

	"github.com/spf13/cobra"
)

func sendCommand() *cobra.Command {
	var enter bool
	cmd := &cobra.Command{
		Use:   "send PANE TEXT",
		Short: "Type text into a pane",
		Long: "Type text into a pane, as if you had turned to it: a decision whose own dialog is\n" +
			"on the pane's screen is retired first.",
		Args:              words("PANE", "TEXT"),
		ValidArgsFunction: completePanes,
	}
	cmd.Flags().BoolVar(&enter, "enter", false, "press Enter after it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		data := []byte(args[1])
		if enter {
			data = append(data, '\r')
		}
		_, err := call[proto.None](cmd, proto.MethodPaneInput, proto.PaneInput{Pane: args[0], Data: data})
		return err
	}
	return cmd
}
