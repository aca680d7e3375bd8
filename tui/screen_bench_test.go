package tui

import (
	"fmt"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"signaltty/proto"
)

// wholeFrames are two full pictures of 160x48, eight styles to a row, of which
// no cell is the same.
func wholeFrames() [2]*proto.Frame {
	var frames [2]*proto.Frame
	for i := range frames {
		f := &proto.Frame{Pane: "p1", Rev: 1, Cols: 160, Lines: 48}
		for y := range f.Lines {
			r := proto.Row{Y: y}
			for x := 0; x < f.Cols; x += 20 {
				r.Runs = append(r.Runs, proto.Run{Col: x, Text: fmt.Sprintf("%020d", i*1e18+y), Style: x / 20})
			}
			f.Rows = append(f.Rows, r)
		}
		frames[i] = f
	}
	return frames
}

func BenchmarkApplyWhole(b *testing.B) {
	s, frames := newScreen(), wholeFrames()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.apply(frames[i%2])
	}
}

func BenchmarkApplyKey(b *testing.B) {
	s, f := newScreen(), wholeFrames()[0]
	s.apply(f)
	f.Rows = f.Rows[:1]
	b.ReportAllocs()
	for b.Loop() {
		s.apply(f)
	}
}

func BenchmarkReadRow(b *testing.B) {
	s, f := newScreen(), wholeFrames()[0]
	s.apply(f)
	row := make([]uv.Cell, f.Cols)
	b.ReportAllocs()
	for b.Loop() {
		s.read(3, row)
	}
}
