package tty

import (
	"context"
	"strings"

	"signaltty/proto"
)

// Screen is what a person would see at one moment.
type Screen struct {
	Lines  []string // a line a row, trailing blanks cut
	Title  string
	Cursor proto.Cursor
	Modes  proto.Modes
	Copied string // what the program put on the clipboard last
}

// String is the screen in a frame, for messages of failed tests.
func (s Screen) String() string {
	return "┌ " + s.Title + "\n│" + strings.Join(s.Lines, "\n│") + "\n└"
}

// Has says whether some row contains text.
func (s Screen) Has(text string) bool { return s.Row(text) >= 0 }

// Row is the index of the first row that contains text, or -1.
func (s Screen) Row(text string) int {
	for y, line := range s.Lines {
		if strings.Contains(line, text) {
			return y
		}
	}
	return -1
}

// Screen is the screen now.
func (p *Program) Screen() Screen {
	s, _ := p.look()
	return s
}

// look returns the screen and a channel that closes when it is drawn on again.
func (p *Program) look() (Screen, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Screen{
		Lines:  p.screen.Capture(proto.PaneCapture{}).Lines,
		Title:  p.screen.Title(),
		Cursor: p.screen.Cursor(),
		Modes:  p.screen.Modes(),
		Copied: p.copied,
	}, p.drawn
}

// WaitFor waits until fits holds, which it checks after every output, and
// returns the screen for which it did. What names the awaited for the message
// of a failure; the program's end before it is a failure too.
func (p *Program) WaitFor(what string, fits func(Screen) bool) Screen {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), Patience)
	defer cancel()
	s, ok := p.Await(ctx, fits)
	if !ok {
		p.t.Fatalf("%s never showed %s; its screen is\n%s", p.name, what, s)
	}
	return s
}

// WaitText waits until some row contains text.
func (p *Program) WaitText(text string) Screen {
	p.t.Helper()
	return p.WaitFor("“"+text+"”", func(s Screen) bool { return s.Has(text) })
}

// Await waits until fits holds, and tells whether it did before ctx or the
// program ended. The screen is the last one that was checked.
func (p *Program) Await(ctx context.Context, fits func(Screen) bool) (Screen, bool) {
	for {
		s, drawn := p.look()
		if fits(s) {
			return s, true
		}
		select {
		case <-drawn:
		case <-p.exited:
			s, _ = p.look()
			return s, fits(s)
		case <-ctx.Done():
			return s, false
		}
	}
}
