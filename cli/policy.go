package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"signaltty/proto"
	"signaltty/server"
	"signaltty/server/policy"
	"signaltty/store"

	"github.com/spf13/cobra"
)

func policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Say what would be allowed, and why; trust a project's rules",
		Long: "The policy is policy.toml in signaltty's configuration directory: what agents may\n" +
			"touch, enforced before a tool runs. docs/policy.md describes it. A project may have\n" +
			"rules of its own in .signaltty/policy.toml, which only tighten and hold once trusted.",
		Args: words(),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(policyCheckCommand(), policyExplainCommand(), policyCoverageCommand(), policyTrustCommand())
	return cmd
}

// policyFile is the person's policy.
func policyFile() (string, error) {
	dir, err := proto.ConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "policy.toml"), nil
}

// rules is a policy as it holds in a directory, and where it is from.
type rules struct {
	policy    policy.Policy
	workspace string
	place     policy.Place
	// untrusted says that the workspace has a policy file that is not trusted
	// as it is now.
	untrusted bool
}

// loadRules reads the policy that holds in dir: that of file alone where one
// is given, else the person's and what is trusted of the workspace's.
func loadRules(file, dir string) (rules, error) {
	only := file != ""
	state, err := proto.StateDir()
	if err != nil {
		return rules{}, err
	}
	own, err := policyFile()
	if err != nil {
		return rules{}, err
	}
	if !only {
		file = own
	}
	data, err := os.ReadFile(file)
	if err != nil && (only || !errors.Is(err, fs.ErrNotExist)) {
		return rules{}, fmt.Errorf("reading the policy: %w", err)
	}
	r := rules{workspace: server.Workspace(dir)}
	if r.policy, err = policy.Parse(file, data); err != nil {
		return rules{}, err
	}
	if !only {
		if err := r.project(filepath.Join(state, databaseName)); err != nil {
			return rules{}, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return rules{}, fmt.Errorf("finding this binary: %w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return rules{}, fmt.Errorf("finding the home directory: %w", err)
	}
	r.place = policy.Place{Home: home, Workspace: r.workspace, Files: server.Disk{}, Fold: runtime.GOOS == "darwin", Own: server.Own(server.Options{
		Socket: proto.SocketPath(), Database: filepath.Join(state, databaseName), Policy: own,
	}, self)}
	return r, nil
}

// project adds what is trusted of the workspace's own policy.
func (r *rules) project(database string) error {
	text, ok, err := store.TrustedIn(database, r.workspace)
	if err != nil {
		return err
	}
	file := filepath.Join(r.workspace, server.ProjectPolicy)
	now, err := os.ReadFile(file)
	r.untrusted = err == nil && (!ok || string(now) != text)
	if !ok {
		return nil
	}
	p, err := policy.ParseProject(file, []byte(text))
	if err != nil {
		return err
	}
	r.policy = r.policy.With(p)
	return nil
}

// question is a tool call that a person asks about.
type question struct {
	file, agent, tool, input, cwd string
}

func (q *question) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&q.file, "policy", "", "the policy `FILE` (default: the person's own and the trusted one of the workspace)")
	f.StringVar(&q.agent, "agent", "", "the `AGENT` that calls the tool")
	f.StringVar(&q.tool, "tool", "", "the `NAME` of the tool, as the agent calls it")
	f.StringVar(&q.input, "input", "", "the tool's input as `JSON`, as the agent gives it")
	f.StringVar(&q.cwd, "cwd", "", "the `DIR` that the agent works in (default: this one)")
	_ = cmd.RegisterFlagCompletionFunc("agent", completeAgents) // fails only for a flag that is not there
}

