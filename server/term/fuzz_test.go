package term

import (
	"strings"
	"testing"
	"time"

	"signaltty/proto"
)

// hostile are inputs that hang, crash or swell some terminal: vt10x 2022-03,
// x/vt 0.1.0 or an early state of this one.
var hostile = []string{
	"\x1b[99999999999I", "\x1b[2000000000Z", "a\x1b[2000000000b", "\x1b[-1P", "\x1b[-5@", "\x1b[1;29r\x1b[H\x1bM",
	"\x1b[;10r\x1b[S", "\x1b[2000000000S", "\x1b[2000000000T", "\x1b[2000000000L", "\x1b[2000000000;2000000000H",
	"\x1b]4;16777216;rgb:0/0/0\a", strings.Repeat("\x1b[c", 500), strings.Repeat("\x1b[>1u", 500), "e" + strings.Repeat("\u0301", 500),
	"\x1b]52;c;" + strings.Repeat("QUJD", 5000) + "\a", "\x1bP" + strings.Repeat("q", 20000), "\x1b]8;;" + strings.Repeat("x", 9000) + "\a",
	"\x1b[" + strings.Repeat("1;", 500) + "m", "\x1b[" + strings.Repeat(":", 500) + "m", strings.Repeat("\x1b]9;x\a", 500),
	strings.Repeat("\x1b[22;0t", 500), "\x1b[?1049h\x1b[?1049h\x1b[?1049l\x1b[?1049l", strings.Repeat("\x1b7", 100) + "\x1b8",
	"你\x1b[H\x1b[1@你\x1b[2G\x1b[P", "👨" + strings.Repeat("\u200d👨", 200), strings.Repeat("\x1b#8", 200), "\x1b[38;2", "\x1b[38:2:::m\x1b[4:9m\x1b[58:5:999m",
	strings.Repeat("\x1b]99;d=0;x\a", 500), "\x1b]0;✳ Claude Code\a",
}

// FuzzWrite shows that whatever an application writes, at whatever size, the
// terminal stays in order, in bounded time for a byte and in bounded memory.
func FuzzWrite(f *testing.F) {
	for i, s := range append(hostile, fragments...) {
		f.Add([]byte(s), uint16(80-i%79), uint16(24-i%23))
	}
	for _, s := range streams(f) {
		if len(s.data) < 1<<14 {
			f.Add(s.data, uint16(s.size.Cols), uint16(s.size.Lines))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, cols, lines uint16) {
		size := proto.Size{Cols: int(cols%200) + 1, Lines: int(lines%100) + 1}
		e := New(size, Options{HistoryLines: 50})
		start := time.Now()
		e.Write(b)
		// A byte may erase the screen, so its size counts; the rest is for a
		// machine that is busy.
		if d, most := time.Since(start), time.Second+time.Duration(len(b)*size.Cols*size.Lines)*20*time.Nanosecond; d > most {
			t.Fatalf("%d bytes took %v, more than %v", len(b), d, most)
		}
		checkBounds(t, e, 2<<20)
		check(t, e)
		fresh(t, e)
		e.Resize(proto.Size{Cols: int(lines%200) + 1, Lines: int(cols%100) + 1})
		e.Write(b)
		check(t, e)
		e.Capture(proto.PaneCapture{ANSI: true})
		e.Capture(proto.PaneCapture{ANSI: true, Scrollback: true})
	})
}

// checkBounds fails if e keeps more than most bytes, by what grows with input.
func checkBounds(t failer, e *Terminal, most int) {
	held := len(e.replies) + cap(e.str) + cap(e.textBuf) + cap(e.lineBuf) + 100*len(e.styles.values)
	for _, v := range e.clusters.values {
		held += len(v) + 64
	}
	for _, v := range e.links.values {
		held += len(v) + 64
	}
	for _, v := range e.events {
		held += len(v.Title) + len(v.Body) + 64
	}
	if held > most || len(e.titles) > maxTitles || len(e.screen.kitty) > maxKitty || e.history.count() > e.history.maxLines {
		t.Fatalf("it keeps %d bytes in %d styles, %d clusters, %d links, %d events, %d titles, %d keyboard states, %d lines", held,
			len(e.styles.values), len(e.clusters.values), len(e.links.values), len(e.events), len(e.titles), len(e.screen.kitty), e.history.count())
	}
}

// TestHostileFloods writes what would grow without end for long enough to
// show that it does not.
func TestHostileFloods(t *testing.T) {
	floods := map[string]func(b []byte, i int) []byte{
		"styles": func(b []byte, i int) []byte { return appendSGR(b, style{fg: rgb | color(i&0xffffff)}, ";") },
		"clusters": func(b []byte, i int) []byte {
			return append(b, string([]rune{'a' + rune(i%26), 0x300 + rune(i%112), 0x300 + rune(i/112%112)})...)
		},
		"links": func(b []byte, i int) []byte {
			return append(append(b, "\x1b]8;;http://e.x/"...), string(rune(0x4e00+i%20000))+strings.Repeat("l", 1900)+"\ax"...)
		},
		"queries": func(b []byte, i int) []byte { return append(b, "\x1b[c\x1b]11;?\a\x1b]9;note\a"...) },
	}
	for name, next := range floods {
		t.Run(name, func(t *testing.T) {
			e := New(proto.Size{Cols: 80, Lines: 24}, Options{HistoryLines: 100})
			var b []byte
			n := 100_000
			if name == "links" || name == "queries" {
				n = 20_000 // their bounds are lower
			}
			for i := range n {
				b = append(next(b[:0], i), 'x')
				e.Write(b)
				if i%1000 == 0 {
					checkBounds(t, e, 10<<20)
				}
			}
			check(t, e)
		})
	}
}
