package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"signaltty/proto"
	"signaltty/turn"

	"github.com/spf13/cobra"
)

// turnCommand is the program of a turn's pane. People use `run`.
func turnCommand() *cobra.Command {
	return &cobra.Command{
		Use: "turn FILE", Hidden: true, Args: cobra.ExactArgs(1),
		Short: "Drive one headless turn, as the program of its pane",
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := os.ReadFile(args[0])
			if err != nil {
				return fmt.Errorf("reading the turn: %w", err)
			}
			var spec proto.TurnSpec
			if err := json.Unmarshal(text, &spec); err != nil {
				return fmt.Errorf("reading the turn: %w", err)
			}
			return drive(cmd.Context(), cmd.OutOrStdout(), spec, filepath.Dir(args[0]))
		},
	}
}

// drive runs a turn to its end. Its exit code says how the turn ended.
func drive(ctx context.Context, view io.Writer, spec proto.TurnSpec, files string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this binary: %w", err)
	}
	o := turn.Options{
		Spec: spec, PaneID: os.Getenv(proto.EnvPane), FilesDir: files, Self: self, Socket: proto.SocketPath(), Env: os.Environ(), View: view,
	}
	if socket := os.Getenv(proto.EnvSocket); socket != "" {
		o.Socket = socket
	}
	if spec.Envelopes != "" {
		// Whoever asked for the turn listens; when it is gone, so is the turn.
		c, err := net.Dial("unix", spec.Envelopes)
		if err != nil {
			return fmt.Errorf("connecting to the reader of the envelopes: %w", err)
		}
		defer c.Close()
		o.Envelopes = c
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() { // it ends with the connection
			_, _ = c.Read(make([]byte, 1))
			cancel()
		}()
	}
	o.Calls = func(calls []proto.TurnCall) error {
		return tellTurn(context.WithoutCancel(ctx), o.Socket, proto.MethodTurnCalls, proto.TurnCalls{Calls: calls})
	}
	guard, err := newGuard(spec, o.Socket, o.PaneID, files)
	if err != nil {
		return err
	}
	o.Guard = guard
	o.Runtime = func(env []string) ([]string, error) { return inRuntime(spec, self, files, o.Socket, env) }
	done, session := turn.Run(ctx, o)
	end := proto.TurnEnd{Session: session, Complete: done, Blocked: guard.blocked[:min(len(guard.blocked), proto.MaxTurnBlocked)]}
	if err := tellTurn(context.WithoutCancel(ctx), o.Socket, proto.MethodTurnEnd, end); err != nil {
		fmt.Fprintf(view, "signaltty: %v\r\n", err)
	}
	if done.Exit != proto.ExitOK {
		return exitError{done.Exit, fmt.Errorf("the turn ended: %s", done.Outcome)}
	}
	return nil
}

// tellTurn tells the server of a turn.
func tellTurn(ctx context.Context, socket, method string, what any) error {
	c, _, err := proto.Dial(ctx, socket, proto.Hello{Client: "turn", Build: build()})
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Call(ctx, method, what, nil)
}