// ask turns the question into what the judge takes, with the rules for it.
func (q *question) ask() (policy.Ask, rules, error) {
	a, err := gatedAgent(q.agent)
	if err != nil {
		return policy.Ask{}, rules{}, err
	}
	if q.tool == "" || q.input == "" {
		return policy.Ask{}, rules{}, usagef("--tool and --input are needed: the tool's name and its input as the agent gives them")
	}
	if err := jsonObject(q.input); err != nil {
		return policy.Ask{}, rules{}, err
	}
	if q.cwd == "" {
		q.cwd = "."
	}
	dir, err := filepath.Abs(q.cwd)
	if err != nil {
		return policy.Ask{}, rules{}, fmt.Errorf("finding the directory: %w", err)
	}
	r, err := loadRules(q.file, dir)
	if err != nil {
		return policy.Ask{}, rules{}, err
	}
	c := a.Call(q.tool, []byte(q.input))
	return policy.Ask{Agent: q.agent, Cwd: dir, Call: *c, Now: time.Now()}, r, nil
}

// judged is what policy check prints.
type judged struct {
	Verdict proto.Behavior
	Rule    string
	Reason  string
}

var judgedColumns = []column[judged]{
	{name: "verdict", value: func(c judged) any { return c.Verdict }},
	{name: "rule", value: func(c judged) any { return c.Rule }},
	{name: "reason", value: func(c judged) any { return c.Reason }},
}

func policyCheckCommand() *cobra.Command {
	var q question
	cmd := &cobra.Command{
		Use:   "check --agent AGENT --tool NAME --input JSON",
		Short: "Say whether a tool call would be allowed",
		Long: "Say whether a tool call would be allowed: allow, ask or deny, by which rule and why;\n" +
			"none where no rule is about it, so that the agent's own flow decides. It needs no\n" +
			"running server, and nothing is run.",
		Example: "  signaltty policy check --agent claude --tool Bash --input '{\"command\":\"git push\"}'\n" +
			"  signaltty policy check --policy new.toml --agent claude --tool Write --input '{\"file_path\":\"/etc/hosts\"}' --json",
		Args: words(),
	}
	q.flags(cmd)
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		a, r, err := q.ask()
		if err != nil {
			return err
		}
		v := r.policy.Bind(r.place).Judge(a)
		return details(cmd.OutOrStdout(), *asJSON, judgedColumns, judged{v.Behavior, v.Rule, v.Reason})
	}
	return cmd
}

// stepColumns tell how one thing that a call touches was judged.
var stepColumns = []column[policy.Step]{
	{name: "touches", value: func(s policy.Step) any { return s.Touches }},
	{name: "verdict", value: func(s policy.Step) any { return s.Behavior }},
	{name: "rule", value: func(s policy.Step) any { return s.Rule }},
	{name: "why", value: func(s policy.Step) any { return s.Why }},
	{name: "near", value: func(s policy.Step) any { return s.Near }, only: true},
}

func policyExplainCommand() *cobra.Command {
	var q question
	cmd := &cobra.Command{
		Use:   "explain --agent AGENT --tool NAME --input JSON",
		Short: "Say which rule decides a tool call, and what nearly matched",
		Long: "Say what a tool call touches (each path, each command of a script, each host), which\n" +
			"rule is about each of them, and which rules all but one condition of would match. The\n" +
			"strictest verdict decides: deny beats ask, ask beats allow.\n\n" +
			"With --json the first line is the verdict, as of check, and each other one a thing\n" +
			"that the call touches.",
		Args: words(),
	}
	q.flags(cmd)
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		a, r, err := q.ask()
		if err != nil {
			return err
		}
		v := r.policy.Bind(r.place).Explain(a)
		w := cmd.OutOrStdout()
		if err := details(w, *asJSON, judgedColumns, judged{v.Behavior, v.Rule, v.Reason}); err != nil {
			return err
		}
		if !*asJSON {
			fmt.Fprintln(w)
		}
		if err := list(w, *asJSON, stepColumns, v.Steps); err != nil || *asJSON {
			return err
		}
		for _, s := range v.Steps {
			for _, n := range s.Near {
				fmt.Fprintf(w, "nearly: rule %q is about %s too, but for its %s (%s)\n", visible(n.Rule), visible(s.Touches), n.Missed, visible(n.Want))
			}
		}
		if r.untrusted {
			fmt.Fprintf(w, "\n%s is not trusted as it is now; `signaltty policy trust` shows and trusts it\n", visible(filepath.Join(r.workspace, server.ProjectPolicy)))
		}
		return nil
	}
	return cmd
}
