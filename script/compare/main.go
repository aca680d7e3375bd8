// Command compare measures signaltty beside tmux on the same work, taking
// turns in one run so that a busy moment of the machine falls on both, and
// prints Markdown tables.
//
//	go run ./script/compare [-parts echo,ui,consume,flood,idle] [-binary FILE] [-keys N]
//	[-runs N] [-stream PART] [-panes N]
//
// It needs tmux on PATH. Both run with a home, a configuration and a socket of
// their own in a temporary directory, which goes when it ends. No terminal
// emulator takes part: what is measured ends at the PTY that one would read.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"signaltty/proto"
)

// size is the size of all terminals.
var size = proto.Size{Cols: 160, Lines: 48}

// bench is what the parts have in common.
type bench struct {
	dir    string // of this run
	binary string // signaltty
	self   string // this program, which is also what runs in the panes
	keys   int
	runs   int
	stream string // which streams, by a part of their names
	panes  int
	out    io.Writer

	mu      sync.Mutex
	running []mux
}

// parts are what can be measured, in the order in which it is.
var parts = []struct {
	name string
	run  func(*bench) error
}{
	{"echo", (*bench).echo},
	{"ui", (*bench).ui},
	{"consume", (*bench).consume},
	{"flood", (*bench).flood},
	{"idle", (*bench).idle},
}

func main() {
	log.SetFlags(0)
	if len(os.Args) > 2 && os.Args[1] == childWord {
		if err := child(os.Args[2:]); err != nil {
			log.Fatal("compare: in the pane: ", err)
		}
		return
	}
	var b bench
	chosen := flag.String("parts", "echo,ui,consume,flood,idle", "what to measure, a comma-separated `list`")
	flag.StringVar(&b.binary, "binary", "", "the signaltty `file` to measure; built from here without it")
	flag.IntVar(&b.keys, "keys", 200, "how many keys of each kind")
	flag.IntVar(&b.runs, "runs", 3, "how often each stream is consumed")
	flag.StringVar(&b.stream, "stream", "", "consume only streams whose name has this `part`")
	flag.IntVar(&b.panes, "panes", 50, "how many idle panes")
	flag.Parse()
	b.out = os.Stdout
	if err := b.measure(strings.Split(*chosen, ",")); err != nil {
		log.Fatal("compare: ", err)
	}
}

func (b *bench) measure(chosen []string) (err error) {
	if b.dir, err = os.MkdirTemp("", "cmp"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	defer b.endWith(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)()
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.binary == "" {
		b.binary = filepath.Join(b.dir, "signaltty")
		build := exec.Command("go", "build", "-o", b.binary, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building signaltty: %w\n%s", err, out)
		}
	}
	for _, p := range parts {
		if !slices.Contains(chosen, p.name) {
			continue
		}
		if err := p.run(b); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// endWith ends the multiplexers, and then this program, when one of the
// signals arrives before the function that it returns is called.
func (b *bench) endWith(signals ...os.Signal) (stop func()) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, signals...)
	go func() {
		if _, ok := <-caught; !ok {
			return
		}
		b.mu.Lock() // for good: nothing is started any more
		for _, m := range b.running {
			m.close() //nolint:errcheck // there is nobody left to tell
		}
		os.RemoveAll(b.dir) //nolint:errcheck // as above
		os.Exit(1)
	}()
	return func() {
		signal.Stop(caught)
		close(caught)
	}
}

// begin starts a multiplexer, which is closed by end.
func begin[M mux](b *bench, start func(*bench) (M, error)) (M, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m, err := start(b)
	if err == nil {
		b.running = append(b.running, m)
	}
	return m, err
}

func (b *bench) end(m mux) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = slices.DeleteFunc(b.running, func(other mux) bool { return other == m })
	return m.close()
}

// pair starts both multiplexers and gives them to use.
func (b *bench) pair(use func(muxes []mux) error) (err error) {
	t, err := begin(b, startTmux)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.end(t)) }()
	s, err := begin(b, startSignaltty)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.end(s)) }()
	return use([]mux{t, s})
}

// child is the command that runs this program in a pane.
func (b *bench) child(words ...string) []string {
	return append([]string{b.self, childWord}, words...)
}
