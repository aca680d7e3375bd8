package term

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"signaltty/proto"
)

// payloads are what agents and programs write most, about a megabyte each.
func payloads() map[string][]byte {
	repeat := func(f func(b *strings.Builder, i int)) []byte {
		var b strings.Builder
		for i := 0; b.Len() < 1<<20; i++ {
			f(&b, i)
		}
		return []byte(b.String())
	}
	return map[string][]byte{
		"plain": repeat(func(b *strings.Builder, i int) {
			fmt.Fprintf(b, "%6d the quick brown fox jumps over the lazy dog and runs away\r\n", i)
		}),
		"sgr": repeat(func(b *strings.Builder, i int) {
			for j := range 8 {
				fmt.Fprintf(b, "\x1b[%d;38;5;%dmword%d\x1b[0m ", j%3, (i+j)%256, j)
			}
			b.WriteString("\r\n")
		}),
		"unicode": repeat(func(b *strings.Builder, i int) {
			fmt.Fprintf(b, "%d 日本語のテキスト ✓ déjà vu — “quotes” │ box ─── 한국어 e\u0301 👍🏽\r\n", i)
		}),
		"redraw": repeat(func(b *strings.Builder, i int) {
			b.WriteString("\x1b[?2026h\x1b[H")
			for y := range 23 {
				fmt.Fprintf(b, "\x1b[38;5;%dm│\x1b[39m line %d of frame %d\x1b[K\x1b[78G│\r\n", y, y, i)
			}
			b.WriteString("\x1b[?2026l")
		}),
	}
}

func BenchmarkWrite(b *testing.B) {
	all := payloads()
	for _, name := range []string{"plain", "sgr", "unicode", "redraw"} {
		b.Run(name, func(b *testing.B) {
			e := New(proto.Size{Cols: 80, Lines: 24}, Options{})
			b.SetBytes(int64(len(all[name])))
			b.ReportAllocs()
			for b.Loop() {
				for chunk := range chunks(all[name], 4096) {
					e.Write(chunk)
				}
			}
		})
	}
}

func chunks(b []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			k := min(n, len(b))
			if !yield(b[:k]) {
				return
			}
			b = b[k:]
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	e := New(proto.Size{Cols: 160, Lines: 48}, Options{})
	e.Write(payloads()["sgr"])
	var f proto.Frame
	line := []byte("\x1b[31mred\x1b[m and more text\r\n")
	for _, what := range []string{"whole", "scroll", "row"} {
		b.Run(what, func(b *testing.B) {
			var v View
			b.ReportAllocs()
			for b.Loop() {
				switch what {
				case "whole":
					v = View{}
				case "scroll":
					e.Write(line)
				case "row":
					e.Write(line[:len(line)-1])
				}
				e.Frame(&v, &f)
			}
		})
	}
}

func TestHistoryIsCompact(t *testing.T) {
	before := heap()
	e := New(proto.Size{Cols: 80, Lines: 24}, Options{})
	empty := heap() - before
	for i := range 10024 {
		for j := range 8 {
			fmt.Fprintf(e, "\x1b[38;5;%dm%010d", (i+j)%256, i*j)
		}
		fmt.Fprint(e, "\r\n")
	}
	full := heap() - before
	runtime.KeepAlive(e)
	t.Logf("80x24: %d KiB empty, %d KiB with %d coloured lines", empty>>10, full>>10, e.history.count())
	if e.history.count() != 10000 || full > 3<<20 {
		t.Errorf("%d lines take %d bytes, more than 3 MiB", e.history.count(), full)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
