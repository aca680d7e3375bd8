// Package paint is the last step of the screen: it writes a buffer of cells
// to the terminal.
//
// It owns the terminal's contents: what stands on it (the front), the cursor,
// and when to write. bubbletea writes its modes to the same terminal through
// Painter.Terminal; whatever it writes, the picture is put back at once.
//
// It promises that a picture goes out at once when nothing was written for
// Interval, that a key buys Credit during which nothing waits, that only cells
// which changed are sent, and that nothing is painted outside the alternate
// screen.
//
// It may import ultraviolet, colorprofile and x/ansi, and nothing of signaltty.
package paint
