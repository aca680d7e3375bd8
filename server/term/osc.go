package term

import (
	"encoding/base64"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// osc obeys an operating system command.
func (t *Terminal) osc(b []byte) {
	number, rest, _ := strings.Cut(string(b), ";")
	n, err := strconv.Atoi(number)
	if err != nil {
		return
	}
	switch n {
	case 0, 2:
		t.setTitle(clean(rest, maxTitle))
	case 4:
		t.palette(rest)
	case 7:
		t.setCwd(rest)
	case 8:
		_, url, _ := strings.Cut(rest, ";")
		s := t.pen
		s.link = t.linkID(clean(url, maxString))
		t.setPen(s)
	case 9:
		t.notifyOrProgress(rest)
	case 10, 11, 12:
		t.reportColors(n, rest)
	case 99:
		t.notifyKitty(rest)
	case 777:
		if f := strings.SplitN(rest, ";", 3); len(f) == 3 && f[0] == "notify" {
			t.notify(f[1], f[2])
		}
	}
}

// setCwd takes a file URL; its host is not looked at.
func (t *Terminal) setCwd(s string) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "file" || !path.IsAbs(u.Path) {
		return
	}
	if dir := path.Clean(u.Path); dir != t.cwd && clean(dir, maxNote) == dir {
		t.cwd = dir
		t.event(Event{Kind: CwdChanged})
	}
}

func (t *Terminal) notify(title, body string) {
	t.event(Event{Kind: Notified, Title: clean(title, maxTitle), Body: clean(body, maxNote)})
}

// notifyOrProgress is OSC 9, which iTerm2 gives a text and ConEmu a number.
func (t *Terminal) notifyOrProgress(s string) {
	p, ok := strings.CutPrefix(s, "4;")
	if !ok {
		t.notify("", s)
		return
	}
	state, percent, _ := strings.Cut(p, ";")
	n, err := strconv.Atoi(state)
	if err != nil || n < 0 || n > 4 {
		return
	}
	pc, _ := strconv.Atoi(percent)
	t.event(Event{Kind: Progressed, Progress: n, Percent: min(max(pc, 0), 100)})
}

// A notification is one of OSC 99 of which more is to come.
type notification struct{ title, body string }

// notifyKitty is OSC 99: metadata as key=value with colons between, and a
// payload; d=0 says that more follows, p where it goes, e=1 that it is base64.
func (t *Terminal) notifyKitty(s string) {
	meta, payload, _ := strings.Cut(s, ";")
	part, done := "title", true
	for kv := range strings.SplitSeq(meta, ":") {
		switch k, v, _ := strings.Cut(kv, "="); k {
		case "p":
			part = v
		case "d":
			done = v != "0"
		case "e":
			if v == "1" {
				text, err := base64.StdEncoding.DecodeString(payload)
				if err != nil {
					return
				}
				payload = string(text)
			}
		}
	}
	switch part {
	case "title":
		t.note.title = clean(t.note.title+payload, maxTitle)
	case "body":
		t.note.body = clean(t.note.body+payload, maxNote)
	default: // icons, buttons, queries
		return
	}
	if done {
		t.notify(t.note.title, t.note.body)
		t.note = notification{}
	}
}
