package store

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A FIFO that nobody reads holds nothing up: what the queue cannot take is
// dropped and counted, and the status says what is wrong.
func TestSinkThatNobodyReads(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	const beyond = 10
	s := openSink(fifo)
	s.add(make([]Written, sinkQueue+beyond))
	// One row may be out of the queue and under way.
	if _, dropped, _ := s.status(); dropped != beyond && dropped != beyond-1 {
		t.Errorf("%d rows were dropped, want %d or one less", dropped, beyond)
	}
	s.close()
	if _, dropped, trouble := s.status(); dropped != sinkQueue+beyond || !strings.Contains(trouble, "sink") {
		t.Errorf("after the end %d rows were dropped, and the trouble is %q", dropped, trouble)
	}
}
