package cli

import (
	"signaltty/proto"

	"github.com/spf13/cobra"
)

// statusColumns are the properties of the server that scripts rely on.
var statusColumns = []column[proto.Status]{
	{name: "version", value: func(s proto.Status) any { return s.Version }},
	{name: "pid", value: func(s proto.Status) any { return s.PID }},
	{name: "socket", value: func(s proto.Status) any { return s.Socket }},
	{name: "database", value: func(s proto.Status) any { return s.Database }},
	{name: "uptime_seconds", value: func(s proto.Status) any { return s.Uptime }},
	{name: "panes", value: func(s proto.Status) any { return s.Panes }},
	{name: "clients", value: func(s proto.Status) any { return s.Clients }},
	{name: "decisions", value: func(s proto.Status) any { return s.Decisions }},
	{name: "holds", value: func(s proto.Status) any { return s.Holds }},
	{name: "unbound", value: func(s proto.Status) any { return s.Unbound }},
	{name: "audit_rows", value: func(s proto.Status) any { return s.Audit.Rows }},
	{name: "audit_hash", value: func(s proto.Status) any { return s.Audit.Hash }, only: true},
	{name: "audit_sink", value: func(s proto.Status) any { return s.Audit.Sink }},
	{name: "audit_dropped", value: func(s proto.Status) any { return s.Audit.Dropped }},
	{name: "audit_trouble", value: func(s proto.Status) any { return s.Audit.Trouble }},
	{name: "unconfined", value: func(s proto.Status) any { return s.Unconfined }},
	{name: "trouble", value: func(s proto.Status) any { return s.Trouble }},
}

func statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell how the server is",
		Args:  words(),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := call[proto.Status](cmd, proto.MethodStatus, proto.None{})
		if err != nil {
			return err
		}
		return details(cmd.OutOrStdout(), *asJSON, statusColumns, s)
	}
	return cmd
}
