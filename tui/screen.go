package tui

import (
	"image"
	"strconv"
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/hinshun/vt10x"

	"signaltty/proto"
)

const (
	// clusterBase is where the private-use planes begin: a rune from there on
	// is the number of an entry in screen.clusters.
	clusterBase = 0xf0000
	// clusterCap bounds the clusters that a screen knows at one time.
	clusterCap = 0x1ff00
	// filler is the right half of a wide character.
	filler = 0x10fffd
	// styleCap bounds the styles of a pane.
	styleCap = 1 << 16
)

// screen is one visible pane's screen. Its cells live in a vt10x terminal that
// is fed nothing but what apply writes: positions, one rune per cell, and a
// style id in place of a colour. vt10x knows one rune per cell and few
// attributes, so longer clusters and all styles are kept beside it and come
// back when a cell is read.
type screen struct {
	term       vt10x.Terminal
	cols       int
	lines      int
	styles     map[int]look
	clusters   []string
	clusterIDs map[string]rune
	cursor     proto.Cursor
	modes      proto.Modes
	history    int
	scrolled   uint64
	damage     []bool      // rows to draw anew
	shown      image.Point // the crop that was drawn last
	changed    []time.Time // when each row changed last
	partial    bool        // the rest of this revision is still to come
	wrapped    []bool      // rows that go on in the next
	feed       []byte
}

// look is a style as it is drawn.
type look struct {
	style uv.Style
	link  uv.Link
}

// largest is the most columns and lines that a screen takes from a frame.
const largest = 2000

func newScreen() *screen {
	s := &screen{styles: map[int]look{}, clusterIDs: map[string]rune{}}
	s.resize(1, 1)
	return s
}

// apply brings a frame onto the screen. What lies outside of it is dropped.
func (s *screen) apply(f *proto.Frame) {
	for _, st := range f.Styles {
		if st.ID > 0 && st.ID < 1<<24 && (len(s.styles) < styleCap || s.styles[st.ID] != (look{})) {
			s.styles[st.ID] = lookOf(st)
		}
	}
	cols, lines := min(max(f.Cols, 1), largest), min(max(f.Lines, 1), largest)
	if f.Full || cols != s.cols || lines != s.lines {
		s.resize(cols, lines)
	}
	if f.Modes.ReverseScreen != s.modes.ReverseScreen {
		s.spoil()
	}
	s.cursor, s.modes, s.history, s.scrolled = f.Cursor, f.Modes, f.History, f.Scrolled
	s.partial = f.More
	for _, r := range f.Rows {
		if r.Y >= 0 && r.Y < s.lines {
			s.row(r)
		}
	}
	s.flush()
	if y := s.cursor.Y; y >= 0 && y < s.lines {
		s.damage[y] = true // a picture is due, be it for the cursor alone
	}
}

// resize makes the screen blank in that size. The vt10x terminal stays.
func (s *screen) resize(cols, lines int) {
	if s.term == nil {
		s.term = vt10x.New(vt10x.WithSize(cols, lines))
	}
	// From home, or vt10x slides its screen by the cursor's row as it shrinks.
	s.feed = append(s.feed, "\x1b[?7l\x1b[m\x1b[H\x1b[2J"...)
	s.flush()
	if cols != s.cols || lines != s.lines {
		s.term.Resize(cols, lines)
		s.feed = append(s.feed, "\x1b[2J"...)
		s.flush()
	}
	s.cols, s.lines = cols, lines
	s.damage, s.wrapped, s.changed = make([]bool, lines), make([]bool, lines), make([]time.Time, lines)
	s.spoil()
}

// crop is the first column and row that are in sight in a tile: one that is
// smaller than the screen shows where the cursor is.
func (s *screen) crop(t tile) image.Point {
	return image.Pt(
		max(0, min(s.cursor.X-t.body.Dx()+1, s.cols-t.body.Dx())),
		max(0, min(s.cursor.Y-t.body.Dy()+1, s.lines-t.body.Dy())))
}

// spoil has the whole screen drawn anew.
func (s *screen) spoil() {
	for y := range s.damage {
		s.damage[y] = true
	}
}

func (s *screen) flush() {
	s.term.Write(s.feed) //nolint:errcheck // it writes into memory and fails never
	s.feed = s.feed[:0]
}

