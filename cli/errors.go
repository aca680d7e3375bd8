package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"signaltty/proto"
)

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// exitError ends a verb with a code of its own.
type exitError struct {
	code int
	error
}

func (e exitError) Unwrap() error { return e.error }

// report prints err as one line that ends with what to do next, and returns
// the exit code.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return proto.ExitOK
	}
	for line := range strings.Lines(err.Error()) { // a configuration may have several
		line = visible(strings.TrimSuffix(line, "\n"))
		if h := hint(err); h != "" && !strings.Contains(line, "; ") {
			line = strings.TrimSuffix(line, ".") + "; " + h
		}
		fmt.Fprintf(stderr, "signaltty: %s\n", line)
	}
	return exitCode(err)
}

func exitCode(err error) int {
	if e, ok := errors.AsType[exitError](err); ok {
		return e.code
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return proto.ExitUsage
	}
	if e, ok := errors.AsType[*proto.Error](err); ok {
		return e.ExitCode()
	}
	switch {
	case errors.Is(err, proto.ErrNoServer):
		return proto.ExitNoServ
	case errors.Is(err, context.DeadlineExceeded):
		return proto.ExitTimeout
	}
	return proto.ExitFailed
}

// hint says what to do next, for errors that do not say so themselves after a
// semicolon.
func hint(err error) string {
	if _, ok := errors.AsType[usageError](err); ok {
		return "`signaltty help` lists the verbs and `signaltty help VERB` what one takes"
	}
	e, ok := errors.AsType[*proto.Error](err)
	if !ok {
		return ""
	}
	switch e.Code {
	case proto.CodeNoSuchPane:
		return "`signaltty ls` lists them"
	case proto.CodeNoSuchDecision:
		return "`signaltty decisions` lists what waits"
	case proto.CodeNoSuchOption:
		return "`signaltty decisions` lists the options of each decision"
	case proto.CodeNotAnswerable:
		return "answer it in its pane: `signaltty attach`"
	case proto.CodeVersion:
		return "`signaltty stop` ends the running server, and the next attach starts this version"
	case proto.CodePaneBusy:
		return "try again when the program in the pane reads its input"
	case proto.CodeUnavailable:
		return "`signaltty status` tells how the server is"
	case proto.CodeRefused:
		return "run it from a shell of your own, outside every agent"
	}
	return ""
}
