package hook

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"signaltty/proto"
)

const shell = `{"session_id":"s","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"ls"}}`

var before = []string{"--agent", "gemini", "--event", "BeforeTool", "--payload-stdin"}

// Where the person chose decisions, the event is an ask; elsewhere it only tells.
func TestDecide(t *testing.T) {
	socket := serve(t, with(t, proto.Verdict{Behavior: proto.Allow}))
	tests := []struct {
		name, decide, payload, socket, stdout string
		exit                                  int
	}{
		{"chosen", "1", shell, socket, `{"decision":"allow"}` + "\n", 0},
		{"a harmless tool", "1", strings.ReplaceAll(shell, "run_shell_command", "read_file"), socket, "", 0},
		{"not chosen", "", shell, socket, "", 0},
		{"chosen, no server", "1", shell, "/nowhere", "", 2},
		{"not chosen, no server", "", shell, "/nowhere", "", 0},
		{"chosen, no payload", "1", "{", socket, "", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := run(before, strings.NewReader(test.payload), map[string]string{proto.EnvSocket: test.socket, proto.EnvDecide: test.decide})
			if got.stdout != test.stdout || got.code != test.exit || test.exit == 2 && got.stderr == "" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Gemini CLI ends a hook by SIGTERM at its time-out, and then runs the tool of
// one that says nothing.
func TestTerminatedGateDenies(t *testing.T) {
	held := make(chan struct{})
	socket := serve(t, func(c *proto.Conn) {
		welcome(t, c)
		close(held)
		c.Read()
	})
	cmd := exec.Command(os.Args[0], before...)
	cmd.Env = []string{"HOOK_TEST_MAIN=1", "GORACE=atexit_sleep_ms=0", proto.EnvSocket + "=" + socket, proto.EnvDecide + "=1"}
	cmd.Stdin = strings.NewReader(shell)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-held
	cmd.Process.Signal(syscall.SIGTERM)
	if cmd.Wait(); cmd.ProcessState.ExitCode() != 2 || stdout.Len() > 0 || stderr.Len() == 0 {
		t.Errorf("%v, said %q and %q", cmd.ProcessState, &stdout, &stderr)
	}
}
