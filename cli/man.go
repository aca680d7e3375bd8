package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"signaltty/docs/man"

	"github.com/spf13/cobra"
)

func manCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "man [VERB]",
		Short:   "Print a manual page, or write all of them into a directory",
		Example: "  signaltty man attach | man -l -\n  signaltty man --dir ~/.local/share/man/man1",
		Args:    cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write every page into this `DIR`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if dir != "" {
			return writePages(dir)
		}
		name := "signaltty.1"
		if len(args) == 1 {
			name = "signaltty-" + args[0] + ".1"
		}
		page, err := fs.ReadFile(man.Pages, name)
		if err != nil {
			return usagef("man: there is no page of %q", args[0])
		}
		_, err = cmd.OutOrStdout().Write(page)
		return err
	}
	return cmd
}

func writePages(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the directory of the manual pages: %w", err)
	}
	pages, err := fs.ReadDir(man.Pages, ".")
	if err != nil {
		return fmt.Errorf("listing the manual pages: %w", err)
	}
	for _, p := range pages {
		data, err := fs.ReadFile(man.Pages, p.Name())
		if err != nil {
			return fmt.Errorf("reading a manual page: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, p.Name()), data, 0o644); err != nil {
			return fmt.Errorf("writing a manual page: %w", err)
		}
	}
	return nil
}
