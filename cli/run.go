package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"signaltty/adapters"
	"signaltty/proto"
	"signaltty/server"
	"signaltty/turn/tree"

	"github.com/spf13/cobra"
)

// maxPrompt is the longest prompt, in bytes.
const maxPrompt = 4 << 20

// runFlags are the flags of `run`.
type runFlags struct {
	spec   proto.TurnSpec
	idle   time.Duration
	total  time.Duration
	format string
	// colours says that the person's terminal shows them and wants them.
	colours bool
	file    string
	keep    bool

	many     string   // the file of prompts
	prompts  []string // several, or none
	parallel int
	again    bool

	worktree bool
}

func runCommand() *cobra.Command {
	r := runFlags{}
	cmd := &cobra.Command{
		Use:   "run [flags] PROMPT...",
		Short: "Run headless turns of an agent",
		Long: "Run one turn of an agent without its terminal, under the same policy, the same audit and\n" +
			"the same decision bar as in a pane.\n\n" +
			"Without --allow-path nothing may be written. PROMPT is - for standard input. The turn is\n" +
			"a pane: `signaltty attach` shows it while it runs.\n\n" +
			"It exits with 0 when the turn is ok, 1 when the agent failed, 2 for a wrong command line,\n" +
			"5 when the time was up, 6 when something that it needed was denied, 8 when it wrote what\n" +
			"it may not (undone), 9 when something changed and whose change it is cannot be told,\n" +
			"10 when signaltty could not enforce, 11 when it did nothing, 130 when it was cancelled.",
		Example: "  signaltty run --agent claude --allow-path 'report/**' 'Add a --json flag to the report command'\n" +
			"  git diff | signaltty run --agent codex --format jsonl -",
	}
	f := cmd.Flags()
	f.StringVarP(&r.spec.Agent, "agent", "a", "", "run this coding `AGENT`")
	f.StringVar(&r.spec.Dir, "cwd", "", "the `DIR` to run in (default: this one)")
	f.StringVar(&r.spec.Model, "model", "", "the agent's `MODEL`")
	f.StringSliceVar(&r.spec.Tools, "allow-tool", nil, "a `TOOL` that it may use: read, edit, run, fetch, search, mcp, agent (default: all)")
	f.StringSliceVar(&r.spec.Paths, "allow-path", nil, "a `GLOB` of what it may write; ** is any depth")
	f.BoolVar(&r.spec.AllPaths, "allow-all-paths", false, "it may write everywhere")
	f.BoolVar(&r.spec.Commits, "allow-commits", false, "it may commit and move branches, as far as the paths go")
	f.Int64Var(&r.spec.BaselineMax, "baseline-max", tree.DefaultMax, "keep so many `BYTES` of what it may not write, so that it can be put back")
	f.StringVar(&r.spec.Resume, "resume", "", "go on with this `SESSION` of the agent; last is the newest of this directory")
	f.StringVar((*string)(&r.spec.Ask), "ask", string(proto.AskPolicy), "who answers what it asks: bar, policy or deny")
	f.DurationVar(&r.idle, "idle-timeout", 10*time.Minute, "end it when it says nothing for so long")
	f.DurationVar(&r.total, "timeout", 0, "end it after so long (default: never)")
	f.StringVar(&r.file, "prompt-file", "", "read the prompt from this `FILE`")
	f.StringVar(&r.many, "prompts", "", "run a turn for each line of this `FILE`, - for standard input")
	f.IntVar(&r.parallel, "parallel", 1, "run so many turns `N` at once")
	f.BoolVar(&r.again, "again", false, "of several, run those too that ended well before at this commit")
	f.StringVar(&r.format, "format", "text", "text, or jsonl for envelopes")
	f.BoolVar(&r.keep, "pane", false, "keep the turn's pane open when it has ended")
	f.BoolVar(&r.worktree, "worktree", false, "run in a Git work tree of the turn's own, kept with its branch when it changed something")
	f.StringVar(&r.spec.Image, "image", "", "the `IMAGE` of a container, for docker and podman")
	f.StringVar(&r.spec.Runtime, "runtime", "none", "what the agent is put into: "+runtimeNames())
	_ = cmd.RegisterFlagCompletionFunc("agent", completeAgents) // fails only for a flag that is not there
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := r.check(cmd, args); err != nil {
			return err
		}
		return r.run(cmd)
	}
	return cmd
}

