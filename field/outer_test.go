//go:build linux

package field

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"signaltty/e2e/tty"
	"signaltty/proto"
)

// A paste of 10 MB arrives whole, in its brackets; one that is too large is
// refused whole, with a message.
func TestD05LargePaste(t *testing.T) {
	w := newWorld(t)
	text := bytes.Repeat([]byte("0123456789abcde\t"), 10<<20/16)
	want := sha256.Sum256([]byte("\x1b[200~" + string(text) + "\x1b[201~"))
	w.shell(`stty raw -echo; printf '\033[?2004hready'; head -c "$1" | sha256sum; head -c 1 | od -An -c; read stay`, fmt.Sprint(len(text)+12))
	w.Attach(size)
	w.UI.WaitText("ready")
	begun := time.Now()
	w.UI.Type("\x1b[200~" + string(text) + "\x1b[201~")
	w.UI.WaitText(fmt.Sprintf("%x", want)[:60])
	t.Logf("10 MiB took %v", time.Since(begun))
	w.UI.Type("\x1b[200~" + string(text) + string(text[:7<<20]) + "\x1b[201~")
	w.UI.WaitText("nothing of it was pasted")
	w.UI.Type("z")
	w.UI.WaitFor("the key alone", func(s tty.Screen) bool { return s.Has("   z") && !s.Has("033") })
}

// Inside a pane of another server a screen opens, and says how its prefix is
// reached; inside tmux it says so too.
func TestD15NestingIsSaid(t *testing.T) {
	w, other := newWorld(t), bareWorld(t)
	other.Serve()
	other.shell("echo the other one; read stay")
	pane := w.shell(`SIGNALTTY_SOCKET="$1" signaltty attach; echo "ended in $?"; read stay`, other.Socket)
	w.Until("the other's screen", func() bool { return w.Screen(pane).Has("the other one") })
	if s := w.Screen(pane); !s.Has("press the prefix twice") {
		t.Errorf("it says\n%s", s)
	}
	w.Attach(size)
	w.UI.WaitText("the other one")
	w.UI.Type("\x1d\x1d") // one is for it
	w.UI.WaitText("ctrl+] c new")
	w.UI.Type("q")
	w.UI.WaitText("ended in 0")

	tmux := tty.Start(t, tty.Command{Argv: []string{binary, "attach"}, Dir: w.Work, Env: append([]string{"TMUX=/tmp/tmux,1,0"}, w.Env...), Size: size})
	tmux.WaitText("inside tmux, whose prefix comes first")
}

// A terminal that shows no screens is refused before a server is started.
func TestDumbTerminalStartsNothing(t *testing.T) {
	w := bareWorld(t)
	t.Parallel()
	ui := w.Attach(size, "TERM=dumb")
	ui.WaitText("TERM is dumb")
	if code := ui.Exit(); code != proto.ExitFailed {
		t.Errorf("it ended in %d", code)
	}
	if _, err := os.Stat(w.Socket); !os.IsNotExist(err) && !strings.Contains(fmt.Sprint(err), fs.ErrNotExist.Error()) {
		t.Errorf("a server was started: %v", err)
	}
}

// What a program asks its terminal for is answered by the person's own, and
// what it tells reaches that: colours, clipboard, title.
func TestWhatPassesThrough(t *testing.T) {
	w := newWorld(t)
	k := w.attachTo("")
	w.UI.WaitFor("the title", func(s tty.Screen) bool { return strings.HasSuffix(s.Title, "· signaltty") })
	// The terminal of these tests is light grey on black, as the emulator is.
	pane := w.shell(`stty raw -echo; printf '\033]11;?\007'; head -c 24 | od -An -c | tr -d ' \n'; printf '\033]0;compiling\007\033]52;c;dGFrZSB0aGlz\007'; read stay`)
	w.Until("the colour is told", func() bool { return w.Screen(pane).Has("]11;rgb:0000/0000/0000") })
	if w.UI.Screen().Copied != "" {
		t.Error("a hidden pane wrote the clipboard")
	}
	shown := w.shell(`read go; printf '\033]0;compiling\007\033]52;c;dGFrZSB0aGlz\007'; read stay`)
	w.UI.WaitText("3   sh") // the sidebar has it
	w.UI.Type("\x1d3")
	w.UI.WaitText("━ sh")
	w.Until("it is the focused one", func() bool { return w.Pane(shown).Size != proto.Size{Cols: 80, Lines: 24} })
	w.UI.Type("\r")
	w.UI.WaitFor("the copy", func(s tty.Screen) bool {
		return s.Copied == "take this" && strings.HasPrefix(s.Title, "compiling · sh")
	})
	if reads := k.reads(); len(reads) > 0 {
		t.Errorf("the first program read %q", reads)
	}
}
