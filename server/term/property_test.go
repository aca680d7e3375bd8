package term

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"signaltty/proto"
)

// TestAnyChunking shows that the cuts between writes change nothing.
func TestAnyChunking(t *testing.T) {
	for _, s := range streams(t) {
		t.Run(s.name, func(t *testing.T) {
			want := play(s.size, s.data, len(s.data))
			for _, n := range []int{1, 2, 3, 7, 64, 1000} {
				if got := play(s.size, s.data, n); got != want {
					t.Fatalf("in writes of %d bytes:\n%s", n, diff(want, got))
				}
			}
		})
	}
}

func play(size proto.Size, b []byte, n int) string {
	e := New(size, Options{})
	for c := range chunks(b, max(n, 1)) {
		e.Write(c)
	}
	return everything(e)
}

// everything is all that can be seen of e.
func everything(e *Terminal) string {
	return describe(e) + fmt.Sprintf("%+v\n%q %q\n%q\n%+v\n", e.Modes(), e.Title(), e.Cwd(), e.replies, e.events)
}

func TestAnyChunkingOfAnything(t *testing.T) {
	size := proto.Size{Cols: 12, Lines: 5}
	rapid.Check(t, func(t *rapid.T) {
		var b []byte
		whole, cut := New(size, Options{}), New(size, Options{})
		for _, part := range rapid.SliceOf(fragment()).Draw(t, "parts") {
			b = append(b, part...)
		}
		whole.Write(b)
		for len(b) > 0 {
			n := rapid.IntRange(1, min(len(b), 9)).Draw(t, "n")
			cut.Write(b[:n])
			b = b[n:]
		}
		if w, g := everything(whole), everything(cut); w != g {
			t.Fatal(diff(w, g))
		}
	})
}

// fragments are pieces of output that have met trouble in some terminal. They
// also stand alone, cut and out of order.
var fragments = []string{
	"a", "text and more text", "\r", "\n", "\r\n", "\b", "\t", "你", "你好世界", "e\u0301", "\u0301", "👍🏽", "👨\u200d👩\u200d👧",
	"🇺🇸", "🇺", "❤\ufe0f", "1\ufe0f\u20e3", "한국어", "\u1112\u1161\u11ab", "क्षि", "\xe2\x82", "\xff", "\xc0\xaf", "\xc2\x9b", "\u0600a",
	"\x1b[", "\x1b", "\x1b]", "\x1b\\", "\x1bP", "\x18", "m", "H", "\x1b[H", "\x1b[2J", "\x1b[3J", "\x1b[J", "\x1b[1J", "\x1b[K",
	"\x1b[1K", "\x1b[2K", "\x1b[3@", "\x1b[3P", "\x1b[2X", "\x1b[2L", "\x1b[2M", "\x1b[2S", "\x1b[2T", "\x1b[5b", "\x1b[2;4r", "\x1b[r",
	"\x1b[3;5H", "\x1b[99C", "\x1b[31m", "\x1b[1;4:3;38;2;1;2;3m", "\x1b[48:5:99m", "\x1b[44m", "\x1b[m", "\x1b[7m", "\x1b[?1049h", "\x1b[?1049l",
	"\x1b[?47h", "\x1b[?47l", "\x1b[?6h", "\x1b[?6l", "\x1b[?7l", "\x1b[?7h", "\x1b[4h", "\x1b[4l", "\x1b[20h", "\x1b[?45h", "\x1b7", "\x1b8", "\x1bM",
	"\x1bD", "\x1bE", "\x1bc", "\x1b[!p", "\x1b#8", "\x1b(0", "\x1b(B", "\x0e", "\x0f", "\x1b)0", "\x1b[I", "\x1b[Z", "\x1bH", "\x1b[3g",
	"\x1b]0;✳ title\a", "\x1b]8;;http://e.x/\x1b\\", "\x1b]8;;\x1b\\", "\x1b[>1u", "\x1b[<u", "\x1b[?u", "\x1b[6n", "\x1b[c", "\x1b[?2026h",
	"\x1b[?2026l", "\x1b[?25l", "\x1b[5 q", "\x1b]9;note\a", "\a", "\x1b[1;31\rm", "\x1b[22;0t", "\x1b[23;0t",
}

func fragment() *rapid.Generator[[]byte] {
	return rapid.OneOf(
		rapid.Map(rapid.SampledFrom(fragments), func(s string) []byte { return []byte(s) }),
		rapid.SliceOfN(rapid.Byte(), 1, 4),
		rapid.Custom(func(t *rapid.T) []byte {
			return fmt.Appendf(nil, "\x1b[%d;%d%c", rapid.IntRange(0, 14).Draw(t, "a"), rapid.IntRange(0, 14).Draw(t, "b"),
				rapid.ByteRange('@', '~').Draw(t, "final"))
		}),
	)
}

// TestFramesAddUp shows that a client that applies whatever frames it gets,
// however seldom, has the same as one that gets everything at once.
func TestFramesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := New(drawSize(t), Options{HistoryLines: 20})
		var v View
		var f proto.Frame
		held := &model{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				e.Resize(drawSize(t))
			case 1, 2:
				before, want := v.rev, v.rev != e.Rev() || v.epoch != e.epoch
				if got := e.Frame(&v, &f); got != want {
					t.Fatalf("Frame says %v at revision %d, the view is at %d", got, e.Rev(), before)
				}
				if want {
					held.apply(t, &f)
				}
			case 3:
				e.sweepStyles()
				e.sweepClusters()
			default:
				e.Write(fragment().Draw(t, "bytes"))
			}
			check(t, e)
		}
		if e.Frame(&v, &f) {
			held.apply(t, &f)
		}
		if want := fresh(t, e); !held.equal(want) {
			t.Fatalf("the client holds\n%s\nand should\n%s", held, want)
		}
	})
}

