package cli

import (
	"fmt"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

// connect opens a connection to the running server in the verb's name.
func connect(cmd *cobra.Command) (*proto.Conn, error) {
	c, _, err := proto.Dial(cmd.Context(), proto.SocketPath(), proto.Hello{Client: cmd.Name(), Build: build()})
	return c, err
}

// call makes one request to the running server.
func call[R any](cmd *cobra.Command, method string, params any) (R, error) {
	var result R
	c, err := connect(cmd)
	if err != nil {
		return result, err
	}
	defer c.Close()
	err = c.Call(cmd.Context(), method, params, &result)
	return result, err
}

// subscribe opens a connection that tells the state now and every change.
func subscribe(cmd *cobra.Command) (*proto.Conn, proto.Snapshot, error) {
	var s proto.Snapshot
	c, err := connect(cmd)
	if err != nil {
		return nil, s, err
	}
	if err := c.Call(cmd.Context(), proto.MethodSubscribe, proto.None{}, &s); err != nil {
		c.Close()
		return nil, s, err
	}
	return c, s, nil
}

// jsonFlag gives a listing verb its --json.
func jsonFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("json", false, "print one JSON object a line")
}

// words is the check of a verb's arguments: exactly those, by name.
func words(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return fmt.Errorf("%s: %s is missing", cmd.Name(), names[len(args)])
		}
		if len(args) > len(names) {
			return fmt.Errorf("%s: %q is one word too many", cmd.Name(), args[len(names)])
		}
		return nil
	}
}

// completePanes offers the ids of the panes for a verb's first argument.
func completePanes(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	l, _ := call[proto.PaneList](cmd, proto.MethodPaneList, proto.None{}) // without a server there is nothing to offer
	var ids []cobra.Completion
	for _, p := range l.Panes {
		ids = append(ids, cobra.CompletionWithDesc(p.ID, visible(p.Agent+" "+p.Title)))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
