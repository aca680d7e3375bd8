package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"signaltty/tui"
)

// visible shows what a terminal would obey or hide, as the decision bar does.
// Agents choose the text of titles and commands, and a person decides by it.
func visible(s string) string { return tui.Visible(s) }

// jsonEscape escapes a character inside a JSON string. Control characters
// below 0x20 are escaped there already.
func jsonEscape(r rune) string {
	if r1, r2 := utf16.EncodeRune(r); r1 != unicode.ReplacementChar {
		return fmt.Sprintf(`\u%04x\u%04x`, r1, r2)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// escapeJSON escapes in an encoded line what would not show itself.
func escapeJSON(s string) string {
	hides := func(r rune) bool { return r != ' ' && tui.Hidden(r) }
	if !strings.ContainsFunc(s, hides) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hides(r) {
			b.WriteString(jsonEscape(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
