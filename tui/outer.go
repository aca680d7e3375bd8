package tui

import (
	"encoding/base64"
	"fmt"
	"image/color"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"signaltty/proto"
	"signaltty/tui/paint"
)

// outer is what the terminal around the screen was told, and what it told.
type outer struct {
	title    string
	cwd      string
	progress proto.Progress
	colors   proto.ClientColors
	quiet    time.Time // no bell passes through before then

	progressed bool // it was told progress once
}

// paletteSize is how many colours of its palette the terminal is asked for:
// those that themes change.
const paletteSize = 16

// questions asks the terminal for its colours, the background last: when that
// is answered the others are, in a terminal that tells them. They end in BEL,
// and so do the answers: an ESC at the end of what was read looks like a key.
func questions() string {
	var b strings.Builder
	for n := range paletteSize {
		fmt.Fprintf(&b, "\x1b]4;%d;?\a", n)
	}
	b.WriteString("\x1b]10;?\a\x1b]12;?\a\x1b]11;?\a")
	return b.String()
}

// begin keeps the terminal's title for the end and asks to be told when its
// colours turn dark or light (mode 2031); undo takes that back.
const (
	begin = "\x1b[22;2t\x1b[?2031h"
	undo  = "\x1b[?2031l\x1b]2;\a\x1b[23;2t"
)

// follow has the terminal's title, directory and progress follow a pane; cwd
// is the directory that it gets back in the end.
func (o *outer) follow(glass *paint.Painter, p proto.Pane, waiting int, cwd string) {
	title := "signaltty"
	if p.ID != "" {
		title = Visible(label(p)) + " · signaltty"
		if p.Title != "" {
			title = Visible(p.Title) + " · " + title
		}
	}
	if waiting > 0 {
		title = "(" + itoa(waiting) + " waiting) " + title
	}
	if title != o.title {
		o.title = title
		glass.Tell(ansi.SetWindowTitle(title))
	}
	if p.Cwd != "" && p.Cwd != o.cwd {
		if o.cwd == "" && cwd != "" {
			glass.Begin("", cwdSequence(cwd))
		}
		o.cwd = p.Cwd
		glass.Tell(cwdSequence(p.Cwd))
	}
	if p.Progress != o.progress {
		if !o.progressed {
			o.progressed = true
			glass.Begin("", progressSequence(proto.Progress{}))
		}
		o.progress = p.Progress
		glass.Tell(progressSequence(p.Progress))
	}
}

// cwdSequence is OSC 7. The server's panes are on this machine.
func cwdSequence(dir string) string {
	host, _ := os.Hostname() // without one, "" is this machine too
	u := url.URL{Scheme: "file", Host: host, Path: dir}
	return "\x1b]7;" + u.String() + "\a"
}

// progressSequence is OSC 9;4.
func progressSequence(p proto.Progress) string {
	n := map[string]int{"normal": 1, "error": 2, "indeterminate": 3, "paused": 4}[p.State]
	return fmt.Sprintf("\x1b]9;4;%d;%d\a", n, p.Percent)
}

// clip puts text on the terminal's clipboard.
func (m *model) clip(text string) { m.glass.Tell(clipSequence(text)) }

// clipSequence is OSC 52.
func clipSequence(text string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
}

// copied takes what the application of a pane wrote to the clipboard. One that
// the person does not look at must not put there what is pasted next.
func (m *model) copied(c *proto.PaneCopied) {
	name := Visible(label(m.panes[c.Pane]))
	if c.Pane != m.focus {
		m.say(name+" wanted to write the clipboard; only the focused pane may", notePlain)
		return
	}
	m.clip(c.Text)
	m.say(name+" copied "+counted(c.Text), notePlain)
}

// counted is how much text is copied.
func counted(text string) string {
	if n := len([]rune(text)); n != 1 {
		return itoa(n) + " characters"
	}
	return "1 character"
}

// bellGap is the least time between two bells that pass through.
const bellGap = time.Second

// notice takes a bell or a notification of a pane. What the person looks at
// rings as it would without us, a text of another pane is a note here; who
// looks elsewhere is called.
func (m *model) notice(n *proto.PaneNotice) {
	m.callForNotice(n)
	if text := strings.TrimSpace(n.Title + " " + n.Body); text != "" && n.Pane != m.focus {
		m.say(Visible(label(m.panes[n.Pane])+": "+text), notePlain)
	}
	if now := m.now(); n.Bell && n.Pane == m.focus && !m.away && !now.Before(m.outer.quiet) {
		m.outer.quiet = now.Add(bellGap)
		m.glass.Tell("\a")
	}
}

// colorAnswer is an answer to one of the questions.
var colorAnswer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b\](?:4;(\d+)|(1[0-2]));([^\x07\x1b]*)(?:\x07|\x1b\\)`)
})

// learn takes an answer, and says whether it tells something new.
func (o *outer) learn(answer string) (fresh bool) {
	m := colorAnswer().FindStringSubmatch(answer)
	if m == nil {
		return false
	}
	c := ansi.XParseColor(m[3])
	if c == nil {
		return false
	}
	if m[2] != "" {
		return set(map[string]*string{"10": &o.colors.Fg, "11": &o.colors.Bg, "12": &o.colors.Cursor}[m[2]], c)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n >= paletteSize {
		return false
	}
	if len(o.colors.Palette) != paletteSize {
		o.colors.Palette = make([]string, paletteSize)
	}
	return set(&o.colors.Palette[n], c)
}

// set notes a colour and says whether it is another one than before.
func set(to *string, c color.Color) (fresh bool) {
	was := *to
	*to = hex(c)
	return *to != was
}

// tellColors tells the server, once the background is known.
func (m *model) tellColors() {
	if m.online && m.outer.colors.Bg != "" && m.person {
		m.post(proto.MethodClientColors, m.outer.colors)
	}
}

func hex(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
