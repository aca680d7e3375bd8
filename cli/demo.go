package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"signaltty/proto"
	"signaltty/server"
	"signaltty/tui"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
)

func demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "See the whole loop in ten seconds, with nothing installed",
		Long: "See the whole loop with the agent that is built in, on a private server that leaves\n" +
			"nothing behind: the agent asks, you answer with ctrl+] and a key, it goes on.\n\n" +
			"Without a terminal it answers by itself and prints a transcript.",
		Args: words(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := loadConfig()
			if err != nil {
				return err
			}
			show := transcript
			screen := tui.Options{Env: os.Environ()}
			if term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd()) && screen.Drawable() == nil {
				show = c.demoScreen
			}
			return privately(cmd.Context(), c, func(ctx context.Context, socket string) error {
				return show(ctx, cmd.OutOrStdout(), socket)
			})
		},
	}
}

// privately runs a server of its own in this process while do runs, with its
// socket and its state in a temporary directory.
func privately(ctx context.Context, c config, do func(ctx context.Context, socket string) error) (err error) {
	dir, err := os.MkdirTemp("", "signaltty-demo-")
	if err != nil {
		return fmt.Errorf("making a place for the demo's server: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	serving, stop := context.WithCancel(ctx)
	ready := make(chan error, 1)
	o := c.server(filepath.Join(dir, "server.sock"), dir)
	o.Ready = func(err error) { ready <- err }
	var served error
	var running sync.WaitGroup
	running.Go(func() { served = server.Run(serving, o) })
	if err := <-ready; err != nil {
		stop()
		running.Wait()
		return fmt.Errorf("starting the demo's server: %w", err)
	}
	err = do(ctx, o.Socket)
	stop()
	running.Wait()
	return errors.Join(err, served)
}

// newDemoPane opens a pane with the built-in agent.
func newDemoPane(ctx context.Context, c *proto.Conn, args ...string) (proto.Pane, error) {
	var p proto.Pane
	dir, err := os.Getwd()
	if err != nil {
		return p, fmt.Errorf("finding the directory to run in: %w", err)
	}
	err = c.Call(ctx, proto.MethodPaneNew, proto.PaneNew{Agent: "mock", Argv: args, Cwd: dir, Env: os.Environ()}, &p)
	return p, err
}
