package paint

import (
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

const (
	// Interval is the least time between two pictures of a busy screen.
	Interval = 8 * time.Millisecond
	// Credit is how long after a key pictures do not wait for Interval, so
	// that an echo is not held back by the output around it.
	Credit = 15 * time.Millisecond
)

// Cursor is where the terminal's own cursor stands.
type Cursor struct {
	X, Y    int
	Visible bool
	// Shape is the DECSCUSR number 0 to 6; 0 is the terminal's own choice.
	Shape int
}

// Painter writes pictures to one terminal. Its methods may be called from any
// goroutine.
type Painter struct {
	w io.Writer

	mu      sync.Mutex
	front   [][]uv.Cell // what the terminal shows, unless it is lost; nil before the first picture
	lost    bool        // the terminal may show anything
	cursor  Cursor
	inside  bool   // on the alternate screen
	undo    string // what Close takes back
	sync    bool   // the terminal knows mode 2026
	profile colorprofile.Profile
	pens    map[uv.Style]uv.Style // styles as this profile can show them
	out     []byte
	last    time.Time
	credit  time.Time
}

// New makes a painter for the terminal w, with the colours of profile.
func New(w io.Writer, profile colorprofile.Profile) *Painter {
	return &Painter{w: w, profile: profile, pens: map[uv.Style]uv.Style{}}
}

// Key says that a key arrived at now: for Credit, pictures do not wait.
func (p *Painter) Key(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.credit = now.Add(Credit)
}

// Wait is how long a picture that is ready at now has to wait; 0 when it may
// be shown at once.
func (p *Painter) Wait(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Before(p.credit) {
		return 0
	}
	return max(0, p.last.Add(Interval).Sub(now))
}

// SetSync says whether the terminal knows synchronized output (mode 2026).
func (p *Painter) SetSync(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sync = on
}

// SetProfile sets the colours that the terminal can show.
func (p *Painter) SetProfile(profile colorprofile.Profile) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if profile == p.profile {
		return
	}
	p.profile = profile
	clear(p.pens)
	p.repaint()
}

// Lost says that the terminal may show anything, as after a change of its
// size, even one that was taken back: the next picture is painted whole.
func (p *Painter) Lost() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = true
}

// Show brings the picture to the terminal. Rows whose entry in damage is false
// are taken to be as they were; a nil damage means that any may differ.
func (p *Painter) Show(now time.Time, picture *uv.Buffer, damage []bool, cursor Cursor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = now
	fresh := p.lost || len(p.front) != picture.Height() || p.width() != picture.Width()
	if fresh {
		p.front = blank(picture.Width(), picture.Height())
	}
	p.lost = false
	moved := p.cursor != cursor
	p.cursor = cursor
	if fresh || !p.inside {
		for y, row := range picture.Lines {
			copy(p.front[y], row)
		}
		p.repaint()
		return
	}
	p.out = p.out[:0]
	rows := 0
	for y, row := range picture.Lines {
		if damage != nil && !damage[y] {
			continue
		}
		if p.row(y, row) {
			rows++
		}
	}
	if rows > 0 || moved {
		p.flush(rows > 1)
	}
}

func (p *Painter) width() int {
	if len(p.front) == 0 {
		return 0
	}
	return len(p.front[0])
}

// repaint writes the whole front, whatever the terminal shows.
func (p *Painter) repaint() {
	if !p.inside || p.front == nil {
		return
	}
	p.out = append(p.out[:0], "\x1b[m\x1b[H\x1b[2J"...)
	was := p.front
	p.front = blank(p.width(), len(was))
	for y, row := range was {
		p.row(y, row)
	}
	p.flush(true)
}

// flush writes what was gathered, with the cursor at its place in the end.
func (p *Painter) flush(large bool) {
	var b []byte
	switch {
	case p.sync:
		b = append(b, "\x1b[?2026h"...)
	case large:
		b = append(b, "\x1b[?25l"...) // or the cursor is seen flying about
	}
	b = append(b, p.out...)
	b = appendCursor(b, p.cursor)
	if p.sync {
		b = append(b, "\x1b[?2026l"...)
	}
	p.w.Write(b) //nolint:errcheck // as in write
}

func blank(cols, lines int) [][]uv.Cell {
	rows := make([][]uv.Cell, lines)
	for y := range rows {
		rows[y] = uv.NewLine(cols)
	}
	return rows
}

const (
	enter = "\x1b[?1049h"
	leave = "\x1b[?1049l"
)

// Enter goes to the alternate screen, where pictures show, and sets modes
// there; undo takes them back at Close.
func (p *Painter) Enter(modes, undo string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inside = true
	p.write(enter + modes)
	p.undo = undo + leave
	p.repaint()
}

// Begin is Tell for what does not end by itself: undo takes it back at Close.
func (p *Painter) Begin(sequence, undo string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(sequence)
	p.undo = undo + p.undo
}

// Tell writes a sequence that changes nothing of the picture, such as a title
// or a question to the terminal, at once.
func (p *Painter) Tell(sequence string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(sequence)
}

func (p *Painter) write(s string) {
	io.WriteString(p.w, s) //nolint:errcheck // a terminal that is gone ends the input too
}

// Reset is what puts right the modes that a painter sets, for when it ends.
const Reset = "\x1b[?2026l\x1b[m\x1b]8;;\x1b\\\x1b[0 q\x1b[?25h"

// Close leaves the terminal as it was before. Nothing is painted after it.
func (p *Painter) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inside = false
	p.write(p.undo + Reset)
	p.undo = ""
}
