package term

import "signaltty/proto"

// The bounds of a screen; what is asked beyond them is clipped. One column has
// no room for a character of two.
const (
	MinCols  = 2
	MaxCols  = 1000
	MaxLines = 500
)

// Options are what a terminal is made with. The zero value is useful.
type Options struct {
	// HistoryLines bounds the scrollback; 0 means 10000, below 0 none.
	HistoryLines int
	// HistoryBytes bounds its memory; 0 means 16 MiB.
	HistoryBytes int
	// Fg and Bg are the default colours as 0xRRGGBB. Applications ask for
	// them (OSC 10 and 11) to choose a light or a dark theme. When both are 0
	// they are light grey on black.
	Fg, Bg uint32
	// Host is the machine's name; "" means what it calls itself. OSC 7 may
	// report directories of no other.
	Host string
	// Version is what XTVERSION tells after the name.
	Version string
}

// A Terminal turns what an application writes into a screen.
type Terminal struct {
	cols, lines int
	screens     [2]screen // the main and the alternate one
	screen      *screen   // the one in use
	alt         bool
	history     history
	resizing    bool // rows are on no screen

	cursor
	top, bot    int // the margins, both included
	left, right int
	tabs        []bool
	modes       modes
	kept        map[int]int // private modes as XTSAVE found them
	shape       int         // of the cursor, as in DECSCUSR

	penStyle  uint16 // the number of the pen's style
	penStale  bool   // the pen has changed since
	blankCell cell
	styles    table[style]
	links     table[string]
	clusters  table[string]
	epoch     uint64 // counts the sweeps of styles

	parser
	runes   runeCache
	lastX   int  // where the last character was printed; -1 when the cursor has moved since
	lastY   int  // its row
	lastOut rune // what REP repeats; 0 when nothing was printed

	colors     colors
	title, cwd string
	titles     []string // the stack of XTWINOPS 22 and 23
	note       notification
	events     []Event
	replies    []byte
	lineBuf    line   // what a row of the screen is read into
	textBuf    []byte // the text of a cell, or of the runs of a row
	ends       []int  // where in it each run ends
	options    Options

	rev   uint64 // the revision of the screen
	tick  uint64 // the revision that the change under way will have
	dirty bool   // it has changed a cell
}

// A cursor is what DECSC saves.
type cursor struct {
	x, y int
	// wrapNext says that the last column is written and the next character
	// goes to the next line.
	wrapNext bool
	origin   bool // DECOM
	pen      style
	charsets charsets
}

type saved = cursor

// New returns a terminal with an empty screen.
func New(size proto.Size, o Options) *Terminal {
	if o.Fg == 0 && o.Bg == 0 {
		o.Fg = 0xd0d0d0
	}
	size = clip(size)
	t := &Terminal{
		cols: size.Cols, lines: size.Lines, options: o,
		history:  newHistory(o.HistoryLines, o.HistoryBytes, size.Cols),
		styles:   newTable[style](maxStyles),
		links:    newTable[string](maxLinks),
		clusters: newTable[string](maxClusters),
	}
	for i := range t.screens {
		t.screens[i] = newScreen(size.Cols, size.Lines)
	}
	t.screen = &t.screens[0]
	t.reset()
	t.rev = 1
	return t
}

func clip(s proto.Size) proto.Size {
	return proto.Size{Cols: min(max(s.Cols, MinCols), MaxCols), Lines: min(max(s.Lines, 1), MaxLines)}
}

// Write takes what the application wrote. It never fails, and keeps nothing of b.
func (t *Terminal) Write(b []byte) (int, error) {
	t.change(func() { t.parse(b) })
	return len(b), nil
}

// change runs f and gives the screen a new revision if f changed anything
// that a client sees.
func (t *Terminal) change(f func()) {
	cursor, modes := t.Cursor(), t.Modes()
	t.tick, t.dirty = t.rev+1, false
	f()
	if t.dirty || t.Cursor() != cursor || t.Modes() != modes {
		t.rev = t.tick
	}
}

// Rev returns the revision of the screen. It grows with every visible change.
func (t *Terminal) Rev() uint64 { return t.rev }

// Size returns the size of the screen.
func (t *Terminal) Size() proto.Size { return proto.Size{Cols: t.cols, Lines: t.lines} }

// Title returns the title that the application has set, without control
// characters.
func (t *Terminal) Title() string { return t.title }

// Cwd returns the absolute path of the directory that the application reported
// with OSC 7, or "".
func (t *Terminal) Cwd() string { return t.cwd }

// Cursor returns where the cursor is and how it looks.
func (t *Terminal) Cursor() proto.Cursor {
	return proto.Cursor{X: t.x, Y: t.y, Visible: t.modes.has(modeCursor), Shape: t.shape}
}

// Synchronized says that the application is in the middle of an update (mode
// 2026) and wants nothing shown before its end. The caller must bound the
// wait, and call EndSync when it is over.
func (t *Terminal) Synchronized() bool { return t.modes.has(modeSync) }

// EndSync ends a synchronized update that has lasted too long.
func (t *Terminal) EndSync() { t.modes.set(modeSync, false) }

// reset is RIS: everything as it was at the start, but for the history.
func (t *Terminal) reset() {
	t.setAlt(false)
	t.softReset()
	t.move(0, 0)
	for i := range t.screens {
		t.screens[i].saved = saved{}
		t.screens[i].kitty = kittyStack{}
	}
	t.modes, t.kept = startModes, nil
	t.shape = 0
	t.tabs = nil
	t.growTabs()
	t.titles = nil
	t.colors.own = [3]color{}
	t.resetPalette("")
	t.lastOut = 0
	t.sealHistory()
	t.eraseRows(0, t.lines)
}

// softReset is DECSTR.
func (t *Terminal) softReset() {
	t.resetMargins()
	t.origin = false
	t.charsets = charsets{}
	t.setPen(style{})
	t.modes.set(modeInsert, false)
	t.modes.set(modeWrap, true)
	t.modes.set(modeCursor, true)
	t.modes.set(modeAppCursor, false)
	t.modes.set(modeAppKeypad, false)
	t.screen.saved = saved{}
}

func (t *Terminal) setPen(s style) {
	if s != t.pen {
		t.pen, t.penStale = s, true
	}
}
