package term

import (
	"strings"
	"unicode"
)

// An EventKind is what an Event tells.
type EventKind int

// The kinds of events.
const (
	TitleChanged EventKind = iota
	CwdChanged
	Bell
	Notified   // OSC 9, 99 or 777
	Progressed // OSC 9;4
	Copied     // OSC 52: Body is for the clipboard
	Status     // OSC 7501: the application says what it does
)

// An Event is something that the application did besides drawing.
type Event struct {
	Kind EventKind
	// Title and Body are a notification's. A notification of one text has
	// only a Body.
	Title, Body string
	// Progress is the state of OSC 9;4 (0 none, 1 normal, 2 error,
	// 3 indeterminate, 4 paused) and Percent how far it is.
	Progress, Percent int
	// State, App and Reason are what OSC 7501 calls state, app and kind:
	// "blocked", "codex", "permission". A Title and a Body may come with them.
	State, App, Reason string
}

// maxEvents bounds what waits to be taken; more notifications are dropped.
const maxEvents = 64

// Bounds of what applications say, in bytes.
const (
	maxTitle = 1024
	maxNote  = 4096
)

// Events takes what happened since the last call. What has no content of its
// own, such as the bell, is told once however often it happened; of progress
// the last counts.
func (t *Terminal) Events() []Event {
	e := t.events
	t.events = nil
	return e
}

func (t *Terminal) event(e Event) {
	if e.Kind != Notified {
		for i := range t.events {
			if t.events[i].Kind == e.Kind {
				t.events[i] = e
				return
			}
		}
	}
	if len(t.events) < maxEvents {
		t.events = append(t.events, e)
	}
}

func (t *Terminal) setTitle(s string) {
	if s != t.title {
		t.title = s
		t.event(Event{Kind: TitleChanged})
	}
}

// clean returns s without control and format characters and without what is not
// UTF-8, in at most n bytes.
func clean(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	return s
}
