package term

import "fmt"

// maxReplies bounds what waits to be written back, in bytes. An application
// that asks and does not read gets no more answers.
const maxReplies = 16 << 10

// Replies takes what the terminal has to write to the application, in answer
// to its queries.
func (t *Terminal) Replies() []byte {
	r := t.replies
	t.replies = nil
	return r
}

func (t *Terminal) reply(format string, args ...any) {
	if len(t.replies) < maxReplies {
		t.replies = fmt.Appendf(t.replies, format, args...)
	}
}

// deviceAttributes is DA1: a VT220 with ANSI colours.
func (t *Terminal) deviceAttributes() {
	if t.arg(0) == 0 {
		t.reply("\x1b[?62;22c")
	}
}

// secondaryAttributes is DA2. Vim turns SGR mouse reports on for 277 and later.
func (t *Terminal) secondaryAttributes() {
	if t.arg(0) == 0 {
		t.reply("\x1b[>1;277;0c")
	}
}

// reportVersion is XTVERSION.
func (t *Terminal) reportVersion() {
	if t.arg(0) == 0 {
		t.reply("\x1bP>|signaltty %s\x1b\\", clean(t.options.Version, 64))
	}
}

// deviceStatus is DSR.
func (t *Terminal) deviceStatus() {
	switch t.arg(0) {
	case 5:
		t.reply("\x1b[0n")
	case 6:
		x, y := t.position()
		t.reply("\x1b[%d;%dR", y, x)
	}
}

// deviceStatusDEC is DECXCPR, of which there is one page, and the query for
// the colour scheme.
func (t *Terminal) deviceStatusDEC() {
	switch t.arg(0) {
	case 6:
		x, y := t.position()
		t.reply("\x1b[?%d;%d;1R", y, x)
	case 996:
		t.reportScheme()
	}
}

// position is the cursor's as the application counts.
func (t *Terminal) position() (x, y int) {
	x, y = t.x+1, t.y+1
	if t.origin {
		x -= t.left
		y -= t.top
	}
	return x, y
}

// reportMode is DECRQM.
func (t *Terminal) reportMode() {
	n := t.arg(0)
	if t.prefix == '?' {
		t.reply("\x1b[?%d;%d$y", n, t.modeState(n))
		return
	}
	m, known := ansiModes[n]
	t.reply("\x1b[%d;%d$y", n, modeAnswer(t.modes.has(m), known))
}

// maxTitles bounds the stack of titles.
const maxTitles = 10

// windowOp is XTWINOPS, as far as it does not move windows. A title is never
// told: an application that shows another's text would let that text type.
func (t *Terminal) windowOp() {
	switch t.arg(0) {
	case 11: // not iconified
		t.reply("\x1b[1t")
	case 13: // the position
		t.reply("\x1b[3;0;0t")
	case 18:
		t.reply("\x1b[8;%d;%dt", t.lines, t.cols)
	case 19: // of the display
		t.reply("\x1b[9;%d;%dt", t.lines, t.cols)
	case 20:
		t.reply("\x1b]L\x1b\\")
	case 21:
		t.reply("\x1b]l\x1b\\")
	case 22:
		if t.arg(1) != 1 && len(t.titles) < maxTitles { // 1 is the icon's title
			t.titles = append(t.titles, t.title)
		}
	case 23:
		if n := len(t.titles) - 1; t.arg(1) != 1 && n >= 0 {
			t.setTitle(t.titles[n])
			t.titles = t.titles[:n]
		}
	}
}
