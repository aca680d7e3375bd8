package term

// The tables that cells point into, and their bounds. The history keeps its
// text and styles by value, so only what is on the screens counts.
const (
	maxStyles   = 1 << 16
	maxClusters = 1 << 16
	maxLinks    = 4096
	maxLink     = 2048 // bytes of a URL; longer ones are not kept
	maxCluster  = 64   // bytes of a grapheme cluster; what is over is dropped
)

// penID returns the number of the pen's style. When no number is left, the
// text is written in the default style.
func (t *Terminal) penID() uint16 {
	if t.penStale {
		t.penStale = false
		t.penStyle = t.styleID(t.pen)
		t.blankCell = 0
		if t.pen.bg != 0 {
			t.blankCell = styled(t.styleID(style{bg: t.pen.bg}))
		}
	}
	return t.penStyle
}

// blank is the cell that erasing leaves: empty, in the pen's background.
func (t *Terminal) blank() cell {
	t.penID()
	return t.blankCell
}

func (t *Terminal) styleID(s style) uint16 {
	if id, ok := t.styles.ids[s]; ok {
		return uint16(id)
	}
	if t.styles.due() && !t.resizing {
		t.sweepStyles()
	}
	id, _ := t.styles.add(s)
	return uint16(id)
}

func (t *Terminal) clusterID(s []byte) (cell, bool) {
	if id, ok := t.clusters.ids[string(s)]; ok {
		return cell(id), true
	}
	if t.clusters.due() && !t.resizing {
		t.sweepClusters()
	}
	id, ok := t.clusters.add(string(s))
	return cell(id), ok
}

// linkID returns 0, no link, for a URL that is too long or one too many.
func (t *Terminal) linkID(url string) uint32 {
	if id, ok := t.links.ids[url]; ok {
		return id
	}
	if len(url) > maxLink {
		return 0
	}
	if t.links.due() && !t.resizing {
		t.sweepStyles()
	}
	id, _ := t.links.add(url)
	return id
}

// sweepStyles frees the styles that no cell has, and then the links that no
// style has. Numbers get new meanings after it, so every view starts over.
func (t *Terminal) sweepStyles() {
	live := newBitset(len(t.styles.values))
	live.set(int(t.penStyle))
	live.set(int(t.blankCell.style()))
	t.eachCell(func(c cell) { live.set(int(c.style())) })
	t.styles.sweep(live)
	t.epoch++

	links := newBitset(len(t.links.values))
	links.set(int(t.pen.link))
	for i := range t.screens {
		links.set(int(t.screens[i].saved.pen.link))
	}
	for s := range t.styles.ids {
		links.set(int(s.link))
	}
	t.links.sweep(links)
}

func (t *Terminal) sweepClusters() {
	live := newBitset(len(t.clusters.values))
	t.eachCell(func(c cell) {
		if c&cluster != 0 {
			live.set(int(c & textMask))
		}
	})
	t.clusters.sweep(live)
}

func (t *Terminal) eachCell(f func(cell)) {
	for i := range t.screens {
		for y := range t.screens[i].rows {
			r := t.screens[i].row(y)
			for _, c := range r.cells[:r.used] {
				f(c)
			}
		}
	}
}
