package server

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"signaltty/proto"
	"signaltty/store"
)

// hold is an open hook connection that a decision answers into.
type hold struct {
	c  *client
	id uint64 // of the request that its reply answers
}

// releaseWait bounds the one small write of a verdict. A hook that waits has
// nothing else in its socket, so it takes the line at once.
const releaseWait = 100 * time.Millisecond

// Release sends the verdict to the hook.
func (h *hold) Release(v proto.Verdict) error {
	if err := h.c.conn.NetConn().SetWriteDeadline(time.Now().Add(releaseWait)); err != nil {
		return fmt.Errorf("sending the verdict: %w", err)
	}
	return h.c.conn.Reply(h.id, v)
}

// hookEvent takes a hook event in. It says whether to go on reading; a
// connection that is held is read on, since its next line ends the hold.
func (c *client) hookEvent(m proto.Message) bool {
	var ev proto.HookEvent
	if err := m.Decode(&ev); err != nil {
		c.refuse(m.ID, err)
		return true
	}
	if err := checkHook(&ev); err != nil {
		c.refuse(m.ID, err)
		return true
	}
	if ev.Canary != "" {
		_ = c.conn.Reply(m.ID, c.s.canaries.verdict(ev.Canary))
		return true
	}
	chain := c.s.kin.chain(c.peer)
	pane, above := c.s.kin.above(chain)
	if pane == "" && c.s.kin.orphaned(chain) {
		// Its agent was dead before the hook got here.
		_ = c.conn.Reply(m.ID, proto.Verdict{Behavior: proto.NoVerdict, End: proto.EndAgentDied})
		return true
	}
	if pane != "" && len(above) > 0 {
		// Whatever runs hooks in a pane is an agent, also when it was started
		// by hand. Outside of panes a hook proves nothing of its parent.
		c.s.kin.markAgent(above[0])
	}
	if c.gated(m.ID, &ev, pane) {
		return true
	}
	if ev.Moment == proto.MomentAsk && ev.Wait {
		c.s.noteAsked(cmp.Or(pane, ev.Pane)) // before anyone is told of it
	}
	d := c.s.store.Hook(ev, store.Origin{Pane: pane, PID: c.peer.pid}, c.held(m.ID, &ev, pane))
	if d == nil {
		_ = c.conn.Reply(m.ID, proto.Verdict{Behavior: proto.NoVerdict})
		return true
	}
	c.hold = d.ID
	c.watchAgent(d.ID, above)
	return true
}

// watchAgent ends a decision when a process above its hook, below the pane's
// own, dies: hooks outlive an agent that is killed.
func (c *client) watchAgent(decision string, above []int) {
	for _, pid := range above {
		cancel := c.s.watch.watch(pid, func() {
			c.s.store.Retire(decision, proto.EndAgentDied, fmt.Sprintf("process %d ended", pid))
		})
		c.cancels = append(c.cancels, cancel)
	}
}

// answer answers a decision. Handing one back whose dialog only then appears
// holds the pane's input for a moment.
func (s *Server) answer(ctx context.Context, by store.By, req proto.DecisionAnswer) (proto.DecisionAnswered, error) {
	d, _ := s.store.Decision(req.Decision) // Answer tells when there is none
	// A client that goes away does not take its answer back.
	out, err := s.store.Answer(context.WithoutCancel(ctx), by, req)
	if err == nil && !out.Repeat && req.Option == proto.OptionHandBack && d.Dialog != proto.DialogBeside {
		if p, err := s.pane(d.Pane); err == nil {
			p.hold(handBackHold)
		}
	}
	return out, err
}

// handBackHold is how long a pane takes no input after a decision was handed
// back whose dialog then appears.
const handBackHold = 300 * time.Millisecond

// report tells the server's own trouble that no client waits for.
func report(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format(time.RFC3339)+" "+format+"\n", args...)
}
