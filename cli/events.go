package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

func eventsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "events",
		Short: "Print every change of state as JSON, one a line",
		Long: "Print every change of state as it happens, one JSON object {event, seq, data} a line.\n\n" +
			"The first line has the event `snapshot`: the whole state to begin with. What follows\n" +
			"has higher numbers. It ends when the server stops.",
		Args: words(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, s, err := subscribe(cmd)
			if err != nil {
				return err
			}
			defer c.Close()
			if err := printEvent(cmd.OutOrStdout(), "snapshot", s.Seq, s); err != nil {
				return err
			}
			for m, err := range messages(cmd.Context(), c) {
				if err != nil {
					return err
				}
				if err := printEvent(cmd.OutOrStdout(), m.Event, m.Seq, m.Body); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// eventColumns are the keys of a line of events, as on the wire.
type event struct {
	name string
	seq  uint64
	data any
}

var eventColumns = []column[event]{
	{name: "event", value: func(e event) any { return e.name }},
	{name: "seq", value: func(e event) any { return e.seq }},
	{name: "data", value: func(e event) any { return e.data }},
}

func printEvent(w io.Writer, name string, seq uint64, data any) error {
	return printObject(w, eventColumns, event{name, seq, data})
}

// messages are the events on c until the server stops. Ending ctx closes c;
// a deadline that passed is an error, a person's interrupt is not.
func messages(ctx context.Context, c *proto.Conn) iter.Seq2[proto.Message, error] {
	return func(yield func(proto.Message, error) bool) {
		stop := context.AfterFunc(ctx, func() { c.Close() })
		defer stop()
		for {
			m, err := c.Read()
			switch {
			case err == nil && m.Event == "":
			case err == nil:
				if !yield(m, nil) || m.Event == proto.EventServerStopping {
					return
				}
			case errors.Is(ctx.Err(), context.DeadlineExceeded):
				yield(m, fmt.Errorf("the time is up: %w", context.DeadlineExceeded))
				return
			case ctx.Err() != nil:
				return
			default:
				yield(m, fmt.Errorf("reading events: %w: the server went away", err))
				return
			}
		}
	}
}
