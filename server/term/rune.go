package term

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// A class is what printing must know of a rune.
type class uint8

const (
	classWidth   class = 3      // columns, 0 to 2
	classExtends class = 1 << 2 // it joins whatever stands before it
	classBinds   class = 1 << 3 // it may join what follows, or needs what stands before it
)

func (c class) width() int { return int(c & classWidth) }

// binders are characters that some others join: a letter (after which comes
// what is prepended), a flag's half, the three kinds of Hangul jamo.
var binders = [...]string{"a", "\U0001F1E6", "\u1100", "\u1161", "\u11A8"}

// classify asks the Unicode tables.
func classify(r rune) class {
	if r == utf8.RuneError {
		return 1
	}
	s := string(r)
	c := class(min(displaywidth.Rune(r), 2))
	if joins("a" + s) {
		c |= classExtends
	}
	// A joiner (U+200D) binds pictures, a virama binds consonants.
	if r == '\u200d' || joins("\u0915"+s+"\u0915") {
		return c | classBinds
	}
	for _, b := range binders {
		if joins(s + b) {
			return c | classBinds
		}
	}
	return c
}

// joins says that s is one grapheme cluster.
func joins(s string) bool { return len(graphemes.FromString(s).First()) == len(s) }

// A runeCache remembers the classes of the runes that were last seen.
type runeCache [512]struct {
	r rune
	c class
}

func (k *runeCache) class(r rune) class {
	e := &k[uint32(r)%uint32(len(k))]
	if e.r != r {
		e.r, e.c = r, classify(r)
	}
	return e.c
}
