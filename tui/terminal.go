package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"signaltty/proto"
)

// The person's terminal: its raw mode, its size and its events. bubbletea
// would see to these itself, but only together with its renderer, whose clock
// wakes an idle screen 30 times a second.

// The modes of the terminal while the screen shows: bracketed paste, reports
// of the focus, the mouse, modifyOtherKeys and the kitty keyboard protocol
// with releases and repeats. modesOn also asks whether it knows that protocol,
// synchronized output (2026) and grapheme clusters (2027).
const (
	modesOn  = "\x1b[?2004h\x1b[?1004h" + dragOn + "\x1b[?1006h\x1b[>4;2m\x1b[>3u\x1b[?u"
	modesAsk = "\x1b[?2026$p\x1b[?2027$p"
	modesOff = "\x1b[<u\x1b[>4;0m\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1004l\x1b[?2004l"

	dragOn   = "\x1b[?1003l\x1b[?1002h" // the mouse, while a button is down
	motionOn = "\x1b[?1002l\x1b[?1003h" // and always

	clustersOn  = "\x1b[?2027h"
	clustersOff = "\x1b[?2027l"
)

// modes are what to set at the start. Apple's terminal prints a question for
// a mode.
func (o *Options) modes() string {
	if o.env("TERM_PROGRAM") == "Apple_Terminal" {
		return modesOn
	}
	return modesOn + modesAsk
}

// env is a variable of the caller's environment, "" when it is not set.
func (o *Options) env(name string) string {
	for _, v := range o.Env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// rawMode has the terminal hand over keys as they are typed, until restore.
func (o *Options) rawMode() (restore func(), err error) {
	f, ok := o.In.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return func() {}, nil
	}
	was, err := term.MakeRaw(f.Fd())
	if err != nil {
		return nil, fmt.Errorf("setting the terminal's modes: %w", err)
	}
	return func() {
		term.Restore(f.Fd(), was) //nolint:errcheck // there is nothing more to do then
	}, nil
}

// size is the terminal's size, or what was given for one that cannot be asked.
func (o *Options) size() proto.Size {
	if f, ok := o.Out.(*os.File); ok {
		if w, h, err := term.GetSize(f.Fd()); err == nil && w > 0 && h > 0 {
			return proto.Size{Cols: w, Lines: h}
		}
	}
	if o.Size.Cols > 0 && o.Size.Lines > 0 {
		return o.Size
	}
	return proto.Size{Cols: 80, Lines: 24}
}

// events gives send what comes in and its sizes, until stop. fail gets the
// error that ends the reading.
func (o *Options) events(ctx context.Context, typed io.Reader, send func(tea.Msg), fail func(error)) (stop func(), err error) {
	in, err := cancelreader.NewReader(typed)
	if err != nil {
		return nil, fmt.Errorf("reading the terminal: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	events := make(chan uv.Event)
	wg.Go(func() {
		defer close(events)
		if err := uv.NewTerminalReader(in, o.env("TERM")).StreamEvents(ctx, events); err != nil {
			fail(fmt.Errorf("reading the terminal: %w", err))
		}
	})
	wg.Go(func() {
		for e := range events {
			send(e)
		}
	})
	if f, ok := o.Out.(*os.File); ok && term.IsTerminal(f.Fd()) {
		wg.Go(func() { o.sizes(ctx, send) })
	}
	return func() {
		cancel()
		if in.Cancel() { // else what is read cannot be interrupted, and is no terminal
			wg.Wait()
		}
		in.Close() //nolint:errcheck // there is nothing more to do then
	}, nil
}

// sizes tells of every change of the terminal's size.
func (o *Options) sizes(ctx context.Context, send func(tea.Msg)) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	defer signal.Stop(changed)
	for {
		s := o.size() // it may have changed before the first signal was awaited
		send(tea.WindowSizeMsg{Width: s.Cols, Height: s.Lines})
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}
