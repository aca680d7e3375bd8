package term

import (
	"cmp"
	"strconv"
	"strings"
)

// Colors are those that cells do not say: of the person's terminal, and what
// the application has set in their place.
type colors struct {
	// The foreground, the background and the cursor; 0 is unknown.
	client, own   [3]color
	clientPalette []color
	palette       map[int]color // set by OSC 4
}

// SetColors tells the colours of the terminal that the person looks at, as
// "#rrggbb" or as X11 writes them; what is not a colour is unknown.
// Applications get them in answer to OSC 10, 11 and 12, and are told when the
// scheme turns from dark to light, if they want to know (mode 2031).
func (t *Terminal) SetColors(fg, bg, cursor string) {
	was := t.dark()
	for i, s := range [3]string{fg, bg, cursor} {
		t.colors.client[i], _ = parseColor(s)
	}
	if t.modes.has(modeScheme) && t.dark() != was {
		t.reportScheme()
	}
}

// SetPalette tells the first colours of that terminal's palette, in the same
// forms. Applications get them in answer to OSC 4.
func (t *Terminal) SetPalette(list []string) {
	t.colors.clientPalette = nil
	for _, s := range list[:min(len(list), 256)] {
		c, _ := parseColor(s)
		t.colors.clientPalette = append(t.colors.clientPalette, c)
	}
}

// dynamic returns the colour of OSC 10 (foreground), 11 (background) or 12
// (cursor).
func (t *Terminal) dynamic(n int) color {
	i := n - 10
	c := cmp.Or(t.colors.own[i], t.colors.client[i])
	switch {
	case c != 0:
		return c
	case n == 12:
		return t.dynamic(10)
	case n == 11:
		return rgb | color(t.options.Bg)
	}
	return rgb | color(t.options.Fg)
}

// dark says that the person's terminal has a dark background.
func (t *Terminal) dark() bool {
	light := func(c color) int {
		return int(299*(c>>16&0xff) + 587*(c>>8&0xff) + 114*(c&0xff))
	}
	bg, fg := t.colors.client[1], t.colors.client[0]
	if bg == 0 {
		bg, fg = rgb|color(t.options.Bg), rgb|color(t.options.Fg)
	}
	if fg == 0 {
		return light(bg) < 128_000
	}
	return light(bg) <= light(fg)
}

// reportScheme answers CSI ? 996 n: 1 is dark, 2 is light.
func (t *Terminal) reportScheme() {
	n := 2
	if t.dark() {
		n = 1
	}
	t.reply("\x1b[?997;%dn", n)
}

// dynamicColors is OSC 10, 11 and 12; one command may name several that
// follow each other. What is set is only told again: the screen is shown in
// the colours of the person's own terminal.
func (t *Terminal) dynamicColors(n int, s string) {
	for q := range strings.SplitSeq(s, ";") {
		if n > 12 {
			return
		}
		if q == "?" {
			t.reply("\x1b]%d;%s\x1b\\", n, xcolor(t.dynamic(n)))
		} else if c, ok := parseColor(q); ok {
			t.colors.own[n-10] = c
		}
		n++
	}
}

// palette is OSC 4: pairs of a number and a colour, or "?".
func (t *Terminal) palette(s string) {
	f := strings.Split(s, ";")
	for i := 0; i+1 < len(f); i += 2 {
		n, err := strconv.Atoi(f[i])
		if err != nil || n < 0 || n > 255 {
			continue
		}
		if f[i+1] == "?" {
			t.reply("\x1b]4;%d;%s\x1b\\", n, xcolor(t.paletteColor(n)))
		} else if c, ok := parseColor(f[i+1]); ok && t.paletteColor(n) != c {
			if t.colors.palette == nil {
				t.colors.palette = map[int]color{}
			}
			t.colors.palette[n] = c
			t.restyle()
		}
	}
}

// resetPalette is OSC 104: of the numbers, or of all colours when there are none.
func (t *Terminal) resetPalette(s string) {
	if len(t.colors.palette) == 0 {
		return
	}
	if s == "" {
		t.colors.palette = nil
	}
	for f := range strings.SplitSeq(s, ";") {
		if n, err := strconv.Atoi(f); err == nil {
			delete(t.colors.palette, n)
		}
	}
	t.restyle()
}

// restyle makes every view start over: styles look different now.
func (t *Terminal) restyle() {
	t.epoch++
	t.dirty = true
}

func (t *Terminal) paletteColor(n int) color {
	if c, ok := t.colors.palette[n]; ok {
		return c
	}
	if n < len(t.colors.clientPalette) && t.colors.clientPalette[n] != 0 {
		return t.colors.clientPalette[n]
	}
	return rgb | color(xtermColor(n))
}

// shown is the style with the colours that the application has set.
func (t *Terminal) shown(s style) style {
	if len(t.colors.palette) > 0 {
		for _, c := range [3]*color{&s.fg, &s.bg, &s.ul} {
			if *c&palette != 0 {
				if own, ok := t.colors.palette[int(*c&0xff)]; ok {
					*c = own
				}
			}
		}
	}
	return s
}

// parseColor reads a colour as X11 writes it: #rgb up to #rrrrggggbbbb, or
// rgb:r/g/b with one to four digits each.
func parseColor(s string) (color, bool) {
	var parts []string
	if hex, ok := strings.CutPrefix(s, "#"); ok {
		n := len(hex) / 3
		if n == 0 || n > 4 || len(hex) != 3*n {
			return 0, false
		}
		parts = []string{hex[:n], hex[n : 2*n], hex[2*n:]}
	} else if rest, ok := strings.CutPrefix(s, "rgb:"); ok {
		parts = strings.Split(rest, "/")
	}
	if len(parts) != 3 {
		return 0, false
	}
	c := rgb
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 16, 16)
		if err != nil || len(p) > 4 {
			return 0, false
		}
		v = v * 0xff / (1<<(4*len(p)) - 1)
		c |= color(v) << (16 - 8*i)
	}
	return c, true
}

// xcolor is a direct colour as X11 writes it, in sixteen bits each.
func xcolor(c color) string {
	var b strings.Builder
	b.WriteString("rgb:")
	for i, v := range [3]color{c >> 16 & 0xff, c >> 8 & 0xff, c & 0xff} {
		if i > 0 {
			b.WriteByte('/')
		}
		h := strconv.FormatUint(uint64(v|0x100), 16)[1:]
		b.WriteString(h + h)
	}
	return b.String()
}

// ansiColors are the first sixteen colours as xterm has them.
var ansiColors = [16]uint32{
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
}

// xtermColor is colour n of the 256 as xterm has them: the ANSI colours, a
// cube of six levels, and greys.
func xtermColor(n int) uint32 {
	switch {
	case n < 16:
		return ansiColors[n]
	case n >= 232:
		return uint32(8+10*(n-232)) * 0x010101
	}
	n -= 16
	level := func(i int) uint32 {
		if i == 0 {
			return 0
		}
		return uint32(55 + 40*i)
	}
	return level(n/36)<<16 | level(n/6%6)<<8 | level(n%6)
}
