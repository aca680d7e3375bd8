//go:build linux

package field

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"signaltty/e2e/place"
	"signaltty/proto"
)

// hook is the process that an agent's hook runs, and how it ended.
type hook struct {
	w     *world
	name  string
	cmd   *exec.Cmd
	done  chan struct{} // closed when the rest is set
	out   bytes.Buffer
	said  bytes.Buffer
	took  time.Duration
	end   time.Time
	cpu   time.Duration
	state *syscall.WaitStatus
}

// hook runs the hook of an event for Claude Code in a pane; "" is none.
func (w *world) hook(pane, event string, p payload) *hook {
	w.T.Helper()
	return w.hookOn(pane, event, strings.NewReader(p.with("hook_event_name", event).String()+"\n"))
}

// hookOn is hook with a stdin of the test's own.
func (w *world) hookOn(pane, event string, stdin io.Reader) *hook {
	w.T.Helper()
	return w.start(event, w.hookCommand(pane, event, stdin))
}

func (w *world) hookCommand(pane, event string, stdin io.Reader) *exec.Cmd {
	args := []string{"hook-event", "--agent", "claude", "--event", event, "--payload-stdin"}
	if event == "PermissionRequest" {
		args = append(args, "--wait-for-answer")
	}
	cmd := w.Command(args...)
	if pane != "" {
		cmd.Env = append(cmd.Env, proto.EnvPane+"="+pane)
	}
	cmd.Stdin = stdin
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // as Claude Code does
	return cmd
}

func (w *world) start(name string, cmd *exec.Cmd) *hook {
	w.T.Helper()
	h := &hook{w: w, name: name, cmd: cmd, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &h.out, &h.said
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		w.T.Fatal(err)
	}
	go func() {
		defer close(h.done)
		_ = cmd.Wait() // what matters of it is in the state
		h.end = time.Now()
		h.took = h.end.Sub(begun)
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		h.state = &status
		h.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}()
	w.T.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended, if the test went well
		<-h.done
	})
	return h
}

// ended waits for the end of the hook's process.
func (h *hook) ended() *hook {
	h.w.T.Helper()
	ctx, cancel := place.Patience(h.w.T)
	defer cancel()
	select {
	case <-h.done:
	case <-ctx.Done():
		h.w.T.Fatalf("the hook of %s does not end", h.name)
	}
	return h
}

// verdict waits for the hook to end well and returns what it tells the agent:
// "allow", "deny" or "", and the words to the model.
func (h *hook) verdict() (behavior, message string) {
	h.w.T.Helper()
	h.ended()
	if h.state.ExitStatus() != 0 {
		h.w.T.Errorf("the hook of %s ends as %#x and says %q", h.name, *h.state, h.said.String())
	}
	if h.out.Len() == 0 {
		return "", ""
	}
	var reply struct {
		Output struct {
			Event    string `json:"hookEventName"`
			Decision struct{ Behavior, Message string }
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(h.out.Bytes(), &reply); err != nil || reply.Output.Event != h.name {
		h.w.T.Errorf("the hook of %s says %q: %v", h.name, h.out.String(), err)
	}
	return reply.Output.Decision.Behavior, reply.Output.Decision.Message
}

// says checks the verdict.
func (h *hook) says(want string) {
	h.w.T.Helper()
	if got, _ := h.verdict(); got != want {
		h.w.T.Errorf("the hook of %s says %q, want %q", h.name, got, want)
	}
}

// leavesIt checks that the hook gave no verdict, in at most one line to say why.
func (h *hook) leavesIt() {
	h.w.T.Helper()
	h.says("")
	if bytes.Count(h.said.Bytes(), []byte("\n")) > 1 {
		h.w.T.Errorf("the hook of %s says more than a line: %q", h.name, h.said.String())
	}
}

// tell runs a hook that waits for nothing, to its end.
func (w *world) tell(pane, event string, p payload) {
	w.T.Helper()
	w.hook(pane, event, p).leavesIt()
}

// asks runs the hook of an ask and waits until its decision waits.
func (w *world) asks(pane string, p payload) (*hook, proto.Decision) {
	w.T.Helper()
	h := w.hook(pane, "PermissionRequest", p)
	prompt := ""
	if in, ok := p["tool_input"].(payload); ok {
		prompt, _ = in["command"].(string)
	}
	return h, w.Events.Added(pane, p["tool_name"].(string), prompt)
}
