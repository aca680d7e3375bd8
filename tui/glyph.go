package tui

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// lowGlyphs holds every rune below lowEnd once, so that a cell's string is a
// slice of it and drawing a screen of Latin and box characters allocates
// nothing.
var lowGlyphs = sync.OnceValue(func() string {
	var b strings.Builder
	for r := rune(0); r < lowEnd; r++ {
		b.WriteRune(r)
	}
	return b.String()
})

const lowEnd = 0x2c00

// glyph is string(r) without the allocation for most of what is on screens.
func glyph(r rune) string {
	if r < 0 || r >= lowEnd {
		return string(r)
	}
	n := utf8.RuneLen(r)
	var at int
	switch n {
	case 1:
		at = int(r)
	case 2:
		at = 0x80 + 2*(int(r)-0x80)
	default:
		at = 0x80 + 2*0x780 + 3*(int(r)-0x800)
	}
	return lowGlyphs()[at : at+n]
}
