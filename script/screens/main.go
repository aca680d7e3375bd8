// Command screens writes the goldens of testdata/screens: what tmux shows
// after each recorded stream. It is run by hand when a stream is added:
//
//	go run ./script/screens testdata/screens/*/*.ansi
//
// A stream's name may end in its size, such as _160x48, and in sizes that the
// pane is given after it, such as _80x24_50x24; else it is 80x24. The golden
// NAME.golden beside NAME.ansi has, after the size, the title, the cursor and
// the number of lines of scrollback, every line of scrollback and screen as
//
//	|text
//	~ 0-4 bold fg=2; 10-11 bg=#102030
//
// where the second line gives the attributes of columns, both ends included,
// and is absent when there are none. Blanks at the end in the default style
// are cut.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	dir, err := os.MkdirTemp("", "screens")
	if err == nil {
		err = run(dir, os.Args[1:])
		os.RemoveAll(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "screens:", err)
		os.Exit(1)
	}
}

func run(dir string, streams []string) error {
	for i, s := range streams {
		// A socket for each: a server that is killed may still hold its own.
		g, err := golden(filepath.Join(dir, fmt.Sprint(i)), s)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		if err := os.WriteFile(strings.TrimSuffix(s, ".ansi")+".golden", []byte(g), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A tmux is a server of our own, by its socket, with one pane.
type tmux string

func (t tmux) do(args ...string) (string, error) {
	c := exec.Command("tmux", append([]string{"-u", "-S", string(t), "-f", "/dev/null"}, args...)...)
	c.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=")
	out, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

var sizeSuffix = regexp.MustCompile(`_(\d+)x(\d+)`)

// feed takes away the title that tmux begins with. When the stream has ended
// it cancels what may be unfinished, and sets the path, to show that tmux has
// come to the end.
const feed = `stty raw -echo; printf '\033]2;\033\\'; cat "$0"; printf '\030\033]7;the end of it\033\\'; exec sleep 600`

// golden plays the stream to a pane and describes it.
func golden(socket, stream string) (string, error) {
	sizes := sizeSuffix.FindAllStringSubmatch(stream, -1)
	if sizes == nil {
		sizes = [][]string{{"", "80", "24"}}
	}
	path, err := filepath.Abs(stream)
	if err != nil {
		return "", err
	}
	t := tmux(socket)
	defer t.do("kill-server")
	if _, err := t.do("start-server", ";", "set", "-g", "history-limit", "50000", ";",
		"new-session", "-d", "-x", sizes[0][1], "-y", sizes[0][2], "sh", "-c", feed, path); err != nil {
		return "", err
	}
	if err := t.wait(); err != nil {
		return "", err
	}
	for _, size := range sizes[1:] {
		if _, err := t.do("resize-window", "-x", size[1], "-y", size[2]); err != nil {
			return "", err
		}
	}
	head, err := t.do("display", "-p", "size #{pane_width}x#{pane_height}\ntitle #{pane_title}\ncursor #{cursor_x} #{cursor_y} #{cursor_flag}\nhistory #{history_size}")
	if err != nil {
		return "", err
	}
	text, err := t.do("capture-pane", "-epN", "-S", "-")
	if err != nil {
		return "", err
	}
	return head + describe(text), nil
}

func (t tmux) wait() error {
	for range 500 {
		path, err := t.do("display", "-p", "#{pane_path}")
		if err != nil {
			return err
		}
		if strings.TrimSpace(path) == "the end of it" {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("tmux did not come to the end of it")
}
