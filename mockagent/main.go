// Package mockagent is the agent that is built into signaltty: a scripted
// program that looks and behaves at a terminal as a coding agent does.
//
// It owns its script, its screen and its own permission dialog, and it calls
// its hooks as Claude Code does: PreToolUse, then PermissionRequest beside the
// dialog on the screen, then PostToolUse, each a child process of this binary
// that reads a payload from stdin. What PreToolUse denies or allows is not
// asked about; else the first answer wins. A Yes in the dialog
// leaves the hook alive; No and Esc end it with SIGTERM.
//
// It promises that it runs no tool and writes no file: what it says a tool
// printed is in its script. The step shell, which only a test's own script has,
// is the exception.
//
// It may import proto, the standard library and x/term.
package mockagent

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"signaltty/proto"

	"github.com/charmbracelet/x/term"
)

// Main runs the agent with the arguments after the verb and returns the exit
// code. With a terminal it draws a screen and stays at its prompt when the
// story is told; without one, or with --auto, it prints a transcript, has no
// dialog of its own, and ends.
func Main(args []string, stdin, stdout, stderr *os.File) int {
	flags := flag.NewFlagSet("mock-agent", flag.ContinueOnError)
	flags.SetOutput(stderr)
	script := flags.String("script", "", "play the steps of this JSON `file` and end, instead of the built-in story")
	auto := flags.Bool("auto", false, "print a transcript instead of drawing a screen")
	headless := flags.Bool("stream", false, "run without a terminal: prompt and answers on stdin, JSON lines on stdout")
	once := flags.Bool("once", false, "end when the story is told, instead of staying at the prompt")
	resume := flags.String("resume", "", "take up the conversation with this `id`")
	gate := flags.String("gate", "", "the `tools` that are denied when the gate gets no verdict")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return proto.ExitOK
		}
		return proto.ExitUsage
	}
	steps := story()
	if *script != "" {
		var err error
		if steps, err = load(*script); err != nil {
			fmt.Fprintln(stderr, "mock-agent:", err)
			return proto.ExitUsage
		}
	}
	if *headless {
		if *script == "" {
			steps = nil
		}
		return stream(steps, *resume, stdin, stdout)
	}
	onTerminal := !*auto && term.IsTerminal(stdin.Fd()) && term.IsTerminal(stdout.Fd())
	a, err := newAgent(stdin, stdout, onTerminal, *resume)
	if err != nil {
		fmt.Fprintln(stderr, "mock-agent:", err)
		return proto.ExitFailed
	}
	a.session.gate = *gate
	defer a.close()
	return a.play(steps, onTerminal && *script == "" && !*once)
}
