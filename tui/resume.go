package tui

import "signaltty/proto"

// resume starts the program of the focused pane again, which has exited.
func (m *model) resume() {
	p, ok := m.panes[m.focus]
	switch {
	case !ok:
		m.say("there is no pane to resume", notePlain)
	case p.Resume == "":
		m.say(Visible(label(p))+" still runs", notePlain)
	default:
		m.post(proto.MethodPaneResume, proto.PaneResume{Pane: p.ID, Env: m.opt.Env})
	}
}

// exitState is what the title of an exited pane says, in a few words and with
// what can be done about it.
func (m *model) exitState(p proto.Pane) (short, long string) {
	short = " exited (" + exitWord(p.Exit) + ") "
	if p.Exit.Code < 0 && p.Exit.Signal == "" {
		short = " ended with the server "
	}
	does := map[proto.Resume]string{proto.ResumeSession: " resumes it, ", proto.ResumeAgain: " runs it again, "}[p.Resume]
	if does != "" {
		does = m.chord("resume") + does
	}
	return short, short + "· " + does + m.chord("close") + " removes it "
}
