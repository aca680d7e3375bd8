package tty

import (
	"fmt"
	"strings"

	"signaltty/proto"
)

// Type sends text as it is, as a person's fast typing would arrive.
func (p *Program) Type(text string) { p.send([]byte(text)) }

// Press sends keys one after the other, each in its own write, encoded as the
// program's modes ask: "a", "enter", "esc", "ctrl+]", "alt+y", "shift+tab".
func (p *Program) Press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		b, err := encode(k, p.Screen().Modes)
		if err != nil {
			p.t.Fatal(err)
		}
		p.send(b)
	}
}

// The bits of a modifier parameter, less one: xterm and the kitty protocol
// agree on these three.
const (
	shift = 1 << iota
	alt
	ctrl
)

// codes are the keys that send a control character: their code in the kitty
// keyboard protocol.
var codes = map[string]rune{
	"enter": '\r', "tab": '\t', "esc": 0x1b, "backspace": 0x7f, "space": ' ',
}

// finals are the keys that send CSI … letter.
var finals = map[string]byte{
	"up": 'A', "down": 'B', "right": 'C', "left": 'D', "home": 'H', "end": 'F',
}

// encode is what a terminal in modes m sends for a key.
func encode(key string, m proto.Modes) ([]byte, error) {
	name, mods := key, 0
	for prefix, bit := range map[string]int{"shift+": shift, "alt+": alt, "ctrl+": ctrl} {
		if i := strings.Index(name, prefix); i >= 0 && len(name) > len(prefix) {
			name, mods = name[:i]+name[i+len(prefix):], mods|bit
		}
	}
	if final, ok := finals[name]; ok {
		return cursorKey(final, mods, m), nil
	}
	code, named := codes[name]
	if !named {
		r := []rune(name)
		if len(r) != 1 {
			return nil, fmt.Errorf("there is no key %q", key)
		}
		code = r[0]
	}
	if m.Kitty&1 != 0 && (mods&^shift != 0 || name == "esc" || named && mods != 0) {
		return fmt.Appendf(nil, "\x1b[%d;%du", code, mods+1), nil
	}
	return legacy(name, code, mods), nil
}

func cursorKey(final byte, mods int, m proto.Modes) []byte {
	switch {
	case mods != 0:
		return fmt.Appendf(nil, "\x1b[1;%d%c", mods+1, final)
	case m.AppCursor:
		return []byte{0x1b, 'O', final}
	}
	return []byte{0x1b, '[', final}
}

// legacy is the form that terminals have always sent; it cannot tell every
// chord from another.
func legacy(name string, code rune, mods int) []byte {
	if name == "tab" && mods == shift {
		return []byte("\x1b[Z")
	}
	if mods&ctrl != 0 && code < 0x80 {
		code &= 0x1f
	}
	s := string(code)
	if mods&alt != 0 {
		s = "\x1b" + s
	}
	return []byte(s)
}
