package server

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"signaltty/proto"
)

const (
	// maxInput is how much input waits for a program that does not read.
	maxInput = 16 << 20
	// ptyWrite is what one write hands to the PTY, about what its own buffer
	// takes, so that what waits is counted closely.
	ptyWrite = 4 << 10
)

var errEnded = errors.New("the program in the pane has ended and takes no input")

// inputQueue holds what is to be written to a PTY.
type inputQueue struct {
	// now writes what the PTY takes at once, which may be nothing.
	now func([]byte) int

	mu     sync.Mutex
	buf    []byte // waits; its beginning may be in the hands of drain
	direct bool   // an add writes past the empty queue
	closed bool
	more   chan struct{} // capacity 1
}

func newInputQueue(now func([]byte) int) *inputQueue {
	return &inputQueue{now: now, more: make(chan struct{}, 1)}
}

// writeNow writes to a PTY without waiting.
func writeNow(master *os.File, b []byte) (n int) {
	raw, err := master.SyscallConn()
	if err != nil {
		return 0
	}
	// What fails here is tried again by drain, which sees the error too.
	_ = raw.Write(func(fd uintptr) bool {
		n, err = unix.Write(int(fd), b)
		return true
	})
	return max(n, 0)
}

// add takes all of b, or nothing. While nothing waits, as with a key that the
// person types, b goes to the PTY here and now: waking drain for it would cost
// more than all else on its way.
func (q *inputQueue) add(b []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errEnded
	}
	if len(q.buf) == 0 && !q.direct && len(b) <= ptyWrite {
		q.direct = true
		q.mu.Unlock()
		n := q.now(b)
		q.mu.Lock()
		q.direct = false
		if rest := b[n:]; len(rest) > 0 && !q.closed {
			q.buf = append(bytes.Clone(rest), q.buf...)
		}
		if len(q.buf) > 0 {
			q.signal()
		}
		return nil
	}
	if waiting := len(q.buf); waiting+len(b) > maxInput {
		e := proto.Errorf(proto.CodePaneBusy, "the program in the pane does not read its input: %d bytes wait and %d more do not fit", waiting, len(b))
		e.Data = map[string]any{"waiting": waiting}
		return e
	}
	q.buf = append(q.buf, b...)
	q.signal()
	return nil
}

func (q *inputQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.buf = true, nil
	q.signal()
}

func (q *inputQueue) signal() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// drain writes to w until the queue is closed or w fails.
func (q *inputQueue) drain(w io.Writer) {
	for range q.more {
		for {
			next, closed := q.next()
			if closed {
				return
			}
			if len(next) == 0 {
				break
			}
			n, err := w.Write(next)
			if err != nil {
				q.close()
				return
			}
			q.wrote(n)
		}
	}
}

func (q *inputQueue) next() (b []byte, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.direct {
		return nil, q.closed // what is being written comes first
	}
	return q.buf[:min(len(q.buf), ptyWrite)], q.closed
}

func (q *inputQueue) wrote(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.buf = q.buf[n:]
	if len(q.buf) == 0 {
		q.buf = nil // lets go of what a large paste took
	}
}
