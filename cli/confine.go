package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"signaltty/proto"
	"signaltty/server/confine"

	"github.com/spf13/cobra"
)

func confineCommand() *cobra.Command {
	var c confinement
	var check, explain bool
	cmd := &cobra.Command{
		Use:   "confine [flags] -- ARGV...",
		Short: "Run a program that the kernel lets write only where you say",
		Long: "Run a program that the kernel lets write only where you say, with all that it starts:\n" +
			"its tools, its shells, their scripts. It holds whatever the program's own settings\n" +
			"are, and whether it runs hooks or not. The program may read everything.\n\n" +
			"The kernel grants files and whole directories: a glob is granted as the deepest\n" +
			"directory above it, and each grant that is larger than what was asked for is told on\n" +
			"stderr. Beside them it may write to its terminal, to /dev/null, and to a TMPDIR of its\n" +
			"own. --explain tells all that, and what the kernel does not cover.\n\n" +
			"Where the kernel cannot do it (Landlock, since Linux 6.2), nothing is run, unless you\n" +
			"give --best-effort.",
		Example: "  signaltty confine --allow-path . -- claude --permission-mode bypassPermissions\n  signaltty confine --allow-path 'src/**' --allow-port 443 -- make",
	}
	f := cmd.Flags()
	f.StringArrayVar(&c.paths, "allow-path", nil, "a `PATH` or glob that it may write; may be given several times")
	f.StringArrayVar(&c.state, "state", nil, "a `DIR` of the program's own state that it may write, made if it is not there")
	f.UintSliceVar(&c.ports, "allow-port", nil, "a TCP `PORT` that it may connect or listen to; with one, all others are refused")
	f.BoolVar(&c.bestEffort, "best-effort", false, "run the program unlimited where the kernel cannot limit it, and say so")
	f.BoolVar(&check, "check", false, "only tell whether the kernel can limit a program")
	f.BoolVar(&explain, "explain", false, "only tell what would be granted, and what is not covered")
	f.SetInterspersed(false)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case check:
			return tellSupport(cmd.OutOrStdout(), len(c.ports) > 0)
		case explain:
			return c.explain(cmd.OutOrStdout())
		case len(args) == 0:
			return usagef("confine: there is no program to run; it comes after --")
		}
		return c.run(cmd.ErrOrStderr(), args)
	}
	return cmd
}

func tellSupport(out io.Writer, ports bool) error {
	if err := confine.Supported(ports); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "Landlock version %d\n", confine.Version())
	return err
}

// confinement is what the flags say.
type confinement struct {
	paths, state []string
	ports        []uint
	bestEffort   bool
}

// plan is what the kernel will be asked for.
func (c confinement) plan() (confine.Plan, error) {
	dir, err := os.Getwd()
	if err != nil {
		return confine.Plan{}, fmt.Errorf("finding the directory to run in: %w", err)
	}
	for _, s := range c.state {
		if err := os.MkdirAll(s, 0o700); err != nil {
			return confine.Plan{}, fmt.Errorf("making the directory of the program's state: %w", err)
		}
	}
	own, err := ownPaths()
	if err != nil {
		return confine.Plan{}, err
	}
	p, err := confine.Allow(dir, slices.Concat(c.paths, c.state), own)
	if err != nil {
		return p, usagef("confine: %w", err)
	}
	for _, port := range c.ports {
		if port == 0 || port > math.MaxUint16 {
			return p, usagef("confine: there is no TCP port %d", port)
		}
		p.Ports = append(p.Ports, uint16(port))
	}
	return p, nil
}

// ownPaths are what no confined program may write: by it it would free itself,
// or answer itself.
func ownPaths() ([]string, error) {
	config, err := proto.ConfigDir()
	if err != nil {
		return nil, err
	}
	state, err := proto.StateDir()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this binary: %w", err)
	}
	return []string{config, state, filepath.Dir(proto.SocketPath()), self}, nil
}

func (c confinement) explain(out io.Writer) error {
	p, err := c.plan()
	if err != nil {
		return err
	}
	say := func(form string, list []string) {
		for _, item := range list {
			fmt.Fprintf(out, form+"\n", visible(item))
		}
	}
	say("may write: %s and all below", p.Dirs)
	say("may write: %s", p.Files)
	say("may write: %s", []string{"its terminal, /dev/null, a TMPDIR of its own"})
	if p.Ports != nil {
		fmt.Fprintf(out, "may connect and listen to the TCP ports %s\n", strings.Trim(fmt.Sprint(p.Ports), "[]"))
	}
	for _, w := range p.Widened {
		say("widened: %s", []string{w.String()})
	}
	say("not covered: %s", confine.NotCovered)
	if err := confine.Supported(p.Ports != nil); err != nil {
		say("not enforced here: %s", []string{err.Error()})
	}
	return nil
}

// run becomes the program.
func (c confinement) run(stderr io.Writer, argv []string) error {
	p, err := c.plan()
	if err != nil {
		return err
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("finding the program: %w", err)
	}
	for _, w := range p.Widened {
		fmt.Fprintf(stderr, "signaltty: confine: %s\n", visible(w.String()))
	}
	temp, err := confine.TempDir()
	if err != nil {
		return err
	}
	p.Dirs = append(p.Dirs, temp)
	err = p.Apply()
	switch {
	case errors.Is(err, confine.ErrUnsupported) && c.bestEffort:
		fmt.Fprintf(stderr, "signaltty: confine: %v: the program runs UNLIMITED\n", err)
	case errors.Is(err, confine.ErrUnsupported):
		return fmt.Errorf("%w; nothing was run, --best-effort runs it unlimited", err)
	case err != nil:
		return err
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TMPDIR=") })
	if err := syscall.Exec(path, argv, append(env, "TMPDIR="+temp)); err != nil {
		return fmt.Errorf("running %s: %w", argv[0], err)
	}
	return nil
}