// check completes the turn from the command line, or says what is wrong with it.
func (r *runFlags) check(cmd *cobra.Command, args []string) error {
	a, known := adapters.Lookup(r.spec.Agent)
	switch {
	case r.spec.Agent == "":
		return usagef("run: --agent is missing; known are %s", adapters.Names())
	case !known || a.Turns == nil:
		return usagef("run: %q is no agent that has headless turns; known are %s", r.spec.Agent, adapters.Names())
	case r.format != "text" && r.format != "jsonl":
		return usagef("run: --format is text or jsonl, not %q", r.format)
	case r.spec.Ask != proto.AskBar && r.spec.Ask != proto.AskPolicy && r.spec.Ask != proto.AskDeny:
		return usagef("run: --ask is bar, policy or deny, not %q", r.spec.Ask)
	case runtimes[r.spec.Runtime] == nil:
		return usagef("run: --runtime is one of %s, not %q", runtimeNames(), r.spec.Runtime)
	case r.parallel < 1 || r.parallel > maxParallel:
		return usagef("run: --parallel is 1 to %d", maxParallel)
	case r.spec.BaselineMax <= 0:
		return usagef("run: --baseline-max is at least a byte")
	case r.idle < 0 || r.total < 0:
		return usagef("run: a time-out is not negative")
	case r.worktree && r.spec.Resume != "":
		return usagef("run: a session is of its directory, and --worktree makes a new one; leave one of them out")
	case r.spec.AllPaths && len(r.spec.Paths) > 0:
		return usagef("run: --allow-all-paths leaves nothing for --allow-path to say")
	}
	var err error
	if r.spec.Dir, err = filepath.Abs(r.spec.Dir); err != nil {
		return fmt.Errorf("finding the directory to run in: %w", err)
	}
	r.spec.IdleSeconds, r.spec.TotalSeconds = r.idle.Seconds(), r.total.Seconds()
	return r.readAll(cmd.InOrStdin(), args)
}

// readAll takes the one prompt, or the several.
func (r *runFlags) readAll(stdin io.Reader, args []string) (err error) {
	switch {
	case r.many != "" && (len(args) > 0 || r.file != ""):
		return usagef("run: there is a prompt beside --prompts; give one of them")
	case r.many != "":
		r.prompts, err = r.readPrompts(stdin)
	case len(args) > 1 && r.file == "":
		if slices.Contains(args, "") || slices.Contains(args, "-") {
			return usagef("run: of several prompts none is empty or -; --prompts - reads them from standard input")
		}
		r.prompts = args
	default:
		r.spec.Prompt, err = r.prompt(stdin, args)
	}
	if err == nil && len(r.prompts) > 0 && r.spec.Resume != "" {
		return usagef("run: several turns cannot go on with one session; leave --resume out")
	}
	return err
}

// prompt is the one prompt that was given, in one of three ways.
func (r *runFlags) prompt(stdin io.Reader, args []string) (string, error) {
	var from io.Reader
	switch {
	case r.file != "" && len(args) > 0:
		return "", usagef("run: there is a prompt and a --prompt-file; give one of them")
	case r.file != "":
		f, err := os.Open(r.file)
		if err != nil {
			return "", fmt.Errorf("reading the prompt: %w", err)
		}
		defer f.Close()
		from = f
	case len(args) == 1 && args[0] == "-":
		from = stdin
	case len(args) == 1 && args[0] != "":
		return args[0], nil
	default:
		return "", usagef("run: the prompt is missing")
	}
	text, err := io.ReadAll(io.LimitReader(from, maxPrompt+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the prompt: %w", err)
	case len(text) > maxPrompt:
		return "", usagef("run: the prompt is longer than %d MiB", maxPrompt>>20)
	case len(text) == 0:
		return "", usagef("run: the prompt is empty")
	}
	return string(text), nil
}

// run runs the turn, or the turns.
func (r *runFlags) run(cmd *cobra.Command) error {
	if err := server.Start(cmd.Context(), proto.SocketPath()); err != nil {
		return err
	}
	r.spec.Base = commitOf(cmd.Context(), r.spec.Dir)
	if r.spec.Resume != "" {
		var err error
		if r.spec.Resume, err = sessionFor(cmd, r.spec.Agent, r.spec.Dir, r.spec.Resume); err != nil {
			return err
		}
	}
	if len(r.prompts) > 0 {
		return r.runMany(cmd, r.prompts)
	}
	r.colours = wantsColours(cmd.OutOrStdout())
	show := r.text
	if r.format == "jsonl" {
		show = jsonl
	}
	done, where, err := r.turn(cmd, r.spec, show)
	if where != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), visible(where))
	}
	switch {
	case err != nil:
		return err
	case done.Exit != proto.ExitOK:
		return exitError{done.Exit, fmt.Errorf("the turn ended: %s", done.Outcome)}
	}
	return nil
}

// one runs a turn in a pane and shows its envelopes as they come. An interrupt
// cancels the turn, and waits for its end all the same.
func (r *runFlags) one(cmd *cobra.Command, spec proto.TurnSpec, show func(io.Writer, []byte, proto.Envelope) error) (done proto.TurnComplete, err error) {
	ctx := cmd.Context()
	l, err := listenEnvelopes()
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	spec.Envelopes = l.path
	pane, err := call[proto.Pane](cmd, proto.MethodPaneNew, proto.PaneNew{Turn: &spec, Env: os.Environ(), Name: "turn"})
	if err != nil {
		return done, err
	}
	done, err = l.read(ctx, cmd.OutOrStdout(), show)
	if !r.keep {
		// The pane has nothing left to show. That it is gone already is as well.
		c, _, dialErr := proto.Dial(context.WithoutCancel(ctx), proto.SocketPath(), proto.Hello{Client: cmd.Name(), Build: build()})
		if dialErr == nil {
			_ = c.Call(context.WithoutCancel(ctx), proto.MethodPaneClose, proto.PaneRef{Pane: pane.ID}, nil)
			c.Close()
		}
	}
	return done, err
}
