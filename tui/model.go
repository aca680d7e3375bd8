package tui

import (
	"image"
	"time"

	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
	"signaltty/tui/paint"
)

// model is all that the screen shows and all that a person can change there.
// Update changes it and does nothing else; what it wants of the server it
// posts to the link.
type model struct {
	world
	opt   Options
	keys  Keys
	now   func() time.Time
	glass *paint.Painter
	link  poster

	// The server.
	online  bool
	person  bool     // the server takes this terminal for the person's
	gone    linkDown // why it is not online
	ever    bool     // it was online once
	nextID  uint64
	awaited map[uint64]func(proto.Message)

	// Where things stand.
	cols, rows int
	theme      theme
	canvas     *canvas
	plan       plan
	sideRows   []string // the pane in each row of the sidebar; "" for none
	noSidebar  bool
	focus      string // the focused pane; "" when there is none
	zoomed     bool
	screens    map[string]*screen    // of the visible panes
	sized      map[string]proto.Size // what the panes were told last
	stale      bool                  // everything is to be drawn anew
	moved      bool                  // the layout may have changed
	ticking    bool                  // a picture waits for its time
	clocked    bool                  // the second hand runs

	// What a person is doing.
	bar      bar
	dialog   dialog // over everything; nil when none is open
	stray    stray
	frozen   *frozen
	prefixed bool
	pressed  Chord         // the key that is being handled
	eaten    map[rune]bool // keys that are down and were ours
	kitty    bool          // the terminal speaks the kitty keyboard protocol
	events   bool          // and reports releases and repeats
	away     bool          // the terminal has lost the focus
	motion   bool          // the terminal reports every movement of the mouse
	note     note
	caret    image.Point // of a text input; valid when one is open
	leaving  bool
	unsure   *proto.DecisionAnswer // given, and neither accepted nor refused yet
	sentTo   map[string]string     // ended decisions that the agent has not confirmed
	drag     drag
	outer    outer
	pastes   *pastes   // taken out of the input; nil when it has them
	later    []tea.Cmd // what a reply led to
	notify   notifier
}

// poster takes requests to the server.
type poster interface {
	post(request) bool
	retry()
}

// note is a line for the person that goes by itself.
type note struct {
	text  string
	kind  noteKind
	until time.Time
}

type noteKind int

const (
	notePlain noteKind = iota
	noteGood
	noteBad
)

// noteTime is how long a note stays.
const noteTime = 5 * time.Second

func newModel(opt Options, link poster, glass *paint.Painter) *model {
	m := &model{
		opt: opt, keys: opt.Keys, now: time.Now, glass: glass, link: link,
		nextID: 2, awaited: map[uint64]func(proto.Message){},
		theme: themeFor(true), canvas: newCanvas(1, 1),
		screens: map[string]*screen{}, sized: map[string]proto.Size{},
		eaten: map[rune]bool{}, sentTo: map[string]string{},
	}
	if m.keys == nil {
		m.keys = DefaultKeys()
	}
	if opt.Note != "" {
		m.say(opt.Note, notePlain)
	}
	return m
}

// say puts a note on the status line.
func (m *model) say(text string, kind noteKind) {
	m.note = note{text, kind, m.now().Add(noteTime)}
	m.stale = true
}

// post sends a request whose answer only matters when it is an error.
func (m *model) post(method string, params any) {
	m.ask(method, params, func(r proto.Message) {
		if r.Error != nil {
			m.say(r.Error.Message, noteBad)
		}
	})
}

// ask sends a request; then gets its reply, in Update.
func (m *model) ask(method string, params any, then func(proto.Message)) {
	if !m.online {
		m.say("there is no server to send this to", noteBad)
		return
	}
	id := m.nextID
	m.nextID++
	if !m.link.post(request{id, method, params}) {
		m.say("the server does not keep up; this was not sent", noteBad)
		return
	}
	m.awaited[id] = then
}

// focused is the screen and the tile of the focused pane.
func (m *model) focused() (*screen, tile, bool) {
	s := m.screens[m.focus]
	t, ok := m.plan.tile(m.focus)
	return s, t, ok && s != nil
}

// View shows the picture by way of paint. bubbletea, which asks for it after
// every message, draws nothing itself.
func (m *model) View() tea.View {
	m.followMouse()
	m.show()
	return tea.View{}
}

// followMouse has the terminal report the mouse as the focused pane's
// application wants it: when it moves, or only when a button is down.
func (m *model) followMouse() {
	s, _, ok := m.focused()
	motion := ok && s.modes.Mouse == 1003
	switch {
	case motion && !m.motion:
		m.glass.Tell(motionOn)
	case !motion && m.motion:
		m.glass.Tell(dragOn)
	}
	m.motion = motion
}

// show brings the picture to the terminal when its time has come.
func (m *model) show() {
	now := m.now()
	if m.cols == 0 || m.glass.Wait(now) > 0 {
		return
	}
	if m.stale {
		m.outer.follow(m.glass, m.panes[m.focus], len(m.decisions), m.opt.Cwd)
	}
	if !m.draw() {
		return
	}
	m.glass.Show(now, m.canvas.Buffer, m.canvas.damage, m.cursor())
	clear(m.canvas.damage)
	m.bar.settle(now, m.dialog != nil)
}
