package term

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The states of the parser, after the state diagram of the DEC VT500 series,
// with UTF-8 in place of the eight-bit controls: a byte from 0x80 on is never
// a control, in a string neither.
type state uint8

const (
	ground state = iota
	escape
	escapeInter // after an intermediate byte of an escape sequence
	csiEntry
	csiParam
	csiInter
	csiIgnore
	keepString // an operating system command, or a device control string
	keepEscape // after ESC in it, which ends it if a backslash follows
	skipString
	skipEscape
)

const (
	maxParams = 64
	maxParam  = 65535
	maxString = 8192    // bytes of a control string; a longer one is not obeyed
	maxCopied = 1 << 20 // bytes of an OSC 52
)

// A parser is where the bytes are read to.
type parser struct {
	state   state
	partial [utf8.UTFMax]byte // the beginning of a character
	npart   int

	prefix, inter byte
	params        [maxParams]int32
	sub           uint64 // bit i says that params[i] follows a colon
	nparams       int
	str           []byte
	device        bool // it is a device control string
	over          bool // str is too long
}

// parse obeys b.
func (t *Terminal) parse(b []byte) {
	for len(b) > 0 {
		if t.state != ground {
			b = t.sequence(b)
			continue
		}
		if t.npart > 0 {
			b = t.complete(b)
			continue
		}
		if n := printable(b); n > 0 {
			t.printASCII(b[:n])
			b = b[n:]
			continue
		}
		switch c := b[0]; {
		case c >= utf8.RuneSelf:
			b = t.text(b)
		case c == 0x1b:
			t.enterEscape()
			b = b[1:]
		default:
			t.control(c)
			b = b[1:]
		}
	}
}

// ones is a word with 1 in each of its bytes.
const ones = 0x0101010101010101

// printable returns how many bytes of printable ASCII b begins with. It looks
// at eight at once: a byte's highest bit is set in bad when it is not one, and
// what carries out of a byte reaches only those after it.
func printable(b []byte) int {
	n := 0
	for ; n+8 <= len(b); n += 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		if bad := (w | (w - 0x20*ones) | (w + ones)) & (0x80 * ones); bad != 0 {
			return n + bits.TrailingZeros64(bad)/8
		}
	}
	for n < len(b) && b[n]-0x20 < 0x5f {
		n++
	}
	return n
}

// text prints the characters that b begins with, as far as they are not ASCII.
func (t *Terminal) text(b []byte) []byte {
	for len(b) > 0 && b[0] >= utf8.RuneSelf {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			if !utf8.FullRune(b) {
				t.npart = copy(t.partial[:], b)
				return nil
			}
			n = badPrefix(b)
		}
		t.print(r)
		b = b[n:]
	}
	return b
}

// complete goes on with a character that an earlier write began.
func (t *Terminal) complete(b []byte) []byte {
	n := t.npart
	t.partial[n] = b[0]
	p := t.partial[:n+1]
	if !utf8.FullRune(p) {
		t.npart++
		return b[1:]
	}
	t.npart = 0
	r, size := utf8.DecodeRune(p)
	t.print(r)
	if size <= n { // b[0] does not belong to it
		return b
	}
	return b[1:]
}

// badPrefix returns how many bytes of b one U+FFFD stands for: as many as
// could have begun a character (Unicode 3.9, "substitution of maximal subparts").
func badPrefix(b []byte) int {
	n := 1
	for n < len(b) && !utf8.FullRune(b[:n+1]) {
		n++
	}
	return n
}

func (t *Terminal) enterEscape() {
	t.state = escape
	t.prefix, t.inter, t.nparams, t.sub = 0, 0, 0, 0
	t.params[0] = 0
}

// sequence reads from b while a control sequence or a string lasts, and
// returns what follows.
func (t *Terminal) sequence(b []byte) []byte {
	for i, c := range b {
		switch {
		case t.state >= keepString:
			t.stringByte(c)
		case c < 0x20:
			t.controlWithin(c)
		case t.state <= escapeInter:
			t.escapeByte(c)
		default:
			t.csiByte(c)
		}
		if t.state == ground {
			return b[i+1:]
		}
	}
	return nil
}

