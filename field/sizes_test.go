//go:build linux

package field

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/term"

	"signaltty/e2e/tty"
	"signaltty/proto"
)

// sizes is a program in a pane that notes the size of its terminal at the
// start and at each SIGWINCH.
type sizes struct {
	w    *world
	pane string
	file string
}

func (w *world) sizes() *sizes {
	w.T.Helper()
	z := &sizes{w: w, file: filepath.Join(w.Work, fmt.Sprintf("sizes-%d", serial.Add(1)))}
	z.pane = w.probe("sizes", z.file)
	w.Until("the program runs", func() bool { return len(z.all()) > 0 })
	return z
}

// sizesProbe appends a line for each size to a file.
func sizesProbe(args []string) int {
	winch := make(chan os.Signal, 1024) // none is dropped
	signal.Notify(winch, syscall.SIGWINCH)
	file, err := os.OpenFile(args[0], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer file.Close()
	fmt.Println("notes its sizes")
	for {
		cols, lines, err := term.GetSize(os.Stdin.Fd())
		if err != nil {
			return 1
		}
		fmt.Fprintf(file, "%dx%d\n", cols, lines)
		<-winch
	}
}

func (z *sizes) all() []string {
	data, _ := os.ReadFile(z.file) // not there yet: none
	return strings.Fields(string(data))
}

// gets waits until the program's last size is that, and returns how many it
// had until then.
func (z *sizes) gets(want string) int {
	z.w.T.Helper()
	var all []string
	z.w.Until("the program has "+want, func() bool {
		all = z.all()
		return all[len(all)-1] == want
	})
	return len(all)
}

// The size of a pane's body in a TUI of that size: without the sidebar and
// its seam, the title and the status line.
func body(s proto.Size) string {
	side := 28
	if s.Cols < 110 {
		side = 22
	}
	return fmt.Sprintf("%dx%d", s.Cols-side-1, s.Lines-2)
}

// second opens another TUI.
func (w *world) second(s proto.Size) *tty.Program {
	w.T.Helper()
	return tty.Start(w.T, tty.Command{Argv: []string{binary, "attach"}, Dir: w.Work, Env: w.Env, Size: s})
}

// The program gets no SIGWINCH while the bar comes and goes, and just one for
// each change of the terminal's size.
func TestD11TheBarResizesNothing(t *testing.T) {
	w := newWorld(t)
	z := w.sizes()
	w.Attach(size)
	n := z.gets(body(size))
	for i := range 3 {
		_, d := w.asks(z.pane, bash(fmt.Sprintf("make %d", i)))
		w.Bar(d)
		w.UI.Press("ctrl+]", "e") // all of it
		w.Chord(d, "n")
	}
	w.UI.WaitFor("no bar", func(s tty.Screen) bool { return !s.Has("asks to use Bash") })
	larger := proto.Size{Cols: 140, Lines: 45}
	w.UI.Resize(larger)
	if got := z.gets(body(larger)); got != n+1 {
		t.Errorf("the program had the sizes %q", z.all())
	}
}

// The client that was active last sizes the panes. What an idle one does to
// its own size changes nothing, and it shows where the cursor is; when the
// active one leaves, the pane has the size of the other.
func TestD11LatestActiveClientSizes(t *testing.T) {
	w := newWorld(t)
	z := w.sizes()
	w.Attach(size)
	n := z.gets(body(size))
	w.UI.Type("x") // the active one
	phone := w.second(proto.Size{Cols: 80, Lines: 24})
	phone.WaitText("notes its sizes")
	for _, s := range []proto.Size{{Cols: 60, Lines: 20}, {Cols: 90, Lines: 30}, {Cols: 80, Lines: 24}} {
		phone.Resize(s)
		phone.WaitFor("its new size", func(got tty.Screen) bool {
			last := got.Row("ctrl+] ? help")
			return last == s.Lines-1
		})
	}
	larger := proto.Size{Cols: 140, Lines: 45}
	w.UI.Resize(larger)
	if got := z.gets(body(larger)); got != n+1 {
		t.Errorf("before the phone was used the program had the sizes %q", z.all())
	}
	small := proto.Size{Cols: 80, Lines: 24}
	phone.Type("x")
	n = z.gets(body(small))
	w.UI.Type("x")
	if got := z.gets(body(larger)); got != n+1 {
		t.Errorf("the program had the sizes %q", z.all())
	}
	w.UI.Press("ctrl+]", "q")
	if code := w.UI.Exit(); code != 0 {
		t.Errorf("detaching ended in %d", code)
	}
	z.gets(body(small))
}
