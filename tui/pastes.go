package tui

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"
)

// The brackets of a paste (mode 2004).
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// pasteKept is how much of a paste is kept: more than the server takes, so
// that one which is too large is still refused.
const pasteKept = 20 << 20

// pastes takes the pastes out of what a terminal sends and leaves a number in
// place of each. bubbletea reads a paste character by character, which takes
// it 20 seconds for 10 MB, and drops what looks like a key of no text.
type pastes struct {
	gathering bool
	text      []byte

	mu   sync.Mutex
	next int
	kept map[int]string
}

// open says that the end of a paste is still to come.
func (p *pastes) open() bool { return p.gathering }

// take returns what was read, with the text of each paste that ends in it
// replaced. A mark that begins in b and does not end there is not known.
func (p *pastes) take(b []byte) []byte {
	var out []byte
	for len(b) > 0 {
		if !p.gathering {
			before, after, found := bytes.Cut(b, []byte(pasteBegin))
			out = append(out, before...)
			p.gathering, b = found, after
			continue
		}
		from := max(0, len(p.text)-len(pasteEnd)+1) // the mark may have begun before
		p.text = append(p.text, b...)
		i := bytes.Index(p.text[from:], []byte(pasteEnd))
		if i < 0 {
			if len(p.text) > pasteKept {
				// The rest is dropped, but for what may be a beginning of the mark.
				p.text = append(p.text[:pasteKept], p.text[len(p.text)-len(pasteEnd):]...)
			}
			return out
		}
		b = p.text[from+i+len(pasteEnd):]
		out = append(out, pasteBegin+p.keep(string(p.text[:from+i]))+pasteEnd...)
		p.gathering, p.text = false, nil
	}
	return out
}

func (p *pastes) keep(text string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil {
		p.kept = map[int]string{}
	}
	p.next++
	p.kept[p.next] = strings.ToValidUTF8(text, "\uFFFD")
	return strconv.Itoa(p.next)
}

// of gives a paste that arrived under its number; nil pastes have the text
// itself arrive.
func (p *pastes) of(content string) string {
	if p == nil {
		return content
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n, _ := strconv.Atoi(content) // 0 is none
	text := p.kept[n]
	delete(p.kept, n)
	return text
}

// reads has the model know the pastes of what it is to read.
func (m *model) reads(in io.Reader) (typed io.Reader) {
	typed, m.pastes = escaped(in)
	return typed
}

// cutMark says that b ends within what may become a mark of a paste.
func cutMark(b []byte) bool {
	for n := 1; n < len(pasteBegin); n++ {
		if bytes.HasSuffix(b, []byte(pasteBegin[:n])) || bytes.HasSuffix(b, []byte(pasteEnd[:n])) {
			return true
		}
	}
	return false
}
