package tui

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// escapeWait is how long an ESC at the end of what was read may be the
// beginning of a sequence. After it the key is the escape key by itself.
const escapeWait = 20 * time.Millisecond

// escapeKey is the escape key in the one form that cannot be taken for the
// beginning of something else (kitty keyboard protocol). bubbletea's own wait
// for the rest of an ESC is 50 ms and cannot be set.
const escapeKey = "\x1b[27u"

// escapeRoom is how much longer what was read can become: by half, when it is
// many short pastes, and by a key.
const escapeRoom = 32

// escaped reads the terminal with lone ESCs made unmistakable and pastes taken
// out. What is no terminal file is read as it is, and has no pastes.
func escaped(r io.Reader) (io.Reader, *pastes) {
	if f, ok := r.(*os.File); ok {
		p := &pastes{}
		return &escReader{File: f, pastes: p}, p
	}
	return r, nil
}

// escReader is a terminal, with ESC followed by nothing turned into escapeKey,
// ESC with one key after it into the same form, and the text of each paste
// into the number under which pastes has it.
// It stays a file: bubbletea sets its modes and polls it. So it keeps nothing
// back that a reader could have: nobody would ask for it.
type escReader struct {
	*os.File
	pastes *pastes
}

// Read reads what is there. It waits, once, after a lone ESC or the beginning
// of a mark. Within a paste it returns nothing, which is no end.
func (e *escReader) Read(b []byte) (int, error) {
	if len(b) < 4*escapeRoom {
		return e.File.Read(b)
	}
	room := b[:len(b)/2-escapeRoom]
	n, err := e.File.Read(room[:len(room)-len(pasteBegin)])
	if err != nil || n == 0 {
		return n, err
	}
	whole := false // nothing follows what was read
	for cutMark(room[:n]) && n < len(room) {
		if whole = !e.readable(); whole {
			break
		}
		more, err := e.File.Read(room[n:])
		if n += more; err != nil {
			break // it comes again
		}
	}
	out := e.pastes.take(append([]byte(nil), room[:n]...))
	n = copy(b, out)
	switch {
	case n == 0 || e.pastes.open():
	case b[n-1] == 0x1b && whole:
		n = n - 1 + copy(b[n-1:], escapeKey)
	case n >= 2 && b[n-2] == 0x1b && (n == 2 || b[n-3] != 0x1b) && altKey(b[n-1]):
		n = n - 2 + copy(b[n-2:], fmt.Sprintf("\x1b[%d;3u", b[n-1]))
	}
	return n, nil
}

// altKey says that ESC and this byte are a whole key, alt with it: bubbletea
// would wait for more. Capitals and punctuation begin longer sequences.
func altKey(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '\r' || b == 0x7f
}

func hasAt(b []byte, i int, s string) bool {
	return len(b) >= i+len(s) && string(b[i:i+len(s)]) == s
}

// readable waits escapeWait for more bytes.
func (e *escReader) readable() bool {
	fds := []unix.PollFd{{Fd: int32(e.Fd()), Events: unix.POLLIN}}
	deadline := time.Now().Add(escapeWait)
	for {
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		n, err := unix.Poll(fds, int(left.Milliseconds())+1)
		if err == unix.EINTR {
			continue
		}
		return err == nil && n > 0
	}
}
