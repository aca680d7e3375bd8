package cli

import (
	"errors"
	"fmt"
	"io"

	"signaltty/proto"
	"signaltty/server"

	"github.com/spf13/cobra"
)

func stopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop the server and end every pane",
		Long: "Stop the server: every decision goes back to its agent's own dialog, then every pane\n" +
			"ends. It returns when the server is gone. A server of another version is stopped too.",
		Args: words(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := connect(cmd)
			if e, ok := errors.AsType[*proto.Error](err); ok && e.Code == proto.CodeVersion {
				return server.Terminate(cmd.Context(), proto.SocketPath())
			}
			if err != nil {
				return err
			}
			defer c.Close()
			return stopServer(cmd, c)
		},
	}
}

// stopServer asks for the stop and waits for the end of the connection, which
// is the last thing that a server closes but for its socket.
func stopServer(cmd *cobra.Command, c *proto.Conn) error {
	if err := c.Call(cmd.Context(), proto.MethodStop, proto.None{}, nil); err != nil {
		return err
	}
	for {
		_, err := c.Read()
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return nil
		default:
			return fmt.Errorf("waiting for the server to stop: %w", err)
		}
	}
}
