package proto

import (
	"strconv"
	"unicode/utf8"
)

// frameHead begins every line that carries a frame.
const frameHead = `{"event":"frame","data":`

// AppendFrame appends f as the line of its event, without the newline. The
// bytes are those that encoding/json writes, at a tenth of its cost: frames
// are the one message that goes out a hundred times a second.
func AppendFrame(b []byte, f *Frame) []byte {
	b = append(b, frameHead...)
	b = append(b, `{"pane_id":`...)
	b = appendString(b, f.Pane)
	b = append(b, `,"rev":`...)
	b = strconv.AppendUint(b, f.Rev, 10)
	b = append(b, `,"cols":`...)
	b = strconv.AppendInt(b, int64(f.Cols), 10)
	b = append(b, `,"lines":`...)
	b = strconv.AppendInt(b, int64(f.Lines), 10)
	b = appendFlag(b, `,"full":`, f.Full)
	b = appendFlag(b, `,"more":`, f.More)
	b = appendList(b, `,"rows":`, f.Rows, appendRow)
	b = appendList(b, `,"styles":`, f.Styles, appendStyle)
	b = appendCursor(append(b, `,"cursor":`...), &f.Cursor)
	b = appendModes(append(b, `,"modes":`...), &f.Modes)
	b = appendNumber(b, `,"history":`, f.History)
	if f.Scrolled != 0 {
		b = append(b, `,"scrolled":`...)
		b = strconv.AppendUint(b, f.Scrolled, 10)
	}
	return append(b, "}}"...)
}

func appendRow(b []byte, r *Row) []byte {
	b = append(b, `{"y":`...)
	b = strconv.AppendInt(b, int64(r.Y), 10)
	b = appendList(b, `,"runs":`, r.Runs, appendRun)
	b = appendFlag(b, `,"wrapped":`, r.Wrapped)
	return append(b, '}')
}

func appendRun(b []byte, r *Run) []byte {
	b = append(b, `{"col":`...)
	b = strconv.AppendInt(b, int64(r.Col), 10)
	b = append(b, `,"text":`...)
	b = appendString(b, r.Text)
	b = appendNumber(b, `,"style":`, r.Style)
	b = appendNumber(b, `,"width":`, r.Width)
	b = appendFlag(b, `,"cluster":`, r.Cluster)
	return append(b, '}')
}

func appendStyle(b []byte, s *Style) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, int64(s.ID), 10)
	b = appendText(b, `,"fg":`, s.Fg)
	b = appendText(b, `,"bg":`, s.Bg)
	b = appendText(b, `,"ul":`, s.Ul)
	b = appendText(b, `,"underline":`, s.Underline)
	b = appendFlag(b, `,"bold":`, s.Bold)
	b = appendFlag(b, `,"faint":`, s.Faint)
	b = appendFlag(b, `,"italic":`, s.Italic)
	b = appendFlag(b, `,"blink":`, s.Blink)
	b = appendFlag(b, `,"reverse":`, s.Reverse)
	b = appendFlag(b, `,"conceal":`, s.Conceal)
	b = appendFlag(b, `,"strike":`, s.Strike)
	b = appendFlag(b, `,"overline":`, s.Overline)
	b = appendText(b, `,"link":`, s.Link)
	return append(b, '}')
}

func appendCursor(b []byte, c *Cursor) []byte {
	b = append(b, `{"x":`...)
	b = strconv.AppendInt(b, int64(c.X), 10)
	b = append(b, `,"y":`...)
	b = strconv.AppendInt(b, int64(c.Y), 10)
	b = appendFlag(b, `,"visible":`, c.Visible)
	b = appendNumber(b, `,"shape":`, c.Shape)
	return append(b, '}')
}

// appendModes writes each field after a comma and then turns the first comma
// into the brace: any of them may be absent.
func appendModes(b []byte, m *Modes) []byte {
	from := len(b)
	b = appendFlag(b, `,"alt_screen":`, m.AltScreen)
	b = appendFlag(b, `,"app_cursor":`, m.AppCursor)
	b = appendFlag(b, `,"app_keypad":`, m.AppKeypad)
	b = appendFlag(b, `,"bracketed_paste":`, m.BracketedPaste)
	b = appendFlag(b, `,"focus_events":`, m.FocusEvents)
	b = appendNumber(b, `,"mouse":`, m.Mouse)
	b = appendFlag(b, `,"mouse_sgr":`, m.MouseSGR)
	b = appendNumber(b, `,"kitty":`, m.Kitty)
	b = appendNumber(b, `,"modify_other_keys":`, m.ModifyOtherKeys)
	b = appendFlag(b, `,"reverse_screen":`, m.ReverseScreen)
	if len(b) == from {
		return append(b, "{}"...)
	}
	b[from] = '{'
	return append(b, '}')
}

func appendList[T any](b []byte, name string, list []T, one func([]byte, *T) []byte) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(b, name...)
	for i := range list {
		b = append(b, "[,"[min(i, 1)])
		b = one(b, &list[i])
	}
	return append(b, ']')
}

func appendFlag(b []byte, name string, v bool) []byte {
	if v {
		b = append(append(b, name...), "true"...)
	}
	return b
}

func appendNumber(b []byte, name string, v int) []byte {
	if v != 0 {
		b = strconv.AppendInt(append(b, name...), int64(v), 10)
	}
	return b
}

func appendText(b []byte, name, v string) []byte {
	if v != "" {
		b = appendString(append(b, name...), v)
	}
	return b
}

// plain says that a byte of a JSON string stands for itself, as encoding/json
// writes it: it also escapes what HTML gives a meaning.
var plain = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	return t
}()

// appendString appends s quoted.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if !plain[c] {
				b = appendEscape(append(b, s[from:i]...), rune(c))
				from = i + 1
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || r == '\u2028' || r == '\u2029' {
			b = appendEscape(append(b, s[from:i]...), r)
			from = i + n
		}
		i += n
	}
	return append(append(b, s[from:]...), '"')
}

// appendEscape appends the escape of one rune below 0x10000.
func appendEscape(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
