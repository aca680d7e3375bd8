package cli

import (
	"os"

	"signaltty/hook"

	"github.com/spf13/cobra"
)

// hookEventCommand is the verb's page in the help. Main runs the verb itself
// before cobra is asked, since an agent waits for it.
func hookEventCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook-event --agent A --event E --payload-stdin [--wait-for-answer]",
		Short: "Deliver one hook event of an agent (agents run this)",
		Long: "Deliver one hook event of an agent: its JSON on stdin, the verdict on stdout in the\n" +
			"agent's own form. Agents run this; panes that signaltty opens are set up for it.\n\n" +
			"With --wait-for-answer it waits until the decision is answered or handed back. When\n" +
			"anything fails, a permission event prints nothing and ends in 0, so that the agent\n" +
			"asks in its own dialog; the reason is one line on stderr.",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			code := hook.Main(args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), os.Getenv)
			os.Exit(code)
			return nil
		},
	}
}
