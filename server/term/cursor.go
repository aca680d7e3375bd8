package term

// control obeys a C0 control character.
func (t *Terminal) control(c byte) {
	switch c {
	case '\a':
		t.event(Event{Kind: Bell})
	case '\b':
		t.backspace()
	case '\t':
		t.tab(1)
	case '\n', '\v', '\f':
		t.lastX = -1
		t.index()
		if t.modes.has(modeNewLine) {
			t.x = 0
		}
	case '\r':
		t.move(0, t.y)
	case 0x0e: // SO
		t.charsets.shift = 1
	case 0x0f: // SI
		t.charsets.shift = 0
	}
}

// backspace moves left, and with reverse wrap to the end of the row above
// when that one goes on in this one.
func (t *Terminal) backspace() {
	if t.x == 0 && t.y > t.top && t.modes.has(modeReverseWrap) && t.screen.row(t.y-1).wrapped {
		t.move(t.cols-1, t.y-1)
		return
	}
	t.move(t.x-1, t.y)
}

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
		y = min(max(y, 0)+t.top, t.bot)
	}
	t.move(x, y)
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

// tab moves over n tab stops to the right, or -n to the left.
func (t *Terminal) tab(n int) {
	x := t.x
	for ; n > 0 && x < t.cols-1; n-- {
		for x++; x < t.cols-1 && !t.tabs[x]; x++ {
		}
	}
	for ; n < 0 && x > 0; n++ {
		for x--; x > 0 && !t.tabs[x]; x-- {
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
		t.move(0, t.y)
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
	t.top, t.bot = 0, t.lines-1
	for y := range t.lines {
		t.touch(y).erase(0, t.cols, 'E')
	}
	t.move(0, 0)
}
