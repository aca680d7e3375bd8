package cli

import (
	"bufio"
	"fmt"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

func captureCommand() *cobra.Command {
	var p proto.PaneCapture
	var cursor bool
	cmd := &cobra.Command{
		Use:   "capture PANE",
		Short: "Print the screen of a pane",
		Long: "Print the screen of a pane as text, a line a row, trailing blanks cut.\n\n" +
			"--scrollback prints what scrolled off before it instead, the oldest line first.",
		Args:              words("PANE"),
		ValidArgsFunction: completePanes,
	}
	f := cmd.Flags()
	f.BoolVar(&p.ANSI, "ansi", false, "keep colours and attributes as escape sequences")
	f.BoolVar(&p.Scrollback, "scrollback", false, "print the scrollback in place of the screen")
	f.BoolVar(&cursor, "cursor", false, "end with a line that says cursor X Y visible|hidden")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p.Pane = args[0]
		return capture(cmd, p, cursor)
	}
	return cmd
}

// capture prints a pane's text, however many parts it comes in.
func capture(cmd *cobra.Command, p proto.PaneCapture, cursor bool) error {
	c, err := connect(cmd)
	if err != nil {
		return err
	}
	defer c.Close()
	w := bufio.NewWriter(cmd.OutOrStdout())
	var part proto.PaneCaptured
	for more := true; more; p.Start, more = part.Next, part.Next != 0 {
		part = proto.PaneCaptured{}
		if err := c.Call(cmd.Context(), proto.MethodPaneCapture, p, &part); err != nil {
			return err
		}
		for _, line := range part.Lines {
			fmt.Fprintln(w, line)
		}
	}
	if cursor {
		seen := "hidden"
		if part.Cursor.Visible {
			seen = "visible"
		}
		fmt.Fprintf(w, "cursor %d %d %s\n", part.Cursor.X, part.Cursor.Y, seen)
	}
	return w.Flush()
}
