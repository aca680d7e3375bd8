package cli

import (
	"fmt"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

func answerCommand() *cobra.Command {
	var message string
	cmd := &cobra.Command{
		Use:   "answer DECISION OPTION",
		Short: "Answer a decision",
		Long: "Answer a decision with one of its options: once, deny, handback for a permission.\n\n" +
			"It ends in 0 when this answer is the one that counted, and in 4 when the decision\n" +
			"is unknown or was answered before.",
		Example:           "  signaltty answer d1-3 once\n  signaltty answer d1-3 deny --message 'use the staging database'",
		Args:              words("DECISION", "OPTION"),
		ValidArgsFunction: completeAnswer,
	}
	cmd.Flags().StringVarP(&message, "message", "m", "", "the `TEXT` that the agent is told with a deny")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a, err := call[proto.DecisionAnswered](cmd, proto.MethodDecisionAnswer,
			proto.DecisionAnswer{Decision: args[0], Option: args[1], Message: message})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", a.Decision, a.Option)
		return err
	}
	return cmd
}

// completeAnswer offers the decisions that wait, then the options of the one chosen.
func completeAnswer(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	l, _ := call[proto.DecisionList](cmd, proto.MethodDecisionList, proto.None{}) // without a server there is nothing to offer
	var found []cobra.Completion
	for _, d := range l.Decisions {
		switch {
		case len(args) == 0:
			found = append(found, cobra.CompletionWithDesc(d.ID, visible(d.Tool+" "+d.Prompt)))
		case len(args) == 1 && d.ID == args[0]:
			for _, o := range d.Options {
				found = append(found, cobra.CompletionWithDesc(o.ID, visible(o.Label)))
			}
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
