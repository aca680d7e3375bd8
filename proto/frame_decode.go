package proto

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseFrame reads a line that is written as AppendFrame writes it: no blanks,
// the fields in their order, no names but ours. Of any other line it says
// false, and encoding/json has the word; what it accepts it reads as that
// would.
func parseFrame(line []byte) (*Frame, bool) {
	if len(line) < len(frameHead) || string(line[:len(frameHead)]) != frameHead {
		return nil, false
	}
	// One string for all texts, one array for all runs and one for the rows. A
	// quote inside a text is escaped, so that no text can raise the counts.
	s := string(line[len(frameHead):])
	d := frameReader{s: s, runs: make([]Run, 0, strings.Count(s, `{"col":`)), rows: make([]Row, 0, strings.Count(s, `{"y":`))}
	f := new(Frame)
	d.frame(f)
	d.must("}")
	if d.bad || d.s != "" {
		return nil, false
	}
	return f, true
}

// frameReader takes a frame apart from the front. Once bad, it stays so.
type frameReader struct {
	s    string // what is left
	bad  bool
	rows []Row
	runs []Run
}

func (d *frameReader) frame(f *Frame) {
	d.must(`{"pane_id":`)
	f.Pane = d.text()
	d.must(`,"rev":`)
	f.Rev = d.natural()
	d.must(`,"cols":`)
	f.Cols = d.integer()
	d.must(`,"lines":`)
	f.Lines = d.integer()
	d.flag(`,"full":true`, &f.Full)
	d.flag(`,"more":true`, &f.More)
	if d.has(`,"rows":[`) {
		for first := true; d.next(&first, "]"); {
			d.rows = append(d.rows, d.row())
		}
		f.Rows = d.rows
	}
	if d.has(`,"styles":[`) {
		for first := true; d.next(&first, "]"); {
			f.Styles = append(f.Styles, d.style())
		}
	}
	d.cursor(&f.Cursor)
	d.modes(&f.Modes)
	d.number(`,"history":`, &f.History)
	if d.has(`,"scrolled":`) {
		f.Scrolled = d.natural()
	}
	d.must("}")
}

func (d *frameReader) row() (r Row) {
	d.must(`{"y":`)
	r.Y = d.integer()
	if d.has(`,"runs":[`) {
		from := len(d.runs)
		for first := true; d.next(&first, "]"); {
			d.runs = append(d.runs, d.run())
		}
		r.Runs = d.runs[from:len(d.runs):len(d.runs)]
	}
	d.flag(`,"wrapped":true`, &r.Wrapped)
	d.must("}")
	return r
}

func (d *frameReader) run() (r Run) {
	d.must(`{"col":`)
	r.Col = d.integer()
	d.must(`,"text":`)
	r.Text = d.text()
	d.number(`,"style":`, &r.Style)
	d.number(`,"width":`, &r.Width)
	d.flag(`,"cluster":true`, &r.Cluster)
	d.must("}")
	return r
}

func (d *frameReader) style() (s Style) {
	d.must(`{"id":`)
	s.ID = d.integer()
	d.string(`,"fg":`, &s.Fg)
	d.string(`,"bg":`, &s.Bg)
	d.string(`,"ul":`, &s.Ul)
	d.string(`,"underline":`, &s.Underline)
	d.flag(`,"bold":true`, &s.Bold)
	d.flag(`,"faint":true`, &s.Faint)
	d.flag(`,"italic":true`, &s.Italic)
	d.flag(`,"blink":true`, &s.Blink)
	d.flag(`,"reverse":true`, &s.Reverse)
	d.flag(`,"conceal":true`, &s.Conceal)
	d.flag(`,"strike":true`, &s.Strike)
	d.flag(`,"overline":true`, &s.Overline)
	d.string(`,"link":`, &s.Link)
	d.must("}")
	return s
}

func (d *frameReader) cursor(c *Cursor) {
	d.must(`,"cursor":{"x":`)
	c.X = d.integer()
	d.must(`,"y":`)
	c.Y = d.integer()
	d.flag(`,"visible":true`, &c.Visible)
	d.number(`,"shape":`, &c.Shape)
	d.must("}")
}

