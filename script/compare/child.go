package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
)

// childWord is the first argument of this program when it runs in a pane.
const childWord = "in-pane"

// ready stands on a screen that is complete. Letters are in nothing else that
// a child prints: a key is recognised by its letter.
const ready = "READY"

// child is what runs in a pane.
func child(args []string) error {
	number := func(i int) int {
		if len(args) <= i {
			return 0
		}
		n, _ := strconv.Atoi(args[i])
		return n
	}
	switch args[0] {
	case "lines":
		return lines(number(1))
	case "typed":
		return typed(number(1))
	case "flood":
		return repaint(number(1))
	case "filled":
		return filled(number(1))
	case "consume":
		return consumed(args[1], args[2])
	}
	return fmt.Errorf("no child does %q", args[0])
}

// lines prints lines at a rate per second.
func lines(rate int) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		<-tick.C
		for range rate / 100 {
			if _, err := fmt.Printf("%d: 0123456789 -- 0123456789 -- \x1b[32m0123456789\x1b[m\r\n", n); err != nil {
				return err
			}
		}
	}
}

// typed echoes keys in one row while it repaints 20 others at a rate per
// second.
func typed(rate int) error {
	if _, err := term.MakeRaw(os.Stdin.Fd()); err != nil {
		return err
	}
	var out sync.Mutex
	go func() {
		tick := time.NewTicker(time.Second / time.Duration(rate))
		defer tick.Stop()
		for n := 0; ; n++ {
			<-tick.C
			picture := rows(n, 20, 70)
			out.Lock()
			os.Stdout.Write(picture) //nolint:errcheck // the reader below ends with the PTY
			out.Unlock()
		}
	}()
	key := make([]byte, 1)
	for n := 0; ; n++ {
		if _, err := os.Stdin.Read(key); err != nil {
			return err
		}
		out.Lock()
		fmt.Printf("\x1b[30;%dH%s", n%60+1, key)
		out.Unlock()
	}
}

// rows is a picture of some rows, no cell of which is that of the one before.
func rows(n, lines, cols int) []byte {
	var b bytes.Buffer
	for y := range lines {
		fmt.Fprintf(&b, "\x1b[%d;1H\x1b[%dm", y+1, 31+(n+y)%6)
		for x := range cols {
			b.WriteByte('0' + byte((n+x+y)%10))
		}
	}
	b.WriteString("\x1b[m")
	return b.Bytes()
}

// repaint paints the whole screen at a rate per second.
func repaint(rate int) error {
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for n := 0; ; n++ {
		<-tick.C
		if _, err := os.Stdout.Write(rows(n, size.Lines, size.Cols)); err != nil {
			return err
		}
	}
}

// filled fills the scrollback and then waits.
func filled(n int) error {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "\x1b[3%dm%08d\x1b[m %s\r\n", i%7+1, i, strings.Repeat("0123456789", 7))
	}
	b.WriteString(ready)
	if _, err := b.WriteTo(os.Stdout); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// consumed writes a file to the terminal, asks where the cursor is, and notes
// in result how many nanoseconds it took until that was answered: until all of
// the file was consumed.
func consumed(file, result string) error {
	if _, err := term.MakeRaw(os.Stdin.Fd()); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err := os.Stdout.Write(append(text, "\x1b[6n"...)); err != nil {
		return err
	}
	b := make([]byte, 1)
	for b[0] != 'R' {
		if _, err := os.Stdin.Read(b); err != nil {
			return err
		}
	}
	took := strconv.FormatInt(time.Since(began).Nanoseconds(), 10)
	if err := os.WriteFile(result+".new", []byte(took), 0o600); err != nil {
		return err
	}
	if err := os.Rename(result+".new", result); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
