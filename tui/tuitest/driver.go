package tuitest

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signaltty/proto"
	"signaltty/tui"
)

// Driver is a person at the screen. It belongs to a synctest bubble.
type Driver struct {
	*Server
	Glass *Glass
	// Kitty has keys sent in the kitty keyboard protocol.
	Kitty bool

	t    *testing.T
	keys *io.PipeWriter
	done chan error
	stop context.CancelFunc
}

// Setup is how a screen begins.
type Setup struct {
	Cols, Lines int // 80x24 when 0
	Colors      colorprofile.Profile
	Light       bool // the terminal's background
	Server      *Server
	Launch      []tui.Launch
	Keys        tui.Keys
	Open        func(string) error // opens addresses
	Notify      tui.Notify
}

// Start runs the screen and returns when it is idle. The test's end closes it.
func Start(t *testing.T, s Setup) *Driver {
	t.Helper()
	if s.Cols == 0 {
		s.Cols, s.Lines = 80, 24
	}
	if s.Colors == colorprofile.Unknown {
		s.Colors = colorprofile.TrueColor
	}
	if s.Server == nil {
		s.Server = NewServer()
	}
	in, keys := io.Pipe()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context())) // it ends in Cleanup, in order
	d := &Driver{Server: s.Server, Glass: NewGlass(s.Cols, s.Lines), t: t, keys: keys, done: make(chan error, 1), stop: stop}
	go func() {
		d.done <- tui.Run(ctx, tui.Options{
			Dial: s.Server.Dial, In: in, Out: d.Glass, Env: []string{"TERM=xterm-256color"}, Cwd: "/home/me/work",
			Colors: s.Colors, Size: proto.Size{Cols: s.Cols, Lines: s.Lines}, Launch: s.Launch, Keys: s.Keys, Open: s.Open, Notify: s.Notify, Signals: []os.Signal{},
		})
	}()
	t.Cleanup(func() {
		d.Pass(200 * time.Millisecond) // bubbletea gives a pending ESC away, or waits with it for ever
		stop()
		keys.Close()
		s.Server.Close()
		d.Pass(2 * time.Second) // the last ticks of the screen's clocks
	})
	d.Pass(100 * time.Millisecond)
	color := "rgb:1010/1010/1010"
	if s.Light {
		color = "rgb:fafa/fafa/fafa"
	}
	d.Send("\x1b]11;" + color + "\x1b\\")
	d.Idle()
	return d
}

// Look is a person who only looks at a glass.
func Look(t *testing.T, g *Glass) *Driver { return &Driver{Glass: g, t: t} }

// Pass lets that much time go by, and then everything that follows from it.
func (d *Driver) Pass(t time.Duration) {
	<-time.After(t)
	synctest.Wait()
}

// Idle waits until nothing moves any more, and the last picture is painted.
func (d *Driver) Idle() { d.Pass(60 * time.Millisecond) }

// Send types raw bytes.
func (d *Driver) Send(bytes string) {
	io.WriteString(d.keys, bytes) //nolint:errcheck // a screen that has ended reads nothing
	synctest.Wait()
}

// Press presses chords one after the other, as tui.ParseChord reads them. No
// time goes by.
func (d *Driver) Press(chords ...string) {
	d.t.Helper()
	for _, c := range chords {
		d.Send(d.encode(c))
	}
}

// Hold sends auto-repeats of a key, n times in 33 ms steps.
func (d *Driver) Hold(chord string, n int) {
	for range n {
		<-time.After(33 * time.Millisecond)
		if d.Kitty {
			d.Send(strings.Replace(d.encode(chord), "u", ":2u", 1))
			continue
		}
		d.Send(d.encode(chord))
	}
}

