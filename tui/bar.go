package tui

import (
	"crypto/rand"
	"image"
	"time"

	"signaltty/proto"
)

const (
	// grace is how long a decision stands on the screen before it takes an
	// answer, so that a key meant for something else cannot give one.
	grace = 300 * time.Millisecond
	// holdGap is how long after an answer the same key is taken for one that
	// is still held down, where the terminal does not tell a repeat from a
	// press.
	holdGap = strayGap
)

// bar is the decision bar: one decision over the panes.
type bar struct {
	id string // what it shows; "" when nothing waits
	// painted is the decision that stood on the screen after the last
	// picture, and since when, or since when it was last pressed too soon.
	painted string
	since   time.Time

	focused  bool // bare letters and arrows are the bar's
	hidden   bool // the person looks at what is under it
	expanded bool
	top      int      // the first row in sight, of an expanded bar
	rows     int      // of the detail, as last drawn
	page     int      // rows in sight, as last drawn
	seen     int      // rows from the first on that have been in sight
	below    bool     // it stands at the bottom, not at the top
	moved    bool     // and has changed sides once
	ink      []inkRow // the detail, laid out for inkWidth
	inkWidth int
	area     image.Rectangle
	buttons  []button
	sending  string // the option that is under way
	draft    draft  // an answer that is being written; nil otherwise
	about    proto.Decision
	form     *form // the answers to its questions so far; nil before the first

	// The key that answered last and when it was last pressed.
	answerKey Chord
	answerAt  time.Time
}

// button is where a choice can be clicked.
type button struct {
	choice
	area image.Rectangle
}

// shown is the decision of the bar.
func (m *model) shown() (proto.Decision, int) {
	if m.bar.id == "" {
		return proto.Decision{}, -1
	}
	return m.world.decision(m.bar.id)
}

// pickDecision keeps the bar on its decision while that waits. Else the first
// of the focused pane comes, else the first of all.
func (m *model) pickDecision() {
	if _, i := m.shown(); i >= 0 {
		return
	}
	next := ""
	for _, d := range m.decisions {
		if next == "" || d.Pane == m.focus {
			next = d.ID
			if d.Pane == m.focus {
				break
			}
		}
	}
	m.showDecision(next)
}

// showDecision turns the bar to a decision; it keeps the focus only from one
// to the next, and stays where it is while an answer is written.
func (m *model) showDecision(id string) {
	if id == m.bar.id || m.bar.draft != nil && m.bar.sending == "" {
		return
	}
	was := m.bar
	m.bar = bar{id: id, painted: was.painted, since: was.since, answerKey: was.answerKey, answerAt: was.answerAt}
	m.bar.focused = was.focused && id != ""
	if was.focused && id == "" {
		m.stray.begin(m.now())
	}
	m.stale = true
	m.fetchDecision(id)
}

// fetchDecision asks for the whole of a decision of which a long list told in brief.
func (m *model) fetchDecision(id string) {
	if d, i := m.world.decision(id); i < 0 || !d.Brief {
		return
	}
	m.ask(proto.MethodDecisionGet, proto.DecisionRef{Decision: id}, func(r proto.Message) {
		var d proto.Decision
		if r.Error != nil || r.Decode(&d) != nil {
			return // it has ended; the events tell
		}
		if _, i := m.world.decision(id); i >= 0 {
			m.setDecision(d)
			m.bar.ink, m.bar.inkWidth = nil, 0
			m.stale = true
		}
	})
}

// settle is called when a picture is on the screen; covered says that something
// lies over the bar there.
func (b *bar) settle(now time.Time, covered bool) {
	switch {
	case covered || b.area.Empty():
		b.painted = "" // what could not be seen is new when it can
	case b.painted != b.id:
		b.painted, b.since = b.id, now
	}
}

// hasAll says that everything of the decision has been in sight.
func (b *bar) hasAll() bool { return b.rows > 0 && b.seen >= b.rows }