func drawSize(t *rapid.T) proto.Size {
	return proto.Size{Cols: rapid.IntRange(1, 14).Draw(t, "cols"), Lines: rapid.IntRange(1, 7).Draw(t, "lines")}
}

func fresh(t failer, e *Terminal) *model {
	var v View
	var f proto.Frame
	m := &model{}
	for e.Frame(&v, &f) {
		m.apply(t, &f)
	}
	return m
}

// check fails if e is not in order.
func check(t failer, e *Terminal) {
	if e.x < 0 || e.x >= e.cols || e.y < 0 || e.y >= e.lines || e.top < 0 || e.top > e.bot || e.bot >= e.lines {
		t.Fatalf("the cursor is at %d, %d, the margins at %d, %d of %v", e.x, e.y, e.top, e.bot, e.Size())
	}
	checkHistory(t, &e.history)
	for i := range e.screens {
		s := &e.screens[i]
		if len(s.rows) != e.lines {
			t.Fatalf("screen %d has %d rows of %d", i, len(s.rows), e.lines)
		}
		for y := range s.rows {
			checkRow(t, e, s.row(y))
		}
	}
}

func checkHistory(t failer, h *history) {
	rows, bytes := 0, 0
	for i := range h.n {
		l := *h.at(i)
		rows += l.rows(h.cols)
		bytes += cap(l) + lineOverhead
		r := reader{rest: l.body()}
		width := 0
		for r.next() {
			width += r.width
		}
		if width != l.width() {
			t.Fatalf("a line of %d columns says that it has %d", width, l.width())
		}
	}
	seen := 0
	for range h.from(0) {
		seen++
	}
	if rows != h.rows || bytes != h.bytes || h.recent > h.n || seen != h.count() {
		t.Fatalf("the history counts %d rows, %d bytes, %d recent lines; there are %d, %d, %d; %d rows of %d are seen",
			h.rows, h.bytes, h.recent, rows, bytes, h.n, seen, h.count())
	}
}

func checkRow(t failer, e *Terminal, r *row) {
	if len(r.cells) != e.cols || r.used > len(r.cells) {
		t.Fatalf("a row has %d cells, %d of them used", len(r.cells), r.used)
	}
	for x, c := range r.cells {
		switch {
		case x >= r.used && c != 0:
			t.Fatalf("cell %d is not zero, and only %d are used", x, r.used)
		case c&tail != 0 && (x == 0 || r.cells[x-1]&wide == 0):
			t.Fatalf("cell %d is a right half without a left one", x)
		case c&wide != 0 && (x+1 == len(r.cells) || r.cells[x+1]&tail == 0):
			t.Fatalf("cell %d is a left half without a right one", x)
		case int(c.style()) >= len(e.styles.values) || c&cluster != 0 && e.clusters.values[c&textMask] == "":
			t.Fatalf("cell %d points into nothing", x)
		}
	}
}

type failer interface{ Fatalf(string, ...any) }

// A model is a client's screen, which knows of frames what proto says.
type model struct {
	cols, lines int
	rows        [][]modelCell
	wrapped     []bool
	cursor      proto.Cursor
	modes       proto.Modes
	styles      map[int]proto.Style
}

type modelCell struct {
	text  string
	style proto.Style
	width int
}

func (m *model) apply(t failer, f *proto.Frame) {
	if f.Cols != m.cols || f.Lines != m.lines {
		if !f.Full {
			t.Fatalf("the size has changed in a frame that is not full")
		}
	}
	if f.Full {
		*m = model{cols: f.Cols, lines: f.Lines, rows: make([][]modelCell, f.Lines), wrapped: make([]bool, f.Lines), styles: map[int]proto.Style{}}
		for y := range m.rows {
			m.rows[y] = blankRow(f.Cols)
		}
	}
	m.cursor, m.modes = f.Cursor, f.Modes
	for _, s := range f.Styles {
		m.styles[s.ID] = s
	}
	for _, r := range f.Rows {
		m.rows[r.Y], m.wrapped[r.Y] = m.row(t, r), r.Wrapped
	}
}

func blankRow(n int) []modelCell {
	return slices.Repeat([]modelCell{{" ", proto.Style{}, 1}}, n)
}

func (m *model) row(t failer, r proto.Row) []modelCell {
	cells, from := blankRow(m.cols), 0
	for _, run := range r.Runs {
		texts := []string{run.Text}
		if !run.Cluster {
			texts = nil
			for _, c := range run.Text {
				texts = append(texts, string(c))
			}
		}
		style, ok := m.styles[run.Style]
		style.ID = 0
		if !ok && run.Style != 0 {
			t.Fatalf("style %d was never sent", run.Style)
		}
		x, width := run.Col, max(run.Width, 1)
		if x < from || x+width*len(texts) > m.cols || len(texts) == 0 {
			t.Fatalf("a run does not fit: %+v in %+v", run, r)
		}
		for _, text := range texts {
			cells[x] = modelCell{text, style, width}
			if width == 2 {
				cells[x+1] = modelCell{"", style, 0}
			}
			x += width
		}
		from = x
	}
	return cells
}

func (m *model) equal(o *model) bool {
	return m.cursor == o.cursor && m.modes == o.modes && slices.Equal(m.wrapped, o.wrapped) &&
		slices.EqualFunc(m.rows, o.rows, slices.Equal)
}

func (m *model) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%+v %+v\n", m.cursor, m.modes)
	for y, r := range m.rows {
		b.WriteByte('|')
		for _, c := range r {
			b.WriteString(c.text)
		}
		fmt.Fprintf(&b, "| %v\n", m.wrapped[y])
	}
	return b.String()
}
