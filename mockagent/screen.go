package mockagent

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
)

// The titles, as Claude Code sets them: a person at work shows otherwise than one who waits.
const (
	titleWaiting = "✳ Demo agent"
	titleWorking = "⠂ Demo agent"
	titleToo     = "⠐ Demo agent"
)

// screen draws the agent: a transcript that scrolls, and below it a live part
// (spinner, dialog, input box) that is drawn again in place. Without a
// terminal it prints the transcript only.
type screen struct {
	out        io.Writer
	file       *os.File
	onTerminal bool
	colour     bool
	cols       int
	lines      int

	transcript []string // as printed, to draw again after a resize
	below      []string // the live part
	drawn      int      // lines of the live part on the terminal
	title      string
	prompt     string // the text in the input box
	hint       string
	frame      int // of the spinner
}

// maxTranscript is how many lines a redraw can need.
const maxTranscript = 200

func newScreen(stdout *os.File, onTerminal bool) *screen {
	s := &screen{
		out: stdout, file: stdout, onTerminal: onTerminal, cols: 80, lines: 24,
		colour: onTerminal && os.Getenv("NO_COLOR") == "",
	}
	if onTerminal {
		s.measure()
		s.emit("\x1b[?25l\x1b[?2004h")
	}
	return s
}

func (s *screen) close() {
	if s.onTerminal {
		s.live(nil)
		s.emit("\x1b[?2004l\x1b[?25h\x1b]0;\x07")
	}
}

func (s *screen) measure() {
	if cols, lines, err := term.GetSize(s.file.Fd()); err == nil && cols > 0 && lines > 0 {
		s.cols, s.lines = cols, lines
	}
}

// emit writes bytes as they are.
func (s *screen) emit(text string) { io.WriteString(s.out, text) }

// print adds to the transcript, above the live part.
func (s *screen) print(text string) {
	var lines []string
	for line := range strings.Lines(text + "\n") {
		lines = append(lines, wrap(strings.TrimRight(line, "\r\n"), s.cols)...)
	}
	s.transcript = append(s.transcript, lines...)
	if n := len(s.transcript) - maxTranscript; n > 0 {
		s.transcript = s.transcript[n:]
	}
	if !s.onTerminal {
		s.emit(strings.Join(lines, "\n") + "\n")
		return
	}
	s.draw(lines)
}

// paragraph is print after an empty line.
func (s *screen) paragraph(text string) { s.print("\n" + text) }

// live sets the live part; nil takes it away.
func (s *screen) live(lines []string) {
	s.below = lines
	if s.onTerminal {
		s.draw(nil)
	}
}

// draw writes one frame: what is new of the transcript in the place of the
// live part, and the live part below it.
func (s *screen) draw(added []string) {
	var b strings.Builder
	b.WriteString("\x1b[?2026h\r")
	if s.drawn > 1 {
		fmt.Fprintf(&b, "\x1b[%dA", s.drawn-1)
	}
	b.WriteString("\x1b[J")
	for _, line := range added {
		b.WriteString(s.paint(line) + "\r\n")
	}
	below := s.below
	if most := max(s.lines-1, 1); len(below) > most {
		below = below[len(below)-most:] // the question stands at the end
	}
	for i, line := range below {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(s.paint(cut(line, s.cols)))
	}
	s.drawn = len(below)
	b.WriteString("\x1b[?2026l")
	s.emit(b.String())
}

// resize draws everything again at the terminal's new size.
func (s *screen) resize() {
	s.measure()
	keep := max(s.lines-len(s.below)-1, 0)
	tail := s.transcript[max(len(s.transcript)-keep, 0):]
	s.emit("\x1b[H\x1b[2J")
	s.drawn = 0
	s.draw(tail)
}

func (s *screen) setTitle(title string) {
	if s.onTerminal && s.title != title {
		s.title = title
		s.emit("\x1b]0;" + title + "\x07")
	}
}

func (s *screen) header(cwd string) {
	s.print(strings.Join(box([]string{
		styleBold + "✻ Demo agent",
		styleDim + "  scripted: nothing it says it runs is run",
		styleDim + "  " + cwd,
	}, min(s.cols, 60)), "\n"))
}

// spin draws the spinner; since is how long the turn has been going.
func (s *screen) spin(since time.Duration) {
	s.frame++
	title := titleWorking
	if s.frame/8%2 == 1 {
		title = titleToo
	}
	s.setTitle(title)
	glyph := []rune("·✢✳✶✻✽")[s.frame%6]
	text := fmt.Sprintf("%s%c Working…", styleAccent, glyph)
	if since > 0 {
		text += fmt.Sprintf(" (%ds)", int(since.Seconds()))
	}
	s.live(append([]string{"", text, ""}, s.input()...))
}

// idle draws the prompt with a hint.
func (s *screen) idle(hint string) {
	s.hint = hint
	s.typed("")
}

func (s *screen) typed(text string) {
	s.setTitle(titleWaiting)
	s.prompt = text
	s.live(append(append([]string{""}, s.input()...), styleDim+"  "+s.hint))
	s.prompt = ""
}

func (s *screen) input() []string {
	return box([]string{"> " + s.prompt + styleReverse + " "}, s.cols)
}

// dialog draws a permission dialog.
func (s *screen) dialog(a Ask, selected int) {
	s.setTitle(titleWaiting)
	lines := []string{styleBold + a.heading(), ""}
	body := a.body()
	if most := max(s.lines-12, 2); len(body) > most {
		more := len(body) - most + 1
		body = append(body[:most-1:most-1], fmt.Sprintf("%s  … %d more lines", styleDim, more))
	}
	lines = append(lines, body...)
	lines = append(lines, "", "Do you want to proceed?")
	for i, option := range []string{"1. Yes", "2. No (esc)"} {
		if i == selected {
			lines = append(lines, styleAccent+"❯ "+option)
		} else {
			lines = append(lines, "  "+option)
		}
	}
	s.live(append([]string{""}, box(lines, s.cols)...))
}
