package hook

import (
	"fmt"
	"strings"

	"signaltty/adapters"
)

// parse reads the command line. What it could read comes back with an error
// too, so that the failure takes the direction of the event, if that was named.
func parse(args []string) (hook, error) {
	var agent, event, closed string
	var payload, wait, installed bool
	var wrong error
	for i := 0; i < len(args); i++ {
		name, value, inline := strings.Cut(args[i], "=")
		into := map[string]*string{"--agent": &agent, "--event": &event, "--gate": &closed}[name]
		switch {
		case into != nil && inline:
			*into = value
		case into != nil && i+1 < len(args):
			i++
			*into = args[i]
		case into != nil:
			wrong = fmt.Errorf("%s needs a value", name)
		case args[i] == "--payload-stdin":
			payload = true
		case args[i] == "--wait-for-answer":
			wait = true
		case args[i] == "--installed":
			installed = true
		case wrong == nil:
			wrong = fmt.Errorf("hook-event does not know %q", args[i])
		}
	}
	h, err := choose(agent, event)
	if closed != "" {
		// Also for an event that is not known: what is installed as a gate fails as one.
		h.event.Closed, h.event.Fail = closed, adapters.FailDeny
		h.event = h.event.Closes(closed)
	}
	h.wait, h.installed = wait, installed
	switch {
	case wrong != nil:
		return h, wrong
	case err != nil:
		return h, err
	case !payload:
		return h, fmt.Errorf("hook-event needs --payload-stdin: the payload is read from stdin")
	}
	return h, nil
}

func choose(agent, event string) (hook, error) {
	a, ok := adapters.Lookup(agent)
	if !ok {
		return hook{}, fmt.Errorf("there is no agent %q; --agent is one of %s", agent, adapters.Names())
	}
	row, ok := a.Event(event)
	if !ok {
		return hook{adapter: a}, fmt.Errorf("%s has no hook event %q", agent, event)
	}
	return hook{adapter: a, event: row}, nil
}
