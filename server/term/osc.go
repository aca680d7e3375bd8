package term

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
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
		t.dynamicColors(n, rest)
	case 52:
		t.copy(rest)
	case 99:
		t.notifyKitty(rest)
	case 104:
		t.resetPalette(rest)
	case 110, 111, 112:
		t.colors.own[n-110] = 0
	case 133:
		if strings.HasPrefix(rest, "A") {
			t.touch(t.y).prompt = true
		}
	case 777:
		if f := strings.SplitN(rest, ";", 3); len(f) == 3 && f[0] == "notify" {
			t.notify(f[1], f[2])
		}
	case 7501:
		t.programStatus(rest)
	}
}

// setCwd takes a file URL of this machine. Another's directories are none
// here: a shell over ssh reports them too.
func (t *Terminal) setCwd(s string) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "file" || !path.IsAbs(u.Path) || !t.here(u.Hostname()) {
		return
	}
	if dir := path.Clean(u.Path); dir != t.cwd && clean(dir, maxNote) == dir {
		t.cwd = dir
		t.event(Event{Kind: CwdChanged})
	}
}

// hostname is the machine's name, or "" when it has none.
var hostname = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return name
})

func (t *Terminal) here(host string) bool {
	own := cmp.Or(t.options.Host, hostname())
	return host == "" || strings.EqualFold(host, "localhost") || strings.EqualFold(host, own)
}

// copy is OSC 52, a selection and base64. What the clipboard holds is never
// told to an application.
func (t *Terminal) copy(s string) {
	_, data, _ := strings.Cut(s, ";")
	text, err := base64.StdEncoding.DecodeString(data)
	if err == nil && len(text) > 0 {
		t.event(Event{Kind: Copied, Body: strings.ToValidUTF8(string(text), "\uFFFD")})
	}
}

// programStatus is OSC 7501: pairs of key=value with colons between, of which
// title and msg are base64; "?" asks whether anybody listens. Codex 0.171.0
// sends state, app and kind.
func (t *Terminal) programStatus(s string) {
	if s == "?" {
		t.reply("\x1b]7501;?\x1b\\")
		return
	}
	e := Event{Kind: Status}
	for kv := range strings.SplitSeq(s, ":") {
		k, v, _ := strings.Cut(kv, "=")
		switch v = clean(v, maxTitle); k {
		case "state":
			e.State = v
		case "app":
			e.App = v
		case "kind":
			e.Reason = v
		case "progress":
			n, _ := strconv.Atoi(v)
			e.Percent = min(max(n, 0), 100)
		case "title", "msg":
			text, err := base64.StdEncoding.DecodeString(v)
			if err != nil {
				return
			}
			if k == "title" {
				e.Title = clean(string(text), maxTitle)
			} else {
				e.Body = clean(string(text), maxNote)
			}
		}
	}
	if e.State != "" {
		t.event(e)
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
// p=? asks what is understood; OpenCode 1.18 does.
func (t *Terminal) notifyKitty(s string) {
	meta, payload, _ := strings.Cut(s, ";")
	id, part, done := "0", "title", true
	for kv := range strings.SplitSeq(meta, ":") {
		switch k, v, _ := strings.Cut(kv, "="); k {
		case "i":
			id = clean(v, 64)
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
	case "?":
		t.reply("\x1b]99;i=%s:p=?;p=title,body,?\x1b\\", id)
		return
	default: // icons, buttons
		return
	}
	if done {
		t.notify(t.note.title, t.note.body)
		t.note = notification{}
	}
}
