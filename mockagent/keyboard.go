package mockagent

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
)

// key is a key that was pressed: a printable rune, or one of the names below.
type key string

const (
	keyEnter     key = "enter"
	keyEsc       key = "esc"
	keyUp        key = "up"
	keyDown      key = "down"
	keyBackspace key = "backspace"
	keyCtrlC     key = "ctrl-c"
	keyCtrlD     key = "ctrl-d"
)

func (k key) printable() bool {
	r := []rune(string(k))
	return len(r) == 1 && unicode.IsPrint(r[0])
}

// keyboard is the terminal's input, in raw mode.
type keyboard struct {
	fd      uintptr
	before  *term.State
	keys    chan key // closed when the terminal is gone
	resized chan os.Signal
}

func openKeyboard(stdin *os.File) (*keyboard, error) {
	before, err := term.MakeRaw(stdin.Fd())
	if err != nil {
		return nil, fmt.Errorf("taking the keyboard: %w", err)
	}
	k := &keyboard{fd: stdin.Fd(), before: before, keys: make(chan key, 64), resized: make(chan os.Signal, 1)}
	signal.Notify(k.resized, syscall.SIGWINCH)
	// Not joined: a read from a terminal cannot be ended, and the process is
	// about to end when nobody listens any more.
	go k.read(stdin)
	return k, nil
}

func (k *keyboard) read(stdin *os.File) {
	defer close(k.keys)
	buf := make([]byte, 1024)
	for {
		n, err := stdin.Read(buf)
		for _, pressed := range keysOf(string(buf[:n])) {
			k.keys <- pressed
		}
		if err != nil {
			return
		}
	}
}

func (k *keyboard) close() {
	signal.Stop(k.resized)
	term.Restore(k.fd, k.before)
}

// keysOf splits what one read brought. An ESC that stands alone at the end is
// the key; with more behind it, it begins a sequence.
func keysOf(s string) []key {
	named := map[string]key{"\x1b[A": keyUp, "\x1bOA": keyUp, "\x1b[B": keyDown, "\x1bOB": keyDown}
	var keys []key
	for s != "" {
		switch {
		case s == "\x1b":
			return append(keys, keyEsc)
		case s[0] == '\x1b':
			n := sequence(s)
			if k, ok := named[s[:n]]; ok {
				keys = append(keys, k)
			}
			s = s[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		switch r {
		case '\r', '\n':
			keys = append(keys, keyEnter)
		case 0x7f, '\b':
			keys = append(keys, keyBackspace)
		case 0x03:
			keys = append(keys, keyCtrlC)
		case 0x04:
			keys = append(keys, keyCtrlD)
		default:
			keys = append(keys, key(r))
		}
		s = s[size:]
	}
	return keys
}

// sequence is the length of the escape sequence that s begins with.
func sequence(s string) int {
	if len(s) < 3 || s[1] != '[' && s[1] != 'O' {
		return min(2, len(s))
	}
	for i := 2; i < len(s); i++ {
		if s[i] >= 0x40 && s[i] <= 0x7e {
			return i + 1
		}
	}
	return len(s)
}
