package term

// While the cursor waits to wrap it stands past the last column, as in tmux:
// erasing to the right erases nothing then, and the character just printed
// stays. (xterm erases it, which is why grep's colours lose characters there.)

// eraseDisplay is ED.
func (t *Terminal) eraseDisplay() {
	switch t.arg(0) {
	case 0:
		t.eraseEnd()
		t.eraseRows(t.y+1, t.lines)
	case 1:
		t.eraseRows(0, t.y)
		t.touch(t.y).fill(0, t.x+1, t.blank())
	case 2:
		t.eraseRows(0, t.lines)
	case 3:
		t.history.clear()
		t.dirty = true
	}
}

// eraseLine is EL.
func (t *Terminal) eraseLine() {
	switch t.arg(0) {
	case 0:
		t.eraseEnd()
	case 1:
		t.touch(t.y).fill(0, t.x+1, t.blank())
	case 2:
		t.eraseRows(t.y, t.y+1)
	}
}

// eraseEnd erases from the cursor to the end of its row.
func (t *Terminal) eraseEnd() {
	if !t.wrapNext {
		t.touch(t.y).erase(t.x, t.cols, t.blank())
	}
}

// eraseCells is ECH.
func (t *Terminal) eraseCells() {
	if !t.wrapNext {
		t.touch(t.y).fill(t.x, min(t.x+t.count(0), t.cols), t.blank())
	}
}

// insertCells is ICH.
func (t *Terminal) insertCells() {
	if !t.wrapNext {
		t.touch(t.y).insert(t.x, min(t.count(0), t.cols-t.x), t.cols, t.blank())
	}
}

// deleteCells is DCH.
func (t *Terminal) deleteCells() {
	if !t.wrapNext {
		t.touch(t.y).remove(t.x, min(t.count(0), t.cols-t.x), t.cols, t.blank())
	}
}

// insertLines is IL.
func (t *Terminal) insertLines() {
	if t.y >= t.top && t.y <= t.bot {
		t.scrollDown(t.y, t.count(0))
	}
	t.wrapNext = false
}

// deleteLines is DL.
func (t *Terminal) deleteLines() {
	if t.y >= t.top && t.y <= t.bot {
		t.removeLines(t.y, t.count(0))
	}
	t.wrapNext = false
}

// scrollDownOrTrack is SD. With more than one parameter it is xterm's mouse
// highlighting, which nothing uses.
func (t *Terminal) scrollDownOrTrack() {
	if t.nparams <= 1 {
		t.scrollDown(t.top, t.count(0))
	}
}
