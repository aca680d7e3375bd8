package policy

import "strings"

// Texts of a call may have parts that are known only when it runs. They stand
// in a text as these bytes, which no argument of a program can contain (NUL)
// or hardly does; a text that brings them itself is not understood.
const (
	unknown     = '\x00' // any text
	unknownName = '\x01' // any text without a slash: what a shell's * becomes
	unknownMany = "\x02" // as a whole word: any number of words
)

// isStatic says that all of a text is known.
func isStatic(s string) bool { return firstUnknown(s) < 0 }

// firstUnknown is where a text stops being known, or -1.
func firstUnknown(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] <= 2 {
			return i
		}
	}
	return -1
}

// The tokens of a glob, beside literal bytes.
const (
	anyByte = -1 - iota // ?
	anyName             // *: any text without a slash
	anyText             // **: any text
)

// glob is a compiled pattern.
type glob struct {
	tokens []int
	// prefix is the literal text that it begins with, longest the longest in it.
	prefix, longest string
	wild            bool
}

// compileGlob reads a pattern of *, ** and ?. With flat a * takes slashes too.
func compileGlob(pattern string, flat bool) glob {
	var g glob
	literal := ""
	token := func(t int) {
		g.tokens, g.wild, literal = append(g.tokens, t), true, ""
	}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '*' && (flat || i+1 < len(pattern) && pattern[i+1] == '*'):
			for i+1 < len(pattern) && pattern[i+1] == '*' {
				i++
			}
			token(anyText)
		case c == '*':
			token(anyName)
		case c == '?':
			token(anyByte)
		default:
			g.tokens = append(g.tokens, int(c))
			literal += string(c)
			if !g.wild {
				g.prefix = literal
			}
			if len(literal) > len(g.longest) {
				g.longest = literal
			}
		}
	}
	return g
}

// match says how a text relates to a glob.
type match int

const (
	no    match = iota
	maybe       // some of what the text may become matches
	yes         // all of it does
)

// against matches a text. Most texts have nothing to do with most globs, which
// is found without walking them.
func (g *glob) against(s string) match {
	known := firstUnknown(s)
	static := known < 0
	if static {
		known = len(s)
	}
	n := min(len(g.prefix), known)
	switch {
	case g.prefix[:n] != s[:n]:
		return no
	case static && (len(s) < len(g.prefix) || !strings.Contains(s, g.longest)):
		return no
	case static && !g.wild:
		return sure(g.prefix == s)
	case !static && g.wild && known == len(s)-1 && s[known] == unknown && n == len(g.prefix) && g.tokens[n] == anyText:
		// A directory of which all is unknown: ** takes it all, or may lead on.
		if n+1 == len(g.tokens) {
			return yes
		}
		return maybe
	}
	if (static || g.wild) && g.reach(s, false) {
		return yes
	}
	if !static && g.reach(s, true) {
		return maybe
	}
	return no
}

func sure(b bool) match {
	if b {
		return yes
	}
	return no
}

// reach walks the glob and the text together, as a set of places in the glob.
// With loose it asks whether what both can be has anything in common, else
// whether the glob takes everything that the text can become.
func (g *glob) reach(s string, loose bool) bool {
	var room [2][128]bool
	at, next := room[0][:], room[1][:]
	if len(g.tokens) >= len(at) {
		at, next = make([]bool, len(g.tokens)+1), make([]bool, len(g.tokens)+1)
	}
	at, next = at[:len(g.tokens)+1], next[:len(g.tokens)+1]
	at[0] = true
	g.skip(at)
	for i := 0; i < len(s); i++ {
		clear(next)
		any := false
		for k := range at {
			if at[k] && g.step(k, s[i], loose, next) {
				any = true
			}
		}
		if !any {
			return false
		}
		switch {
		case loose && s[i] == unknownName && i > 0 && s[i-1] == '/':
			g.spreadName(next)
		case loose && (s[i] == unknown || s[i] == unknownName):
			g.spread(next, s[i])
		}
		g.skip(next)
		at, next = next, at
	}
	return at[len(g.tokens)]
}

// step takes one byte of the text at place k and marks where that leads.
func (g *glob) step(k int, c byte, loose bool, next []bool) bool {
	open := c == unknown || c == unknownName
	if open && loose {
		next[k] = true // it may be nothing at all
		return true
	}
	if k == len(g.tokens) {
		return false
	}
	switch t := g.tokens[k]; {
	case t == anyText, t == anyName && c != '/' && c != unknown:
		next[k] = true
	case t == anyByte && c != '/' && !open, t == int(c) && !open:
		next[k+1] = true
	default:
		return false
	}
	return true
}

// skip marks what can be reached without any text: a * may be nothing.
func (g *glob) skip(at []bool) {
	for k, t := range g.tokens {
		if at[k] && (t == anyText || t == anyName) {
			at[k+1] = true
		}
	}
}

// spread marks what an unknown text can lead to.
func (g *glob) spread(at []bool, c byte) {
	for k, t := range g.tokens {
		if at[k] && (c == unknown || t != '/') {
			at[k+1] = true
		}
	}
}

// spreadName marks what a shell's * at the begin of a name can lead to: never
// to a name that begins with a dot.
func (g *glob) spreadName(at []bool) {
	after := make([]bool, len(at))
	g.skip(at)
	for k, t := range g.tokens {
		switch {
		case !at[k] || t == '.' || t == '/':
		case t == anyText || t == anyName:
			after[k] = true
		default:
			after[k+1] = true
		}
	}
	g.spread(after, unknownName)
	for k := range at {
		at[k] = at[k] || after[k]
	}
}

// anyOf is the best match of some globs.
func anyOf(globs []glob, s string) match {
	best := no
	for i := range globs {
		if best = max(best, globs[i].against(s)); best == yes {
			break
		}
	}
	return best
}
