package term

import "signaltty/proto"

// Modes are switches of the application.
type modes uint32

const (
	modeWrap        modes = 1 << iota // DECAWM
	modeCursor                        // DECTCEM
	modeInsert                        // IRM
	modeNewLine                       // LNM
	modeAppCursor                     // DECCKM
	modeAppKeypad                     // DECNKM, DECKPAM
	modeReverse                       // DECSCNM
	modeReverseWrap                   // xterm's mode 45
	modeBlink                         // xterm's mode 12; kept, not shown
	modePaste
	modeFocus
	modeSync
	modeMouseSGR
	modeMouseX10 // the four kinds of tracking
	modeMouseClick
	modeMouseDrag
	modeMouseMotion
	modeColumns    // DECLRMM
	modeScheme     // reports of the colour scheme
	modeOtherKeys1 // xterm's modifyOtherKeys
	modeOtherKeys2

	modeMouse     = modeMouseX10 | modeMouseClick | modeMouseDrag | modeMouseMotion
	modeOtherKeys = modeOtherKeys1 | modeOtherKeys2
	startModes    = modeWrap | modeCursor
)

func (m modes) has(x modes) bool { return m&x != 0 }

func (m *modes) set(x modes, on bool) {
	if on {
		*m |= x
	} else {
		*m &^= x
	}
}

// decModes are the private modes that are plain switches. Modes 6, 47, 1047,
// 1048, 1049 and the mouse's do more; see setMode.
var decModes = map[int]modes{
	1: modeAppCursor, 5: modeReverse, 7: modeWrap, 12: modeBlink, 25: modeCursor,
	45: modeReverseWrap, 66: modeAppKeypad, 1004: modeFocus, 1006: modeMouseSGR,
	2004: modePaste, 2026: modeSync, 2031: modeScheme, 69: modeColumns,
	9: modeMouseX10, 1000: modeMouseClick, 1002: modeMouseDrag, 1003: modeMouseMotion,
}

var ansiModes = map[int]modes{4: modeInsert, 20: modeNewLine}

// Modes returns what a client needs to encode input as the application asked.
func (t *Terminal) Modes() proto.Modes {
	m := t.modes
	p := proto.Modes{
		AltScreen:      t.alt,
		AppCursor:      m.has(modeAppCursor),
		AppKeypad:      m.has(modeAppKeypad),
		BracketedPaste: m.has(modePaste),
		FocusEvents:    m.has(modeFocus),
		MouseSGR:       m.has(modeMouseSGR),
		Kitty:          t.screen.kitty.flags(),
		ReverseScreen:  m.has(modeReverse),
	}
	switch m & modeMouse {
	case modeMouseX10:
		p.Mouse = 9
	case modeMouseClick:
		p.Mouse = 1000
	case modeMouseDrag:
		p.Mouse = 1002
	case modeMouseMotion:
		p.Mouse = 1003
	}
	switch m & modeOtherKeys {
	case modeOtherKeys1:
		p.ModifyOtherKeys = 1
	case modeOtherKeys2:
		p.ModifyOtherKeys = 2
	}
	return p
}

// setModes is SM, RM, DECSET and DECRST.
func (t *Terminal) setModes(on bool) {
	for i := range min(t.nparams, maxParams) {
		n := t.arg(i)
		if t.prefix == '?' {
			t.setMode(n, on)
		} else if m, ok := ansiModes[n]; ok {
			t.modes.set(m, on)
		}
	}
}

// setMode sets a private mode.
func (t *Terminal) setMode(n int, on bool) {
	switch n {
	case 6:
		t.origin = on
		t.moveAbs(0, 0)
	case 9, 1000, 1002, 1003: // one at a time
		t.modes.set(modeMouse, false)
		t.modes.set(decModes[n], on)
	case 47, 1047:
		t.setAlt(on)
	case 1048:
		t.saveOrRestore(on)
	case 1049:
		if on == t.alt {
			return
		}
		if on {
			t.saveOrRestore(true)
		}
		t.setAlt(on)
		if !on {
			t.saveOrRestore(false)
		}
	default:
		m := decModes[n]
		t.modes.set(m, on)
		switch {
		case m == modeWrap && !on:
			t.wrapNext = false
		case m == modeColumns && !on:
			t.left, t.right = 0, t.cols-1
		}
	}
}

// keepModes is XTSAVE: it keeps private modes for bringModes, XTRESTORE. Of
// those that are not known nothing is kept, which bounds what is.
func (t *Terminal) keepModes() {
	for i := range min(t.nparams, maxParams) {
		if n := t.arg(i); t.modeState(n) != 0 {
			if t.kept == nil {
				t.kept = map[int]int{}
			}
			t.kept[n] = t.modeState(n)
		}
	}
}

func (t *Terminal) bringModes() {
	for i := range min(t.nparams, maxParams) {
		n := t.arg(i)
		if was, ok := t.kept[n]; ok && was != t.modeState(n) {
			t.setMode(n, was == 1)
		}
	}
}

// modeState is the answer of DECRQM: 0 unknown, 1 set, 2 reset, 3 always set.
func (t *Terminal) modeState(n int) int {
	on, known := false, true
	switch n {
	case 6:
		on = t.origin
	case 47, 1047, 1049:
		on = t.alt
	case 1048:
	case 2027: // grapheme clusters
		return 3
	default:
		var m modes
		m, known = decModes[n]
		on = t.modes.has(m)
	}
	return modeAnswer(on, known)
}

func modeAnswer(on, known bool) int {
	switch {
	case !known:
		return 0
	case on:
		return 1
	}
	return 2
}

// setAlt shows the alternate screen, empty, or the main one again.
func (t *Terminal) setAlt(on bool) {
	if t.alt == on {
		return
	}
	t.alt = on
	t.screen = &t.screens[0]
	if on {
		t.screen = &t.screens[1]
		t.eraseRows(0, t.lines)
	}
	t.screen.moved = t.tick
	t.lastX = -1
	t.dirty = true
}

func (t *Terminal) saveOrRestore(save bool) {
	if save {
		t.save()
	} else {
		t.restore()
	}
}

// save is DECSC.
func (t *Terminal) save() { t.screen.saved = t.cursor }

// restore is DECRC. The screen may be smaller than it was.
func (t *Terminal) restore() {
	s := t.screen.saved
	t.setPen(s.pen)
	t.origin, t.charsets = s.origin, s.charsets
	t.move(s.x, s.y)
	t.wrapNext = s.wrapNext && s.x == t.cols-1
}
