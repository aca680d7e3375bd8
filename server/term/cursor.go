package term

// control obeys a C0 control character.
func (t *Terminal) control(c byte) {
	switch c {
	case '\a':
		t.event(Event{Kind: Bell})
	case '\b':
		t.back(1)
	case '\t':
		t.tab(1)
	case '\n', '\v', '\f':
		t.lastX = -1
		t.index()
		if t.modes.has(modeNewLine) {
			t.x = t.lineStart()
		}
	case '\r':
		t.move(t.lineStart(), t.y)
	case 0x0e: // SO
		t.charsets.shift = 1
	case 0x0f: // SI
		t.charsets.shift = 0
	}
}

// lineStart is where a carriage return goes: to the left margin, but from
// outside it to the first column.
func (t *Terminal) lineStart() int {
	if t.x >= t.left {
		return t.left
	}
	return 0
}

// back moves n columns to the left, to the left margin at most. With reverse
// wrap it goes on at the end of the row above when that one is wrapped, and a
// cursor that waits to wrap moves one column less, as in xterm.
func (t *Terminal) back(n int) {
	reverse := t.modes.has(modeReverseWrap) && t.modes.has(modeWrap)
	if reverse && t.wrapNext {
		n--
	}
	x, y, start := t.x, t.y, t.lineStart()
	for reverse && x-start < n && y > t.top && t.screen.row(y-1).wrapped {
		n -= x - start + 1
		x, y = t.right, y-1
	}
	t.move(max(x-n, start), y)
}

// forward moves n columns to the right, to the right margin at most.
func (t *Terminal) forward(n int) { t.move(min(t.x+n, t.edge()-1), t.y) }

// move puts the cursor at x, y, as near as the screen allows.
func (t *Terminal) move(x, y int) {
	t.x, t.y = min(max(x, 0), t.cols-1), min(max(y, 0), t.lines-1)
	t.wrapNext = false
	t.lastX = -1
}

// moveAbs is move in the coordinates of the application: under origin mode
// they begin at the top margin, and the cursor stays between the margins.
func (t *Terminal) moveAbs(x, y int) {
	if t.origin {
		x = min(max(x, 0)+t.left, t.right)
		y = min(max(y, 0)+t.top, t.bot)
	}
	t.move(x, y)
}

// moveColumn is CHA and HPA, moveLine is VPA.
func (t *Terminal) moveColumn() {
	_, y := t.position()
	t.moveAbs(t.count(0)-1, y-1)
}

func (t *Terminal) moveLine() {
	x, _ := t.position()
	t.moveAbs(x-1, t.count(0)-1)
}

// moveRows moves the cursor by n rows. From between the margins it does not
// leave them.
func (t *Terminal) moveRows(x, n int) {
	top, bot := 0, t.lines-1
	if t.y >= t.top {
		top = t.top
	}
	if t.y <= t.bot {
		bot = t.bot
	}
	t.move(x, min(max(t.y+n, top), bot))
}

// tab moves over n tab stops to the right, or -n to the left. There is none
// to the right of a cursor that waits to wrap, and it goes on waiting.
func (t *Terminal) tab(n int) {
	if n > 0 && t.wrapNext {
		return
	}
	x, first, last := t.x, t.lineStart(), t.edge()-1
	for ; n > 0 && x < last; n-- {
		for x++; x < last && !t.tabs[x]; x++ {
		}
	}
	for ; n < 0 && x > first; n++ {
		for x--; x > first && !t.tabs[x]; x-- {
		}
	}
	t.move(x, t.y)
}

// growTabs gives the columns that have come into being a stop at every eighth.
func (t *Terminal) growTabs() {
	for len(t.tabs) < t.cols {
		t.tabs = append(t.tabs, len(t.tabs)%8 == 0)
	}
}

// escape obeys an escape sequence without intermediate bytes.
func (t *Terminal) escape(c byte) {
	switch c {
	case 'D': // IND
		t.lastX = -1
		t.index()
	case 'E': // NEL
		t.move(t.lineStart(), t.y)
		t.index()
	case 'M': // RI
		t.lastX = -1
		t.reverseIndex()
	case 'H': // HTS
		t.tabs[t.x] = true
	case 'Z': // DECID
		t.deviceAttributes()
	case 'c': // RIS
		t.reset()
	case '7':
		t.save()
	case '8':
		t.restore()
	case '=':
		t.modes.set(modeAppKeypad, true)
	case '>':
		t.modes.set(modeAppKeypad, false)
	case 'n', 'o': // LS2 and LS3
		t.charsets.shift = c - 'n' + 2
	}
}

// escapeInter obeys an escape sequence with an intermediate byte.
func (t *Terminal) escapeInter(c byte) {
	switch t.inter {
	case '(', ')', '*', '+':
		t.charsets.g[t.inter-'('] = c
	case '#':
		if c == '8' {
			t.alignment()
		}
	}
}

// alignment is DECALN: the screen full of E, to adjust a tube by.
func (t *Terminal) alignment() {
	t.resetMargins()
	t.origin = false
	for y := range t.lines {
		t.touch(y).erase(0, 'E')
	}
	t.move(0, 0)
}
