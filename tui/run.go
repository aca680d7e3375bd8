package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signaltty/proto"
	"signaltty/tui/paint"
)

// Options are what Run needs of the world around it.
type Options struct {
	// Dial connects to a server that runs. It is called again by itself when
	// the connection is lost, and so should not start one.
	Dial Dialer
	// Start connects and starts a server if none runs; it is called when the
	// person asks for that. Nil means Dial.
	Start Dialer
	Keys  Keys      // nil means DefaultKeys
	In    io.Reader // the terminal, an *os.File
	Out   io.Writer // the terminal, an *os.File
	Env   []string  // the caller's environment, "NAME=value"
	Cwd   string    // where new panes begin when there is none to follow
	// Launch is what the picker offers; empty means the demo agent and a shell.
	Launch []Launch
	// Colors is what the terminal can show; 0 finds it out from Out and Env.
	Colors colorprofile.Profile
	// Signals end it, with the terminal left as it was; nil means SIGTERM,
	// SIGHUP and SIGINT, and an empty list none.
	Signals []os.Signal
	// Size is the first size when Out is no terminal that can be asked.
	Size proto.Size
}

// fps is how often bubbletea looks for modes to write. The picture does not
// wait for it.
const fps = 30

// Run shows the screen until the person detaches, ctx ends, or the process is
// told to end. The terminal is left as it was. It returns nil after a detach.
func Run(ctx context.Context, opt Options) error {
	ctx, cancel := endedBy(ctx, opt.Signals)
	defer cancel()
	if opt.Colors == colorprofile.Unknown {
		opt.Colors = colorprofile.Detect(opt.Out, opt.Env)
	}
	glass := paint.New(opt.Out, opt.Colors)
	defer glass.Close()

	var p *tea.Program
	l := newLink(opt.Dial, opt.Start, func(msg tea.Msg) { p.Send(msg) })
	p = tea.NewProgram(newModel(opt, l, glass),
		tea.WithContext(ctx), tea.WithInput(escaped(opt.In)), tea.WithOutput(glass.Terminal()),
		tea.WithEnvironment(opt.Env), tea.WithColorProfile(opt.Colors), tea.WithFPS(fps),
		tea.WithWindowSize(opt.Size.Cols, opt.Size.Lines), tea.WithoutSignalHandler())

	l.crash = func() { p.Kill(); glass.Close() }

	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer l.guard()
		l.run(ctx)
	})
	if _, err := p.Run(); err != nil && !(errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil) {
		return fmt.Errorf("running the screen: %w", err)
	}
	return nil
}

// endedBy is ctx, ended also by one of the signals.
func endedBy(ctx context.Context, signals []os.Signal) (context.Context, context.CancelFunc) {
	if signals == nil {
		signals = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT}
	}
	if len(signals) == 0 { // which would mean all of them
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, signals...)
}
