package adapters

import "signaltty/proto"

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
			Dialog:         proto.DialogBeside,
			SubagentDialog: proto.DialogAfter,
		},
		TitleState: claudeTitle,
		Launch: func(l Launch) (Command, error) {
			return Command{Argv: append([]string{l.Self, "mock-agent"}, l.Argv...)}, nil
		},
		Decode: hooks.decode,
		Encode: hooks.encode,
	})
}
