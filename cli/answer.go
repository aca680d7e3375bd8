package cli

import (
	"fmt"
	"strconv"
	"strings"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

func answerCommand() *cobra.Command {
	var a proto.DecisionAnswer
	var choices []string
	cmd := &cobra.Command{
		Use:   "answer DECISION OPTION",
		Short: "Answer a decision",
		Long: "Answer a decision with one of its options: once, always, deny, handback for a permission,\n" +
			"answer, deny, handback for a question, approve, accept_edits, deny, handback for a plan.\n" +
			"Which of them it has, `signaltty decisions` tells, and what always would save.\n\n" +
			"A question is answered by --choice, once for each label that is chosen; what is no label is\n" +
			"an answer in your own words, where it takes one. Of several questions the number goes\n" +
			"before: --choice 1:Postgres --choice 2:Export --choice 2:Import.\n\n" +
			"It ends in 0 when this answer is the one that counted, and in 4 when the decision\n" +
			"is unknown or was answered before.",
		Example: "  signaltty answer d1-3 once\n  signaltty answer d1-3 deny --message 'use the staging database'\n" +
			"  signaltty answer d1-3 once --amend 'go test ./cart'\n  signaltty answer d1-4 answer --choice SQLite",
		Args:              words("DECISION", "OPTION"),
		ValidArgsFunction: completeAnswer,
	}
	cmd.Flags().StringVarP(&a.Message, "message", "m", "", "the `TEXT` that the agent is told with a deny")
	cmd.Flags().StringArrayVarP(&choices, "choice", "c", nil, "the `[N:]LABEL` that answers the N-th question; may be repeated")
	cmd.Flags().StringVar(&a.Amended, "amend", "", "allow this `TEXT` in place of the command that was asked for")
	cmd.Flags().BoolVar(&a.Interrupt, "interrupt", false, "end the agent's turn with the deny")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.Decision, a.Option = args[0], args[1]
		if err := complete(cmd, &a, choices); err != nil {
			return err
		}
		done, err := call[proto.DecisionAnswered](cmd, proto.MethodDecisionAnswer, a)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", done.Decision, done.Option)
		return err
	}
	return cmd
}

// complete adds to an answer what takes knowing the decision: the choices by
// question, and on stderr, before it is saved, the rule that always saves.
func complete(cmd *cobra.Command, a *proto.DecisionAnswer, choices []string) error {
	if len(choices) == 0 && a.Option != proto.OptionAlways {
		return nil
	}
	d, err := call[proto.Decision](cmd, proto.MethodDecisionGet, proto.DecisionRef{Decision: a.Decision})
	if err != nil {
		return err
	}
	if s := d.Standing; s != nil && a.Option == proto.OptionAlways {
		fmt.Fprintln(cmd.ErrOrStderr(), visible(fmt.Sprintf("saves %s in %s; to take it back: %s", s.Rule, s.Destination, s.Undo)))
	}
	if len(choices) > 0 {
		a.Answers, err = byQuestion(d.Questions, choices)
	}
	return err
}

// byQuestion sorts choices by the number before them. With one question there
// is none, so that a label may begin with one.
func byQuestion(questions []proto.Question, choices []string) ([][]string, error) {
	if len(questions) == 0 {
		return nil, usagef("it asks no question; --choice answers none")
	}
	answers := make([][]string, len(questions))
	if len(questions) == 1 {
		answers[0] = choices
		return answers, nil
	}
	for _, c := range choices {
		number, label, _ := strings.Cut(c, ":")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(questions) {
			return nil, usagef("--choice %q: it asks %d questions; write the number of one before the label, as in 1:%s", c, len(questions), c)
		}
		answers[n-1] = append(answers[n-1], label)
	}
	return answers, nil
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
