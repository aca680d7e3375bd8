package mockagent

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A style is a private-use rune in a line: it is one rune to cut and to
// measure around, and becomes SGR when the line is drawn. Only the terminal's
// own 16 colours are used, so that light and dark are the terminal's choice.
const (
	styleReset   = "\uE000"
	styleBold    = "\uE001"
	styleDim     = "\uE002"
	styleAccent  = "\uE003"
	styleAdd     = "\uE004"
	styleDelete  = "\uE005"
	styleReverse = "\uE006"
)

var sgr = []string{"0", "1", "2", "36", "32", "31", "7"}

func isStyle(r rune) bool { return r >= 0xE000 && int(r-0xE000) < len(sgr) }

// paint turns styles into SGR, or takes them out where there is no colour,
// and ends the line in the default style.
func (s *screen) paint(line string) string {
	var b strings.Builder
	styled := false
	for _, r := range line {
		switch {
		case !isStyle(r):
			b.WriteRune(r)
		case s.colour || string(r) == styleReverse || string(r) == styleReset && styled:
			fmt.Fprintf(&b, "\x1b[%sm", sgr[r-0xE000])
			styled = true
		}
	}
	if styled {
		b.WriteString("\x1b[0m")
	}
	return b.String()
}

// width is the number of runes that are shown. The agent's own texts have no
// wide characters.
func width(line string) int {
	n := 0
	for _, r := range line {
		if !isStyle(r) {
			n++
		}
	}
	return n
}

// cut is the part of a line that fits into n columns.
func cut(line string, n int) string {
	if width(line) <= n {
		return line
	}
	var b strings.Builder
	left := n - 1
	for _, r := range line {
		if isStyle(r) {
			b.WriteRune(r)
			continue
		}
		if left == 0 {
			break
		}
		b.WriteRune(r)
		left--
	}
	return b.String() + "…"
}

// wrap breaks a line into lines of at most n columns, at spaces where there are any.
func wrap(line string, n int) []string {
	n = max(n, 20)
	var out []string
	for width(line) > n {
		runes := []rune(line)
		at := min(n, len(runes))
		if space := slices.Index(reversed(runes[:at]), ' '); space >= 0 && space < at/2 {
			at -= space
		}
		out = append(out, strings.TrimRight(string(runes[:at]), " "))
		line = "  " + string(runes[at:])
	}
	return append(out, line)
}

func reversed(runes []rune) []rune {
	r := slices.Clone(runes)
	slices.Reverse(r)
	return r
}

// box frames lines at a width in columns.
func box(lines []string, cols int) []string {
	inner := max(cols-4, 8)
	rule := strings.Repeat("─", inner+2)
	out := []string{styleDim + "╭" + rule + "╮"}
	for _, line := range lines {
		line = cut(line, inner)
		pad := strings.Repeat(" ", inner-width(line))
		out = append(out, styleDim+"│"+styleReset+" "+line+styleReset+pad+styleDim+" │")
	}
	return append(out, styleDim+"╰"+rule+"╯")
}

// heading names what a dialog asks for.
func (a Ask) heading() string {
	titles := map[string]string{"Bash": "Bash command", "Write": "Create file", "Edit": "Edit file", "Read": "Read file", "WebFetch": "Fetch"}
	title := a.Tool
	if t, ok := titles[a.Tool]; ok {
		title = t
	}
	if a.AgentType != "" {
		title += " (from the " + a.AgentType + " agent)"
	}
	return title
}

// body is the content of a dialog: the command, or the path and the change.
func (a Ask) body() []string {
	in := a.fields()
	var out []string
	add := func(field, prefix string) {
		text, ok := in[field].(string)
		if !ok {
			return
		}
		for line := range strings.Lines(text) {
			line = strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")
			out = append(out, prefix+printable(line))
		}
	}
	add("command", "  ")
	add("description", styleDim+"  ")
	add("file_path", "  ")
	add("url", "  ")
	add("old_string", styleDelete+"  - ")
	add("new_string", styleAdd+"  + ")
	add("content", styleAdd+"  + ")
	if len(out) == 0 {
		out = []string{"  " + printable(string(a.Input))}
	}
	return out
}

// printable takes control characters out of a line, and our own style runes.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || isStyle(r) {
			return '?'
		}
		return r
	}, s)
}
