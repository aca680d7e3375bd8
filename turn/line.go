package turn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// The longest line that is parsed, and what is shown of one that is not.
const (
	maxLine   = 16 << 20
	shownLine = 512
)

// line is one line of a stream, without its newline. When broken says why it
// was not taken, text is its head.
type line struct {
	text   []byte
	broken string
}

// shown is the line's head as text.
func (l line) shown() string {
	b := l.text
	if len(b) > shownLine {
		b = b[:shownLine]
		for len(b) > 0 && !utf8.RuneStart(b[len(b)-1]) {
			b = b[:len(b)-1]
		}
	}
	return string(bytes.ToValidUTF8(b, []byte("�")))
}

// readLines sends the lines of r to out until r ends, then closes out. A line
// beyond the limit is told by its head and skipped; what stands before the end
// without a newline is told as half a line, unless whole takes it.
func readLines(r io.Reader, limit int, whole func([]byte) bool, out chan<- line) {
	defer close(out)
	b := bufio.NewReaderSize(r, 64<<10)
	var text []byte
	size := 0
	flush := func(ended bool) {
		switch {
		case size > limit:
			out <- line{text, fmt.Sprintf("a line of %d bytes, longer than %d, was skipped", size, limit)}
		case !ended && !whole(text):
			out <- line{text, "the stream ended within a line"}
		case len(bytes.TrimSpace(text)) > 0:
			out <- line{text: text}
		}
		text, size = nil, 0
	}
	for {
		part, err := b.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		size += len(part)
		switch {
		case size <= limit:
			text = append(text, part...)
		case len(text) > shownLine:
			text = bytes.Clone(text[:shownLine])
		case len(text) == 0:
			text = bytes.Clone(part[:min(len(part), shownLine)])
		}
		if ended {
			flush(true)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if size > 0 {
				flush(false)
			}
			return
		}
	}
}
