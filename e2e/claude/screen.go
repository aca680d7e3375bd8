package claude

import "signaltty/e2e/tty"

// Ready says that the prompt waits for text and no dialog is open.
// The words of these screens are those of Claude Code 2.1.197.
func Ready(s tty.Screen) bool {
	return s.Has("? for shortcuts")
}

// Asks says that the permission dialog is open: its last row shows, so all of
// it does, and it takes keys.
func Asks(s tty.Screen) bool {
	return s.Has("Esc to cancel") && s.Has("1. Yes")
}

// Submit gives the agent a prompt. The text and the enter that sends it go
// apart, since together they would be taken for a paste.
func Submit(p *tty.Program, prompt string) {
	p.Type(prompt)
	p.WaitText(prompt)
	p.Press("enter")
}