// ready says whether an answer at now counts. One that comes too soon starts
// the wait again.
func (b *bar) ready(now time.Time) bool {
	if b.painted != b.id {
		return false
	}
	if now.Sub(b.since) < grace {
		b.since = now
		return false
	}
	return true
}

// held says whether a press of c at now is an answering key still held down.
func (b *bar) held(c Chord, now time.Time) bool {
	if b.answerKey == (Chord{}) || c != b.answerKey || now.Sub(b.answerAt) >= holdGap {
		return false
	}
	b.answerAt = now
	return true
}

// tooSoon is said of a key that came before the decision was looked at.
const tooSoon = "it only just came up: look, then press again"

func noSuchAnswer(d *proto.Decision) string { return Visible(d.Agent) + " has no such answer here" }

// shownOpen is the decision of the bar if it is to be seen there and takes
// answers, or why it does not.
func (m *model) shownOpen() (d proto.Decision, refusal string) {
	d, i := m.shown()
	switch {
	case i < 0:
		return d, "no decision waits"
	case m.bar.hidden:
		return d, "the bar is hidden; " + m.chord(cmdHide) + " shows it"
	case m.bar.area.Empty():
		return d, "the window is too small to show what waits"
	case d.Brief:
		return d, "the whole of it is on its way"
	case m.bar.sending != "" || d.Phase == proto.PhaseAnswering:
		return d, "an answer is on its way"
	case !d.Answerable:
		return d, answerElsewhere(&d)
	}
	return d, ""
}

// open finds the decision that an answer with option would go to, or says why
// there is none.
func (m *model) open(option string) (proto.Decision, bool) {
	if !m.events && m.bar.id != "" && m.bar.held(m.pressed, m.now()) {
		return proto.Decision{}, false
	}
	early := m.bar.id != "" && !m.bar.area.Empty() && !m.bar.ready(m.now())
	d, refusal := m.shownOpen()
	o, ok := optionOf(&d, option)
	switch {
	case early:
		m.stray.begin(m.now()) // what follows the key is not for the pane either
		refusal = tooSoon
	case refusal != "":
	case !ok:
		refusal = noSuchAnswer(&d)
	case allows(o.ID) && !m.bar.hasAll():
		refusal = "read all of it first: " + m.chord(cmdExpand)
	}
	if refusal != "" {
		m.say(refusal, notePlain)
	}
	return d, refusal == ""
}

// choose does what an option stands for: it answers, or opens what there is
// to write or to look at before.
func (m *model) choose(option string) {
	switch option {
	case proto.OptionAnswer:
		m.startForm()
	case proto.OptionAlways:
		m.startStanding()
	default:
		m.answer(proto.DecisionAnswer{Option: option})
	}
}

// chooseBy chooses the option of the decision that a command stands for, or
// the one that it has its name from.
func (m *model) chooseBy(command, otherwise string) {
	d, _ := m.shown()
	for _, o := range d.Options {
		if optionKeys[o.ID] == command {
			m.choose(o.ID)
			return
		}
	}
	m.choose(otherwise)
}

// interrupt denies and ends the agent's turn.
func (m *model) interrupt() {
	d, _ := m.shown()
	if o, ok := optionOf(&d, proto.OptionDeny); ok && !o.Interrupt {
		m.say(Visible(d.Agent)+" cannot be stopped by a deny", notePlain)
		return
	}
	m.answer(proto.DecisionAnswer{Option: proto.OptionDeny, Interrupt: true})
}

