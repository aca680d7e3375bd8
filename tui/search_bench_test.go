package tui

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkSearch goes through the scrollback that a pane has by default.
func BenchmarkSearch(b *testing.B) {
	var r frozenRows
	for i := range 10_000 {
		r.past = append(r.past, heldRow{ansi: fmt.Sprintf("\x1b[3%dm%d\x1b[m compile src/mod_%d.go in %d ms, error %d", i%8, i, i, i%97, i%50)})
	}
	re := compile("error 4[0-9]")
	for b.Loop() {
		if hits, cut := r.search(context.Background(), re); len(hits) != 2000 || cut {
			b.Fatal(len(hits), cut)
		}
	}
}
