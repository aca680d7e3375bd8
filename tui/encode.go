package tui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// Flags of the kitty keyboard protocol that an application may have set
// (its specification, "Progressive enhancement").
const (
	kittyDisambiguate = 1
	kittyEvents       = 2
	kittyAlternates   = 4
	kittyAll          = 8
	kittyText         = 16
)

// stroke is one key event for a pane.
type stroke struct {
	key     tea.Key
	release bool
}

// encode is the bytes that a terminal in those modes sends for a key; nil
// when it sends none.
func encode(s stroke, m proto.Modes) []byte {
	k := s.key
	k.Mod &^= tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock
	if m.Kitty != 0 {
		return encodeKitty(k, s.release, m)
	}
	if s.release || bareModifier(k.Code) {
		return nil
	}
	if m.ModifyOtherKeys > 0 {
		if b := encodeOther(k, m.ModifyOtherKeys); b != nil {
			return b
		}
	}
	return encodeLegacy(k, m)
}

// finals are the keys that are CSI … letter: cursor, home and end, F1 to F4.
var finals = map[rune]byte{
	tea.KeyUp: 'A', tea.KeyDown: 'B', tea.KeyRight: 'C', tea.KeyLeft: 'D', tea.KeyBegin: 'E',
	tea.KeyHome: 'H', tea.KeyEnd: 'F', tea.KeyF1: 'P', tea.KeyF2: 'Q', tea.KeyF3: 'R', tea.KeyF4: 'S',
}

// tildes are the keys that are CSI number ~.
var tildes = map[rune]int{
	tea.KeyInsert: 2, tea.KeyDelete: 3, tea.KeyPgUp: 5, tea.KeyPgDown: 6,
	tea.KeyF5: 15, tea.KeyF6: 17, tea.KeyF7: 18, tea.KeyF8: 19, tea.KeyF9: 20, tea.KeyF10: 21, tea.KeyF11: 23, tea.KeyF12: 24,
}

// modParam is the modifiers as CSI parameters have them: 1 and a bit for each.
func modParam(mod tea.KeyMod) int {
	n := 1
	for i, m := range []tea.KeyMod{tea.ModShift, tea.ModAlt, tea.ModCtrl, tea.ModSuper, tea.ModHyper, tea.ModMeta} {
		if mod&m != 0 {
			n += 1 << i
		}
	}
	return n
}

// encodeFunctional is a key without a character, as xterm sends it.
func encodeFunctional(k tea.Key, m proto.Modes, suffix string) []byte {
	mod := modParam(k.Mod)
	if m.Kitty != 0 && k.Code == tea.KeyF3 { // CSI R is a cursor report
		if mod > 1 || suffix != "" {
			return fmt.Appendf(nil, "\x1b[13;%d%s~", mod, suffix)
		}
		return []byte("\x1b[13~")
	}
	if f, ok := finals[k.Code]; ok {
		switch {
		case mod > 1 || suffix != "":
			return fmt.Appendf(nil, "\x1b[1;%d%s%c", mod, suffix, f)
		case f >= 'P' && f <= 'S', m.AppCursor && m.Kitty == 0:
			return []byte{0x1b, 'O', f}
		}
		return []byte{0x1b, '[', f}
	}
	if n, ok := tildes[k.Code]; ok {
		if mod > 1 || suffix != "" {
			return fmt.Appendf(nil, "\x1b[%d;%d%s~", n, mod, suffix)
		}
		return fmt.Appendf(nil, "\x1b[%d~", n)
	}
	return nil
}

// encodeLegacy is what a VT220 in xterm's clothes sends.
func encodeLegacy(k tea.Key, m proto.Modes) []byte {
	k = keypad(k)
	if b := encodeFunctional(k, m, ""); b != nil {
		return b
	}
	esc := func(b ...byte) []byte {
		if k.Mod&(tea.ModAlt|tea.ModMeta) != 0 {
			return append([]byte{0x1b}, b...)
		}
		return b
	}
	switch k.Code {
	case tea.KeyEnter:
		if k.Mod&tea.ModShift != 0 && k.Mod&tea.ModCtrl == 0 {
			// There is no shift+enter in the legacy encoding. Agents take ESC CR,
			// which is alt+enter, for "new line" (Claude Code's own terminal setup
			// installs just that), and a bare CR would submit.
			return []byte("\x1b\r")
		}
		return esc('\r')
	case tea.KeyTab:
		if k.Mod&tea.ModShift != 0 {
			return []byte("\x1b[Z")
		}
		return esc('\t')
	case tea.KeyBackspace:
		if k.Mod&tea.ModCtrl != 0 {
			return esc(0x08)
		}
		return esc(0x7f)
	case tea.KeyEscape:
		return esc(0x1b)
	}
	if k.Mod&tea.ModCtrl != 0 {
		if c, ok := control(k.Code); ok {
			return esc(c)
		}
	}
	return esc([]byte(typed(k))...)
}

