package hook

import (
	"strings"
	"testing"

	"signaltty/proto"
)

// The server hears that a hook is from the person's own settings, and of a try.
func TestInstalledAndCanary(t *testing.T) {
	heard := make(chan proto.HookEvent, 1)
	socket := serve(t, func(c *proto.Conn) {
		heard <- welcome(t, c)
		c.Reply(eventID, proto.Verdict{Behavior: proto.Deny, Message: "signaltty canary x"})
	})
	args := append(held[:len(held):len(held)], "--installed")
	got := run(args, strings.NewReader(bash), map[string]string{proto.EnvSocket: socket, proto.EnvCanary: "x"})
	if e := <-heard; !e.Installed || e.Canary != "x" || e.Pane != "" {
		t.Errorf("heard %+v", e)
	}
	if got.code != 0 || !strings.Contains(got.stdout, `"message":"signaltty canary x"`) {
		t.Errorf("it says %+v", got)
	}
	// Outside of panes there is nothing to say.
	if got := run(args, strings.NewReader(bash), nil); got != (said{}) {
		t.Errorf("outside of panes it says %+v", got)
	}
}
