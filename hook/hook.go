// Package hook is the short process that an agent's hook runs: it reads a
// payload from stdin, delivers it to the server, waits for the verdict of a
// held ask, and says it to the agent.
//
// It owns the command line and the deadlines of `signaltty hook-event`, and
// what happens when something fails: in the fail direction that the adapter's
// event row names, never another.
//
// It promises that stdout carries a verdict in the agent's own format or
// nothing, that diagnostics are one line on stderr, and that it ends before
// the agent would end it. An agent waits for it at every tool call, so it is
// built to be quick: no cobra, no work at start, one write to the server.
//
// It may import proto and adapters.
package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode"

	"signaltty/adapters"
	"signaltty/proto"
)

// Main runs `signaltty hook-event` with the arguments after the verb and
// returns the exit code. env looks a variable up, as os.Getenv does.
//
// Outside a pane (neither SIGNALTTY_PANE nor SIGNALTTY_SOCKET is set) it has
// no effect: agents that signaltty did not start are none of its business.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) string) int {
	if env(proto.EnvPane) == "" && env(proto.EnvSocket) == "" {
		return 0
	}
	h, err := parse(args)
	if row, ok := h.adapter.Event(h.event.Decide); ok && env(proto.EnvDecide) != "" {
		h.event, h.wait = row, true
	}
	if err != nil {
		return say(stdout, stderr, h.failure(err))
	}
	ctx := context.Background()
	if h.event.Hold {
		// Claude Code sends SIGTERM when the person answered No, pressed Esc or
		// interrupted: the verdict is no longer wanted. Others just die of it:
		// listening to signals costs as much as the whole delivery.
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
		defer stop()
	}
	h.pane = env(proto.EnvPane)
	h.canary = env(proto.EnvCanary)
	h.socket = env(proto.EnvSocket)
	if h.socket == "" {
		h.socket = proto.SocketPath()
	}
	out := h.run(ctx, stdin)
	if ctx.Err() != nil {
		if h.event.Fail != adapters.FailDeny {
			return 0
		}
		out = h.failure(errors.New("the agent ended the hook"))
	}
	return say(stdout, stderr, out)
}

// hook is one run.
type hook struct {
	adapter adapters.Adapter
	event   adapters.EventRow
	wait    bool
	pane    string
	socket  string
	canary  string // the token of a try
	// installed says that the agent's user-level settings run it.
	installed bool
}

// run is from the payload to what is said to the agent.
func (h hook) run(ctx context.Context, stdin io.Reader) adapters.Output {
	end := time.Now().Add(h.event.Deadline())
	payload, err := readPayload(ctx, stdin, min(h.event.Deadline(), payloadWait))
	if err != nil {
		return h.failure(err)
	}
	e, err := h.adapter.Decode(h.event.Name, payload)
	if err != nil {
		return h.failure(err)
	}
	if h.event.Closed != "" && !h.event.Denies(e.Call) {
		h.event.Fail = adapters.FailNoVerdict
	}
	e.Pane, e.Wait = h.pane, h.wait && (e.Ask != nil || e.Gate)
	e.Installed, e.Canary = h.installed, h.canary
	v, err := deliver(ctx, h.socket, e, end)
	if err != nil {
		return h.failure(err)
	}
	if e.Ask != nil && !e.Ask.Answerable {
		v = proto.Verdict{Behavior: proto.NoVerdict}
	}
	return h.adapter.Encode(h.event.Name, payload, v)
}

// failure is what is said when there is no verdict to say: nothing, which
// leaves the agent's own dialog, or a denial by exit code 2, the only one that stops a tool.
func (h hook) failure(err error) adapters.Output {
	if h.event.Fail == adapters.FailDeny {
		return adapters.Output{Stderr: fmt.Sprintf("signaltty denies this, since it cannot decide: %v", err), Exit: 2}
	}
	then := "the agent goes on without signaltty"
	if h.event.Hold {
		then = "answer in the agent's own dialog"
	}
	return adapters.Output{Stderr: fmt.Sprintf("signaltty: %v; %s", err, then)}
}

func say(stdout, stderr io.Writer, o adapters.Output) int {
	if o.Stderr != "" {
		fmt.Fprintln(stderr, oneLine(o.Stderr))
	}
	if len(o.Stdout) > 0 {
		if _, err := stdout.Write(o.Stdout); err != nil {
			fmt.Fprintln(stderr, oneLine(fmt.Sprintf("signaltty: writing the verdict: %v", err)))
		}
	}
	return o.Exit
}

// oneLine keeps a diagnostic on its line, whatever it quotes.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
