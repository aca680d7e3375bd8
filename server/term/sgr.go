package term

// sgr is SGR: it changes the pen. Parameters after a colon belong to the one
// before it (ITU T.416); colours are taken in the old form with semicolons too.
func (t *Terminal) sgr() {
	s := t.pen
	n := min(t.nparams, maxParams)
	if n == 0 {
		s.reset()
	}
	for i := 0; i < n; {
		end := i + 1
		for end < n && t.sub>>end&1 != 0 {
			end++
		}
		switch p := t.params[i]; {
		case p == 38 || p == 48 || p == 58:
			var c color
			c, end = t.sgrColor(i, end, n)
			s.setColor(p, c)
		case p == 4 && end > i+1:
			s.attrs = s.attrs&^underline | attrs(min(t.params[i+1], 5))
		case end == i+1:
			s.sgr(p)
		}
		i = end
	}
	t.setPen(s)
}

// noColor says that the colour of an SGR made no sense.
const noColor color = 1 << 31

// sgrColor reads the colour after parameter i, whose own sub-parameters end
// at end; n is where all parameters end. It returns the colour, and where the
// next attribute begins.
func (t *Terminal) sgrColor(i, end, n int) (color, int) {
	p := t.params[i+1 : n]
	colons := end > i+1
	if colons {
		p = t.params[i+1 : end]
	}
	switch {
	case len(p) >= 2 && p[0] == 5:
		if !colons {
			end = i + 3
		}
		if p[1] > 255 {
			return noColor, end
		}
		return palette | color(p[1]), end
	case len(p) >= 4 && p[0] == 2:
		if !colons {
			end = i + 5
		} else if len(p) >= 5 { // 38:2:space:r:g:b
			p = p[1:]
		}
		if max(p[1], p[2], p[3]) > 255 {
			return noColor, end
		}
		return rgb | color(p[1])<<16 | color(p[2])<<8 | color(p[3]), end
	case colons:
		return noColor, end
	}
	return noColor, n
}

func (s *style) setColor(p int32, c color) {
	switch {
	case c == noColor:
	case p == 38:
		s.fg = c
	case p == 48:
		s.bg = c
	default:
		s.ul = c
	}
}

// reset is SGR 0. Links and protection are no renditions.
func (s *style) reset() { *s = style{link: s.link, attrs: s.attrs & protected} }

// sgr applies one attribute.
func (s *style) sgr(p int32) {
	switch {
	case p == 0:
		s.reset()
	case p == 4:
		s.attrs = s.attrs&^underline | 1
	case p == 21:
		s.attrs = s.attrs&^underline | 2
	case p < 10:
		s.attrs |= sgrSets[p]
	case p >= 22 && p < 30:
		s.attrs &^= sgrResets[p-22]
	case p >= 30 && p < 38:
		s.fg = palette | color(p-30)
	case p == 39:
		s.fg = 0
	case p >= 40 && p < 48:
		s.bg = palette | color(p-40)
	case p == 49:
		s.bg = 0
	case p == 53:
		s.attrs |= overline
	case p == 55:
		s.attrs &^= overline
	case p == 59:
		s.ul = 0
	case p >= 90 && p < 98:
		s.fg = palette | color(p-90+8)
	case p >= 100 && p < 108:
		s.bg = palette | color(p-100+8)
	}
}

var (
	sgrSets   = [10]attrs{1: bold, 2: faint, 3: italic, 5: blink, 6: blink, 7: reverse, 8: conceal, 9: strike}
	sgrResets = [8]attrs{bold | faint, italic, underline, blink, 0, reverse, conceal, strike}
)