// answer sends an answer for the decision on the screen: its option and what
// goes with it.
func (m *model) answer(a proto.DecisionAnswer) {
	d, ok := m.open(a.Option)
	if !ok {
		return
	}
	m.bar.sending = a.Option
	m.bar.answerKey, m.bar.answerAt = m.pressed, m.now()
	m.stale = true
	a.Pane, a.Decision, a.Key = d.Pane, d.ID, rand.Text()
	m.unsure = &a
	m.ask(proto.MethodDecisionAnswer, a, func(r proto.Message) {
		m.unsure = nil
		if r.Error == nil {
			return // the events tell how it ended
		}
		m.say(r.Error.Message, noteBad)
		if m.bar.id == d.ID {
			m.bar.sending = ""
			m.bar.since = m.now()
		}
		m.stale = true
	})
	if m.bar.id == d.ID && !m.online {
		m.bar.sending = ""
	}
}

// learnAnswer finds out, on a new connection, how an answer fared that was
// given on the one that was lost. If the decision still waits the answer did
// not arrive, and the person gives it again or not. Else the answer is sent
// once more: by its key the server knows it again, and never counts it twice.
func (m *model) learnAnswer() {
	a := m.unsure
	m.unsure = nil
	if a == nil {
		return
	}
	if d, i := m.world.decision(a.Decision); i >= 0 {
		if d.Phase == proto.PhasePending {
			m.say("the connection broke before your answer arrived: answer again", noteBad)
		}
		return
	}
	m.ask(proto.MethodDecisionAnswer, *a, func(r proto.Message) {
		if r.Error != nil {
			m.say("the connection broke, and your answer did not count: "+r.Error.Message, noteBad)
			return
		}
		m.say("the connection broke after your answer arrived: it counted", noteGood)
	})
}

// allows says that an option lets the agent go on with what it asks for: all
// but those that never do, and the answers to questions, which are looked at
// one by one as they are given.
func allows(option string) bool {
	return option != proto.OptionDeny && option != proto.OptionHandBack && option != proto.OptionAnswer
}

func optionOf(d *proto.Decision, id string) (proto.Option, bool) {
	for _, o := range d.Options {
		if o.ID == id {
			return o, true
		}
	}
	return proto.Option{}, false
}

func answerElsewhere(d *proto.Decision) string {
	if d.Where != "" {
		return Visible(d.Where)
	}
	return "answer it in the pane"
}

// jumpNext goes to the next decision that waits, wherever it is.
func (m *model) jumpNext() {
	if len(m.decisions) == 0 {
		m.say("no decision waits", notePlain)
		return
	}
	m.bar.hidden = false
	_, i := m.shown()
	d := m.decisions[(i+1)%len(m.decisions)]
	if _, ok := m.panes[d.Pane]; ok {
		m.focusPane(d.Pane)
	}
	m.showDecision(d.ID)
}

func (m *model) focusBar() {
	if m.bar.id == "" {
		m.say("no decision waits", notePlain)
		return
	}
	m.bar.focused, m.bar.hidden = true, false
	m.stale = true
}

// leaveBar gives the keys back to the pane, and its room.
func (m *model) leaveBar() {
	m.bar.focused, m.bar.expanded, m.bar.top = false, false, 0
}

// toggleBar hides the bar, to look at what is under it, and brings it back.
// Nothing ends by that.
func (m *model) toggleBar() {
	if m.bar.id == "" {
		m.say("no decision waits", notePlain)
		return
	}
	m.leaveBar()
	m.bar.hidden = !m.bar.hidden
	m.stale = true
}

// expandBar shows all of a decision. The bar has the focus then, so that
// arrows and pages read on.
func (m *model) expandBar() {
	if m.bar.id == "" {
		m.say("no decision waits", notePlain)
		return
	}
	if m.bar.expanded && m.bar.top+m.bar.page < m.bar.rows {
		m.scrollBar(m.bar.page) // the same key reads on
		return
	}
	if m.bar.expanded {
		m.leaveBar()
	} else {
		m.focusBar()
		m.bar.expanded, m.bar.top = true, 0
	}
	m.stale = true
}

// scrollBar moves an expanded bar by rows.
func (m *model) scrollBar(by int) {
	m.bar.expanded = true
	m.bar.top = max(0, min(m.bar.top+by, m.bar.rows-m.bar.page))
	m.stale = true
}
