package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"signaltty/adapters"
	"signaltty/proto"

	"github.com/spf13/cobra"
)

func newCommand() *cobra.Command {
	var p proto.PaneNew
	size := sizeFlag{80, 24}
	var ports []uint
	cmd := &cobra.Command{
		Use:   "new [flags] [-- ARGV...]",
		Short: "Open a pane and print its id",
		Long: "Open a pane and print its id, alone on a line.\n\n" +
			"Without --agent it runs ARGV, or your shell. With --agent, ARGV goes to the agent.\n" +
			"An agent that a script of yours starts is named with --agent and the script with\n" +
			"--command: it gets the agent's arguments and must pass them on.\n\n" +
			"With --confine the kernel (Landlock) limits where it, and all that it starts, may\n" +
			"write: to what the rules of the policy allow to be edited, or to the workspace where\n" +
			"they allow nothing, to the agent's own state, and to each --allow-path. Where the\n" +
			"kernel cannot do it, no pane is opened. `confine --explain` tells what is not covered.",
		Example: "  signaltty new --agent claude -- --model haiku\n  signaltty new --agent claude --command ./claude-in-a-box\n  signaltty new --agent claude --confine\n  signaltty new -- htop",
	}
	f := cmd.Flags()
	f.StringVarP(&p.Agent, "agent", "a", "", "run this coding `AGENT`")
	f.StringVar(&p.Command, "command", "", "start the agent by this `PROGRAM`, in place of its own")
	f.BoolVar(&p.Decide, "decide", false, "decide here about an agent that asks so in a mode of its own only (gemini)")
	f.BoolVar(&p.Confine, "confine", false, "have the kernel refuse it each write outside of what the policy allows, or of the workspace")
	f.StringArrayVar(&p.Allow, "allow-path", nil, "with --confine, a further `PATH` or glob that it may write; may be given several times")
	f.UintSliceVar(&ports, "allow-port", nil, "with --confine, a TCP `PORT` that it may use; with one, all others are refused")
	f.StringVar(&p.Cwd, "cwd", "", "the `DIR` to run in (default: this one)")
	f.StringVarP(&p.Name, "name", "n", "", "the `NAME` of the pane")
	f.Var(&size, "size", "the size until a client shows the pane")
	_ = cmd.RegisterFlagCompletionFunc("agent", completeAgents) // fails only for a flag that is not there
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a, known := adapters.Lookup(p.Agent)
		if p.Agent != "" && !known {
			return usagef("new: there is no agent %q; known are %s", p.Agent, adapters.Names())
		}
		if p.Command != "" && p.Agent == "" {
			return usagef("new: --command goes with --agent; without an agent give the program after --")
		}
		if err := confines(&p, ports); err != nil {
			return err
		}
		if p.Decide && a.Can.Decide == "" {
			return usagef("new: --decide is for agents that ask in a mode of their own only; %s is not one of them", orShell(p.Agent))
		}
		dir, err := filepath.Abs(p.Cwd)
		if err != nil {
			return fmt.Errorf("finding the directory to run in: %w", err)
		}
		p.Cwd, p.Argv, p.Size, p.Env = dir, args, proto.Size(size), os.Environ()
		pane, err := call[proto.Pane](cmd, proto.MethodPaneNew, p)
		if err != nil {
			return err
		}
		if p.Decide {
			fmt.Fprintln(cmd.ErrOrStderr(), "signaltty: "+a.Can.Decide)
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), pane.ID)
		return err
	}
	return cmd
}

// confines checks what goes with --confine, and takes its ports.
func confines(p *proto.PaneNew, ports []uint) error {
	if (len(p.Allow) > 0 || len(ports) > 0) && !p.Confine {
		return usagef("new: --allow-path and --allow-port go with --confine")
	}
	for _, port := range ports {
		if port == 0 || port > math.MaxUint16 {
			return usagef("new: there is no TCP port %d", port)
		}
		p.Ports = append(p.Ports, uint16(port))
	}
	return nil
}

func orShell(agent string) string {
	if agent == "" {
		return "a shell"
	}
	return agent
}

func completeAgents(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for a := range adapters.All() {
		names = append(names, cobra.CompletionWithDesc(a.Name, a.Title))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// sizeFlag reads COLSxROWS.
type sizeFlag proto.Size

func (s *sizeFlag) String() string { return fmt.Sprintf("%dx%d", s.Cols, s.Lines) }
func (s *sizeFlag) Type() string   { return "COLSxROWS" }

func (s *sizeFlag) Set(text string) error {
	cols, lines, found := strings.Cut(text, "x")
	c, err1 := strconv.ParseUint(cols, 10, 16)
	l, err2 := strconv.ParseUint(lines, 10, 16)
	z := proto.Size{Cols: int(c), Lines: int(l)}
	if !found || err1 != nil || err2 != nil || !z.Valid() {
		return fmt.Errorf("it is COLSxROWS, such as 80x24, from %dx%d to %dx%d", proto.MinCols, proto.MinLines, proto.MaxCols, proto.MaxLines)
	}
	*s = sizeFlag(z)
	return nil
}
