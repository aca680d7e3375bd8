package tui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// bareModifier says that a key is a modifier or lock pressed by itself.
func bareModifier(code rune) bool {
	switch {
	case code >= tea.KeyCapsLock && code <= tea.KeyPause && code != tea.KeyPrintScreen && code != tea.KeyPause,
		code >= tea.KeyLeftShift && code <= tea.KeyIsoLevel5Shift:
		return true
	}
	return false
}

// encodeKitty is a key in the kitty keyboard protocol, under the flags that
// the application has in force.
func encodeKitty(k tea.Key, release bool, m proto.Modes) []byte {
	flags := m.Kitty
	if release && flags&kittyEvents == 0 || bareModifier(k.Code) && flags&kittyAll == 0 {
		return nil
	}
	kind := ""
	if flags&kittyEvents != 0 {
		switch {
		case release:
			kind = ":3"
		case k.IsRepeat:
			kind = ":2"
		}
	}
	k = keypad(k)
	if b := encodeFunctional(k, m, kind); b != nil {
		return b
	}
	text := k.Mod&^tea.ModShift == 0 && typed(k) != "" && k.Code != tea.KeyEnter && k.Code != tea.KeyTab && k.Code != tea.KeyBackspace
	plain := flags&kittyAll == 0
	switch {
	case plain && text && k.Code != tea.KeyEscape:
		if release {
			return nil // text is sent once
		}
		return []byte(typed(k))
	case plain && k.Mod == 0 && (k.Code == tea.KeyEnter || k.Code == tea.KeyTab || k.Code == tea.KeyBackspace):
		// These three stay as they were, so that a shell which an application
		// left in this mode can still be used.
		if release {
			return nil
		}
		return []byte{byte(k.Code)}
	}
	return kittyU(k, kind, flags, text && !release)
}

// kittyU is the CSI … u form.
func kittyU(k tea.Key, kind string, flags int, text bool) []byte {
	number := kittyNumber(k.Code)
	if number == 0 {
		return nil
	}
	b := fmt.Appendf(nil, "\x1b[%d", number)
	if flags&kittyAlternates != 0 && k.Mod&tea.ModShift != 0 && k.ShiftedCode != 0 {
		b = fmt.Appendf(b, ":%d", k.ShiftedCode)
	}
	withText := flags&kittyText != 0 && text
	mod := modParam(k.Mod)
	if mod > 1 || kind != "" || withText {
		b = fmt.Appendf(b, ";%d%s", mod, kind)
	}
	if withText {
		b = append(b, ';')
		for i, r := range []rune(typed(k)) {
			if i > 0 {
				b = append(b, ':')
			}
			b = fmt.Appendf(b, "%d", r)
		}
	}
	return append(b, 'u')
}

// kittyNumber is a key's number; 0 for a key that has none.
func kittyNumber(code rune) rune {
	if code <= utf8.MaxRune {
		return []rune(strings.ToLower(string(code)))[0]
	}
	switch {
	case code >= tea.KeyCapsLock && code <= tea.KeyIsoLevel5Shift:
		return kittyFunctional[code]
	case code >= tea.KeyF13 && code <= tea.KeyF35:
		return 57376 + code - tea.KeyF13
	}
	return 0
}

// kittyFunctional is the numbers of the modifier and lock keys, from the
// protocol's table of functional keys.
var kittyFunctional = map[rune]rune{
	tea.KeyCapsLock: 57358, tea.KeyScrollLock: 57359, tea.KeyNumLock: 57360, tea.KeyPrintScreen: 57361, tea.KeyPause: 57362, tea.KeyMenu: 57363,
	tea.KeyLeftShift: 57441, tea.KeyLeftCtrl: 57442, tea.KeyLeftAlt: 57443, tea.KeyLeftSuper: 57444, tea.KeyLeftHyper: 57445, tea.KeyLeftMeta: 57446,
	tea.KeyRightShift: 57447, tea.KeyRightCtrl: 57448, tea.KeyRightAlt: 57449, tea.KeyRightSuper: 57450, tea.KeyRightHyper: 57451, tea.KeyRightMeta: 57452,
	tea.KeyIsoLevel3Shift: 57453, tea.KeyIsoLevel5Shift: 57454,
}
