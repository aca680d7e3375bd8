package tui

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// span is a piece of a line. An odd one stands for characters that do not
// show themselves.
type span struct {
	text   string
	odd    bool
	stress stress
}

const (
	// tab is how a tab is shown; it is in too much code to be an alarm.
	tab = "→   "
	// paddingFrom is how many blanks or tabs in a row are shown as their number.
	paddingFrom = 24
	// blankLinesFrom is the same for empty lines.
	blankLinesFrom = 4
)

// reveal splits an agent's text into lines in which nothing hides: control,
// bidi, zero-width and tag characters and unusual blanks become escapes, and
// long runs of blanks or empty lines become their number.
func reveal(text string) [][]span {
	var lines [][]span
	empty := 0
	flush := func() {
		switch {
		case empty >= blankLinesFrom:
			lines = append(lines, []span{{text: fmt.Sprintf("⟨%d empty lines⟩", empty), odd: true}})
		default:
			for range empty {
				lines = append(lines, nil)
			}
		}
		empty = 0
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.Trim(line, " ") == "" {
			empty++
			continue
		}
		flush()
		lines = append(lines, revealLine(line))
	}
	flush()
	return lines
}

// Visible is a foreign name or title on one line, with what is hidden in it
// written out.
func Visible(s string) string {
	var b strings.Builder
	for _, p := range revealLine(s) {
		b.WriteString(p.text)
	}
	return b.String()
}

func revealLine(line string) []span {
	var out []span
	var piece strings.Builder
	odd := false
	put := func(s string, isOdd bool) {
		if isOdd != odd && piece.Len() > 0 {
			out = append(out, span{text: piece.String(), odd: odd})
			piece.Reset()
		}
		odd = isOdd
		piece.WriteString(s)
	}
	var before rune
	for i := 0; i < len(line); {
		if n := padding(line[i:]); n >= paddingFrom {
			put(fmt.Sprintf("⟨%d blanks⟩", n), true)
			i, before = i+n, ' '
			continue
		}
		r, n := utf8.DecodeRuneInString(line[i:])
		if e := escape(r, n, before); e != "" {
			put(e, true)
			r = ' ' // which a combining mark cannot stand on either
		} else if r == '\t' {
			put(tab, false)
		} else {
			put(line[i:i+n], false)
		}
		i, before = i+n, r
	}
	if piece.Len() > 0 {
		out = append(out, span{text: piece.String(), odd: odd})
	}
	return out
}

// padding is the number of blanks and tabs that s begins with.
func padding(s string) int {
	return len(s) - len(strings.TrimLeft(s, " \t"))
}

// escape is how a character that does not show itself is written; "" for one
// that does. n is its length in bytes, before the character before it.
func escape(r rune, n int, before rune) string {
	switch {
	case r == utf8.RuneError && n == 1:
		return `\?`
	case r == '\t' || r == ' ':
		return ""
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r < ' ' || r == 0x7f:
		return fmt.Sprintf(`\x%02x`, r)
	case r == 0xfe0f && before >= 0x203c && unicode.IsSymbol(before):
		return "" // an emoji as a picture
	case unicode.Is(unicode.M, r) && !Hidden(r) && before != 0 && before != ' ':
		return "" // it stands on what is before it
	case displaywidth.Rune(r) == 0 || Hidden(r):
		return fmt.Sprintf("⟨U+%04X⟩", r)
	}
	return ""
}

// Hidden says that a character has no ink of its own: format characters
// (among them bidi, zero-width and tags), other blanks, fillers, variation
// selectors, and what Unicode has not assigned or leaves to private use
// outside of the blocks that terminal fonts use.
func Hidden(r rune) bool {
	switch {
	case r == 0x00ad || r == 0x034f || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5:
		return true
	case r == 0x2800 || r == 0x3164 || r == 0xffa0 || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0000 && r <= 0xe0fff:
		return true
	case unicode.IsSpace(r) || unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r):
		return true
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Other_Default_Ignorable_Code_Point):
		return true
	}
	return !unicode.IsGraphic(r) && !unicode.Is(unicode.Co, r)
}

// wrap breaks a line into rows of at most width columns, so that nothing of
// it is out of sight to the right.
func wrap(line []span, width int) [][]span {
	width = max(width, 1)
	rows := [][]span{nil}
	col := 0
	for _, p := range line {
		g := displaywidth.StringGraphemes(p.text)
		from, at := 0, 0
		cut := func() {
			if at > from {
				last := len(rows) - 1
				piece := p
				piece.text = p.text[from:at]
				rows[last] = append(rows[last], piece)
			}
			from = at
		}
		for g.Next() {
			w := g.Width()
			if col+w > width && col > 0 {
				cut()
				rows = append(rows, nil)
				col = 0
			}
			col += w
			at += len(g.Value())
		}
		cut()
	}
	return rows
}
