package tui

import (
	"testing"
	"time"

	"signaltty/proto"
)

// TestDialogRows: the rows of an agent's dialog are those that it drew when it
// asked; without that knowledge the last ones.
func TestDialogRows(t *testing.T) {
	asked := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	s := newScreen()
	s.apply(&proto.Frame{Cols: 10, Lines: 30, Full: true})
	ink := make([]int, 30)
	for y := range 25 {
		ink[y] = 3
		s.changed[y] = asked.Add(-time.Hour)
	}
	check := func(what string, wantFrom, wantTo int) {
		t.Helper()
		if from, to := s.dialog(ink, 0, asked); from != wantFrom || to != wantTo {
			t.Errorf("%s: rows %d to %d, want %d to %d", what, from, to, wantFrom, wantTo)
		}
	}
	check("nothing was drawn", 13, 24)
	for y := 4; y < 20; y++ {
		s.changed[y] = asked.Add(-100 * time.Millisecond)
	}
	check("a dialog of 16 rows in the middle", 4, 19)
	for y := range 25 {
		s.changed[y] = asked.Add(time.Second)
	}
	check("all was painted anew", 13, 24)
}
