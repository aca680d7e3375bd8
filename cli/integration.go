package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"signaltty/adapters"
	"signaltty/integration"
	"signaltty/proto"

	"github.com/spf13/cobra"
)

// reportColumns are the properties of an integration that scripts rely on.
var reportColumns = []column[integration.Report]{
	{name: "agent", value: func(r integration.Report) any { return r.Agent }},
	{name: "state", value: func(r integration.Report) any { return r.State }},
	{name: "changed", value: func(r integration.Report) any { return r.Changed }, only: true},
	{name: "file", value: func(r integration.Report) any { return r.File }},
	{name: "detail", value: func(r integration.Report) any { return r.Detail }},
}

func integrationCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "integration",
		Short: "Put signaltty's hooks into an agent's own settings, or take them out",
		Long: "Put signaltty's hooks into the user-level settings of an agent, or take them out.\n\n" +
			"Panes that signaltty opens for an agent need this not: they bring their hooks along.\n" +
			"It is for agents that you start by hand in a shell pane. Outside of signaltty's panes\n" +
			"the hooks return at once and do nothing.\n\n" +
			"Comments, order and foreign hooks stay as they are, and uninstall leaves the bytes\n" +
			"that were there before.",
		Args: words(),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	verb := func(name, short string, do func(integration.Person, adapters.Adapter) (integration.Report, error)) {
		sub := &cobra.Command{
			Use:               name + " AGENT|all",
			Short:             short,
			Args:              words("AGENT"),
			ValidArgsFunction: completeIntegrations,
		}
		asJSON := jsonFlag(sub)
		sub.RunE = func(cmd *cobra.Command, args []string) error { return integrate(cmd, args[0], *asJSON, do) }
		cmd.AddCommand(sub)
	}
	verb("install", "Put the hooks in, or renew them", func(p integration.Person, a adapters.Adapter) (integration.Report, error) {
		return personally(cmd, p, a, integration.Person.Install)
	})
	verb("uninstall", "Take the hooks out", func(p integration.Person, a adapters.Adapter) (integration.Report, error) {
		return personally(cmd, p, a, integration.Person.Uninstall)
	})
	verb("status", "Tell whether the hooks are in", func(p integration.Person, a adapters.Adapter) (integration.Report, error) {
		return p.Status(a), nil
	})
	return cmd
}

// personally refuses what an agent asks for. Only a server knows who is an
// agent; without one there is no pane either.
func personally(cmd *cobra.Command, p integration.Person, a adapters.Adapter,
	do func(integration.Person, adapters.Adapter) (integration.Report, error)) (integration.Report, error) {
	c, welcome, err := proto.Dial(cmd.Root().Context(), proto.SocketPath(), proto.Hello{Client: "integration", Build: build()})
	if err == nil {
		c.Close()
	}
	if err == nil && !welcome.Person || err != nil && os.Getenv(proto.EnvPane) != "" {
		return integration.Report{}, proto.Errorf(proto.CodeRefused, "integration is for the person only; run it from a terminal or a shell pane that no agent runs in")
	}
	return do(p, a)
}

// integrate does one verb for the agents that are named. What fails for one
// does not keep the others from it.
func integrate(cmd *cobra.Command, name string, asJSON bool, do func(integration.Person, adapters.Adapter) (integration.Report, error)) error {
	chosen, err := integrations(name)
	if err != nil {
		return err
	}
	p, err := person()
	if err != nil {
		return err
	}
	var reports []integration.Report
	var failed error
	for _, a := range chosen {
		r, err := do(p, a)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		reports = append(reports, r)
	}
	return errors.Join(failed, list(cmd.OutOrStdout(), asJSON, reportColumns, reports))
}

// integrations are the adapters that a word names.
func integrations(name string) ([]adapters.Adapter, error) {
	var list []adapters.Adapter
	for a := range adapters.All() {
		if a.Name == name || name == "all" && a.Install != nil {
			list = append(list, a)
		}
	}
	if len(list) == 0 {
		return nil, usagef("integration: there is no agent %q; known are all, %s", name, adapters.Names())
	}
	return list, nil
}

// person is who runs this.
func person() (integration.Person, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return integration.Person{}, fmt.Errorf("finding your home: %w; set HOME", err)
	}
	state, err := proto.StateDir()
	if err != nil {
		return integration.Person{}, err
	}
	self, err := integration.Self()
	if err != nil {
		return integration.Person{}, err
	}
	return integration.Person{Home: home, Env: os.Getenv, State: filepath.Join(state, "integration"), Self: self}, nil
}

func completeIntegrations(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := []cobra.Completion{"all"}
	for a := range adapters.All() {
		if a.Install != nil {
			names = append(names, cobra.CompletionWithDesc(a.Name, a.Title))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
