package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// visible shows what a terminal would obey or hide: control, direction,
// zero-width and tag characters, odd spaces and broken bytes become escapes,
// and blanks that would push the rest out of sight become their number, in the
// notation of the decision bar.
// Agents choose the text of titles and commands, and a person decides by it.
func visible(s string) string {
	return escapeWith(unpad(s), func(r rune) string {
		switch {
		case r == '\n':
			return `\n`
		case r == '\t':
			return `\t`
		case r == '\r':
			return `\r`
		case r < 0x80:
			return fmt.Sprintf(`\x%02x`, r)
		}
		return fmt.Sprintf("⟨U+%04X⟩", r)
	})
}

// paddingFrom is how many blanks in a row are shown as their number.
const paddingFrom = 24

func unpad(s string) string {
	padding := strings.Repeat(" ", paddingFrom)
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, padding)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		s = strings.TrimLeft(after, " ")
		fmt.Fprintf(&b, "⟨%d blanks⟩", paddingFrom+len(after)-len(s))
	}
}

// jsonEscape escapes a character inside a JSON string. Control characters
// below 0x20 are escaped there already.
func jsonEscape(r rune) string {
	if r1, r2 := utf16.EncodeRune(r); r1 != unicode.ReplacementChar {
		return fmt.Sprintf(`\u%04x\u%04x`, r1, r2)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

func escapeWith(s string, escape func(rune) string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			b.WriteString(escape(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden says that r does not show as a mark or as a plain space. Variation
// selectors and Hangul fillers are not control characters but show nothing.
func hidden(r rune) bool {
	switch {
	case r == ' ', r == '\ufe0e', r == '\ufe0f': // the last two choose between text and emoji
		return false
	case unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return true
	case r == unicode.ReplacementChar:
		return true
	}
	return !unicode.IsGraphic(r) || unicode.IsSpace(r)
}
