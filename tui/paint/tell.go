package paint

import "io"

// Tell writes a sequence that changes nothing of the picture, such as a title
// or a question to the terminal, at once.
func (p *Painter) Tell(sequence string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	io.WriteString(p.w, sequence) //nolint:errcheck // as in flush
}