func (d *frameReader) modes(m *Modes) {
	d.must(`,"modes":{`)
	for first := true; d.next(&first, "}"); {
		switch {
		case d.has(`"alt_screen":true`):
			m.AltScreen = true
		case d.has(`"app_cursor":true`):
			m.AppCursor = true
		case d.has(`"app_keypad":true`):
			m.AppKeypad = true
		case d.has(`"bracketed_paste":true`):
			m.BracketedPaste = true
		case d.has(`"focus_events":true`):
			m.FocusEvents = true
		case d.has(`"mouse":`):
			m.Mouse = d.integer()
		case d.has(`"mouse_sgr":true`):
			m.MouseSGR = true
		case d.has(`"kitty":`):
			m.Kitty = d.integer()
		case d.has(`"modify_other_keys":`):
			m.ModifyOtherKeys = d.integer()
		case d.has(`"reverse_screen":true`):
			m.ReverseScreen = true
		default:
			d.bad = true
		}
	}
}

// has takes lit from the front if it stands there.
func (d *frameReader) has(lit string) bool {
	rest, ok := strings.CutPrefix(d.s, lit)
	d.s = rest
	return ok
}

func (d *frameReader) must(lit string) {
	if !d.has(lit) {
		d.bad = true
	}
}

// next goes to the next element of a list or an object, and over its end.
func (d *frameReader) next(first *bool, end string) bool {
	if d.bad || d.has(end) {
		return false
	}
	if !*first {
		d.must(",")
	}
	*first = false
	return !d.bad
}

func (d *frameReader) flag(lit string, v *bool) { *v = d.has(lit) }

func (d *frameReader) number(lit string, v *int) {
	if d.has(lit) {
		*v = d.integer()
	}
}

func (d *frameReader) string(lit string, v *string) {
	if d.has(lit) {
		*v = d.text()
	}
}

// natural reads a whole number from 0, as JSON writes it.
func (d *frameReader) natural() uint64 {
	n, v := 0, uint64(0)
	for n < len(d.s) && '0' <= d.s[n] && d.s[n] <= '9' {
		c := uint64(d.s[n] - '0')
		if v > (math.MaxUint64-c)/10 {
			d.bad = true
			return 0
		}
		v = v*10 + c
		n++
	}
	if n == 0 || n > 1 && d.s[0] == '0' {
		d.bad = true
		return 0
	}
	d.s = d.s[n:]
	return v
}

func (d *frameReader) integer() int {
	most := uint64(math.MaxInt)
	minus := d.has("-")
	if minus {
		most++
	}
	v := d.natural()
	if v > most {
		d.bad = true
		return 0
	}
	if minus {
		return int(-v)
	}
	return int(v)
}

// text reads a string. One without escapes is a part of the line.
func (d *frameReader) text() string {
	if !d.has(`"`) {
		d.bad = true
		return ""
	}
	for i := 0; i < len(d.s); i++ {
		switch c := d.s[i]; {
		case c == '"':
			t := d.s[:i]
			d.s = d.s[i+1:]
			d.bad = d.bad || !utf8.ValidString(t)
			return t
		case c == '\\':
			return d.escaped(i)
		case c < ' ':
			d.bad = true
			return ""
		}
	}
	d.bad = true
	return ""
}

// escaped reads a string whose first escape is at i.
func (d *frameReader) escaped(i int) string {
	b := make([]byte, 0, i+64)
	for {
		b = append(b, d.s[:i]...)
		d.s = d.s[i:]
		if d.has(`"`) {
			d.bad = d.bad || !utf8.Valid(b)
			return string(b)
		}
		b = d.escape(b)
		i = strings.IndexFunc(d.s, func(r rune) bool { return r == '"' || r == '\\' || r < ' ' })
		if d.bad || i < 0 || d.s[i] < ' ' {
			d.bad = true
			return ""
		}
	}
}

// escape reads one escape. Surrogates are not ours: they are left to
// encoding/json.
func (d *frameReader) escape(b []byte) []byte {
	if len(d.s) < 2 {
		d.bad = true
		return b
	}
	c := d.s[1]
	if c == 'u' && len(d.s) >= 6 {
		v, err := strconv.ParseUint(d.s[2:6], 16, 16)
		d.bad = d.bad || err != nil || v >= 0xd800 && v < 0xe000
		d.s = d.s[6:]
		return utf8.AppendRune(b, rune(v))
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		d.bad = true
		return b
	}
	d.s = d.s[2:]
	return append(b, "\"\\/\b\f\n\r\t"[i])
}
