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

// escapeRoom is how much longer what was read can become.
const escapeRoom = 8

// escaped reads the terminal with lone ESCs made unmistakable. What is no
// terminal file is read as it is.
func escaped(r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok {
		return &escReader{File: f}
	}
	return r
}

// escReader is a terminal, with ESC followed by nothing turned into escapeKey,
// and ESC with one key after it into the same form.
// It stays a file: bubbletea sets its modes and polls it.
type escReader struct {
	*os.File
	pasting bool
	tail    []byte // the last bytes, to find the marks of a paste across reads
}

// Read reads what is there. It waits, once, after a lone ESC.
func (e *escReader) Read(b []byte) (int, error) {
	if len(b) <= escapeRoom {
		return e.File.Read(b)
	}
	room := b[:len(b)-escapeRoom]
	n, err := e.File.Read(room)
	if err != nil || n == 0 {
		return n, err
	}
	e.watch(b[:n])
	switch {
	case e.pasting:
	case b[n-1] == 0x1b && !e.readable():
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

// watch keeps track of bracketed pastes, whose bytes are not keys.
func (e *escReader) watch(b []byte) {
	all := append(e.tail, b...)
	for i := range all {
		switch {
		case hasAt(all, i, "\x1b[200~"):
			e.pasting = true
		case hasAt(all, i, "\x1b[201~"):
			e.pasting = false
		}
	}
	e.tail = append([]byte(nil), all[max(0, len(all)-5):]...)
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
