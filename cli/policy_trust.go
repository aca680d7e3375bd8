package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"signaltty/adapters"
	"signaltty/proto"
	"signaltty/server"
	"signaltty/server/confine"
	"signaltty/store"

	"github.com/spf13/cobra"
)

// gatedAgent finds an agent whose tools a policy knows.
func gatedAgent(name string) (adapters.Adapter, error) {
	a, ok := adapters.Lookup(name)
	switch {
	case name == "":
		return a, usagef("--agent is needed: one of %s", adapters.Names())
	case !ok:
		return a, usagef("there is no agent %q; --agent is one of %s", name, adapters.Names())
	case a.Call == nil:
		return a, usagef("signaltty has no gate for %s", a.Title)
	}
	return a, nil
}

func jsonObject(s string) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s), &object); err != nil {
		return usagef("--input is not a JSON object: %v", err)
	}
	return nil
}

func policyTrustCommand() *cobra.Command {
	var hash string
	var forget bool
	cmd := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "Trust the rules of a project",
		Long: "Show the rules that a project has in .signaltty/policy.toml, and the hash of exactly\n" +
			"that text; with --sha256 and that hash, trust it. A project's rules only tighten. What\n" +
			"was trusted holds until another text is, whatever becomes of the file. Agents cannot\n" +
			"trust anything.",
		Example: "  signaltty policy trust\n  signaltty policy trust --sha256 9f86d081884c7d65…",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("trust: %q is one word too many", args[1])
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&hash, "sha256", "", "the `HASH` of the text that you have read")
	cmd.Flags().BoolVar(&forget, "forget", false, "trust no rules of the project any more")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir, err := filepath.Abs(strings.Join(args, ""))
		if err != nil {
			return fmt.Errorf("finding the directory: %w", err)
		}
		req := proto.PolicyTrust{Dir: server.Workspace(dir), SHA256: hash, Forget: forget}
		if hash == "" && !forget {
			return showProject(cmd, req.Dir)
		}
		if _, err := call[proto.None](cmd, proto.MethodPolicyTrust, req); err != nil {
			return err
		}
		said := "trusted: the rules of %s hold from now on\n"
		if forget {
			said = "forgotten: no rules of %s hold any more\n"
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), said, visible(req.Dir))
		return err
	}
	return cmd
}

// showProject prints what there is to trust.
func showProject(cmd *cobra.Command, dir string) error {
	text, err := server.ReadProject(dir)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	for line := range strings.Lines(text) {
		fmt.Fprintln(w, visible(strings.TrimSuffix(line, "\n")))
	}
	state, err := proto.StateDir()
	if err != nil {
		return err
	}
	trusted, ok, err := store.TrustedIn(filepath.Join(state, databaseName), dir)
	if err != nil {
		return err
	}
	if ok && trusted == text {
		_, err = fmt.Fprintf(w, "\nthis text is trusted\n")
		return err
	}
	_, err = fmt.Fprintf(w, "\nnot trusted; `signaltty policy trust %s --sha256 %s` trusts exactly this text\n", shellWord(dir), store.TextHash(text))
	return err
}

// shellWord quotes a word for a shell.
func shellWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(visible(s), "'", `'\''`) + "'"
}

// covered is how far a policy reaches in one agent.
type covered struct {
	Agent                                 string
	Before, Told, Kernel, Detected, Never string
}

var coveredColumns = []column[covered]{
	{name: "agent", value: func(c covered) any { return c.Agent }},
	{name: "before", value: func(c covered) any { return c.Before }},
	{name: "told", value: func(c covered) any { return c.Told }},
	{name: "kernel", value: func(c covered) any { return c.Kernel }},
	{name: "after", value: func(c covered) any { return c.Detected }},
	{name: "not_covered", value: func(c covered) any { return c.Never }},
}

func policyCoverageCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "Say what is enforced in each agent, and what is not",
		Long: "Say for each agent what of a policy is enforced before a tool runs, what the kernel\n" +
			"enforces, what is only seen afterwards, and what is not covered.",
		Args: words(),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var all []covered
		for a := range adapters.All() {
			all = append(all, coverage(a, confine.Supported(false)))
		}
		w := cmd.OutOrStdout()
		if *asJSON {
			return list(w, true, coveredColumns, all)
		}
		for _, c := range all {
			if err := details(w, false, coveredColumns, c); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
		dir, err := os.Getwd()
		if err != nil {
			return nil // of a directory that is gone there is nothing to say
		}
		r, err := loadRules("", dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%d rules hold in %s\n", len(r.policy.Rules), visible(r.workspace))
		if confine.Supported(false) == nil {
			if err := writable(w, r); err != nil {
				return err
			}
		}
		if r.untrusted {
			fmt.Fprintf(w, "%s is not trusted as it is now\n", visible(filepath.Join(r.workspace, server.ProjectPolicy)))
		}
		return nil
	}
	return cmd
}

// writable are what the kernel would let an agent write in a workspace, and
// what of that is larger than the rules say.
func writable(w io.Writer, r rules) error {
	j := r.policy.Bind(r.place)
	paths := j.Writable("", time.Now())
	if len(paths) == 0 {
		paths = []string{r.workspace}
	}
	own, err := ownPaths()
	if err != nil {
		return err
	}
	p, err := confine.Allow(r.workspace, paths, own)
	if err != nil {
		_, err = fmt.Fprintf(w, "by the kernel: nothing, since `new --confine` opens no pane here: %s\n", visible(err.Error()))
		return err
	}
	for _, dir := range slices.Concat(p.Dirs, p.Files) {
		fmt.Fprintf(w, "by the kernel, in a pane of `new --confine`: writes outside of %s\n", visible(dir))
	}
	for _, wide := range p.Widened {
		fmt.Fprintf(w, "by the hooks only: %s\n", visible(wide.String()))
	}
	for _, rule := range r.policy.Rules {
		if rule.Verdict == proto.Deny && len(rule.Paths) > 0 {
			fmt.Fprintf(w, "by the hooks only, where it is inside of those: rule %q\n", visible(rule.Name))
		}
	}
	return nil
}

// coverage reads an agent's capability table. unsupported is why the kernel
// limits nothing here; nil when it can.
func coverage(a adapters.Adapter, unsupported error) covered {
	c := covered{
		Agent: a.Name, Before: "nothing", Told: a.Can.Told,
		Kernel:   "writes outside of given paths, in a pane of `new --confine` or under `signaltty confine`",
		Detected: "what its tools tell when they have ended is in the audit; what a headless turn wrote beyond its limits is undone",
		Never:    "without the kernel, what a program does that a tool runs (a build, a test, a script) beyond the paths and hosts of its command line; files reached over hard links that were there before; processes that the agent left behind",
	}
	if a.Can.Ungated != "" {
		c.Never = a.Can.Ungated + "; " + c.Never
	}
	switch {
	case unsupported != nil:
		c.Kernel = fmt.Sprintf("nothing on this machine: %v", unsupported)
	case a.Shared():
		c.Kernel += "; its settings are not kernel-protected, since it writes beside them"
	case len(a.StateDirs()) > 0:
		c.Kernel += "; its settings and its login among them, which it then reads and cannot change"
	}
	if a.Can.Gate != "" {
		c.Before = a.Can.Gate
	}
	return c
}
