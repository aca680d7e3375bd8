package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// refuseOtherShells makes `completion SHELL` an error for a shell that has no
// completion. Cobra prints help and ends well instead, which the person's
// shell would then read as the completion.
func refuseOtherShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args = func(c *cobra.Command, args []string) error {
			var shells []string
			for _, s := range c.Commands() {
				shells = append(shells, s.Name())
			}
			if len(args) > 0 {
				return usagef("completion: there is none for %q; it takes %s", args[0], strings.Join(shells, ", "))
			}
			return nil
		}
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
}
