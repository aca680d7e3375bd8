package term

import (
	"fmt"
	"slices"
	"testing"

	"signaltty/proto"
)

// TestPrompts follows three prompts into the scrollback. What bash sends is
// the mark, the prompt, and an erasure to the end of the line.
func TestPrompts(t *testing.T) {
	e := New(proto.Size{Cols: 20, Lines: 3}, Options{})
	for i := range 3 {
		fmt.Fprintf(e, "\x1b]133;A\x1b\\\x1b[K$ \x1b]133;B\amake %d\r\n\x1b]133;C\aout\r\n\x1b]133;D;0\a", i)
	}
	at := e.Prompts()
	if want := []int{-4, -2, 0}; !slices.Equal(at, want) {
		t.Fatalf("got %v, want %v", at, want)
	}
	for i, y := range at {
		if got, want := e.Lines(y, 1)[0], fmt.Sprintf("$ make %d", i); got != want {
			t.Errorf("line %d is %q, want %q", y, got, want)
		}
	}
	e.Write([]byte("\x1b[H\x1b[2J"))
	if got := e.Prompts(); len(got) != 2 {
		t.Errorf("an erased prompt is still there: %v", got)
	}
}
