package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/muesli/cancelreader"

	"signaltty/proto"
	"signaltty/tui/paint"
)

// Raw shows one pane alone on the terminal, without sidebar and bar, and sends
// the terminal's own bytes to it. The prefix and d detach. It returns nil
// after that, and an error when the pane or the server is gone.
func Raw(ctx context.Context, opt Options, pane string) error {
	if err := opt.Drawable(); err != nil {
		return err
	}
	ctx, cancel := opt.endedBy(ctx)
	defer cancel()
	conn, _, err := opt.Dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	opt.detect()
	restore, err := opt.rawMode()
	if err != nil {
		return err
	}
	defer restore()
	r := &raw{opt: opt, pane: pane, conn: conn, glass: paint.New(opt.Out, opt.Colors), screen: newScreen(), keys: prefixFilter{forms: prefixForms(opt.Keys)}}
	return r.run(ctx)
}

// rawQueue is how many events wait while the loop writes.
const rawQueue = 64

// raw is one Raw. Its loop owns all of it.
type raw struct {
	opt        Options
	pane       string
	conn       *proto.Conn
	glass      *paint.Painter
	screen     *screen
	canvas     *canvas
	keys       prefixFilter
	id         uint64
	subscribed uint64 // the id of that request
	modes      string // that the terminal was told
	outer      outer
}

func (r *raw) run(ctx context.Context) error {
	in, err := cancelreader.NewReader(r.opt.In)
	if err != nil {
		return fmt.Errorf("reading the terminal: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	winch := make(chan os.Signal, 1)
	signal.Notify(winch, syscall.SIGWINCH)
	keys, events := make(chan []byte), make(chan any, rawQueue)
	var wg sync.WaitGroup
	defer in.Close() // not before its reader has ended, or that never wakes
	defer wg.Wait()
	defer signal.Stop(winch)
	defer in.Cancel()
	defer r.conn.Close()
	defer cancel()
	wg.Go(func() { readKeys(ctx, in, keys) })
	wg.Go(func() {
		defer close(events)
		read(r.conn, func(v any) { //nolint:errcheck // a closed channel tells
			select {
			case events <- v:
			case <-ctx.Done():
			}
		})
	})

	r.glass.Enter("", modesOf(proto.Modes{}))
	defer r.glass.Close()
	r.glass.Begin(begin+questions(), undo)
	if err := r.begin(); err != nil {
		return err
	}
	return r.loop(ctx, winch, keys, events)
}

func (r *raw) loop(ctx context.Context, winch <-chan os.Signal, keys <-chan []byte, events <-chan any) error {
	for {
		var due <-chan time.Time
		if wait := r.glass.Wait(time.Now()); wait > 0 {
			due = time.After(wait)
		} else if !r.screen.partial {
			r.show()
		}
		select {
		case <-ctx.Done():
			return why(ctx)
		case <-due:
		case <-winch:
			r.resize()
		case b, ok := <-keys:
			if !ok || r.typed(b) {
				return nil
			}
		case e, ok := <-events:
			if !ok {
				return fmt.Errorf("the server went away; `signaltty attach` starts it again")
			}
			if err := r.take(e); err != nil {
				return err
			}
		}
	}
}

func readKeys(ctx context.Context, in io.Reader, keys chan<- []byte) {
	defer close(keys)
	for {
		b := make([]byte, 4096)
		n, err := in.Read(b)
		if err != nil {
			return
		}
		select {
		case keys <- b[:n]:
		case <-ctx.Done():
			return
		}
	}
}

func (r *raw) send(method string, params any) error {
	r.id++
	return r.conn.Send(r.id, method, params)
}

func (r *raw) begin() error {
	r.resize()
	if err := r.send(proto.MethodSubscribe, proto.None{}); err != nil { // it tells when the pane goes
		return err
	}
	r.subscribed = r.id
	return r.send(proto.MethodPaneWatch, proto.PaneWatch{Pane: r.pane})
}

func (r *raw) resize() {
	r.glass.Lost()
	size := r.opt.size()
	r.canvas = newCanvas(size.Cols, size.Lines)
	r.screen.spoil()
	r.send(proto.MethodPaneResize, proto.PaneResize{Pane: r.pane, Size: size}) //nolint:errcheck // the reader tells
}

// typed sends the terminal's bytes to the pane and says whether to detach.
func (r *raw) typed(b []byte) (detach bool) {
	r.glass.Key(time.Now())
	b = r.learned(b)
	data, detach := r.keys.filter(b)
	if len(data) > 0 {
		in := proto.PaneInput{Pane: r.pane, Data: data, Passive: passiveBytes().Match(data)}
		r.send(proto.MethodPaneInput, in) //nolint:errcheck // the reader tells
	}
	return detach
}

// schemeReport is the terminal's word that its colours turned dark or light.
var schemeReport = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[\?997;[12]n`) })

// learned takes out of the terminal's bytes what it tells of its colours.
func (r *raw) learned(b []byte) []byte {
	if !bytes.ContainsRune(b, 0x1b) {
		return b
	}
	fresh := false
	b = colorAnswer().ReplaceAllFunc(b, func(answer []byte) []byte {
		fresh = r.outer.learn(string(answer)) || fresh
		return nil
	})
	if fresh && r.outer.colors.Bg != "" {
		r.send(proto.MethodClientColors, r.outer.colors) //nolint:errcheck // the reader tells
	}
	if schemeReport().Match(b) {
		r.glass.Tell(questions())
		b = schemeReport().ReplaceAll(b, nil)
	}
	return b
}

// passiveBytes is input that is not the person's turn to the pane: motion,
// wheel and release of the mouse, and reports of the focus.
var passiveBytes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\x1b\[<(3[2-9]|[4-9]\d|\d{3,});\d+;\d+[Mm]|\x1b\[<\d+;\d+;\d+m|\x1b\[[IO])+$`)
})

