package adapters

// plainJSON blanks what JSON with comments has beyond JSON: comments, and the
// comma after a last item. Strings stay as they are, and each byte stays in
// its place, so that a parser's error points at the right one.
func plainJSON(text []byte) []byte {
	out := make([]byte, len(text))
	copy(out, text)
	comma := -1 // the last comma that only blanks have followed
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			i, comma = stringEnd(out, i), -1
			continue
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blankComment(out, i)
			continue
		case c == ',':
			comma = i
		case c == ']' || c == '}':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
		i++
	}
	return out
}

// stringEnd is the index after the string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// blankComment blanks the comment that begins at i, but for its line ends,
// and returns the index after it.
func blankComment(b []byte, i int) int {
	line := b[i+1] == '/'
	b[i], b[i+1] = ' ', ' '
	for i += 2; i < len(b); i++ {
		switch {
		case b[i] == '\n' && line:
			return i
		case b[i] == '*' && !line && i+1 < len(b) && b[i+1] == '/':
			b[i], b[i+1] = ' ', ' '
			return i + 2
		case b[i] != '\n':
			b[i] = ' '
		}
	}
	return i
}
