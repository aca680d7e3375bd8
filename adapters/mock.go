package adapters

import (
	"slices"
	"strings"

	"signaltty/proto"
)

// The mock agent is built in: a scripted program that behaves at a terminal
// and at its hooks as Claude Code does, so that the demo and the tests need
// nothing installed. It calls its hooks by itself and needs no settings.
func init() {
	hooks := claudeHooks{"mock"}
	register(Adapter{
		Name:   "mock",
		Title:  "Demo agent",
		Events: claudeEvents,
		Can: Capabilities{
			Kinds:          []string{proto.KindPermission, proto.KindQuestion, proto.KindPlan},
			Always:         true,
			DenyMessage:    true,
			Gate:           "every call of its script",
			Dialog:         proto.DialogBeside,
			SubagentDialog: proto.DialogAfter,
		},
		TitleState: claudeTitle,
		Launch: func(l Launch) (Command, error) {
			c := Command{Argv: append([]string{l.Self, "mock-agent"}, l.Argv...)}
			if closed := strings.Join(l.Policy.Closed, ","); closed != "" {
				c.Shown = c.Argv
				c.Argv = slices.Concat([]string{l.Self, "mock-agent", "--gate", closed}, l.Argv)
			}
			return c, nil
		},
		Resume: func(session string) []string { return []string{"--resume", session} },
		Keep:   func(args []string) []string { return args },
		Call:   claudeCall,
		Decode: hooks.decode,
		Encode: hooks.encode,
		Turns:  hooks.turns(mockTurnCommand),
	})
}

// mockTurnCommand runs the mock agent without a terminal. Its script, when
// there is one, is named by the model: "--model FILE.json".
func mockTurnCommand(l TurnLaunch) (TurnCommand, error) {
	if _, err := translate("the mock agent", claudeTurnTools, l.Spec.Tools); err != nil {
		return TurnCommand{}, err
	}
	argv := []string{l.Self, "mock-agent", "--stream"}
	if l.Spec.Model != "" {
		argv = append(argv, "--script", l.Spec.Model)
	}
	if l.Spec.Resume != "" {
		argv = append(argv, "--resume", l.Spec.Resume)
	}
	prompt, err := claudePrompt(l.Spec.Prompt)
	return TurnCommand{Argv: argv, Stdin: prompt, Duplex: true}, err
}
