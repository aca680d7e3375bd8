package cli

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// anchorWait is how long the person's command may take.
const anchorWait = 30 * time.Second

// anchorCommand runs a command of the person with a head of the audit as its
// input; without one there is none to run.
func anchorCommand(argv []string) func(context.Context, string) error {
	if len(argv) == 0 {
		return nil
	}
	return func(ctx context.Context, line string) error {
		ctx, cancel := context.WithTimeout(ctx, anchorWait)
		defer cancel()
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Stdin = strings.NewReader(line)
		cmd.WaitDelay = time.Second // a child of it may keep the pipe
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w: %s", argv[0], err, firstLine(said.String()))
		}
		return nil
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
