package term

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"signaltty/proto"
)

const screens = "../../testdata/screens"

// accepted are the streams where we differ from tmux 3.3a on purpose.
// docs/terminal.md has the reasons.
var accepted = map[string]bool{
	"hand/h_bce":            true,
	"hand/h_c1":             true,
	"hand/h_decawm":         true,
	"hand/h_decslrm":        true,
	"hand/h_emoji_zwj":      true,
	"hand/h_osc":            true,
	"hand/h_region_scroll":  true,
	"hand/h_rep":            true,
	"hand/h_reset":          true,
	"hand/h_save_alt":       true,
	"hand/h_tabs":           true,
	"hand/h_wide_overwrite": true,
	"hand/p_htop":           true,
	"hand/p_mc":             true,
	"hand/p_vttest":         true,
	"hand/p_vttest2":        true,
	"others/codex_160x48":   true,
	"others/codex_80x24":    true,

	"resize/short_80x24_40x24": true,
}

var update = flag.Bool("update", false, "write what we show on the streams where we differ from tmux")

func TestScreensEqualTmux(t *testing.T) {
	for _, s := range streams(t) {
		t.Run(s.name, func(t *testing.T) {
			want, err := os.ReadFile(s.path(".golden"))
			if err != nil {
				t.Fatal(err)
			}
			e := New(s.size, Options{})
			e.Write(s.data)
			for _, size := range s.then {
				e.Resize(size)
			}
			got := describe(e)
			if got == string(want) {
				if accepted[s.name] {
					t.Errorf("equals tmux now: take it off the list")
				}
				return
			}
			if accepted[s.name] {
				if *update {
					os.WriteFile(s.path(".ours"), []byte(got), 0o644)
				}
				want, err = os.ReadFile(s.path(".ours"))
				if err != nil {
					t.Fatal(err)
				}
			}
			if d := diff(string(want), got); d != "" {
				t.Error(d)
			}
		})
	}
}

// A stream is a recording at the size that it was made for, and the sizes that
// the screen is given after it.
type stream struct {
	name string
	size proto.Size
	then []proto.Size
	data []byte
}

func (s stream) path(ext string) string { return filepath.Join(screens, s.name+ext) }

var sizeSuffix = regexp.MustCompile(`_(\d+)x(\d+)`)

func streams(t testing.TB) []stream {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(screens, "*", "*.ansi"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no streams in %s: %v", screens, err)
	}
	var all []stream
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(screens, strings.TrimSuffix(f, ".ansi"))
		s := stream{name: name, size: proto.Size{Cols: 80, Lines: 24}, data: b}
		for i, m := range sizeSuffix.FindAllStringSubmatch(name, -1) {
			var size proto.Size
			size.Cols, _ = strconv.Atoi(m[1])
			size.Lines, _ = strconv.Atoi(m[2])
			if i == 0 {
				s.size = size
			} else {
				s.then = append(s.then, size)
			}
		}
		all = append(all, s)
	}
	return all
}

// describe is the terminal in the form of the goldens; see script/screens.
func describe(t *Terminal) string {
	var b strings.Builder
	c := t.Cursor()
	x := c.X
	if t.wrapNext {
		x++ // tmux counts it past the edge
	}
	visible := 0
	if c.Visible {
		visible = 1
	}
	fmt.Fprintf(&b, "size %dx%d\ntitle %s\ncursor %d %d %d\nhistory %d\n", t.cols, t.lines, t.title, x, c.Y, visible, t.history.count())
	for l := range t.linesFrom(-t.history.count()) {
		describeLine(&b, l)
	}
	return b.String()
}

// describeLine reads the line by its own means, cell by cell.
func describeLine(b *strings.Builder, l line) {
	var text strings.Builder
	var spans []string
	var pen string
	col, from, width := 0, 0, 1
	end := func() {
		if pen != "" && col > from {
			spans = append(spans, fmt.Sprintf("%d-%d %s", from, col-1, pen))
		}
		from = col
	}
	for l := l.body(); len(l) > 0; {
		switch l[0] {
		case markStyle:
			var s style
			s, _, l = cutStyle(l[1:])
			if d := describeStyle(s); d != pen {
				end()
				pen = d
			}
			continue
		case markWide, markNarrow:
			width = int(markNarrow+1-l[0]) % 3
			if l[0] == markWide {
				width = 2
			}
			l = l[1:]
			continue
		case markCluster:
			n := 3 + int(l[2])
			text.Write(l[3:n])
			col += int(l[1])
			l = l[n:]
			continue
		}
		r := []rune(string(l[:min(4, len(l))]))[0]
		text.WriteRune(r)
		l = l[len(string(r)):]
		col += width
	}
	shown := text.String()
	if pen == "" { // a row that wraps has its blanks to the end
		plain := strings.TrimRight(shown, " ")
		shown = shown[:max(len(plain), len(shown)-(col-from))]
	}
	end()
	fmt.Fprintf(b, "|%s\n", shown)
	if len(spans) > 0 {
		fmt.Fprintf(b, "~ %s\n", strings.Join(spans, "; "))
	}
}

func describeStyle(s style) string {
	var f []string
	for i, n := range []string{"bold", "faint", "italic", "blink", "reverse", "conceal", "strike", "overline"} {
		if s.attrs&(bold<<i) != 0 {
			f = append(f, n)
		}
	}
	p := s.proto(0, "")
	for _, kv := range [][2]string{{"under", p.Underline}, {"fg", p.Fg}, {"bg", p.Bg}, {"ul", p.Ul}} {
		if kv[1] != "" {
			f = append(f, kv[0]+"="+kv[1])
		}
	}
	return strings.Join(f, " ")
}

// diff names the first lines that differ.
func diff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for i, n := 0, 0; i < max(len(w), len(g)) && n < 6; i++ {
		var a, c string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			c = g[i]
		}
		if a != c {
			n++
			fmt.Fprintf(&b, "line %d\n  want %q\n  got  %q\n", i+1, a, c)
		}
	}
	return b.String()
}