func (r *raw) take(v any) error {
	switch v := v.(type) {
	case reply:
		var snap proto.Snapshot
		switch {
		case v.msg.Error != nil && v.msg.Error.Code == proto.CodeNoSuchPane:
			return v.msg.Error
		case v.id == r.subscribed && v.msg.Decode(&snap) == nil:
			for _, p := range snap.Panes {
				if p.ID == r.pane {
					r.outer.follow(r.glass, p, 0, r.opt.Cwd)
				}
			}
		}
	case event:
		switch d := v.data.(type) {
		case *proto.Frame:
			if d.Pane == r.pane {
				r.screen.apply(d)
			}
		case *proto.Pane:
			if d.ID == r.pane {
				r.outer.follow(r.glass, *d, 0, r.opt.Cwd)
			}
		case *proto.PaneCopied:
			r.glass.Tell(clipSequence(d.Text))
		case *proto.PaneNotice:
			if d.Pane == r.pane && d.Bell {
				r.glass.Tell("\a")
			}
		case *proto.PaneRef:
			if d.Pane == r.pane {
				return proto.Errorf(proto.CodeNoSuchPane, "pane %s is closed", r.pane)
			}
		}
	}
	return nil
}

// show paints what changed and has the terminal encode input as the
// application asked.
func (r *raw) show() {
	if m := modesOf(r.screen.modes); m != r.modes {
		r.modes = m
		r.glass.Tell(m)
	}
	for y := range r.canvas.Height() {
		if y < r.screen.lines && !r.screen.damage[y] {
			continue
		}
		r.screen.read(y, r.canvas.Lines[y])
		r.canvas.damage[y] = true
	}
	clear(r.screen.damage)
	c := r.screen.cursor
	at := paint.Cursor{X: c.X, Y: c.Y, Visible: c.Visible && c.X < r.canvas.Width() && c.Y < r.canvas.Height(), Shape: c.Shape}
	r.glass.Show(time.Now(), r.canvas.Buffer, r.canvas.damage, at)
	clear(r.canvas.damage)
}
