package cli

import (
	"errors"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

// decisionColumns are the properties of a decision that scripts rely on.
var decisionColumns = []column[proto.Decision]{
	{name: "id", value: func(d proto.Decision) any { return d.ID }},
	{name: "pane", value: func(d proto.Decision) any { return d.Pane }},
	{name: "agent", value: func(d proto.Decision) any { return d.Agent }},
	{name: "session", value: func(d proto.Decision) any { return d.Session }, only: true},
	{name: "subagent", value: func(d proto.Decision) any { return d.Subagent }, only: true},
	{name: "kind", value: func(d proto.Decision) any { return d.Kind }},
	{name: "tool", value: func(d proto.Decision) any { return d.Tool }},
	{name: "phase", value: func(d proto.Decision) any { return d.Phase }},
	{name: "since", value: func(d proto.Decision) any { return d.ReceivedAt }},
	{name: "deadline", value: func(d proto.Decision) any { return d.Deadline }},
	{name: "options", value: func(d proto.Decision) any { return d.Options }},
	{name: "answerable", value: func(d proto.Decision) any { return d.Answerable }, only: true},
	{name: "where", value: func(d proto.Decision) any { return d.Where }, only: true},
	{name: "dialog", value: func(d proto.Decision) any { return d.Dialog }, only: true},
	{name: "cwd", value: func(d proto.Decision) any { return d.Cwd }, only: true},
	{name: "input", value: func(d proto.Decision) any { return d.Input }, only: true},
	{name: "detail", value: func(d proto.Decision) any { return d.Detail }, only: true},
	{name: "truncated", value: func(d proto.Decision) any { return d.Truncated }, only: true},
	{name: "summary", value: func(d proto.Decision) any { return d.Prompt }},
}

func decisionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "decisions",
		Short: "List the decisions that wait",
		Long: "List the decisions that wait, in the order of their arrival.\n\n" +
			"`signaltty answer DECISION OPTION` answers one.",
		Args: words(),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		l, err := call[proto.DecisionList](cmd, proto.MethodDecisionList, proto.None{})
		if err != nil {
			return err
		}
		if *asJSON {
			if err := fetchBrief(cmd, l.Decisions); err != nil {
				return err
			}
		}
		return list(cmd.OutOrStdout(), *asJSON, decisionColumns, l.Decisions)
	}
	return cmd
}

// fetchBrief gets the whole of the decisions that a long list told in brief.
// One that has ended meanwhile stays as it was told.
func fetchBrief(cmd *cobra.Command, decisions []proto.Decision) error {
	for i, d := range decisions {
		if !d.Brief {
			continue
		}
		whole, err := call[proto.Decision](cmd, proto.MethodDecisionGet, proto.DecisionRef{Decision: d.ID})
		if e, ok := errors.AsType[*proto.Error](err); ok && e.Code == proto.CodeNoSuchDecision {
			continue
		}
		if err != nil {
			return err
		}
		decisions[i] = whole
	}
	return nil
}
