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
			Kinds:          []string{proto.KindPermission},
			Shown:          []string{proto.KindQuestion, proto.KindPlan},
			DenyMessage:    true,
			Dialog:         proto.DialogBeside,
			SubagentDialog: proto.DialogAfter,
		},
		Launch: func(l Launch) (Command, error) {
			return Command{Argv: append([]string{l.Self, "mock-agent"}, l.Argv...)}, nil
		},
		Resume: func(session string) []string { return []string{"--resume", session} },
		Keep:   func(args []string) []string { return args },
		Decode: hooks.decode,
		Encode: hooks.encode,
	})
}
