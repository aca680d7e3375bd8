package term

// csiFinals are the control sequences without prefix and intermediate bytes,
// by their final byte (ECMA-48, and DEC's after it).
var csiFinals = [0x80]func(*Terminal){
	'@': (*Terminal).insertCells,
	'A': func(t *Terminal) { t.moveRows(t.x, -t.count(0)) },
	'B': func(t *Terminal) { t.moveRows(t.x, t.count(0)) },
	'C': func(t *Terminal) { t.forward(t.count(0)) },
	'D': func(t *Terminal) { t.back(t.count(0)) },
	'E': func(t *Terminal) { t.moveRows(t.lineStart(), t.count(0)) },
	'F': func(t *Terminal) { t.moveRows(t.lineStart(), -t.count(0)) },
	'G': (*Terminal).moveColumn,
	'H': func(t *Terminal) { t.moveAbs(t.count(1)-1, t.count(0)-1) },
	'I': func(t *Terminal) { t.tab(t.count(0)) },
	'J': (*Terminal).eraseDisplay,
	'K': (*Terminal).eraseLine,
	'L': (*Terminal).insertLines,
	'M': (*Terminal).deleteLines,
	'P': (*Terminal).deleteCells,
	'S': func(t *Terminal) { t.scrollUp(t.count(0)) },
	'T': (*Terminal).scrollDownOrTrack,
	'X': (*Terminal).eraseCells,
	'Z': func(t *Terminal) { t.tab(-t.count(0)) },
	'`': (*Terminal).moveColumn,
	'a': func(t *Terminal) { t.forward(t.count(0)) },
	'b': (*Terminal).repeat,
	'c': (*Terminal).deviceAttributes,
	'd': (*Terminal).moveLine,
	'e': func(t *Terminal) { t.moveRows(t.x, t.count(0)) },
	'f': func(t *Terminal) { t.moveAbs(t.count(1)-1, t.count(0)-1) },
	'g': (*Terminal).clearTabs,
	'h': func(t *Terminal) { t.setModes(true) },
	'l': func(t *Terminal) { t.setModes(false) },
	'n': (*Terminal).deviceStatus,
	'r': (*Terminal).setMargins,
	's': (*Terminal).saveOrSetColumns,
	't': (*Terminal).windowOp,
	'u': (*Terminal).restore,
}

// csi obeys the control sequence whose final byte is c.
func (t *Terminal) csi(c byte) {
	switch {
	case t.prefix|t.inter != 0:
		t.private(c)
	case c == 'm': // leaves the cursor, so a mark still joins what was printed
		t.sgr()
	case csiFinals[c] != nil:
		csiFinals[c](t)
		t.lastX = -1
	}
}

// key is how private knows a sequence: its prefix, its intermediate byte and
// its final byte.
type key struct{ prefix, inter, final byte }

func (t *Terminal) private(c byte) {
	switch (key{t.prefix, t.inter, c}) {
	case key{'?', 0, 'h'}:
		t.setModes(true)
	case key{'?', 0, 'l'}:
		t.setModes(false)
	case key{'?', 0, 's'}:
		t.keepModes()
	case key{'?', 0, 'r'}:
		t.bringModes()
	case key{'?', 0, 'W'}: // DECST8C
		if t.arg(0) == 5 {
			t.tabs = nil
			t.growTabs()
		}
	case key{'?', 0, 'J'}:
		t.eraseDisplaySelected()
	case key{'?', 0, 'K'}:
		t.eraseLineSelected()
	case key{0, '"', 'q'}:
		t.protect()
	case key{'?', 0, 'n'}:
		t.deviceStatusDEC()
	case key{'?', '$', 'p'}, key{0, '$', 'p'}:
		t.reportMode()
	case key{'>', 0, 'c'}:
		t.secondaryAttributes()
	case key{'>', 0, 'q'}:
		t.reportVersion()
	case key{'?', 0, 'u'}, key{'>', 0, 'u'}, key{'<', 0, 'u'}, key{'=', 0, 'u'}:
		t.kittyKeyboard()
	case key{'>', 0, 'm'}:
		t.setOtherKeys()
	case key{'>', 0, 'n'}: // off, which in xterm is a value below 0
		if t.arg(0) == 4 {
			t.modes.set(modeOtherKeys, false)
		}
	case key{'?', 0, 'm'}:
		t.reportOtherKeys()
	case key{0, '!', 'p'}:
		t.softReset()
	case key{0, ' ', 'q'}:
		if n := t.arg(0); n <= 6 {
			t.shape = n
		}
	}
}

// setMargins is DECSTBM.
func (t *Terminal) setMargins() {
	top, bot := t.count(0)-1, min(t.arg(1), t.lines)-1
	if bot < 0 {
		bot = t.lines - 1
	}
	if top < bot {
		t.top, t.bot = top, bot
		t.moveAbs(0, 0)
	}
}

// saveOrSetColumns is DECSLRM when DECLRMM lets there be such margins, and
// else SCOSC.
func (t *Terminal) saveOrSetColumns() {
	if !t.modes.has(modeColumns) {
		t.save()
		return
	}
	left, right := t.count(0)-1, min(t.arg(1), t.cols)-1
	if right < 0 {
		right = t.cols - 1
	}
	if left < right {
		t.left, t.right = left, right
		t.moveAbs(0, 0)
	}
}

// clearTabs is TBC.
func (t *Terminal) clearTabs() {
	switch t.arg(0) {
	case 0:
		t.tabs[t.x] = false
	case 3:
		clear(t.tabs)
	}
}

// repeat is REP: the last character again, as if it were written, for a
// screenful at most. No program asks for more, and a hostile one should not get it.
func (t *Terminal) repeat() {
	r := t.lastOut
	if r == 0 {
		return
	}
	width := t.runes.class(r).width()
	for range min(t.count(0), t.cols*t.lines) {
		t.put(cell(r), width)
	}
}
