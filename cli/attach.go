package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"signaltty/adapters"
	"signaltty/proto"
	"signaltty/server"
	"signaltty/tui"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
)

func attachCommand() *cobra.Command {
	var raw string
	cmd := &cobra.Command{
		Use:   "attach",
		Short: "Show the panes and the decision bar; start the server if none runs",
		Long: "Show the panes and the decision bar in this terminal. It starts the server if none\n" +
			"runs; the panes go on when you detach. ctrl+] ? lists the keys.\n\n" +
			"--raw shows one pane and nothing else; ctrl+] then d or q detaches, and ctrl+] twice\n" +
			"sends one to the pane.",
		Args: words(),
	}
	cmd.Flags().StringVar(&raw, "raw", "", "show this one `PANE` alone; ctrl+] then d or q detaches")
	_ = cmd.RegisterFlagCompletionFunc("raw", completePanes) // fails only for a flag that is not there
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx := cmd.Context()
		if err := attachable(); err != nil {
			return err
		}
		c, err := loadConfig()
		if err != nil {
			return err
		}
		socket := proto.SocketPath()
		if err := proto.CheckSocketPath(socket); err != nil {
			return err
		}
		o, err := c.screen(socket)
		if err != nil {
			return err
		}
		if err := o.Drawable(); err != nil {
			return err
		}
		if o.Note, err = nesting(ctx, socket); err != nil {
			return err
		}
		if raw != "" { // a server that is started now has no such pane
			return tui.Raw(ctx, o, raw)
		}
		if err := server.Start(ctx, socket); err != nil {
			return err
		}
		return tui.Run(ctx, o)
	}
	return cmd
}

// attachable says why this is no place to attach from.
func attachable() error {
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stdout.Fd()) {
		return usagef("attach: it needs a terminal; scripts use `signaltty ls`, `capture` and `answer`")
	}
	return nil
}

// screen is how the TUI of this configuration runs on the server at socket.
func (c config) screen(socket string) (tui.Options, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return tui.Options{}, fmt.Errorf("finding the directory to run in: %w", err)
	}
	dial := func(ctx context.Context) (*proto.Conn, proto.Welcome, error) {
		return proto.Dial(ctx, socket, proto.Hello{Client: "attach", Build: build()})
	}
	return tui.Options{
		Dial: dial,
		Start: func(ctx context.Context) (*proto.Conn, proto.Welcome, error) {
			if err := server.Start(ctx, socket); err != nil {
				return nil, proto.Welcome{}, err
			}
			return dial(ctx)
		},
		Keys:    c.keys,
		Notify:  c.notify,
		In:      os.Stdin,
		Out:     os.Stdout,
		Env:     os.Environ(),
		Cwd:     cwd,
		Launch:  launches(),
		Open:    openAddress,
		Signals: []os.Signal{}, // the context ends by them
	}, nil
}

// launches are all agents, those marked whose program is not on PATH, and a
// shell.
func launches() []tui.Launch {
	var list []tui.Launch
	for a := range adapters.All() {
		l := tui.Launch{Name: a.Title, Agent: a.Name, Decide: a.Can.Decide != ""}
		if a.Binary != "" {
			_, err := exec.LookPath(a.Binary)
			l.Missing = err != nil
		}
		list = append(list, l)
	}
	return append(list, tui.Launch{Name: "Shell"})
}

// demoScreen opens the demo's pane and shows it until the person leaves.
func (c config) demoScreen(ctx context.Context, _ io.Writer, socket string) error {
	conn, _, err := proto.Dial(ctx, socket, proto.Hello{Client: "demo", Build: build()})
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := newDemoPane(ctx, conn); err != nil {
		return err
	}
	o, err := c.screen(socket)
	if err != nil {
		return err
	}
	o.Start = nil // it ends with this process
	return tui.Run(ctx, o)
}