func (d *Driver) encode(chord string) string {
	d.t.Helper()
	c, err := tui.ParseChord(chord)
	if err != nil {
		d.t.Fatal(err)
	}
	if s, ok := map[rune]string{
		tea.KeyUp: "\x1b[A", tea.KeyDown: "\x1b[B", tea.KeyRight: "\x1b[C", tea.KeyLeft: "\x1b[D",
		tea.KeyPgUp: "\x1b[5~", tea.KeyPgDown: "\x1b[6~", tea.KeyHome: "\x1b[H", tea.KeyEnd: "\x1b[F", tea.KeyEscape: "\x1b[27u", tea.KeyEnter: "\r",
	}[c.Code]; ok && c.Mod == 0 {
		return s
	}
	mod := 1
	for i, m := range []tea.KeyMod{tea.ModShift, tea.ModAlt, tea.ModCtrl} {
		if c.Mod&m != 0 {
			mod += 1 << i
		}
	}
	switch {
	case d.Kitty:
		return fmt.Sprintf("\x1b[%d;%du", c.Code, mod)
	case c.Mod == tea.ModCtrl:
		return string(rune(c.Code & 0x1f))
	case c.Mod == tea.ModAlt:
		return "\x1b" + string(c.Code)
	}
	return string(c.Code)
}

// Paste pastes text, in brackets as terminals do.
func (d *Driver) Paste(text string) { d.Send("\x1b[200~" + text + "\x1b[201~") }

// Click clicks the left button at a cell counted from 0.
func (d *Driver) Click(x, y int) {
	d.Send(fmt.Sprintf("\x1b[<0;%d;%dM", x+1, y+1))
	d.Send(fmt.Sprintf("\x1b[<0;%d;%dm", x+1, y+1))
}

// Drag drags with the left button from one cell to another.
func (d *Driver) Drag(x, y, tox, toy int) {
	d.Send(fmt.Sprintf("\x1b[<0;%d;%dM", x+1, y+1))
	d.Send(fmt.Sprintf("\x1b[<32;%d;%dM", tox+1, toy+1))
	d.Send(fmt.Sprintf("\x1b[<0;%d;%dm", tox+1, toy+1))
}

// Wheel turns the wheel, up when n is positive.
func (d *Driver) Wheel(x, y, n int) {
	button := 64
	if n < 0 {
		button, n = 65, -n
	}
	for range n {
		d.Send(fmt.Sprintf("\x1b[<%d;%d;%dM", button, x+1, y+1))
	}
}

// Resize changes the size of the terminal.
func (d *Driver) Resize(cols, lines int) {
	d.Glass.Resize(cols, lines)
	d.Send(fmt.Sprintf("\x1b[48;%d;%d;0;0t", lines, cols))
	d.Idle()
}

// Find is where a text stands on the glass; the test fails when it does not.
func (d *Driver) Find(text string) (x, y int) {
	d.t.Helper()
	for y, line := range strings.Split(d.Glass.Text(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			return len([]rune(before)), y
		}
	}
	d.t.Fatalf("%q is not on the screen:\n%s", text, d.Glass.Text())
	return 0, 0
}

// Has says whether a text is on the glass.
func (d *Driver) Has(text string) bool { return strings.Contains(d.Glass.Text(), text) }

// Want fails the test unless a text is on the glass.
func (d *Driver) Want(texts ...string) {
	d.t.Helper()
	for _, s := range texts {
		if !d.Has(s) {
			d.t.Fatalf("%q is not on the screen:\n%s", s, d.Glass.Text())
		}
	}
}

// WantNot fails the test if a text is on the glass.
func (d *Driver) WantNot(text string) {
	d.t.Helper()
	if d.Has(text) {
		d.t.Fatalf("%q is on the screen:\n%s", text, d.Glass.Text())
	}
}

// Typed is the bytes that a pane got as the person's own input.
func (d *Driver) Typed(pane string) string {
	var b strings.Builder
	for _, in := range Asked[proto.PaneInput](d.Server, proto.MethodPaneInput) {
		if in.Pane == pane && !in.Passive {
			b.Write(in.Data)
		}
	}
	return b.String()
}

// Answers is the answers that were given.
func (d *Driver) Answers() []proto.DecisionAnswer {
	return Asked[proto.DecisionAnswer](d.Server, proto.MethodDecisionAnswer)
}

// Ended waits for the screen to end and returns how.
func (d *Driver) Ended() error {
	d.t.Helper()
	d.Idle()
	select {
	case err := <-d.done:
		return err
	default:
		d.t.Fatal("the screen has not ended")
		return nil
	}
}
