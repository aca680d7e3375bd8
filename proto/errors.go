package proto

import "fmt"

// Code tells a program what went wrong; the message tells a person.
type Code string

// The error codes, with the exit code that a verb ends in.
const (
	CodeBadRequest     Code = "BAD_REQUEST"      // 2: malformed, or a wrong type
	CodeUnknownMethod  Code = "UNKNOWN_METHOD"   // 2
	CodeVersion        Code = "VERSION"          // 1: the two sides do not speak the same protocol
	CodeTooLarge       Code = "TOO_LARGE"        // 1: a line, payload, screen or queue cap
	CodeNoSuchPane     Code = "NO_SUCH_PANE"     // 4
	CodeNoSuchDecision Code = "NO_SUCH_DECISION" // 4: unknown, consumed or superseded
	CodeNoSuchOption   Code = "NO_SUCH_OPTION"   // 2: the decision does not have it
	CodeNotAnswerable  Code = "NOT_ANSWERABLE"   // 1: shown, to be answered in the pane
	CodeUnavailable    Code = "UNAVAILABLE"      // 1: the hold or the audit was gone
	CodeRefused        Code = "REFUSED"          // 7: not allowed from here
	CodePaneBusy       Code = "PANE_BUSY"        // 1: the child does not read and its queue is full
	CodePaneExited     Code = "PANE_EXITED"      // 1: its process has ended and takes no input
	CodeSpawn          Code = "SPAWN"            // 1: the program could not be started
	CodeTimeout        Code = "TIMEOUT"          // 5
	CodeInternal       Code = "INTERNAL"         // 1
)

// Exit codes of the verbs, the same for every verb.
const (
	ExitOK      = 0
	ExitFailed  = 1
	ExitUsage   = 2
	ExitNoServ  = 3
	ExitNoThing = 4
	ExitTimeout = 5
	ExitDenied  = 6
	ExitRefused = 7

	// Of `run` alone.
	ExitBlocked   = 8
	ExitUncertain = 9
	ExitGate      = 10
	ExitNothing   = 11
	ExitCancelled = 130
)

// Error is an error on the wire.
type Error struct {
	Code    Code           `json:"code"`
	Message string         `json:"message"`
	Data    map[string]any `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// ExitCode is the exit code of a verb that ends in this error.
func (e *Error) ExitCode() int {
	switch e.Code {
	case CodeBadRequest, CodeUnknownMethod, CodeNoSuchOption:
		return ExitUsage
	case CodeNoSuchPane, CodeNoSuchDecision:
		return ExitNoThing
	case CodeTimeout:
		return ExitTimeout
	case CodeRefused:
		return ExitRefused
	}
	return ExitFailed
}
