package paint

import (
	"bytes"
	"io"
	"os"
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
	front   [][]uv.Cell // what the terminal shows; nil when that is unknown
	cursor  Cursor
	inside  bool // on the alternate screen
	sync    bool // the terminal knows mode 2026
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

// Show brings the picture to the terminal. Rows whose entry in damage is false
// are taken to be as they were; a nil damage means that any may differ.
func (p *Painter) Show(now time.Time, picture *uv.Buffer, damage []bool, cursor Cursor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = now
	fresh := len(p.front) != picture.Height() || p.width() != picture.Width()
	if fresh {
		p.front = blank(picture.Width(), picture.Height())
	}
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
	p.w.Write(b) //nolint:errcheck // a terminal that is gone ends the input too
}

func blank(cols, lines int) [][]uv.Cell {
	rows := make([][]uv.Cell, lines)
	for y := range rows {
		rows[y] = uv.NewLine(cols)
	}
	return rows
}

// Terminal is the terminal as bubbletea sees it: a file when the painter's is
// one, so that its size and modes can be asked for.
func (p *Painter) Terminal() io.Writer {
	if f, ok := p.w.(*os.File); ok {
		return file{f, p}
	}
	return pipe{p}
}

// file is what bubbletea asks of a terminal. It does not embed the file, whose
// WriteString and ReadFrom would write past the painter.
type file struct {
	f *os.File
	p *Painter
}

func (f file) Read(b []byte) (int, error)  { return f.f.Read(b) }
func (f file) Write(b []byte) (int, error) { return f.p.pass(b) }
func (f file) Close() error                { return f.f.Close() }
func (f file) Fd() uintptr                 { return f.f.Fd() }

type pipe struct{ p *Painter }

func (w pipe) Write(b []byte) (int, error) { return w.p.pass(b) }

var (
	enter = []byte("\x1b[?1049h")
	leave = []byte("\x1b[?1049l")
)

// pass writes bubbletea's bytes through and puts the picture back: it may have
// erased the screen, and it leaves the cursor where it likes.
func (p *Painter) pass(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.w.Write(b)
	in, out := bytes.LastIndex(b, enter), bytes.LastIndex(b, leave)
	if in >= 0 || out >= 0 {
		p.inside = in > out
	}
	if err == nil {
		p.repaint()
	}
	return n, err
}

// Reset is what puts right the modes that a painter sets, for when it ends.
const Reset = "\x1b[?2026l\x1b[m\x1b]8;;\x1b\\\x1b[0 q\x1b[?25h"

// Close leaves the terminal's pen and cursor as they were before.
func (p *Painter) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inside = false
	io.WriteString(p.w, Reset) //nolint:errcheck // as in flush
}
