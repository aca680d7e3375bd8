package tui

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"signaltty/tui/paint"
)

// Desktop is a way to the person's desktop.
type Desktop string

// The ways to the desktop. Those through the terminal work over ssh too.
const (
	DesktopAuto    Desktop = "auto" // the one that the terminal is known to take, else notify-send, else none
	DesktopNone    Desktop = "none"
	DesktopOSC9    Desktop = "osc9"
	DesktopOSC99   Desktop = "osc99" // the only one that can be withdrawn
	DesktopOSC777  Desktop = "osc777"
	DesktopProgram Desktop = "notify-send"
)

// Desktops are the ways that can be configured.
var Desktops = []Desktop{DesktopAuto, DesktopOSC9, DesktopOSC99, DesktopOSC777, DesktopProgram, DesktopNone}

// desktopOf finds the way for a terminal by its environment. has says whether
// a program is on PATH.
func desktopOf(env func(string) string, has func(string) bool) Desktop {
	term, program := env("TERM"), env("TERM_PROGRAM")
	switch {
	case env("TMUX") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux"):
		// What is between eats them.
	case strings.Contains(term, "kitty") || env("KITTY_WINDOW_ID") != "" || strings.HasPrefix(term, "foot"):
		return DesktopOSC99
	case program == "ghostty" || program == "WezTerm" || strings.HasPrefix(term, "rxvt-unicode"):
		return DesktopOSC777
	case program == "iTerm.app":
		return DesktopOSC9
	}
	here := env("SSH_CONNECTION") == "" && (env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != "")
	if here && has("notify-send") {
		return DesktopProgram
	}
	return DesktopNone
}

// The most runes of a notification.
const (
	mostTitle = 80
	mostText  = 200
)

// shown is an agent's text as it goes out of the screen: on one line, nothing
// hidden, and not longer than n runes.
func shown(s string, n int) string {
	r := []rune(Visible(strings.Join(strings.Fields(s), " ")))
	if len(r) > n {
		r = append(r[:n-1], '…')
	}
	return string(r)
}

// desktopSequence is a notification for the terminal; "" for a way that is
// not through it.
func desktopSequence(d Desktop, key, title, text string) string {
	switch d {
	case DesktopOSC9:
		// It begins with no number, which would be progress.
		return "\x1b]9;" + title + ": " + text + "\a"
	case DesktopOSC777:
		return "\x1b]777;notify;" + strings.ReplaceAll(title, ";", ",") + ";" + text + "\a"
	case DesktopOSC99:
		part := func(meta, s string) string {
			return "\x1b]99;i=" + desktopID(key) + ":e=1:" + meta + ";" + base64.StdEncoding.EncodeToString([]byte(s)) + "\x1b\\"
		}
		return part("d=0:p=title", title) + part("d=1:p=body", text)
	}
	return ""
}

// desktopID is a key as OSC 99 takes ids.
func desktopID(key string) string { return "signaltty-" + strings.ReplaceAll(key, " ", "-") }

// programOf is what is run for a notification; nil for none.
func programOf(n Notify, title, text string) []string {
	switch {
	case len(n.Command) > 0:
		return append(slices.Clone(n.Command), title, text)
	case n.Desktop == DesktopProgram:
		// Its text is markup.
		return []string{"notify-send", "--app-name=signaltty", "--", title, escapeMarkup.Replace(text)}
	}
	return nil
}

var escapeMarkup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// newNotifier is how notifications leave the screen: through the terminal, or
// by a program that run starts.
func newNotifier(n Notify, glass *paint.Painter, run func([]string)) notifier {
	return notifier{
		on: n.Bell || len(n.Command) > 0 || n.Desktop != DesktopNone && n.Desktop != "",
		send: func(c call) {
			title, text := shown(c.title, mostTitle), shown(c.text, mostText)
			sequence := ""
			if argv := programOf(n, title, text); text == "" {
				// A bell has nothing to say.
			} else if argv != nil {
				run(argv)
			} else {
				sequence = desktopSequence(n.Desktop, c.key, title, text)
			}
			if n.Bell {
				sequence += "\a"
			}
			if sequence != "" {
				glass.Tell(sequence)
			}
		},
		withdraw: func(key string) {
			if n.Desktop == DesktopOSC99 && len(n.Command) == 0 {
				glass.Tell("\x1b]99;i=" + desktopID(key) + ":p=close;\x1b\\")
			}
		},
	}
}

// Bounds of the programs that notify.
const (
	programWait    = 5 * time.Second
	programBacklog = 16
)

// programs runs the programs that notify, one after the other.
type programs struct {
	queue  chan []string
	failed func(error) // told the first failure
}

func newPrograms(failed func(error)) *programs {
	return &programs{queue: make(chan []string, programBacklog), failed: failed}
}

// add queues a program. What does not fit is dropped: it is only a hint.
func (p *programs) add(argv []string) {
	select {
	case p.queue <- argv:
	default:
	}
}

func (p *programs) run(ctx context.Context) {
	told := false
	for {
		select {
		case <-ctx.Done():
			return
		case argv := <-p.queue:
			if err := runProgram(ctx, argv); err != nil && ctx.Err() == nil && !told {
				told = true
				p.failed(err)
			}
		}
	}
}

// runProgram runs a program whose output nobody reads. Its time over, or the
// screen closed, its whole group is killed.
func runProgram(ctx context.Context, argv []string) error {
	ctx, cancel := context.WithTimeout(ctx, programWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.Canceled) {
		err = fmt.Errorf("it did not end within %v", programWait)
	}
	if err != nil {
		return fmt.Errorf("notifying with %s: %w", argv[0], err)
	}
	return nil
}
