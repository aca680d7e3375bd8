package tuitest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/clipperhouse/displaywidth"
)

// Glass is a terminal just good enough to show what the painter writes. It is
// an io.Writer.
type Glass struct {
	mu    sync.Mutex
	cols  int
	rows  int
	cells [][]Cell
	x, y  int
	style string
	modes map[string]bool
	shape string
	title string
	clip  string
	raw   strings.Builder
	rest  string // of a sequence that was cut
}

// Cell is one cell of the glass. The right half of a wide character is empty.
type Cell struct {
	Text  string
	Style string // the parameters of its SGR sequences, "" when plain
}

// NewGlass makes a blank one.
func NewGlass(cols, rows int) *Glass {
	g := &Glass{modes: map[string]bool{}}
	g.Resize(cols, rows)
	return g
}

// Resize changes the size and blanks it.
func (g *Glass) Resize(cols, rows int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cols, g.rows = cols, rows
	g.cells = make([][]Cell, rows)
	for y := range g.cells {
		g.cells[y] = make([]Cell, cols)
	}
	g.clear(0, 0, rows*cols)
}

func (g *Glass) clear(x, y, n int) {
	for i := y*g.cols + x; i < min(y*g.cols+x+n, g.rows*g.cols); i++ {
		g.cells[i/g.cols][i%g.cols] = Cell{Text: " "}
	}
}

var sequence = regexp.MustCompile(`^(?:\x1b\[([<=>?]?)([0-9;:]*)([ !$"']*)([@-~])|\x1b([\]P_^])([^\x07\x1b]*)(?:\x07|\x1b\\)|\x1b[()*+].|\x1b[ -/]*[0-Z\\^-~])`)

func (g *Glass) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.raw.Write(b)
	s := g.rest + string(b)
	g.rest = ""
	for s != "" {
		if s[0] == 0x1b {
			m := sequence.FindStringSubmatch(s)
			if m == nil {
				g.rest = s
				break
			}
			g.obey(m)
			s = s[len(m[0]):]
			continue
		}
		n := strings.IndexByte(s, 0x1b)
		if n < 0 {
			n = len(s)
		}
		g.print(s[:n])
		s = s[n:]
	}
	return len(b), nil
}

func (g *Glass) obey(m []string) {
	private, params, inter, final := m[1], m[2], m[3], m[4]
	switch {
	case m[5] == "]":
		g.osc(m[6])
	case private == "?" && (final == "h" || final == "l"):
		for mode := range strings.SplitSeq(params, ";") {
			g.modes[mode] = final == "h"
		}
	case private == ">" && final == "u", private == "<" && final == "u":
		g.modes["kitty"] = private == ">"
	case private != "":
	case inter == " " && final == "q":
		g.shape = params
	case inter != "":
	case final == "H":
		y, x, _ := strings.Cut(params, ";")
		g.x, g.y = min(number(x, 1), g.cols)-1, min(number(y, 1), g.rows)-1
	case final == "J":
		g.clear(0, 0, g.rows*g.cols)
	case final == "K":
		g.clear(g.x, g.y, g.cols-g.x)
	case final == "m":
		g.pen(params)
	}
}

func (g *Glass) osc(s string) {
	if after, ok := strings.CutPrefix(s, "2;"); ok {
		g.title = after
	}
	if after, ok := strings.CutPrefix(s, "52;c;"); ok {
		g.clip = after
	}
}

// pen keeps the style as the set of its parameters.
func (g *Glass) pen(params string) {
	if params == "" || params == "0" {
		g.style = ""
		return
	}
	if g.style != "" {
		params = g.style + ";" + params
	}
	g.style = normal(params)
}

// normal folds a list of SGR parameters into what it amounts to.
func normal(params string) string {
	p := strings.Split(params, ";")
	on := map[string]string{}
	for i := 0; i < len(p); i++ {
		n := number(strings.Split(p[i], ":")[0], 0)
		switch {
		case n == 0:
			clear(on)
		case n == 38 || n == 48 || n == 58:
			last := i + 2
			if i+1 < len(p) && p[i+1] == "2" {
				last = i + 4
			}
			last = min(last, len(p)-1)
			on[map[int]string{38: "c", 48: "d", 58: "e"}[n]] = strings.Join(p[i:last+1], ";")
			i = last
		case n >= 30 && n <= 37 || n >= 90 && n <= 97:
			on["c"] = p[i]
		case n >= 40 && n <= 47 || n >= 100 && n <= 107:
			on["d"] = p[i]
		case n == 39:
			delete(on, "c")
		case n == 49:
			delete(on, "d")
		case n == 59:
			delete(on, "e")
		case n == 22:
			delete(on, "b1")
			delete(on, "b2")
		case n >= 23 && n <= 29:
			delete(on, "b"+strconv.Itoa(n-20))
		default:
			on["b"+strconv.Itoa(n)] = p[i]
		}
	}
	var out []string
	for _, k := range []string{"b1", "b2", "b3", "b4", "b5", "b7", "b8", "b9", "c", "d", "e"} {
		if v := on[k]; v != "" {
			out = append(out, v)
		}
	}
	return strings.Join(out, ";")
}

func number(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return otherwise
	}
	return n
}

func (g *Glass) print(s string) {
	clusters := displaywidth.StringGraphemes(s)
	for clusters.Next() {
		switch w := clusters.Width(); {
		case clusters.Value() == "\r" || clusters.Value() == "\r\n":
			g.x = 0
		case w == 0:
		default:
			if g.y < g.rows && g.x < g.cols {
				g.cells[g.y][g.x] = Cell{clusters.Value(), g.style}
				for i := 1; i < w && g.x+i < g.cols; i++ {
					g.cells[g.y][g.x+i] = Cell{}
				}
			}
			g.x += w
		}
	}
}

// Text is the picture, a line a row, with trailing blanks cut.
func (g *Glass) Text() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var b strings.Builder
	for _, row := range g.cells {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.Text)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// Styles is the picture's styles: a letter for each cell and the list of what
// the letters stand for.
func (g *Glass) Styles() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	letters := map[string]byte{"": '.'}
	var b, list strings.Builder
	for _, row := range g.cells {
		var line strings.Builder
		for _, c := range row {
			l, ok := letters[c.Style]
			if !ok {
				l = byte('a' + len(letters) - 1)
				letters[c.Style] = l
				fmt.Fprintf(&list, "%c %s\n", l, c.Style)
			}
			line.WriteByte(l)
		}
		b.WriteString(strings.TrimRight(line.String(), ".") + "\n")
	}
	return b.String() + list.String()
}

// Mode says whether a private mode is set.
func (g *Glass) Mode(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.modes[name]
}

// Cursor is where the cursor stands, its shape, and whether it shows.
func (g *Glass) Cursor() (x, y int, shape string, visible bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.x, g.y, g.shape, g.modes["25"]
}

// Title is the window's title, Clip what was put on the clipboard, in base64.
func (g *Glass) Title() string { g.mu.Lock(); defer g.mu.Unlock(); return g.title }

// Clip is what was put on the clipboard last, in base64.
func (g *Glass) Clip() string { g.mu.Lock(); defer g.mu.Unlock(); return g.clip }

// Raw is all bytes that were written since the last call.
func (g *Glass) Raw() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.raw.String()
	g.raw.Reset()
	return s
}
