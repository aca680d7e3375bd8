package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

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
	Keys  Keys // nil means DefaultKeys
	// Notify is how the person is called.
	Notify Notify
	In     io.Reader // the terminal, an *os.File
	Out    io.Writer // the terminal, an *os.File
	Env    []string  // the caller's environment, "NAME=value"
	Cwd    string    // where new panes begin when there is none to follow
	// Launch is what the picker offers; empty means the demo agent and a shell.
	Launch []Launch
	// Note is shown for a moment at the start.
	Note string
	// Open opens an address in the person's browser; nil means that there is none.
	Open func(address string) error
	// Colors is what the terminal can show; 0 finds it out from Out and Env.
	Colors colorprofile.Profile
	// Signals end it, with the terminal left as it was; nil means SIGTERM,
	// SIGHUP and SIGINT, and an empty list none. On a real terminal SIGQUIT
	// and SIGABRT always do.
	Signals []os.Signal
	// Size is the first size when Out is no terminal that can be asked.
	Size proto.Size
}

// crashWait is how long a panic waits for the terminal to be put right.
const crashWait = time.Second

// Run shows the screen until the person detaches, ctx ends, or the process is
// told to end. The terminal is left as it was. It returns nil after a detach,
// and an error that names the signal after one.
func Run(ctx context.Context, opt Options) error {
	if err := opt.Drawable(); err != nil {
		return err
	}
	ctx, cancel := opt.endedBy(ctx)
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	opt.detect()
	restore, err := opt.rawMode()
	if err != nil {
		return err
	}
	glass := paint.New(opt.Out, opt.Colors)
	leave := sync.OnceFunc(func() { glass.Close(); restore() })
	defer leave()
	glass.Enter(opt.modes(), modesOff)

	var p *tea.Program
	l := newLink(opt.Dial, opt.Start, func(msg tea.Msg) { p.Send(msg) })
	beside := newPrograms(func(err error) { p.Send(failedMsg{err}) })
	m := newModel(opt, l, glass).notifying(beside)
	p = opt.program(m)

	// Not by tea.WithContext: that kills, and does not wait for who still reads
	// the terminal.
	defer context.AfterFunc(ctx, p.Quit)()
	ran := make(chan struct{})
	l.crash = func() {
		cancel() // ends the program in its own order, also one that only begins
		select {
		case <-ran:
		case <-time.After(crashWait):
			p.Kill()
		}
		leave()
	}

	stop, err := opt.events(ctx, m.reads(opt.In), func(msg tea.Msg) { p.Send(msg) }, fail)
	if err != nil {
		return err
	}
	defer stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer l.guard()
		l.run(ctx)
	})
	wg.Go(func() { beside.run(ctx) })
	wg.Go(func() { stopClock(p) })
	_, err = p.Run()
	close(ran)
	if err != nil && !(errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil) {
		return fmt.Errorf("running the screen: %w", err)
	}
	return why(ctx)
}

// notifying has the model call the person, by programs where it takes one.
func (m *model) notifying(beside *programs) *model {
	m.notify = newNotifier(m.opt.notify(), m.glass, beside.add)
	return m
}

// notify is how the person is called, with the terminal's own way found out.
func (o *Options) notify() Notify {
	n := o.Notify
	if n.Desktop == DesktopAuto {
		n.Desktop = desktopOf(func(name string) string {
			for _, entry := range slices.Backward(o.Env) {
				if value, ok := strings.CutPrefix(entry, name+"="); ok {
					return value
				}
			}
			return ""
		}, func(program string) bool { _, err := exec.LookPath(program); return err == nil })
	}
	return n
}

// program is bubbletea with its loop alone: the terminal is ours, in and out.
// A panic goes on, to where the terminal is put right.
func (o *Options) program(m *model) *tea.Program {
	size := o.size()
	return tea.NewProgram(m, tea.WithoutRenderer(), tea.WithInput(strings.NewReader("")), tea.WithOutput(io.Discard),
		tea.WithEnvironment(o.Env), tea.WithColorProfile(o.Colors), tea.WithWindowSize(size.Cols, size.Lines),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics())
}

// stopClock stops the clock of bubbletea's renderer, which ticks even where there
// is none: it ends with the terminal's release, and this one was never taken.
func stopClock(p *tea.Program) {
	p.Send(nil)         // taken when the loop runs, and the clock with it
	p.ReleaseTerminal() //nolint:errcheck // it would be about the terminal
}

// detect finds out what colours the terminal shows, unless that is given.
func (o *Options) detect() {
	if o.Colors == colorprofile.Unknown {
		o.Colors = colorprofile.Detect(o.Out, o.Env)
	}
}

// Drawable says why the terminal can show no screen.
func (o *Options) Drawable() error {
	if o.env("TERM") == "dumb" {
		return errors.New("this terminal cannot show a screen (TERM is dumb); use another one, or `signaltty ls`, `decisions` and `answer`")
	}
	return nil
}

// endedBy is ctx, ended also by a signal, which is its cause then.
func (o *Options) endedBy(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := slices.Clone(o.Signals)
	if signals == nil {
		signals = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT}
	}
	if f, ok := o.Out.(*os.File); ok && term.IsTerminal(f.Fd()) {
		signals = append(signals, syscall.SIGQUIT, syscall.SIGABRT) // Go ends by them at once, in raw mode
	}
	if len(signals) == 0 { // which would mean all of them
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, signals...)
}

// why names the signal that ended ctx; nil when there was none.
func why(ctx context.Context) error {
	cause := context.Cause(ctx)
	if cause == nil || cause == ctx.Err() {
		return nil
	}
	return fmt.Errorf("the screen was ended: %w", cause)
}
