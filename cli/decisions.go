package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

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
	{name: "questions", value: func(d proto.Decision) any { return d.Questions }, only: true},
	{name: "standing", value: func(d proto.Decision) any { return d.Standing }, only: true},
	{name: "amendable", value: func(d proto.Decision) any { return d.Amendable }, only: true},
	{name: "summary", value: func(d proto.Decision) any { return d.Prompt }},
}

func decisionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "decisions",
		Short: "List the decisions that wait",
		Long: "List the decisions that wait, in the order of their arrival.\n\n" +
			"Below them stand the questions with their choices, and what always would save.\n" +
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
		if err := list(cmd.OutOrStdout(), *asJSON, decisionColumns, l.Decisions); err != nil || *asJSON {
			return err
		}
		return printChoices(cmd.OutOrStdout(), l.Decisions)
	}
	return cmd
}

// printChoices tells what the table has no room for and an answer needs.
func printChoices(w io.Writer, decisions []proto.Decision) error {
	var b strings.Builder
	for _, d := range decisions {
		for i, q := range d.Questions {
			var choices []string
			for _, c := range q.Choices {
				choices = append(choices, strconv.Quote(c.Label))
			}
			if q.FreeText {
				choices = append(choices, "your own words")
			}
			kind := "one of"
			if q.Multi {
				kind = "any of"
			}
			b.WriteString(visible(fmt.Sprintf("%s question %d: %s (%s %s)", d.ID, i+1, q.Text, kind, strings.Join(choices, ", "))) + "\n")
		}
		if s := d.Standing; s != nil {
			b.WriteString(visible(fmt.Sprintf("%s always saves %s in %s; to take it back: %s", d.ID, s.Rule, s.Destination, s.Undo)) + "\n")
		}
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(w, "\n"+b.String())
	return err
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
