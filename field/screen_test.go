//go:build linux

package field

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"signaltty/e2e/place"
	"signaltty/e2e/tty"
	"signaltty/proto"
)

// A program that draws in synchronized updates is shown in whole pictures
// only, however its bytes arrive; and it is told that it may.
func TestD10WholePicturesOnly(t *testing.T) {
	w := newWorld(t)
	pane := w.probe("pictures")
	c, _ := w.Dial("attach")
	if err := c.Send(1, proto.MethodPaneWatch, proto.PaneWatch{Pane: pane}); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	of := regexp.MustCompile(`picture \d+`)
	rows := map[int]string{} // the picture that each row is of
	whole, torn := 0, 0
	for rows[0] != fmt.Sprintf("picture %03d", pictures) {
		m, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		var f proto.Frame
		if m.Event != proto.EventFrame || m.Decode(&f) != nil {
			continue
		}
		for _, row := range f.Rows {
			text := ""
			for _, run := range row.Runs {
				text += run.Text
			}
			rows[row.Y] = of.FindString(text)
		}
		switch mixed := slices.Compact(slices.Sorted(maps.Values(rows))); {
		case f.More:
		case len(mixed) > 1:
			torn++
		case len(mixed) == 1 && mixed[0] != "":
			whole++
		}
	}
	// The server waits 150 ms for the end of a picture, and a machine that is
	// busy may take longer for one.
	busy := time.Since(begun)/pictures > 75*time.Millisecond
	if whole < 2 || torn*4 > whole && !busy {
		t.Errorf("%d pictures were whole and %d torn", whole, torn)
	}
}

func TestD10TheProgramIsToldThatItMay(t *testing.T) {
	w := newWorld(t)
	k := w.keys("\x1b[?2026$p")
	k.gets("\x1b[?2026;2$y")
}

// pictures is how many pictures the probe draws.
const pictures = 40

// picturesProbe draws pictures of about 95 KB, as Claude Code does in a long
// conversation: everything cleared, every row drawn anew, in pieces of 2 KB.
func picturesProbe([]string) int {
	for n := 1; n <= pictures; n++ {
		var b strings.Builder
		b.WriteString("\x1b[?2026h\x1b[2J\x1b[3J\x1b[H")
		for y := range 24 {
			fmt.Fprintf(&b, "\x1b[%d;1Hpicture %03d row %d ", y+1, n, y)
			for x := range 200 {
				fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm\x1b[m", x, y, n)
			}
		}
		b.WriteString("\x1b[?2026l")
		for piece := range slices.Chunk([]byte(b.String()), 2<<10) {
			if _, err := syscall.Write(1, piece); err != nil {
				return 1
			}
		}
	}
	var stay [1]byte
	_, _ = syscall.Read(0, stay[:]) // its end is the test's
	return 0
}

// The wheel goes to the program that asked for it, and else through what
// scrolled off; a key comes back from there.
func TestD13Wheel(t *testing.T) {
	const up = "\x1b[<64;60;20M"
	t.Run("of a program that asked", func(t *testing.T) {
		w := newWorld(t)
		k := w.attachTo("\x1b[?1000h\x1b[?1006h")
		w.UI.Type(up)
		w.Until("the program has it", func() bool { return len(k.reads()) > 0 })
		got := strings.Join(k.reads(), "")
		// The cell is the pane's own, not the screen's.
		if m := regexp.MustCompile(`^\x1b\[<64;(\d+);(\d+)M$`).FindStringSubmatch(got); m == nil || m[1] == "60" {
			t.Errorf("the program read %q", got)
		}
	})
	t.Run("of one that did not", func(t *testing.T) {
		w := newWorld(t)
		w.shell("seq 1 500; printf 'the end'; read stay; echo got $stay; read stay")
		w.Attach(size)
		w.UI.WaitText("the end")
		w.UI.Type(strings.Repeat(up, 20))
		w.UI.WaitFor("what scrolled off", func(s tty.Screen) bool { return !s.Has("the end") && (s.Has("│420") || s.Has("│410")) })
		w.UI.Type("k\r")
		w.UI.WaitText("got k")
	})
}

// A selection stays on the text that was selected while output goes on, also
// in a program that has taken the mouse, by shift; and it is copied.
func TestD14Selection(t *testing.T) {
	for name, c := range map[string]struct {
		modes string
		shift int
	}{"plain": {"", 0}, "the program has the mouse": {`\033[?1002h\033[?1006h`, 4}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Attach(size)
			pane := w.shell(`printf "$1"; echo "take these words"; read go; while read -r x; do echo "more $x"; done`, c.modes)
			s := w.UI.WaitText("take these words")
			y := s.Row("take these words")
			x := len([]rune(strings.SplitN(s.Lines[y], "take", 2)[0]))
			w.UI.Type(fmt.Sprintf("\x1b[<%d;%d;%dM", c.shift, x+1, y+1))
			w.UI.Type(fmt.Sprintf("\x1b[<%d;%d;%dM", 32+c.shift, x+8, y+1))
			for i := range 5 { // output goes on in the middle of the drag
				w.typeBehind(pane, fmt.Sprintf("%d\r", i))
			}
			w.Until("it goes on", func() bool { return w.Screen(pane).Has("more 4") })
			w.UI.Type(fmt.Sprintf("\x1b[<%d;%d;%dM", 32+c.shift, x+16, y+1))
			w.UI.Type(fmt.Sprintf("\x1b[<%d;%d;%dm", c.shift, x+16, y+1))
			w.UI.WaitFor("the copy", func(s tty.Screen) bool { return s.Copied == "take these words" })
		})
	}
}

// However the screen ends, but for SIGKILL, which leaves no moment for it, the
// terminal is as it was found: modes, cursor, echo.
func TestD20TerminalIsLeftClean(t *testing.T) {
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT, 0}
	for _, sig := range signals {
		t.Run(fmt.Sprintf("signal %d", sig), func(t *testing.T) {
			w := newWorld(t)
			w.keys("\x1b[?2004h\x1b[?1003h\x1b[?1004h\x1b[>1u\x1b[5 q")
			ui := tty.Start(t, tty.Command{
				Argv: []string{"sh", "-c", `trap : INT QUIT; "$0" attach; echo "ended in $?"; stty -a; read x; echo "read $x"; read x`, binary},
				Dir:  w.Work, Env: w.Env, Size: size,
			})
			s := ui.WaitText("reads keys")
			if !s.Modes.AltScreen || s.Modes.Mouse == 0 {
				t.Fatalf("the screen is on with %+v", s.Modes)
			}
			if sig == 0 {
				ui.Press("ctrl+]", "q")
			} else {
				if err := syscall.Kill(place.Child(t, ui.PID()), sig); err != nil {
					t.Fatal(err)
				}
			}
			ui.WaitText("ended in")
			s = ui.WaitFor("its settings", func(s tty.Screen) bool { return s.Has("icanon") })
			if s.Modes != (proto.Modes{}) || !s.Cursor.Visible || s.Cursor.Shape != 0 {
				t.Errorf("it leaves %+v and the cursor %+v", s.Modes, s.Cursor)
			}
			if s.Has("-icanon") || s.Has("-echo ") || s.Has("-isig") || s.Has("-opost") {
				t.Errorf("it leaves the line settings\n%s", s)
			}
			ui.Type("words\r")
			ui.WaitText("read words")
		})
	}
}
