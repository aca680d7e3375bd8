package tui

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// prefixForms is every way in which a terminal sends the prefix: the legacy
// control character, xterm's modifyOtherKeys and the kitty protocol.
func prefixForms(k Keys) []string {
	if k == nil {
		k = DefaultKeys()
	}
	var forms []string
	for _, c := range k[prefixName] {
		mod := modParam(c.Mod)
		forms = append(forms, fmt.Sprintf("\x1b[%d;%du", c.Code, mod), fmt.Sprintf("\x1b[%d;%d:1u", c.Code, mod), fmt.Sprintf("\x1b[27;%d;%d~", mod, c.Code))
		if b, ok := control(c.Code); ok && c.Mod == tea.ModCtrl {
			forms = append(forms, string(rune(b)))
		}
	}
	return forms
}

// prefixFilter finds the prefix in a terminal's bytes.
type prefixFilter struct {
	forms   []string
	after   bool // the prefix was pressed
	pasting bool
}

// filter takes the prefix and the key after it out of b, and says whether
// that was d or q, for detach. The prefix twice passes once.
func (f *prefixFilter) filter(b []byte) (data []byte, detach bool) {
	for i := 0; i < len(b); {
		form := f.prefixAt(b[i:])
		switch {
		case f.after && form != "":
			f.after = false
			data = append(data, form...)
			i += len(form)
		case form != "":
			f.after = true
			i += len(form)
		case f.after && hasAt(b, i, "\x1b["):
			n := sequenceLen(b[i:])
			k, isKey := rawKeyOf(b[i : i+n])
			switch {
			case !isKey:
				data = append(data, b[i:i+n]...) // the mouse, or a report
			case !k.passive:
				f.after = false
				if k.detaches() {
					return data, true
				}
			}
			i += n
		case f.after:
			f.after = false
			if (rawKey{code: rune(b[i]), mod: 1}).detaches() {
				return data, true
			}
			i++
		default:
			f.pasting = (f.pasting || hasAt(b, i, "\x1b[200~")) && !hasAt(b, i, "\x1b[201~")
			data = append(data, b[i])
			i++
		}
	}
	return data, false
}

// rawKey is a key in one of the forms that name its code.
type rawKey struct {
	code    rune
	mod     int  // as CSI parameters have it: 1 and a bit for each modifier
	passive bool // a release, or a modifier alone
}

// detaches says that the key, after the prefix, leaves.
func (k rawKey) detaches() bool {
	const locks = 64 | 128 // caps lock and num lock, in the kitty protocol
	return (k.code == 'd' || k.code == 'q') && (k.mod-1)&^locks == 0
}

// keyForm is CSI code:… ; mod:event … u, and CSI 27 ; mod ; code ~.
var keyForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\x1b\[(?:27;(\d+);(\d+)~|(\d+)(?::\d*)*(?:;(\d*)(?::(\d+))?)?(?:;[\d:]*)?u)$`)
})

// rawKeyOf reads a CSI sequence; ok is false when it is no key that a person
// pressed. A key of a form without a code, such as an arrow, has none.
func rawKeyOf(seq []byte) (k rawKey, ok bool) {
	m := keyForm().FindStringSubmatch(string(seq))
	if m == nil {
		final := seq[len(seq)-1]
		return rawKey{}, final == '~' || final >= 'A' && final <= 'H' || final >= 'P' && final <= 'S' || final == 'Z'
	}
	number := func(s string) int {
		n, _ := strconv.Atoi(s) // "" is 0
		return n
	}
	if m[2] != "" {
		return rawKey{code: rune(number(m[2])), mod: number(m[1])}, true
	}
	k = rawKey{code: rune(number(m[3])), mod: max(1, number(m[4]))}
	const firstModifier, lastModifier = 57441, 57454
	k.passive = m[5] == "3" || k.code >= firstModifier && k.code <= lastModifier
	return k, true
}

func (f *prefixFilter) prefixAt(b []byte) string {
	if f.pasting {
		return ""
	}
	for _, form := range f.forms {
		if strings.HasPrefix(string(b[:min(len(b), len(form))]), form) {
			return form
		}
	}
	return ""
}

// sequenceLen is the length of the CSI sequence that b begins with.
func sequenceLen(b []byte) int {
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			return i + 1
		}
	}
	return len(b)
}

// modesOf sets a terminal's modes of input as an application has set them.
func modesOf(m proto.Modes) string {
	var b strings.Builder
	set := func(mode int, on bool) {
		c := 'l'
		if on {
			c = 'h'
		}
		fmt.Fprintf(&b, "\x1b[?%d%c", mode, c)
	}
	set(1, m.AppCursor)
	set(2004, m.BracketedPaste)
	set(1004, m.FocusEvents)
	for _, mode := range []int{9, 1000, 1002, 1003} {
		set(mode, m.Mouse == mode)
	}
	set(1006, m.MouseSGR)
	keypad := '>'
	if m.AppKeypad {
		keypad = '='
	}
	fmt.Fprintf(&b, "\x1b%c\x1b[=%d;1u\x1b[>4;%dm", keypad, m.Kitty, m.ModifyOtherKeys)
	return b.String()
}
