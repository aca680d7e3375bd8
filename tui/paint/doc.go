// Package paint is the last step of the screen: it writes a buffer of cells
// to the terminal.
//
// It owns the terminal's contents: what stands on it (the front), the cursor,
// its modes, and when to write. Nobody else writes to it.
//
// It promises that a picture goes out at once when nothing was written for
// Interval, that a key buys Credit during which nothing waits, that only cells
// which changed are sent, that nothing is painted outside the alternate screen,
// and that Close takes back what Enter and Begin have set.
//
// It may import ultraviolet, colorprofile and x/ansi, and nothing of signaltty.
package paint
