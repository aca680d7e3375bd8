package tui

import (
	"strings"
	"testing"
)

// TestPastesAreTakenOut: each paste leaves a number, wherever reads cut it,
// and its text is whole.
func TestPastesAreTakenOut(t *testing.T) {
	const in = "a\x1b[200~one\x1b[20\x1b[A\x1b[201~b\x1b[200~\x1b[201~\x1b[Bc"
	const want = "a\x1b[200~1\x1b[201~b\x1b[200~2\x1b[201~\x1b[Bc"
	for size := 6; size <= len(in); size++ { // a mark that is cut is joined before
		p := &pastes{}
		var out []byte
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			for n < len(rest) && cutMark([]byte(rest[:n])) {
				n++
			}
			out = append(out, p.take([]byte(rest[:n]))...)
			rest = rest[n:]
		}
		if string(out) != want || p.of("1") != "one\x1b[20\x1b[A" || p.of("2") != "" || p.open() {
			t.Errorf("in pieces of %d: %q", size, out)
		}
		if p.of("1") != "" || len(p.kept) > 0 {
			t.Errorf("it keeps %d pastes", len(p.kept))
		}
	}
}

// TestEndlessPaste: one without an end takes bounded memory, and its end is
// still known.
func TestEndlessPaste(t *testing.T) {
	p := &pastes{}
	p.take([]byte(pasteBegin))
	piece := []byte(strings.Repeat("x", 1<<20))
	for range 64 {
		p.take(piece)
	}
	p.take([]byte("\x1b[20"))
	if out := string(p.take([]byte("1~a"))); out != pasteBegin+"1"+pasteEnd+"a" {
		t.Errorf("after its end there is %q", out)
	}
	if n := len(p.of("1")); n < pasteKept || n > pasteKept+2<<20 {
		t.Errorf("%d bytes are kept", n)
	}
}