// row writes one row of a frame, whole.
func (s *screen) row(r proto.Row) {
	s.damage[r.Y], s.wrapped[r.Y] = true, r.Wrapped
	s.move(0, r.Y)
	s.feed = append(s.feed, "\x1b[m\x1b[K"...)
	at, pen := 0, 0
	for _, run := range r.Runs {
		x, width := run.Col, min(max(run.Width, 1), 2)
		if x < 0 || x >= s.cols {
			continue
		}
		if x != at {
			s.move(x, r.Y)
		}
		if run.Style != pen {
			s.style(run.Style)
		}
		at, pen = s.run(run, x, width), run.Style
	}
	if len(s.feed) > 1<<16 {
		s.flush()
	}
}

// run writes the text of a run at column x, where the cursor stands, and
// returns the column after it. No column follows what reached the edge.
func (s *screen) run(run proto.Run, x, width int) int {
	if run.Cluster {
		s.put(s.cluster(run.Text), x, width)
		return x + width
	}
	for _, c := range run.Text {
		if x >= s.cols {
			break
		}
		s.put(s.rune(c), x, width)
		x += width
	}
	return x
}

func (s *screen) move(x, y int) {
	s.feed = append(s.feed, "\x1b["...)
	s.feed = strconv.AppendInt(s.feed, int64(y+1), 10)
	s.feed = append(s.feed, ';')
	s.feed = strconv.AppendInt(s.feed, int64(x+1), 10)
	s.feed = append(s.feed, 'H')
}

// style sends a style id as a colour: of the palette, or of 24 bits when it is
// too great for that. To vt10x both are one number, and the first is shorter.
func (s *screen) style(id int) {
	if id <= 0 || id >= 1<<24 {
		s.feed = append(s.feed, "\x1b[m"...)
		return
	}
	if id < 1<<8 {
		s.feed = append(s.feed, "\x1b[38;5;"...)
		s.feed = append(strconv.AppendInt(s.feed, int64(id), 10), 'm')
		return
	}
	s.feed = append(s.feed, "\x1b[38;2"...)
	for shift := 16; shift >= 0; shift -= 8 {
		s.feed = append(s.feed, ';')
		s.feed = strconv.AppendInt(s.feed, int64(id>>shift&0xff), 10)
	}
	s.feed = append(s.feed, 'm')
}

func (s *screen) put(c rune, x, width int) {
	if x+width > s.cols { // half a wide character at the edge
		c, width = ' ', 1
	}
	s.feed = append(s.feed, string(c)...)
	if width == 2 {
		s.feed = append(s.feed, string(rune(filler))...)
	}
}

// rune is what stands for c in the vt10x terminal.
func (s *screen) rune(c rune) rune {
	switch {
	case c < ' ' || c >= 0x7f && c < 0xa0:
		return ' '
	case c >= clusterBase:
		return s.cluster(string(c))
	}
	return c
}

// cluster is the rune that stands for text, which is one cell's.
func (s *screen) cluster(text string) rune {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text)
	if text == "" {
		return ' '
	}
	if id, ok := s.clusterIDs[text]; ok {
		return id
	}
	if len(s.clusters) >= clusterCap {
		s.sweep()
	}
	if len(s.clusters) >= clusterCap {
		return '\ufffd'
	}
	id := rune(clusterBase + len(s.clusters))
	s.clusters = append(s.clusters, text)
	s.clusterIDs[text] = id
	return id
}

// sweep forgets the clusters that are on the screen no more: it reads the
// screen, and writes the cells that hold one again under new numbers.
func (s *screen) sweep() {
	s.flush()
	was := s.clusters
	s.clusters, s.clusterIDs = nil, map[string]rune{}
	cur := s.term.Cursor()
	for y := range s.lines {
		for x := range s.cols {
			g := s.term.Cell(x, y)
			if g.Char < clusterBase || g.Char == filler {
				continue
			}
			s.move(x, y)
			s.style(styleOf(g))
			s.feed = append(s.feed, string(s.cluster(was[g.Char-clusterBase]))...)
		}
	}
	s.move(cur.X, cur.Y)
	s.style(styleOf(cur.Attr))
	s.flush()
}