// control is the control character of ctrl with a key.
func control(r rune) (byte, bool) {
	switch {
	case r >= 'a' && r <= 'z':
		return byte(r - 'a' + 1), true
	case r >= '@' && r <= '_':
		return byte(r - '@'), true
	case r == ' ' || r == '2':
		return 0, true
	case r >= '3' && r <= '7':
		return byte(r - '3' + 0x1b), true
	case r == '8' || r == '?':
		return 0x7f, true
	case r == '/':
		return 0x1f, true
	}
	return 0, false
}

// typed is the text of a key.
func typed(k tea.Key) string {
	if k.Text != "" {
		return k.Text
	}
	if k.Code < ' ' || k.Code > utf8.MaxRune || !utf8.ValidRune(k.Code) {
		return ""
	}
	if k.Mod&tea.ModShift != 0 {
		if k.ShiftedCode != 0 {
			return string(k.ShiftedCode)
		}
		return strings.ToUpper(string(k.Code))
	}
	return string(k.Code)
}

// encodeOther is xterm's modifyOtherKeys form, nil where it has none. Level 1
// leaves what the legacy form can tell apart alone.
func encodeOther(k tea.Key, level int) []byte {
	mod := k.Mod & (tea.ModShift | tea.ModAlt | tea.ModCtrl | tea.ModMeta)
	if k.Code > utf8.MaxRune || mod == 0 {
		return nil
	}
	special := k.Code < ' ' || k.Code == 0x7f || k.Code == ' '
	_, plain := control(k.Code)
	switch {
	case mod == tea.ModShift && !special:
		return nil // text
	case level == 1 && !special && (mod&tea.ModCtrl == 0 || plain && mod == tea.ModCtrl):
		return nil
	case level == 1 && mod == tea.ModAlt:
		return nil
	case k.Code == tea.KeyTab && mod == tea.ModShift:
		return nil
	}
	return fmt.Appendf(nil, "\x1b[27;%d;%d~", modParam(mod), k.Code)
}

// keypad makes a keypad key the key that it types.
func keypad(k tea.Key) tea.Key {
	if to, ok := keypadKeys[k.Code]; ok {
		k.Code = to
		if to > ' ' && to < 0x7f && k.Text == "" {
			k.Text = string(to)
		}
	}
	return k
}

var keypadKeys = map[rune]rune{
	tea.KeyKpEnter: tea.KeyEnter, tea.KeyKpEqual: '=', tea.KeyKpMultiply: '*', tea.KeyKpPlus: '+', tea.KeyKpComma: ',',
	tea.KeyKpMinus: '-', tea.KeyKpDecimal: '.', tea.KeyKpDivide: '/', tea.KeyKpSep: ',',
	tea.KeyKp0: '0', tea.KeyKp1: '1', tea.KeyKp2: '2', tea.KeyKp3: '3', tea.KeyKp4: '4',
	tea.KeyKp5: '5', tea.KeyKp6: '6', tea.KeyKp7: '7', tea.KeyKp8: '8', tea.KeyKp9: '9',
	tea.KeyKpUp: tea.KeyUp, tea.KeyKpDown: tea.KeyDown, tea.KeyKpLeft: tea.KeyLeft, tea.KeyKpRight: tea.KeyRight,
	tea.KeyKpPgUp: tea.KeyPgUp, tea.KeyKpPgDown: tea.KeyPgDown, tea.KeyKpHome: tea.KeyHome, tea.KeyKpEnd: tea.KeyEnd,
	tea.KeyKpInsert: tea.KeyInsert, tea.KeyKpDelete: tea.KeyDelete, tea.KeyKpBegin: tea.KeyBegin,
	tea.KeyFind: tea.KeyHome, tea.KeySelect: tea.KeyEnd,
}
