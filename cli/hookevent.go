package cli

import (
	"github.com/spf13/cobra"
)

// hookEventCommand is the verb's page in the help and its completion. Main
// runs the verb itself without cobra, since an agent waits for it.
func hookEventCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook-event --agent AGENT --event EVENT --payload-stdin [--wait-for-answer]",
		Short: "Deliver one hook event of an agent (agents run this)",
		Long: "Deliver one hook event of an agent: its JSON on stdin, the verdict on stdout in the\n" +
			"agent's own form. Agents run this; panes that signaltty opens are set up for it.\n" +
			"Outside of such a pane it does nothing.\n\n" +
			"With --wait-for-answer it waits until the decision is answered or handed back. When\n" +
			"anything fails, a permission event prints nothing and ends in 0, so that the agent\n" +
			"asks in its own dialog; the reason is one line on stderr.",
		DisableFlagsInUseLine: true,
		Args:                  words(),
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := cmd.Flags()
	f.String("agent", "", "the `AGENT` whose hook this is")
	f.String("event", "", "the `EVENT`, by the agent's own name")
	f.Bool("payload-stdin", false, "read the event's JSON from stdin")
	f.Bool("wait-for-answer", false, "wait until the decision has ended")
	_ = cmd.RegisterFlagCompletionFunc("agent", completeAgents) // fails only for a flag that is not there
	return cmd
}
