package term

// While the cursor waits to wrap it stands past the last column, as in tmux:
// erasing to the right erases nothing then, and the character just printed
// stays. (xterm erases it, which is why grep's colours lose characters there.)

// eraseDisplay is ED.
func (t *Terminal) eraseDisplay() {
	switch t.arg(0) {
	case 0:
		if t.x == 0 && t.y == 0 {
			t.sealHistory()
		}
		t.eraseEnd()
		t.eraseRows(t.y+1, t.lines)
	case 1:
		t.eraseRows(0, t.y)
		t.touch(t.y).fill(0, t.x+1, t.blank())
	case 2:
		t.sealHistory()
		t.eraseRows(0, t.lines)
	case 3:
		t.history.clear()
		t.dirty = true
	}
}

// sealHistory keeps what left a screen that is now erased from coming back
// above what is drawn on it next.
func (t *Terminal) sealHistory() {
	if !t.alt {
		t.history.seal()
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

// eraseEnd erases from the cursor to the end of its row, where a prompt may
// have begun that is now written.
func (t *Terminal) eraseEnd() {
	if !t.wrapNext {
		r := t.touch(t.y)
		prompt := r.prompt
		r.erase(t.x, t.blank())
		r.prompt = prompt
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
	if !t.wrapNext && t.x >= t.left && t.x <= t.right {
		end := t.right + 1
		t.touch(t.y).insert(t.x, min(t.count(0), end-t.x), end, t.blank())
	}
}

// deleteCells is DCH.
func (t *Terminal) deleteCells() {
	if !t.wrapNext && t.x >= t.left && t.x <= t.right {
		end := t.right + 1
		t.touch(t.y).remove(t.x, min(t.count(0), end-t.x), end, t.blank())
	}
}

// insertLines is IL.
func (t *Terminal) insertLines() {
	if t.inMargins() {
		t.scrollDown(t.y, t.count(0))
		t.move(t.left, t.y)
	}
	t.wrapNext = false
}

// deleteLines is DL.
func (t *Terminal) deleteLines() {
	if t.inMargins() {
		t.removeLines(t.y, t.count(0))
		t.move(t.left, t.y)
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

// protect is DECSCA: what is printed from now on is protected from selective
// erasure, or is not.
func (t *Terminal) protect() {
	s := t.pen
	s.attrs &^= protected
	if t.arg(0) == 1 {
		s.attrs |= protected
	}
	t.setPen(s)
}

// eraseDisplaySelected is DECSED.
func (t *Terminal) eraseDisplaySelected() {
	switch t.arg(0) {
	case 0:
		t.eraseUnprotected(t.y, t.x, t.cols)
		for y := t.y + 1; y < t.lines; y++ {
			t.eraseUnprotected(y, 0, t.cols)
		}
	case 1:
		for y := range t.y {
			t.eraseUnprotected(y, 0, t.cols)
		}
		t.eraseUnprotected(t.y, 0, t.x+1)
	case 2:
		for y := range t.lines {
			t.eraseUnprotected(y, 0, t.cols)
		}
	}
}

// eraseLineSelected is DECSEL.
func (t *Terminal) eraseLineSelected() {
	switch t.arg(0) {
	case 0:
		t.eraseUnprotected(t.y, t.x, t.cols)
	case 1:
		t.eraseUnprotected(t.y, 0, t.x+1)
	case 2:
		t.eraseUnprotected(t.y, 0, t.cols)
	}
}

// eraseUnprotected erases those of the columns from a up to b of row y that
// are not protected.
func (t *Terminal) eraseUnprotected(y, a, b int) {
	r, c := t.touch(y), t.blank()
	for x := a; x < b; {
		n := r.cells[x].width()
		if t.styles.values[r.cells[x].style()].attrs&protected == 0 {
			r.fill(x, min(x+n, t.cols), c)
		}
		x += n
	}
}
