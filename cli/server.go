package cli

import (
	"fmt"
	"path/filepath"

	"signaltty/proto"
	"signaltty/server"
	"signaltty/store"

	"github.com/spf13/cobra"
)

func serverCommand() *cobra.Command {
	var detached bool
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Run the server in the foreground",
		Long: "Run the server in the foreground, until `signaltty stop`, ctrl+c or SIGTERM.\n\n" +
			"`signaltty attach` starts one in the background by itself; this is for service\n" +
			"managers, and for looking at what it says.",
		Args: words(),
	}
	cmd.Flags().BoolVar(&detached, "detached", false, "tell the process that started it when it is ready")
	_ = cmd.Flags().MarkHidden("detached") // fails only for a flag that is not there
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ready := func(err error) {
			if err == nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "signaltty: listening on %s\n", proto.SocketPath())
			}
		}
		if detached {
			ready = server.Ready
		}
		o, err := serverOptions()
		if err != nil {
			ready(err)
			return err
		}
		o.Ready = ready
		return server.Run(cmd.Context(), o)
	}
	return cmd
}

// serverOptions are the person's: the usual places and config.toml.
func serverOptions() (server.Options, error) {
	c, err := loadConfig()
	if err != nil {
		return server.Options{}, err
	}
	dir, err := proto.StateDir()
	if err != nil {
		return server.Options{}, err
	}
	o := c.server(proto.SocketPath(), dir)
	o.Policy, err = policyFile()
	return o, err
}

// databaseName is the database in the state directory.
const databaseName = "state.db"

// server is how a server with this configuration runs.
func (c config) server(socket, stateDir string) server.Options {
	return server.Options{
		Socket:       socket,
		Database:     filepath.Join(stateDir, databaseName),
		Build:        build(),
		HistoryLines: c.historyLines,
		OnDecision:   c.onDecision,
		Silence:      c.waitHooks,
		Store: store.Options{
			WaitBeside: c.waitBeside, WaitOnly: c.waitOnly,
			AuditRows: c.auditRows, Sink: c.auditSink, Anchor: anchorCommand(c.auditAnchor),
		},
	}
}
