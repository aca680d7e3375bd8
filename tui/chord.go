package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Chord is one key with its modifiers. A printable key stands for itself, as
// typed: "Y" has no modifier.
type Chord struct {
	Code rune
	Mod  tea.KeyMod
}

// names are the keys that have no character of their own.
var names = map[string]rune{
	"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "space": ' ', "backspace": tea.KeyBackspace,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"insert": tea.KeyInsert, "delete": tea.KeyDelete,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6,
	"f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9, "f10": tea.KeyF10, "f11": tea.KeyF11, "f12": tea.KeyF12,
}

var mods = []struct {
	name string
	mod  tea.KeyMod
}{{"ctrl", tea.ModCtrl}, {"alt", tea.ModAlt}, {"shift", tea.ModShift}, {"super", tea.ModSuper}}

// ParseChord reads a chord as it is written in config.toml: "ctrl+]", "alt+y",
// "Y", "?", "shift+tab", "f5". The error says what is wrong with it.
func ParseChord(s string) (Chord, error) {
	var c Chord
	rest := s
next:
	for _, m := range mods {
		if after, ok := strings.CutPrefix(rest, m.name+"+"); ok && after != "" {
			if c.Mod&m.mod != 0 {
				return Chord{}, fmt.Errorf("key %q has %s twice", s, m.name)
			}
			c.Mod |= m.mod
			rest = after
			goto next
		}
	}
	if code, ok := names[rest]; ok {
		c.Code = code
		return c, nil
	}
	r, n := utf8.DecodeRuneInString(rest)
	if n == 0 || n != len(rest) || r == utf8.RuneError || !unicode.IsPrint(r) || r == ' ' {
		return Chord{}, fmt.Errorf("key %q is not known; write one character, or one of %s, with ctrl+, alt+ or shift+ before it",
			s, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
	c.Code = r
	if c.Mod&(tea.ModCtrl|tea.ModAlt) != 0 {
		c.Code = unicode.ToLower(r)
	} else if c.Mod == tea.ModShift && unicode.IsLetter(r) {
		c.Code, c.Mod = unicode.ToUpper(r), 0
	}
	return c, nil
}

// String writes a chord as ParseChord reads it.
func (c Chord) String() string {
	var b strings.Builder
	for _, m := range mods {
		if c.Mod&m.mod != 0 {
			b.WriteString(m.name + "+")
		}
	}
	for name, code := range names {
		if code == c.Code {
			return b.String() + name
		}
	}
	b.WriteRune(c.Code)
	return b.String()
}

// chordOf is the chord that a key event stands for, whichever of the legacy,
// modifyOtherKeys and kitty encodings it came in.
func chordOf(k tea.Key) Chord {
	mod := k.Mod &^ (tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock)
	if mod&^tea.ModShift == 0 && k.Text != "" && k.Text != " " {
		r, n := utf8.DecodeRuneInString(k.Text)
		if n == len(k.Text) {
			return Chord{Code: r}
		}
	}
	return Chord{Code: k.Code, Mod: mod}
}
