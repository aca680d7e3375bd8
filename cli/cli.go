// Package cli is the command line: one cobra command per file, and the place
// where the parts are put together.
//
// It owns the verbs, their flags, their output, the exit codes and
// config.toml. It promises that stdout carries only what was asked for, that
// --json prints one object a line, that an error is one line on stderr which
// ends with what to do next, and that the exit codes are those of proto.
//
// It may import every other package, and is the only importer of cobra.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"signaltty/hook"
	"signaltty/mockagent"

	"github.com/spf13/cobra"
)

// Main runs the verb that os.Args names and returns the exit code. The verbs
// that agents wait for go around cobra: they are measured in milliseconds.
func Main() int {
	if len(os.Args) > 1 {
		switch verb, args := os.Args[1], os.Args[2:]; {
		case verb == "hook-event" && !asksForHelp(args):
			return hook.Main(args, os.Stdin, os.Stdout, os.Stderr, os.Getenv)
		case verb == "mock-agent":
			return mockagent.Main(args, os.Stdin, os.Stdout, os.Stderr)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return run(ctx, Root())
}

// asksForHelp says that the first word is a cry for help. No hook that is
// installed begins so.
func asksForHelp(args []string) bool {
	return len(args) > 0 && (args[0] == "--help" || args[0] == "-h")
}

// run executes the verb that root's arguments name.
func run(ctx context.Context, root *cobra.Command) int {
	began := false
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	err := root.ExecuteContext(ctx)
	if err != nil && !began {
		err = usageError{err} // the words did not make a command
	}
	return report(root.ErrOrStderr(), err)
}

// Root is the whole command tree.
func Root() *cobra.Command {
	root := &cobra.Command{
		Use:   "signaltty",
		Short: "Answer every question of your coding agents from one decision bar",
		Long: "signaltty runs coding agents in terminal panes and brings every question that\n" +
			"they ask to one decision bar, where one key answers it.\n\n" +
			"Start with `signaltty demo` (nothing to install) or `signaltty attach`.",
		Version:           build(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
	}
	root.AddGroup(
		&cobra.Group{ID: "screen", Title: "The screen and the server:"},
		&cobra.Group{ID: "panes", Title: "Panes, from a script:"},
		&cobra.Group{ID: "decisions", Title: "Decisions, from a script:"},
		&cobra.Group{ID: "policy", Title: "What agents may touch:"},
		&cobra.Group{ID: "about", Title: "About signaltty:"},
	)
	group(root, "screen", attachCommand(), demoCommand(), serverCommand(), statusCommand(), stopCommand())
	group(root, "decisions", decisionsCommand(), answerCommand(), auditCommand(), hookEventCommand())
	group(root, "policy", policyCommand(), quarantineCommand())
	group(root, "panes",
		newCommand(), lsCommand(), captureCommand(), sendCommand(), waitCommand(), explainCommand(), resumeCommand(), closeCommand(),
		eventsCommand(),
		runCommand(), turnCommand(), confineCommand(),
	)
	group(root, "about",
		integrationCommand(), doctorCommand(),
		schemaCommand(), manCommand(), versionCommand(),
	)
	root.SetHelpCommandGroupID("about")
	root.SetCompletionCommandGroupID("about")
	refuseOtherShells(root)
	return root
}

func group(root *cobra.Command, id string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = id
		root.AddCommand(c)
	}
}
