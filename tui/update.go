package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"signaltty/proto"
)

// The model's own messages.
type (
	// paintMsg says that the time of a picture has come.
	paintMsg struct{}
	// secondMsg moves ages, countdowns and notes on.
	secondMsg struct{}
)

func (m *model) Init() tea.Cmd { return tea.RequestBackgroundColor }

// Update takes one message. What follows from it for the layout, the bar and
// the clocks is worked out once, at the end.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	if m.moved {
		m.moved = false
		m.arrange()
	}
	m.pickDecision()
	return m, tea.Batch(cmd, m.wake())
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
	return tea.Batch(cmds...)
}

// changed says whether there is anything to draw.
func (m *model) changed() bool {
	if m.stale {
		return true
	}
	for _, s := range m.screens {
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
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case linkUp:
		m.connected(msg)
	case linkDown:
		m.disconnected(msg)
	case batch:
		for _, v := range msg {
			m.arrived(v)
		}
	case tea.KeyPressMsg:
		m.glass.Key(m.now())
		return m.keyDown(tea.Key(msg))
	case tea.KeyReleaseMsg:
		m.keyUp(tea.Key(msg))
	case tea.PasteMsg:
		m.glass.Key(m.now())
		m.paste(msg.Content)
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
		m.stale = true
	case tea.ColorProfileMsg:
		m.glass.SetProfile(msg.Profile)
	case tea.KeyboardEnhancementsMsg:
		m.kitty = msg.SupportsKeyDisambiguation()
		m.events = msg.SupportsEventTypes()
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeSynchronizedOutput {
			m.glass.SetSync(msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet)
		}
	}
}

func (m *model) resize(cols, lines int) {
	if cols < 1 || lines < 1 {
		return
	}
	m.cols, m.rows = cols, lines
	m.canvas = newCanvas(cols, lines)
	m.stale, m.moved = true, true
}

func (m *model) connected(up linkUp) {
	m.world = worldOf(up.snapshot)
	m.online, m.ever = true, true
	m.screens, m.sized = map[string]*screen{}, map[string]proto.Size{}
	m.awaited = map[uint64]func(proto.Message){}
	m.sentTo = map[string]string{}
	m.bar.sending = ""
	m.stale, m.moved = true, true
	if !up.welcome.Person {
		m.say("an agent runs above this terminal: it may look and not touch", noteBad)
	}
}

func (m *model) disconnected(down linkDown) {
	m.online, m.gone = false, down
	m.world = world{}
	m.screens, m.sized = map[string]*screen{}, map[string]proto.Size{}
	m.bar, m.dialog, m.frozen, m.prefixed = bar{}, nil, nil, false
	m.stale, m.moved = true, true
}

// arrived takes one message of the server.
func (m *model) arrived(v any) {
	switch v := v.(type) {
	case reply:
		if then := m.awaited[v.id]; then != nil {
			delete(m.awaited, v.id)
			then(v.msg)
		}
	case event:
		if f, ok := v.data.(*proto.Frame); ok {
			m.frame(f)
			return
		}
		m.stale = true
		m.told(v)
	}
}

func (m *model) frame(f *proto.Frame) {
	s := m.screens[f.Pane]
	if s == nil {
		return // it was on its way when the pane went out of sight
	}
	was := s.modes
	s.apply(f)
	if f.Pane == m.focus && was.FocusEvents != s.modes.FocusEvents && s.modes.FocusEvents {
		m.tellFocus(f.Pane, !m.away)
	}
}

// told takes an event of the state.
func (m *model) told(e event) {
	switch d := e.data.(type) {
	case *proto.Pane:
		m.panes[d.ID] = *d
		m.moved = true
		m.look()
	case *proto.PaneRef:
		delete(m.panes, d.Pane)
		delete(m.screens, d.Pane)
		delete(m.sized, d.Pane)
		m.moved = true
	case *proto.Workspace:
		m.setWorkspace(*d)
		m.moved = true
	case *proto.WorkspaceRef:
		m.dropWorkspace(d.Workspace)
		m.moved = true
	case *proto.PaneNotice:
		if d.Title+d.Body != "" && d.Pane != m.focus {
			m.say(visible(label(m.panes[d.Pane])+": "+d.Title+" "+d.Body), notePlain)
		}
	case *proto.Decision:
		m.setDecision(*d)
	case *proto.DecisionEnded:
		m.ended(d)
	case *proto.DecisionConfirmed:
		if what, ok := m.sentTo[d.Decision]; ok {
			delete(m.sentTo, d.Decision)
			m.say("✓ "+what+" · the agent took it", noteGood)
		}
	case *proto.Trouble:
		m.trouble = d.Message
	}
}

// endings is what each ending is called.
var endings = map[proto.End]string{
	proto.EndRule: "answered by a rule", proto.EndMovedOn: "the agent moved on", proto.EndTurnedTo: "left to the pane: you typed there",
	proto.EndHandedBack: "handed back to its own dialog", proto.EndHoldClosed: "the agent's hook went away",
	proto.EndAgentDied: "the agent died", proto.EndDeadline: "its time was up", proto.EndPaneExited: "its pane exited",
	proto.EndPaneClosed: "its pane was closed", proto.EndServerStop: "the server stops",
	proto.EndServerLost: "the server was lost", proto.EndUnavailable: "the verdict could not be sent",
}

// sentCap bounds the answers whose confirmation is awaited.
const sentCap = 64

func (m *model) ended(e *proto.DecisionEnded) {
	d, ok := m.dropDecision(e.Decision)
	if !ok {
		return
	}
	what := visible(d.Agent + " " + d.Tool)
	if e.End != proto.EndAnswered {
		kind := notePlain
		if e.End == proto.EndUnavailable {
			kind = noteBad
		}
		m.say(what+": "+endings[e.End], kind)
		return
	}
	answer := e.Option
	if o, ok := optionOf(&d, e.Option); ok {
		answer = visible(o.Label)
	}
	what += ": " + answer
	if len(m.sentTo) >= sentCap {
		clear(m.sentTo)
	}
	m.sentTo[e.Decision] = what
	m.say("→ "+what+" · sent", notePlain)
}
