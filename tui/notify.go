package tui

import (
	"slices"
	"strings"
	"time"

	"signaltty/proto"
)

// Notify says how the person is called when a pane that they do not look at
// wants their attention.
type Notify struct {
	Desktop Desktop  // "" means DesktopNone
	Command []string // run instead, with a title and a text as two more arguments
	Bell    bool     // the terminal's bell rings too
}

// Times of a call.
const (
	// callAfter is how long a thing must last to be worth a call: what is
	// answered at once, by a rule or in its own dialog, is not.
	callAfter = 500 * time.Millisecond
	// callGrace is how long after it connects the screen calls nobody: a
	// server that comes back tells everything at once.
	callGrace = 3 * time.Second
)

// call is a notification, sent or still to be sent.
type call struct {
	key, pane, title string
	text             string // "" rings the bell and says nothing
	// lasts says that it is withdrawn by its own end, a decision's, and not
	// because the person looks at its pane.
	lasts bool
	due   time.Time
	sent  bool
}

// maxCalls bounds what is remembered of calls.
const maxCalls = 64

// notifier decides when the person is called: once for each thing that comes
// to want them. What was there when the screen connected calls nobody.
type notifier struct {
	on    bool // there is a way to call
	calls []call
	quiet time.Time // nothing is sent before
	tick  bool      // a tick is under way

	send     func(call)
	withdraw func(key string)
}

// want notes that something wants the person.
func (n *notifier) want(c call, now time.Time) {
	if !n.on || slices.ContainsFunc(n.calls, func(o call) bool { return o.key == c.key }) {
		return
	}
	if len(n.calls) >= maxCalls {
		n.calls = slices.Delete(n.calls, 0, 1)
	}
	c.due = now.Add(callAfter)
	if c.due.Before(n.quiet) {
		c.due = n.quiet
	}
	n.calls = append(n.calls, c)
}

// drop forgets the calls that fit: those still to be sent are not, those that
// were are withdrawn.
func (n *notifier) drop(fits func(call) bool) {
	n.calls = slices.DeleteFunc(n.calls, func(c call) bool {
		if !fits(c) {
			return false
		}
		if c.sent {
			n.withdraw(c.key)
		}
		return true
	})
}

// sendDue sends what is due; several at once go as one.
func (n *notifier) sendDue(now time.Time) {
	var one call
	var texts []string
	sent := 0
	for i := range n.calls {
		if c := &n.calls[i]; !c.sent && !now.Before(c.due) {
			c.sent = true
			if c.text != "" || len(texts) == 0 {
				one = *c
			}
			if c.text != "" {
				texts = append(texts, c.title+": "+c.text)
			}
			sent++
		}
	}
	if len(texts) > 1 {
		one.title, one.text = itoa(len(texts))+" things want you", strings.Join(texts, " · ")
	}
	if sent > 0 {
		n.send(one)
	}
}

// next is when a call becomes due; zero for never.
func (n *notifier) next() time.Time {
	var at time.Time
	for _, c := range n.calls {
		if !c.sent && (at.IsZero() || c.due.Before(at)) {
			at = c.due
		}
	}
	return at
}

// looksAt says whether the person sees this pane, as far as can be told.
func (m *model) looksAt(pane string) bool { return !m.away && pane != "" && pane == m.focus }

// callFor calls the person for a pane, if they do not look at it.
func (m *model) callFor(key, pane, text string, lasts bool) {
	if m.looksAt(pane) {
		return
	}
	title := "signaltty"
	if p, ok := m.panes[pane]; ok {
		title = label(p)
	}
	m.notify.want(call{key: key, pane: pane, title: title, text: text, lasts: lasts}, m.now())
}

// callForDecision calls for a new decision.
func (m *model) callForDecision(d *proto.Decision) {
	m.insteadOfNotices(d.Pane)
	what := d.Agent + " asks to use " + d.Tool + ": " + d.Prompt
	if d.Kind != proto.KindPermission {
		what = d.Agent + " has a " + d.Kind + ": " + d.Prompt
	}
	m.callFor(d.ID, d.Pane, what, true)
}

// callForPane calls for a turn that ended since the pane was last told, and
// takes back the calls for a pane that wants nothing any more.
func (m *model) callForPane(was, is proto.Pane) {
	if is.Attention == proto.AttentionNone && was.Attention != proto.AttentionNone {
		m.notify.drop(func(c call) bool { return c.pane == is.ID && !c.lasts })
	}
	if is.Attention == proto.AttentionDone && was.Attention != proto.AttentionDone {
		text := "done"
		if is.State == proto.StateFailed {
			text = "failed"
		}
		m.insteadOfNotices(is.ID)
		m.callFor(turnKey+is.ID, is.ID, text, false)
	}
}

// The keys of calls begin with what they are for; a decision's is its id.
const (
	turnKey   = "turn "
	noticeKey = "notice "
	bellKey   = "bell "
)

// ofProgram says that a call is for what a program said in its own words.
func (c call) ofProgram() bool {
	return strings.HasPrefix(c.key, noticeKey) || strings.HasPrefix(c.key, bellKey)
}

// insteadOfNotices forgets what a pane's program said and nobody was called
// for yet: an agent rings or notifies for the decision or the end of the turn
// that its hooks tell of too, and one call is enough.
func (m *model) insteadOfNotices(pane string) {
	m.notify.drop(func(c call) bool { return c.pane == pane && !c.sent && c.ofProgram() })
}

// callForNotice calls for a bell or a notification of a program. The next one
// calls again when this one was looked at. One that comes while the person is
// called for a decision or a turn of that pane says the same once more.
func (m *model) callForNotice(n *proto.PaneNotice) {
	if slices.ContainsFunc(m.notify.calls, func(c call) bool { return c.pane == n.Pane && !c.ofProgram() }) {
		return
	}
	key := noticeKey + n.Pane
	if n.Bell {
		key = bellKey + n.Pane
	}
	m.callFor(key, n.Pane, strings.TrimSpace(n.Title+" "+n.Body), false)
}

// lookedAt takes back the calls for the pane that the person looks at.
func (m *model) lookedAt() {
	m.notify.drop(func(c call) bool { return m.looksAt(c.pane) && (!c.lasts || !c.sent) })
}

// callsOf takes back what no longer waits, after the state came whole.
func (m *model) callsOf(now time.Time) {
	m.notify.quiet = now.Add(callGrace)
	m.notify.drop(func(c call) bool {
		_, there := m.panes[c.pane]
		if c.lasts {
			_, i := m.world.decision(c.key)
			there = i >= 0
		}
		return !there
	})
}
