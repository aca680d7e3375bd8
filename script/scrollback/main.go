// Command scrollback compares what 10,000 lines of scrollback cost in
// server/term and in tmux, on the same texts of full lines of 80 columns:
//
//	go run ./script/scrollback
//
// It prints a table for docs/performance.md. Ours is the growth of the heap
// after a collection; of tmux it is what the server itself says of its history
// (history_bytes), and the growth of the server's resident memory.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"signaltty/proto"
	"signaltty/server/term"
)

const (
	cols, lines = 80, 24
	count       = 10_000
)

// texts are what is compared, by name.
var texts = []struct {
	name string
	line func(i int) string
}{
	{"plain log", func(i int) string {
		return fmt.Sprintf("%08d the quick brown fox jumps over the lazy dog and does not mind it %6d", i, i*7)
	}},
	{"coloured log", func(i int) string {
		return fmt.Sprintf("\x1b[2m12:%02d:%02d.%03d\x1b[m \x1b[32mINFO\x1b[m  \x1b[36mserver\x1b[m: GET \x1b[1m/api/v1/things/%06d\x1b[m \x1b[33m200\x1b[m in %5d ms, %8d b",
			i/60%60, i%60, i%1000, i, i%9999, i*31)
	}},
	{"a colour every 10 columns", func(i int) string {
		var b strings.Builder
		for j := range 8 {
			fmt.Fprintf(&b, "\x1b[38;5;%dm%010d", (i+j)%256, i*j)
		}
		return b.String() + "\x1b[m"
	}},
	{"Japanese", func(i int) string { return fmt.Sprintf("%08d", i) + strings.Repeat("日本語のテキスト。", 4) }},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "scrollback:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "scrollback")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("| 10,000 lines | signaltty | tmux, its own count | tmux, resident | ratio |")
	fmt.Println("|---|---|---|---|---|")
	for i, text := range texts {
		var b strings.Builder
		for n := range count + lines {
			b.WriteString(text.line(n) + "\r\n")
		}
		own := ours(b.String())
		said, resident, err := tmux(filepath.Join(dir, strconv.Itoa(i)), b.String())
		if err != nil {
			return fmt.Errorf("%s: %w", text.name, err)
		}
		fmt.Printf("| %s | %.2f MiB | %.2f MiB | %.2f MiB | %.1f |\n", text.name, mib(own), mib(said), mib(resident), float64(said)/float64(own))
	}
	return nil
}

func mib(n int) float64 { return float64(n) / (1 << 20) }

// ours returns by how much the heap grows.
func ours(text string) int {
	t := term.New(proto.Size{Cols: cols, Lines: lines}, term.Options{})
	before := heap()
	_, _ = t.Write([]byte(text)) // it takes any bytes
	after := heap()
	runtime.KeepAlive(t)
	return after - before
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// tmux returns what the history of a pane takes by the server's own count,
// and by how much the server's resident memory grows.
func tmux(socket, text string) (said, resident int, err error) {
	file := socket + ".txt"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return 0, 0, err
	}
	do := func(args ...string) string {
		c := exec.Command("tmux", append([]string{"-u", "-S", socket, "-f", "/dev/null"}, args...)...)
		c.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=")
		out, e := c.CombinedOutput()
		if e != nil {
			err = errors.Join(err, fmt.Errorf("tmux %s: %w: %s", args[0], e, out))
		}
		return strings.TrimSpace(string(out))
	}
	do("start-server", ";", "set", "-g", "history-limit", strconv.Itoa(count), ";", "new-session", "-d",
		"-x", strconv.Itoa(cols), "-y", strconv.Itoa(lines), "sh", "-c", `stty raw -echo; read -r go; cat "$0"; printf '\033]2;end\033\\'; exec sleep 600`, file)
	defer do("kill-server")
	pid := do("display", "-p", "#{pid}")
	before := rss(pid)
	do("send-keys", "Enter", "C-j")
	for range 500 {
		if err != nil || do("display", "-p", "#{pane_title}") == "end" {
			said, _ = strconv.Atoi(do("display", "-p", "#{history_bytes}"))
			return said, rss(pid) - before, err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return 0, 0, errors.New("tmux did not come to the end of the text")
}

// rss is the resident memory of a process in bytes.
func rss(pid string) int {
	b, _ := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
			kb, _ := strconv.Atoi(f[1])
			return kb << 10
		}
	}
	return 0
}
