package turn

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"signaltty/budget"
)

// read is all the lines of a stream that comes in pieces of at most n bytes.
func read(text string, limit, n int) []line {
	out := make(chan line, 1)
	var r io.Reader = strings.NewReader(text)
	if n > 0 {
		r = &pieces{r, n}
	}
	go readLines(r, limit, object, out)
	var got []line
	for l := range out {
		got = append(got, l)
	}
	return got
}

type pieces struct {
	r io.Reader
	n int
}

func (p *pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }

func same(a, b []line) bool {
	return slices.EqualFunc(a, b, func(a, b line) bool { return bytes.Equal(a.text, b.text) && a.broken == b.broken })
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 5000)
	tests := []struct {
		name, text string
		want       []string
		broken     string // of the last one
	}{
		{"none", "", nil, ""},
		{"two", "{\"a\":1}\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}, ""},
		{"empty ones are nothing", "\n\n{}\n \n", []string{"{}"}, ""},
		{"the last without a newline", "{\"a\":1}\n{\"b\":2}", []string{`{"a":1}`, `{"b":2}`}, ""},
		{"half of one", "{\"a\":1}\n{\"b\"", []string{`{"a":1}`, `{"b"`}, "the stream ended within a line"},
		{"one as long as may be", strings.Repeat("y", 4096) + "\n", []string{strings.Repeat("y", 4096)}, ""},
		{"a giant", long + "\n{}\n" + long + "\n", []string{long[:512], "{}", long[:512]}, "a line of 5000 bytes, longer than 4096, was skipped"},
		{"bytes that are no text", "\xff\x00\n", []string{"\xff\x00"}, ""},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			got := read(c.text, 4096, 0)
			var texts []string
			for _, l := range got {
				texts = append(texts, string(l.text[:min(len(l.text), 4096)]))
			}
			for i := range texts {
				if got[i].broken != "" && len(texts[i]) > 512 {
					texts[i] = texts[i][:512]
				}
			}
			if !slices.Equal(texts, c.want) {
				t.Errorf("got %.80q, want %.80q", texts, c.want)
			}
			if n := len(got); n > 0 && got[n-1].broken != c.broken {
				t.Errorf("the last is broken as %q, want %q", got[n-1].broken, c.broken)
			}
		})
	}
}

// An error of the stream is its end.
func TestLinesOfABrokenStream(t *testing.T) {
	out := make(chan line, 4)
	readLines(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("{}\n{}\n"))), 100, object, out)
	n := 0
	for range out {
		n++
	}
	if n > 1 {
		t.Errorf("%d lines came through an error", n)
	}
}

// Any chunking gives the same lines, and a line costs what it is long.
func FuzzLines(f *testing.F) {
	f.Add("{\"a\":1}\n{\"b\":2}\n", 1)
	f.Add("\n\xff\n"+strings.Repeat("z", 3000), 7)
	f.Add(strings.Repeat("q", 1100)+"\n{}", 512)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = 1 + max(n, -n)%4096
		budget.Keep(t, len(text), 4000, func() {
			if a, b := read(text, 1024, 0), read(text, 1024, n); !same(a, b) {
				t.Errorf("in pieces of %d: %d lines, whole: %d", n, len(b), len(a))
			}
		})
	})
}
