package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"signaltty/proto"
)

// The model's own messages.
type (
	// paintMsg says that the time of a picture has come.
	paintMsg struct{}
	// secondMsg moves ages, countdowns and notes on.
	secondMsg struct{}
	// callMsg says that a call of the person is due.
	callMsg struct{}
	// failedMsg is what went wrong beside the screen.
	failedMsg struct{ err error }
)

func (m *model) Init() tea.Cmd {
	m.glass.Begin(begin+questions(), undo)
	return nil
}

// Update takes one message. What follows from it for the layout, the bar and
// the clocks is worked out once, at the end.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	if m.moved {
		m.moved = false
		m.arrange()
	}
	m.pickDecision()
	cmds := append(m.later, cmd, m.wake())
	m.later = nil
	return m, tea.Batch(cmds...)
}

// wake asks for the ticks that the screen needs.
func (m *model) wake() tea.Cmd {
	var cmds []tea.Cmd
	if wait := m.glass.Wait(m.now()); wait > 0 && !m.ticking && m.changed() {
		m.ticking = true
		cmds = append(cmds, tea.Tick(wait, func(time.Time) tea.Msg { return paintMsg{} }))
	}
	if !m.clocked && (m.bar.id != "" || m.note.text != "") {
		m.clocked = true
		cmds = append(cmds, tea.Tick(time.Second, func(time.Time) tea.Msg { return secondMsg{} }))
	}
	if at := m.notify.next(); !at.IsZero() && !m.notify.tick {
		m.notify.tick = true
		cmds = append(cmds, tea.Tick(at.Sub(m.now()), func(time.Time) tea.Msg { return callMsg{} }))
	}
	return tea.Batch(cmds...)
}

// changed says whether there is anything to draw.
func (m *model) changed() bool {
	if m.stale {
		return true
	}
	for _, s := range m.screens {
		if s.partial {
			continue
		}
		for _, d := range s.damage {
			if d {
				return true
			}
		}
	}
	return false
}

func (m *model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case paintMsg:
		m.ticking = false
	case secondMsg:
		m.clocked = false
		m.stale = true
		if m.note.text != "" && !m.now().Before(m.note.until) {
			m.note = note{}
		}
	case callMsg:
		m.notify.tick = false
		m.notify.sendDue(m.now())
	case failedMsg:
		m.say(Visible(msg.err.Error()), noteBad)
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case linkUp:
		m.connected(msg)
	case linkDown:
		m.disconnected(msg)
	case reply:
		m.replied(msg)
	case found:
		m.foundHits(msg)
	case opened:
		if msg.err != nil {
			m.say(Visible(msg.err.Error()), noteBad)
		}
	case event:
		m.arrived(msg)
	case tea.KeyPressMsg:
		m.glass.Key(m.now())
		return m.keyDown(tea.Key(msg))
	case tea.KeyReleaseMsg:
		m.keyUp(tea.Key(msg))
	case tea.PasteMsg:
		m.glass.Key(m.now())
		m.paste(m.pastes.of(msg.Content))
	case tea.MouseMsg:
		return m.mouse(msg)
	case tea.FocusMsg:
		m.terminalFocus(true)
	case tea.BlurMsg:
		m.terminalFocus(false)
	default:
		m.learn(msg)
	}
	return nil
}

// learn takes what the terminal tells of itself.
func (m *model) learn(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		m.theme = themeFor(msg.IsDark())
		m.bar.inkWidth = 0
		m.stale = true
		m.learned(set(&m.outer.colors.Bg, msg.Color))
	case tea.ForegroundColorMsg:
		m.learned(set(&m.outer.colors.Fg, msg.Color))
	case tea.CursorColorMsg:
		m.learned(set(&m.outer.colors.Cursor, msg.Color))
	case uv.UnknownOscEvent:
		m.learned(m.outer.learn(string(msg)))
	case uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		m.glass.Tell(questions())
	case tea.ColorProfileMsg:
		m.glass.SetProfile(msg.Profile)
	case tea.KeyboardEnhancementsMsg:
		m.kitty = msg.SupportsKeyDisambiguation()
		m.events = msg.SupportsEventTypes()
	case tea.ModeReportMsg:
		switch {
		case msg.Mode == ansi.ModeSynchronizedOutput:
			m.glass.SetSync(msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet)
		case msg.Mode == ansi.ModeUnicodeCore && msg.Value == ansi.ModeReset:
			m.glass.Begin(clustersOn, clustersOff)
		}
	}
}

// learned passes a colour on that the terminal told anew.
func (m *model) learned(fresh bool) {
	if fresh {
		m.tellColors()
	}
}

func (m *model) resize(cols, lines int) {
	if cols < 1 || lines < 1 {
		return
	}
	m.glass.Lost()
	m.cols, m.rows = cols, lines
	m.canvas = newCanvas(cols, lines)
	m.stale, m.moved = true, true
}

func (m *model) connected(up linkUp) {
	m.world = worldOf(up.snapshot)
	m.online, m.ever, m.person = true, true, up.welcome.Person
	m.screens, m.sized = map[string]*screen{}, map[string]proto.Size{}
	m.awaited = map[uint64]func(proto.Message){}
	m.sentTo = map[string]string{}
	m.callsOf(m.now())
	m.bar.sending = ""
	m.stale, m.moved = true, true
	m.learnAnswer()
	m.tellColors()
	if !up.welcome.Person {
		m.say("an agent runs above this terminal: it may look and not touch", noteBad)
	}
}

func (m *model) disconnected(down linkDown) {
	m.online, m.gone = false, down
	m.world = world{}
	m.screens, m.sized = map[string]*screen{}, map[string]proto.Size{}
	if m.bar.draft != nil || m.bar.focused {
		m.stray.begin(m.now())
	}
	m.bar, m.dialog, m.frozen, m.prefixed = bar{}, nil, nil, false
	m.stale, m.moved = true, true
}
