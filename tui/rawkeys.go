package tui

import (
	"fmt"
	"strings"

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
// that was d, for detach. The prefix twice passes once.
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
		case f.after && strings.HasPrefix(string(b[i:]), "\x1b["):
			n := sequenceLen(b[i:])
			seq := string(b[i : i+n])
			i += n
			if strings.Contains(seq, ":3u") {
				continue // the prefix is released
			}
			f.after = false
			if strings.HasPrefix(seq, "\x1b[100") && strings.HasSuffix(seq, "u") {
				return data, true
			}
		case f.after:
			f.after = false
			if b[i] == 'd' || b[i] == 'q' {
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
