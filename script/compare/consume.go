package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/creack/pty"
)

// streamSize is the size of each stream, in bytes.
const streamSize = 20 << 20

// streams are what is consumed: each makes its n-th piece.
var streams = []struct {
	name  string
	piece func(b *bytes.Buffer, n int)
}{
	{"plain log", func(b *bytes.Buffer, n int) {
		fmt.Fprintf(b, "2026-01-02T03:04:05.%06d INFO server: request %d of /static/picture.png took 12 ms, status 200\r\n", n%1e6, n)
	}},
	{"heavy SGR", func(b *bytes.Buffer, n int) {
		for i := range 12 {
			fmt.Fprintf(b, "\x1b[1;38;2;%d;%d;%dmword\x1b[0;48;5;%dm%d\x1b[m ", n%256, i*20, (n+i)%256, (n+i)%256, i)
		}
		b.WriteString("\r\n")
	}},
	{"unicode", func(b *bytes.Buffer, n int) {
		fmt.Fprintf(b, "%d — naïve café 日本語の文字 🙂👩‍👧 e\u0301 ▁▂▃▄▅▆▇█ привет\r\n", n)
	}},
	{"cursor-addressed", func(b *bytes.Buffer, n int) {
		fmt.Fprintf(b, "\x1b[%d;%dH\x1b[3%dm%04d\x1b[K", n*7%48+1, n*13%150+1, n%8, n%10000)
	}},
}

// consume measures how long a pane takes to consume a stream.
func (b *bench) consume() error {
	fmt.Fprintf(b.out, "\n### Consuming %d MiB, medians of %d\n\nThe PTY alone: a reader that throws all away, which is the least that any terminal takes.\n\n"+
		"| stream | pane | PTY alone | tmux | signaltty | tmux / signaltty |\n|---|---|---|---|---|---|\n", streamSize>>20, b.runs)
	for _, s := range streams {
		if !strings.Contains(s.name, b.stream) {
			continue
		}
		var text bytes.Buffer
		for n := 0; text.Len() < streamSize; n++ {
			s.piece(&text, n)
		}
		file := filepath.Join(b.dir, "stream")
		if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
			return err
		}
		for _, attached := range []bool{false, true} {
			if err := b.consumeStream(s.name, file, attached); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	return nil
}

func (b *bench) consumeStream(name, file string, attached bool) error {
	took, alone := [2][]float64{}, []float64(nil)
	err := b.pair(func(muxes []mux) error {
		for range b.runs {
			seconds, err := b.consumeAlone(file)
			if err != nil {
				return err
			}
			alone = append(alone, seconds)
			for i, m := range muxes {
				seconds, err := b.consumeOnce(m, file, attached)
				if err != nil {
					return fmt.Errorf("%s: %w", m.name(), err)
				}
				took[i] = append(took[i], seconds)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	pane := "detached"
	if attached {
		pane = "attached"
	}
	t, s := median(took[0]), median(took[1])
	fmt.Fprintf(b.out, "| %s | %s | %.2f s | %.2f s | %.2f s | %.1f |\n", name, pane, median(alone), t, s, t/s)
	return nil
}

// consumeAlone is the time of a reader that looks for nothing but the question
// at the end.
func (b *bench) consumeAlone(file string) (float64, error) {
	result := filepath.Join(b.dir, "took")
	os.Remove(result) //nolint:errcheck // it may not be there
	cmd := exec.Command(b.self, childWord, "consume", file, result)
	master, err := pty.Start(cmd)
	if err != nil {
		return 0, err
	}
	defer cmd.Wait() //nolint:errcheck // it ends by the hangup
	defer master.Close()
	buf, question := make([]byte, 64<<10), []byte("\x1b[6n")
	var tail []byte
	for !bytes.HasSuffix(tail, question) {
		n, err := master.Read(buf)
		if err != nil {
			return 0, err
		}
		tail = append(tail, buf[max(0, n-len(question)):n]...)
		tail = tail[max(0, len(tail)-len(question)):]
	}
	if _, err := master.WriteString("\x1b[1;1R"); err != nil {
		return 0, err
	}
	return awaitResult(result, func() { time.Sleep(10 * time.Millisecond) })
}

func (b *bench) consumeOnce(m mux, file string, attached bool) (float64, error) {
	result := filepath.Join(b.dir, "took")
	os.Remove(result) //nolint:errcheck // it may not be there
	argv := b.child("consume", file, result)
	if attached { // the program waits until the client shows the pane
		argv = []string{"sh", "-c", `read line; exec "$@"`, "sh"}
		argv = append(argv, b.child("consume", file, result)...)
	}
	pane, err := m.open(argv)
	if err != nil {
		return 0, err
	}
	defer m.shut(pane) //nolint:errcheck // the multiplexer ends soon
	if attached {
		argv, err := m.attach(pane)
		if err != nil {
			return 0, err
		}
		g, err := openGlass(argv, m.environ())
		if err != nil {
			return 0, err
		}
		defer g.close()
		g.pass(time.Second)
		if _, err := g.master.WriteString("\r"); err != nil {
			return 0, err
		}
		return awaitResult(result, func() { g.pass(10 * time.Millisecond) })
	}
	return awaitResult(result, func() { time.Sleep(10 * time.Millisecond) })
}

// awaitResult waits for the seconds that the program in the pane notes.
func awaitResult(file string, pause func()) (float64, error) {
	for end := time.Now().Add(5 * patience); time.Now().Before(end); pause() {
		if b, err := os.ReadFile(file); err == nil {
			ns, err := strconv.ParseFloat(string(b), 64)
			return ns / 1e9, err
		}
	}
	return 0, errNever
}
