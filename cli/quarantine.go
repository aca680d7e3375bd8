package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"signaltty/proto"
	"signaltty/turn/tree"

	"github.com/spf13/cobra"
)

// quarantineName is the directory of quarantines, below the state's.
const quarantineName = "quarantine"

func quarantineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quarantine",
		Short: "See and take back what headless turns were not allowed to write",
		Long: "What a headless turn wrote and may not have written is moved here, and what stood\n" +
			"there before is put back. Nothing is ever removed from here but by `drop`.",
	}
	cmd.AddCommand(quarantineListCommand(), quarantineRestoreCommand(), quarantineDropCommand())
	return cmd
}

func quarantineDir() (string, error) {
	state, err := proto.StateDir()
	return filepath.Join(state, quarantineName), err
}

// keptOf is the quarantine of a turn.
func keptOf(turn string) (tree.Kept, error) {
	dir, err := quarantineDir()
	if err != nil {
		return tree.Kept{}, err
	}
	k, err := tree.OpenKept(dir, turn)
	if errors.Is(err, fs.ErrNotExist) {
		return k, exitError{proto.ExitNoThing, fmt.Errorf("there is no quarantine of a turn %q; `signaltty quarantine list` names them", turn)}
	}
	return k, err
}

// keptPath is a path that is kept, and of which turn.
type keptPath struct {
	tree.Kept
	path string
}

var keptColumns = []column[keptPath]{
	{name: "turn", value: func(k keptPath) any { return k.Turn }},
	{name: "at", value: func(k keptPath) any { return k.At }},
	{name: "path", value: func(k keptPath) any { return k.path }},
}

func quarantineListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List what is in quarantine, a path a line", Args: words(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := quarantineDir()
			if err != nil {
				return err
			}
			list, failed := tree.Quarantines(dir)
			for _, k := range list {
				for _, p := range k.Paths {
					if asJSON {
						err = printObject(cmd.OutOrStdout(), keptColumns, keptPath{k, p})
					} else {
						_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s  %s\n", k.Turn, visible(p))
					}
					if err != nil {
						return err
					}
				}
			}
			return failed
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return cmd
}

func quarantineRestoreCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "restore TURN [PATH...]",
		Short: "Copy what is in quarantine back to where it stood",
		Long: "Copy what is in quarantine back to where it stood, or, with --to, below another\n" +
			"directory. What stands in the way is never replaced.",
		Example: "  signaltty quarantine restore 20261201-093000-5f1c0a77 --to /tmp/look",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := keptOf(args[0])
			if err != nil {
				return err
			}
			if to != "" {
				if to, err = filepath.Abs(to); err != nil {
					return fmt.Errorf("finding %s: %w", to, err)
				}
			}
			paths := args[1:]
			if len(paths) == 0 {
				paths = k.Paths
			}
			var errs []error
			for _, p := range paths {
				at, err := k.Restore(p, to)
				if errors.Is(err, fs.ErrExist) {
					err = fmt.Errorf("%w; choose another place by --to", err)
				}
				if err != nil {
					errs = append(errs, err)
					continue
				}
				fmt.Fprintln(cmd.OutOrStdout(), visible(at))
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "copy below this `DIR`, and not to where it stood")
	return cmd
}

func quarantineDropCommand() *cobra.Command {
	return &cobra.Command{
		Use: "drop TURN...", Short: "Remove the quarantine of turns for good", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var errs []error
			for _, turn := range args {
				k, err := keptOf(turn)
				if err == nil {
					err = k.Drop()
				}
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		},
	}
}
