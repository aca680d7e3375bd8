package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// A pen is the attributes as capture-pane -e writes them.
type pen struct {
	attrs      [10]bool // by the number that sets them; 4 is in under
	overline   bool
	under      string
	fg, bg, ul string
}

var names = map[int]string{1: "bold", 2: "faint", 3: "italic", 5: "blink", 7: "reverse", 8: "conceal", 9: "strike"}

func (p pen) String() string {
	var s []string
	for n := range p.attrs {
		if p.attrs[n] && names[n] != "" {
			s = append(s, names[n])
		}
	}
	if p.overline {
		s = append(s, "overline")
	}
	for _, f := range [][2]string{{"under", p.under}, {"fg", p.fg}, {"bg", p.bg}, {"ul", p.ul}} {
		if f[1] != "" {
			s = append(s, f[0]+"="+f[1])
		}
	}
	return strings.Join(s, " ")
}

// describe turns tmux's capture into the golden form. tmux carries the pen
// from line to line.
func describe(capture string) string {
	var b strings.Builder
	var p pen
	graphics := false
	for line := range strings.Lines(capture) {
		var cells []string
		var pens []string
		line = strings.TrimSuffix(line, "\n")
		for len(line) > 0 {
			switch r, n := utf8.DecodeRuneInString(line); {
			case strings.HasPrefix(line, "\x1b["):
				end := strings.IndexByte(line, 'm')
				p.set(line[2:end])
				line = line[end+1:]
			case r == 0x0e || r == 0x0f:
				graphics = r == 0x0e
				line = line[n:]
			default:
				c := string(r)
				if graphics {
					c = graphic(c)
				}
				line = line[n:]
				joined := len(cells) > 0 && strings.HasSuffix(strings.Join(cells[max(len(cells)-2, 0):], ""), "\u200d")
				if w := displaywidth.String(c); (w == 0 || joined) && len(cells) > 0 {
					cells[len(cells)-1] += c
				} else {
					cells, pens = append(cells, c), append(pens, p.String())
					if w == 2 {
						cells, pens = append(cells, ""), append(pens, p.String())
					}
				}
			}
		}
		writeLine(&b, cells, pens)
	}
	return b.String()
}

func writeLine(b *strings.Builder, cells, pens []string) {
	n := len(cells)
	for n > 0 && cells[n-1] == " " && pens[n-1] == "" {
		n--
	}
	fmt.Fprintf(b, "|%s\n", strings.Join(cells[:n], ""))
	var spans []string
	for from := 0; from < n; {
		to := from + 1
		for to < n && pens[to] == pens[from] {
			to++
		}
		if pens[from] != "" {
			spans = append(spans, fmt.Sprintf("%d-%d %s", from, to-1, pens[from]))
		}
		from = to
	}
	if len(spans) > 0 {
		fmt.Fprintf(b, "~ %s\n", strings.Join(spans, "; "))
	}
}

const acs = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"

func graphic(c string) string {
	if i := int(c[0]) - '`'; i >= 0 && i < utf8.RuneCountInString(acs) {
		return string([]rune(acs)[i])
	}
	return c
}

// set applies an SGR that tmux wrote.
func (p *pen) set(sgr string) {
	f := strings.Split(sgr, ";")
	for i := 0; i < len(f); i++ {
		n, sub, colon := strings.Cut(f[i], ":")
		v, _ := strconv.Atoi(n)
		switch {
		case v == 0:
			*p = pen{}
		case v == 4:
			p.under = map[string]string{"": "single", "2": "double", "3": "curly", "4": "dotted", "5": "dashed"}[sub]
		case f[i] == "5:3": // so tmux 3.3a writes 53
			p.overline = true
		case v < 10:
			p.attrs[v] = true
		case v == 38 || v == 48 || v == 58:
			rest := f[i+1:]
			if colon {
				rest = strings.Split(sub, ":")
			}
			c, used := readColor(rest)
			if !colon {
				i += used
			}
			p.color(v, c)
		case v >= 30 && v < 38:
			p.fg = strconv.Itoa(v - 30)
		case v == 39:
			p.fg = ""
		case v >= 40 && v < 48:
			p.bg = strconv.Itoa(v - 40)
		case v == 49:
			p.bg = ""
		case v == 59:
			p.ul = ""
		case v >= 90 && v < 98:
			p.fg = strconv.Itoa(v - 90 + 8)
		case v >= 100 && v < 108:
			p.bg = strconv.Itoa(v - 100 + 8)
		default:
			panic("an SGR that tmux was not known to write: " + sgr)
		}
	}
}

func (p *pen) color(v int, c string) {
	switch v {
	case 38:
		p.fg = c
	case 48:
		p.bg = c
	default:
		p.ul = c
	}
}

// readColor reads 5;n or 2;r;g;b, or 2;;r;g;b, and returns how many fields it took.
func readColor(f []string) (string, int) {
	if f[0] == "5" {
		return f[1], 2
	}
	n := 1
	if f[n] == "" {
		n++
	}
	var v [3]int
	for i := range v {
		v[i], _ = strconv.Atoi(f[n+i])
	}
	return fmt.Sprintf("#%02x%02x%02x", v[0], v[1], v[2]), n + 3
}
