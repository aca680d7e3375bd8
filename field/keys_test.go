//go:build linux

package field

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"signaltty/e2e/place"
	"signaltty/proto"
)

// forget lets gets begin anew.
func (k *keys) forget() {
	k.w.T.Helper()
	if err := os.Truncate(k.file, 0); err != nil {
		k.w.T.Fatal(err)
	}
}

// attachTo opens the TUI and waits until it shows a program that reads keys.
func (w *world) attachTo(text string) *keys {
	w.T.Helper()
	k := w.keys(text)
	w.Attach(size)
	w.UI.WaitText("reads keys")
	return k
}

// A lone Esc reaches the program at once and by itself; an Esc that came with
// another key stays with it.
func TestD04LoneEsc(t *testing.T) {
	w := newWorld(t)
	k := w.attachTo("")
	fastest := time.Hour
	for range 10 {
		begun := time.Now()
		w.UI.Type("\x1b")
		k.gets("\x1b")
		fastest = min(fastest, time.Since(begun))
		w.UI.Type("b")
		k.gets("\x1bb")
		if reads := k.reads(); len(reads) != 2 {
			t.Errorf("Esc and the key after it were read as %q", reads)
		}
		k.forget()
	}
	// The report asks for 25 ms at the most; the rest is for a machine that is busy.
	if fastest > 60*time.Millisecond {
		t.Errorf("the fastest of ten took %v", fastest)
	}
	w.UI.Type("\x1bb") // alt+b
	k.gets("\x1bb")
	k.forget()
	w.UI.Press("esc") // as a terminal with the kitty protocol sends it, if the TUI asked
	k.gets("\x1b")
}

// A paste has its brackets where the program asked for them, and not where it
// did not; each line end is one, and nothing in it can end it.
func TestD05Paste(t *testing.T) {
	const text = "first line\nsecond line\n\tthird"
	const lines = "first line\rsecond line\r\tthird"
	for mode, want := range map[string]string{"\x1b[?2004h": "\x1b[200~" + lines + "\x1b[201~", "": lines} {
		t.Run(fmt.Sprintf("bracketed %t", mode != ""), func(t *testing.T) {
			w := newWorld(t)
			k := w.attachTo(mode)
			w.UI.Type("\x1b[200~" + text + "\x1b[201~")
			k.gets(want)
			w.UI.Type("z")
			k.gets(want + "z")
		})
	}
}

// A paste in which an end bracket hides, also one that only the removal of
// another would make, stays one paste.
func TestD05PasteCannotEndItself(t *testing.T) {
	w := newWorld(t)
	k := w.keys("\x1b[?2004h")
	for _, text := range []string{"a\x1b[201~rm -rf x\r", "a\x1b[20\x1b[201~1~rm\r", "a\u009b201~rm\r"} {
		place.Ask[proto.None](w.Place, proto.MethodPanePaste, proto.PanePaste{Pane: k.pane, Text: text})
		w.Until("it is read", func() bool { return strings.HasSuffix(strings.Join(k.reads(), ""), "\x1b[201~") })
		got := strings.Join(k.reads(), "")
		inner := strings.TrimSuffix(strings.TrimPrefix(got, "\x1b[200~"), "\x1b[201~")
		if strings.Contains(inner, "\x1b") || strings.Contains(inner, "\u009b") {
			t.Errorf("%q is pasted as %q", text, got)
		}
		k.forget()
	}
	// Nor in two parts.
	place.Ask[proto.None](w.Place, proto.MethodPanePaste, proto.PanePaste{Pane: k.pane, Text: "a\x1b[20", More: true})
	place.Ask[proto.None](w.Place, proto.MethodPanePaste, proto.PanePaste{Pane: k.pane, Text: "1~rm"})
	k.gets("\x1b[200~a[201~rm\x1b[201~")
}

// An empty paste, which is how terminals tell of an image, and ctrl+v reach
// the program.
func TestD07ImagePaste(t *testing.T) {
	w := newWorld(t)
	k := w.attachTo("\x1b[?2004h")
	w.UI.Type("\x1b[200~\x1b[201~")
	k.gets("\x1b[200~\x1b[201~")
	k.forget()
	w.UI.Type("\x16")
	k.gets("\x16")
}

// prefixes are the encodings of a chord of ctrl: as terminals have always sent
// it, modifyOtherKeys, and the kitty protocol without and with event types.
func prefixes(key rune) []string {
	return []string{
		string(key & 0x1f),
		fmt.Sprintf("\x1b[27;5;%d~", key),
		fmt.Sprintf("\x1b[%d;5u", key),
		fmt.Sprintf("\x1b[%d;5:1u\x1b[%d;5:3u", key, key),
	}
}

// The prefix is known in every encoding, never leaks to the program, and
// passes once when it is pressed twice.
func TestD15PrefixNeverLeaks(t *testing.T) {
	for name, config := range map[string]struct {
		text string
		key  rune
	}{
		"by default":    {"", ']'},
		"as configured": {"[keys]\nprefix = \"ctrl+q\"\n", 'q'},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, config.text)
			k := w.keys("")
			for _, prefix := range prefixes(config.key) {
				w.Attach(size)
				w.UI.WaitText("reads keys")
				w.UI.Type("a" + prefix + prefix) // doubled, it is the program's
				k.gets("a" + string(config.key&0x1f))
				k.forget()
				w.UI.Type(prefix)
				w.UI.WaitText("v right") // it says what may follow
				w.UI.Type("q")
				if code := w.UI.Exit(); code != 0 {
					t.Errorf("after %q q it ended in %d", prefix, code)
				}
				w.typeBehind(k.pane, "z") // whatever had leaked would stand before it
				k.gets("z")
				k.forget()
			}
		})
	}
}

// A screen inside itself is refused, and so the prefix of the outer one cannot
// be mistaken.
func TestD15Nested(t *testing.T) {
	w := newWorld(t)
	pane := w.shell(`signaltty attach; echo "ended in $?"; read stay`)
	w.Until("it is refused", func() bool { return w.Screen(pane).Has(fmt.Sprintf("ended in %d", proto.ExitRefused)) })
	if s := w.Screen(pane); !s.Has("already pane " + pane) {
		t.Errorf("it says\n%s", s)
	}
}

// By default every key that agents use is the agent's, also ctrl+b, ctrl+o and
// flow control.
func TestD16AgentsKeepTheirKeys(t *testing.T) {
	w := newWorld(t)
	k := w.attachTo("")
	want := ""
	for c := rune(1); c < 0x20; c++ {
		if c == 0x1b || c == 0x1d {
			continue // Esc has its own test, and this is the prefix
		}
		w.UI.Type(string(c))
		want += string(c)
		k.gets(want)
	}
}
