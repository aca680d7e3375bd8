package tui

import "signaltty/proto"

// command is one row of the table of what a person can do after the prefix.
// The help, the configuration and the dispatch all read the same row.
type command struct {
	name  string
	group string
	keys  string // its default chords
	help  string
	run   func(*model)
}

// The groups of commands, in the order of the help.
const (
	groupDecision = "Decision"
	groupPane     = "Panes"
	groupGeneral  = "General"
)

// The commands that other parts name.
const (
	cmdOnce      = "once"
	cmdAlways    = "always"
	cmdReason    = "deny-reason"
	cmdInterrupt = "interrupt"
	cmdAmend     = "amend"
	cmdExpand    = "expand"
	cmdFocusBar  = "focus-bar"
	cmdHide      = "hide-bar"
	cmdNext      = "next-waiting"
	cmdNew       = "new"
	cmdHelp      = "help"
	cmdDetach    = "detach"
)

// commands is the table. It is a function because its rows reach, through the
// model, back to it.
func commands() []command {
	return []command{
		{cmdOnce, groupDecision, "y", "allow once, approve, answer", func(m *model) { m.chooseBy(cmdOnce, proto.OptionOnce) }},
		{cmdAlways, groupDecision, "a", "always, or accept edits", func(m *model) { m.chooseBy(cmdAlways, proto.OptionAlways) }},
		{cmdAmend, groupDecision, "m", "edit it, then allow", (*model).startAmend},
		{"deny", groupDecision, "n", "deny", func(m *model) { m.choose(proto.OptionDeny) }},
		{cmdReason, groupDecision, "d", "deny and say why", (*model).startReason},
		{cmdInterrupt, groupDecision, "i", "deny and end the turn", (*model).interrupt},
		{"hand-back", groupDecision, "t", "hand back: answer in pane", func(m *model) { m.choose(proto.OptionHandBack) }},
		{cmdExpand, groupDecision, "e", "read all of it", (*model).expandBar},
		{cmdNext, groupDecision, "j", "next that waits", (*model).jumpNext},
		{cmdFocusBar, groupDecision, "b", "focus the bar: bare keys", (*model).focusBar},
		{"past", groupDecision, "w", "what was decided here", (*model).openPast},
		{cmdHide, groupDecision, "h", "hide the bar, and back", (*model).toggleBar},

		{cmdNew, groupPane, "c", "new pane", func(m *model) { m.openPicker("") }},
		{"split-right", groupPane, "v", "new pane to the right", func(m *model) { m.openPicker("columns") }},
		{"split-down", groupPane, "s", "new pane below", func(m *model) { m.openPicker("rows") }},
		{"resume", groupPane, "R", "resume what has exited", (*model).resume},
		{"close", groupPane, "x", "close the pane", (*model).confirmClose},
		{"rename", groupPane, "r", "rename the pane", (*model).startRename},
		{"zoom", groupPane, "z", "zoom the pane, and back", (*model).toggleZoom},
		{"next-pane", groupPane, "o", "next pane", func(m *model) { m.cyclePane(1) }},
		{"previous-pane", groupPane, "p", "previous pane", func(m *model) { m.cyclePane(-1) }},
		{"left", groupPane, "left", "pane to the left", func(m *model) { m.focusTowards(-1, 0) }},
		{"right", groupPane, "right", "pane to the right", func(m *model) { m.focusTowards(1, 0) }},
		{"up", groupPane, "up", "pane above", func(m *model) { m.focusTowards(0, -1) }},
		{"down", groupPane, "down", "pane below", func(m *model) { m.focusTowards(0, 1) }},
		{"next-tab", groupPane, "tab", "next tab", func(m *model) { m.cycleTab(1) }},
		{"previous-tab", groupPane, "shift+tab", "previous tab", func(m *model) { m.cycleTab(-1) }},
		{"narrower", groupPane, "H", "move the seam left", func(m *model) { m.moveSeam("columns", -5) }},
		{"wider", groupPane, "L", "move the seam right", func(m *model) { m.moveSeam("columns", 5) }},
		{"shorter", groupPane, "K", "move the seam up", func(m *model) { m.moveSeam("rows", -5) }},
		{"taller", groupPane, "J", "move the seam down", func(m *model) { m.moveSeam("rows", 5) }},
		{"scroll", groupPane, "[", "look back, scroll", (*model).startScroll},
		{"search", groupPane, "/", "search what scrolled off", func(m *model) { m.openSearch(true) }},

		{"sidebar", groupGeneral, "\\", "show or hide the sidebar", (*model).toggleSidebar},
		{cmdHelp, groupGeneral, "?", "this help", (*model).openHelp},
		{cmdDetach, groupGeneral, "q D", "detach; the panes go on", (*model).detach},
	}
}
