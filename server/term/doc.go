// Package term is the terminal emulator of a pane: bytes in, a screen out.
//
// It owns the parser, the two screens and their cells, the scrollback, the
// styles, the modes, the answers to an application's queries, and the frames
// that clients get of all this. It is the one truth of a pane: the screen that
// is shown, captured and sent to a client that comes back is the same one.
//
// It promises that no input panics or hangs it, that the time for a byte is
// bounded by the size of the screen, that its memory is bounded by that size
// and by Options, and that the screen does not depend on how the bytes are cut
// into writes.
//
// A Terminal has no lock and starts no goroutine: its pane guards it.
//
// It may import proto, for the types of frames and captures, and the Unicode
// tables of clipperhouse/displaywidth and uax29.
package term
