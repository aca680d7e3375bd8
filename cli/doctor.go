package cli

import (
	"fmt"
	"os"

	"signaltty/adapters"
	"signaltty/integration"
	"signaltty/proto"
	"signaltty/server/confine"

	"github.com/spf13/cobra"
)

// finding is what the doctor found out about one thing.
type finding struct {
	agent string // "" for signaltty itself
	check string
	state findingState
	says  string
}

type findingState string

// The states of a finding. Wrong is what keeps decisions from the bar; a note
// is worth knowing; what was not tried says why.
const (
	fine     findingState = "ok"
	noted    findingState = "note"
	wrong    findingState = "wrong"
	notTried findingState = "not tried"
)

// findingColumns are the properties of a finding that scripts rely on.
var findingColumns = []column[finding]{
	{name: "agent", value: func(f finding) any { return f.agent }},
	{name: "check", value: func(f finding) any { return f.check }},
	{name: "state", value: func(f finding) any { return f.state }},
	{name: "says", value: func(f finding) any { return f.says }},
}

func doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor [AGENT]",
		Short: "Find out whether hooks are really live",
		Long: "Find out whether the hooks of your agents are really live: their programs and\n" +
			"versions, the settings that switch hooks off, the trust in this directory, and a try\n" +
			"of each hook, which runs what the agent would run and proves that the server's\n" +
			"answer arrives. A try raises no decision.\n\n" +
			"It ends in 1 when something is wrong.",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeIntegrations,
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		name := "all"
		if len(args) == 1 {
			name = args[0]
		}
		chosen, err := integrations(name)
		if err != nil {
			return err
		}
		p, err := person()
		if err != nil {
			return err
		}
		dir, err := os.Getwd()
		if err != nil {
			return fmt.Errorf("finding the directory to look at: %w", err)
		}
		d := doctor{ctx: cmd.Context(), person: p, dir: dir}
		d.server()
		d.kernel(confine.Supported(false))
		if d.conn != nil {
			defer d.conn.Close()
		}
		for _, a := range chosen {
			d.agent(a)
		}
		if err := list(cmd.OutOrStdout(), *asJSON, findingColumns, d.found); err != nil {
			return err
		}
		if n := d.wrongs(); n > 0 {
			return exitError{proto.ExitFailed, fmt.Errorf("doctor: %d of %d findings are wrong; they say what to do", n, len(d.found))}
		}
		return nil
	}
	return cmd
}

func (d *doctor) wrongs() int {
	n := 0
	for _, f := range d.found {
		if f.state == wrong {
			n++
		}
	}
	return n
}

// agent looks at one agent.
func (d *doctor) agent(a adapters.Adapter) {
	if !d.program(a) {
		return
	}
	if a.Install == nil {
		return
	}
	if why := d.person.Off(a, d.dir); why != "" {
		d.tell(a.Name, "hooks", wrong, why+": no hook runs; take that out")
	} else {
		d.tell(a.Name, "hooks", fine, "no setting switches them off")
	}
	if a.Install.Trust == nil {
		d.tell(a.Name, "trust", notTried, "whether it trusts "+d.dir+" is not known")
	} else if why := a.Install.Trust(d.person.Home, d.person.Env, d.dir); why != "" {
		d.tell(a.Name, "trust", noted, why)
	} else {
		d.tell(a.Name, "trust", fine, d.dir+" is trusted")
	}
	r := d.person.Status(a)
	switch r.State {
	case integration.Broken:
		d.tell(a.Name, "settings", wrong, r.File+": "+r.Detail)
	case integration.Outdated:
		d.tell(a.Name, "settings", wrong, r.File+": "+r.Detail)
	case integration.Absent:
		d.tell(a.Name, "settings", fine, "only panes that signaltty opens have hooks; `signaltty integration install "+a.Name+"` adds those started by hand")
	default:
		d.tell(a.Name, "settings", fine, r.File+": "+r.Detail)
	}
	d.canaries(a, r.State)
}
