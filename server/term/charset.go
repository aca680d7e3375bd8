package term

// Charsets are G0 to G3, each by the final byte of its designation. Two sets
// are known: '0', the DEC special graphics, and any other, which is ASCII.
type charsets struct {
	g     [4]byte // what is designated; 0 is ASCII
	shift uint8   // which of them is in use
}

func (c *charsets) graphics() bool { return c.g[c.shift] == '0' }

// graphic are the characters that DEC special graphics have from 0x60 on.
var graphic = [...]rune{
	'◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺',
	'⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

// translate returns what the ASCII character b shows.
func (c *charsets) translate(b byte) rune {
	if b >= 0x60 && c.graphics() && int(b-0x60) < len(graphic) {
		return graphic[b-0x60]
	}
	return rune(b)
}
