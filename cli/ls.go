package cli

import (
	"signaltty/proto"

	"github.com/spf13/cobra"
)

// paneColumns are the properties of a pane that scripts rely on.
var paneColumns = []column[proto.Pane]{
	{name: "id", value: func(p proto.Pane) any { return p.ID }},
	{name: "workspace", value: func(p proto.Pane) any { return p.Workspace }},
	{name: "tab", value: func(p proto.Pane) any { return p.Tab }},
	{name: "agent", value: func(p proto.Pane) any { return p.Agent }},
	{name: "name", value: func(p proto.Pane) any { return p.Name }},
	{name: "state", value: func(p proto.Pane) any { return p.State }},
	{name: "reason", value: func(p proto.Pane) any { return p.Reason }, only: true},
	{name: "confined", value: func(p proto.Pane) any { return p.Confined }, only: true},
	{name: "since", value: func(p proto.Pane) any { return p.Since }},
	{name: "attention", value: func(p proto.Pane) any { return p.Attention }},
	{name: "pending", value: func(p proto.Pane) any { return p.Pending }},
	{name: "size", value: func(p proto.Pane) any { return p.Size }},
	{name: "pid", value: func(p proto.Pane) any { return p.PID }},
	{name: "exit", value: func(p proto.Pane) any { return p.Exit }},
	{name: "resume", value: func(p proto.Pane) any { return p.Resume }, only: true},
	{name: "argv", value: func(p proto.Pane) any { return p.Argv }, only: true},
	{name: "session", value: func(p proto.Pane) any { return p.Session }, only: true},
	{name: "cwd", value: func(p proto.Pane) any { return p.Cwd }},
	{name: "title", value: func(p proto.Pane) any { return p.Title }},
}

func lsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the panes",
		Args:  words(),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		l, err := call[proto.PaneList](cmd, proto.MethodPaneList, proto.None{})
		if err != nil {
			return err
		}
		return list(cmd.OutOrStdout(), *asJSON, paneColumns, l.Panes)
	}
	return cmd
}
