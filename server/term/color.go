package term

import (
	"strconv"
	"strings"
)

// reportColors answers OSC 10 (foreground), 11 (background) and 12 (cursor);
// one command may ask for several that follow each other. Setting them has no
// effect: the colours are those of the person's own terminal.
func (t *Terminal) reportColors(n int, s string) {
	for q := range strings.SplitSeq(s, ";") {
		if n > 12 {
			return
		}
		if q == "?" {
			c := t.options.Fg
			if n == 11 {
				c = t.options.Bg
			}
			t.reply("\x1b]%d;%s\x1b\\", n, xcolor(c))
		}
		n++
	}
}

// palette answers OSC 4: pairs of a number and "?".
func (t *Terminal) palette(s string) {
	f := strings.Split(s, ";")
	for i := 0; i+1 < len(f); i += 2 {
		n, err := strconv.Atoi(f[i])
		if err == nil && n >= 0 && n < 256 && f[i+1] == "?" {
			t.reply("\x1b]4;%d;%s\x1b\\", n, xcolor(paletteColor(n)))
		}
	}
}

// xcolor is 0xRRGGBB as X11 writes it, in sixteen bits each.
func xcolor(c uint32) string {
	var b strings.Builder
	b.WriteString("rgb:")
	for i, v := range [3]uint32{c >> 16 & 0xff, c >> 8 & 0xff, c & 0xff} {
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

// paletteColor is colour n of the 256 as xterm has them: the ANSI colours, a
// cube of six levels, and greys.
func paletteColor(n int) uint32 {
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
