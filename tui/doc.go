// Package tui is the client's screen: workspaces and panes, and over them the
// decision bar.
//
// It owns one terminal while Run or Raw lasts. One model holds all state and
// changes it in Update alone; what it wants of the server it posts to the
// link, which owns the connection and both of its goroutines. Frames go into
// one vt10x terminal per visible pane, and every cell that is shown of a pane
// is read back from there. The picture is drawn into one buffer and brought to
// the terminal by tui/paint.
//
// It promises that an answer names the decision that was on the screen when
// the key went down, that a decision takes no answer in its first 300 ms, that
// neither a paste nor a held key answers, that plain letters go to the focused
// pane unless the bar has the focus, that what is still typed at a bar which
// has just gone reaches no pane, that the bar never resizes a pane, that what a
// person looks back at or selects stays while output goes on, that no link is
// opened before its target was shown, and that the terminal is left as it was
// found.
//
// It may import proto and tui/paint of signaltty, nothing else.
package tui