// controlWithin obeys a control character in the middle of a sequence.
func (t *Terminal) controlWithin(c byte) {
	switch c {
	case 0x1b:
		t.enterEscape()
	case 0x18, 0x1a: // CAN and SUB
		t.state = ground
	default:
		t.control(c)
	}
}

func (t *Terminal) escapeByte(c byte) {
	switch {
	case c >= 0x7f: // DEL, and what is not ASCII
	case c < 0x30:
		t.intermediate(c)
		t.state = escapeInter
	case t.state == escapeInter:
		t.state = ground
		t.escapeInter(c)
	case c == '[':
		t.state = csiEntry
	case c == ']', c == 'P':
		t.state, t.str, t.over = keepString, t.str[:0], false
		t.device = c == 'P'
	case c == 'X', c == '^', c == '_', c == 'k':
		t.state = skipString
	default:
		t.state = ground
		t.escape(c)
	}
}

func (t *Terminal) csiByte(c byte) {
	switch {
	case c >= 0x7f:
	case c >= 0x40:
		if t.state != csiIgnore {
			t.csi(c)
		}
		t.state = ground
	case t.state == csiIgnore:
	case c < 0x30:
		t.intermediate(c)
		t.state = csiInter
	case t.state == csiInter:
		t.state = csiIgnore
	case c <= ';':
		t.state = csiParam
		t.paramByte(c)
	case t.state == csiEntry:
		t.prefix = c
		t.state = csiParam
	default:
		t.state = csiIgnore
	}
}

// intermediate takes an intermediate byte. No sequence with two is known, so a
// second one makes it one that nobody obeys.
func (t *Terminal) intermediate(c byte) {
	if t.inter != 0 {
		c = 0xff
	}
	t.inter = c
}

// paramByte takes a digit, or the colon or semicolon that ends a parameter.
func (t *Terminal) paramByte(c byte) {
	t.nparams = max(t.nparams, 1)
	last := t.nparams - 1
	if c <= '9' {
		if last < maxParams {
			t.params[last] = min(t.params[last]*10+int32(c-'0'), maxParam)
		}
		return
	}
	if t.nparams <= maxParams {
		t.nparams++
	}
	if last+1 < maxParams {
		t.params[last+1] = 0
		if c == ':' {
			t.sub |= 1 << (last + 1)
		}
	}
}

// stringByte reads a control string. Those that are neither an operating
// system command nor a device control string are passed over.
func (t *Terminal) stringByte(c byte) {
	switch {
	case t.state == keepEscape || t.state == skipEscape:
		keep := t.state == keepEscape
		t.enterEscape()
		switch {
		case c != '\\':
			t.sequence([]byte{c})
		case keep:
			t.endString()
		default:
			t.state = ground
		}
	case c == 0x1b:
		t.state++
	case c == 0x18 || c == 0x1a:
		t.state = ground
	case c == 0x07 && t.state == keepString && !t.device:
		t.endString()
	case t.state == skipString || c < 0x20:
	case len(t.str) < maxString || len(t.str) < maxCopied && !t.device && bytes.HasPrefix(t.str, []byte("52;")):
		t.str = append(t.str, c)
	default:
		t.over = true
	}
}

func (t *Terminal) endString() {
	t.state = ground
	switch {
	case t.over:
	case t.device:
		t.deviceControl(string(t.str))
	default:
		t.osc(t.str)
	}
	if cap(t.str) > maxString {
		t.str = nil
	}
}

// arg returns parameter i, or 0 when it was not given.
func (p *parser) arg(i int) int {
	if i < min(p.nparams, maxParams) {
		return int(p.params[i])
	}
	return 0
}

// count returns parameter i where none and 0 mean 1.
func (p *parser) count(i int) int { return max(1, p.arg(i)) }
