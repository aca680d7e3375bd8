package paint

import (
	"bytes"
	"image/color"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

var epoch = time.Unix(1e9, 0)

// inside is a painter whose terminal is on the alternate screen.
func inside(w io.Writer, p colorprofile.Profile) *Painter {
	g := New(w, p)
	g.Enter("", "")
	return g
}

func picture(cols, lines int, text ...string) *uv.Buffer {
	b := uv.NewBuffer(cols, lines)
	for y, l := range text {
		x := 0
		for _, r := range l {
			w := 1
			if r >= 0x3000 {
				w = 2
			}
			b.SetCell(x, y, &uv.Cell{Content: string(r), Width: w})
			x += w
		}
	}
	return b
}

func TestOnlyWhatChanged(t *testing.T) {
	var out bytes.Buffer
	p := inside(&out, colorprofile.TrueColor)
	p.Show(epoch, picture(20, 3, "hello world", "second"), nil, Cursor{})
	tests := []struct {
		name   string
		to     *uv.Buffer
		damage []bool
		want   string
	}{
		{"nothing", picture(20, 3, "hello world", "second"), nil, ""},
		{"one cell", picture(20, 3, "hellO world", "second"), nil, "\x1b[1;5HO\x1b[?25l"},
		{"shorter", picture(20, 3, "hell", "second"), nil, "\x1b[1;5H\x1b[K\x1b[?25l"},
		{"not told of", picture(20, 3, "hell", "SECOND"), []bool{true, false, true}, ""},
		{"told of", picture(20, 3, "hell", "SECOND"), []bool{false, true, false}, "\x1b[2;1HSECOND\x1b[?25l"},
		{"wide", picture(20, 3, "h日本", "SECOND"), nil, "\x1b[1;2H日\x1b[1;4H本\x1b[1;6H\x1b[?25l"},
		{"half of a wide one", picture(20, 3, "h日xx", "SECOND"), nil, "\x1b[1;4Hxx\x1b[?25l"},
	}
	for _, test := range tests {
		out.Reset()
		p.Show(epoch, test.to, test.damage, Cursor{})
		if got := out.String(); got != test.want {
			t.Errorf("%s: wrote %q, want %q", test.name, got, test.want)
		}
	}
}

// TestLost: once the terminal's size has changed, be it forth and back within
// one picture, it may show anything and is painted whole, once.
func TestLost(t *testing.T) {
	var out bytes.Buffer
	p := inside(&out, colorprofile.TrueColor)
	p.Show(epoch, picture(20, 2, "hello", "second"), nil, Cursor{})
	p.Lost()
	out.Reset()
	p.Show(epoch, picture(20, 2, "hello", "Second"), []bool{false, true}, Cursor{})
	if want := "\x1b[?25l\x1b[m\x1b[H\x1b[2J\x1b[1;1Hhello\x1b[2;1HSecond\x1b[?25l"; out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
	out.Reset()
	p.Show(epoch, picture(20, 2, "hello", "Second"), nil, Cursor{})
	if out.Len() > 0 {
		t.Errorf("wrote %q, want nothing", out.String())
	}
}

// TestInside: before and after the alternate screen nothing is painted, what is
// told leaves the picture alone, and at the end all modes are taken back once.
func TestInside(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, colorprofile.TrueColor)
	wrote := func(want string, back bool) {
		t.Helper()
		if got := out.String(); !strings.HasPrefix(got, want) || strings.Contains(got, "early") != back {
			t.Errorf("wrote %q, want %q first", got, want)
		}
		out.Reset()
	}
	p.Show(epoch, picture(10, 2, "early"), nil, Cursor{})
	if out.Len() > 0 {
		t.Fatalf("painted on the person's own screen: %q", out.String())
	}
	p.Enter("\x1b[?1002h", "\x1b[?1002l")
	wrote("\x1b[?1049h\x1b[?1002h", true)
	p.Tell("\x1b]2;title\a")
	wrote("\x1b]2;title\a", false)
	p.Begin("\x1b[?2027h", "\x1b[?2027l")
	wrote("\x1b[?2027h", false)
	p.Close()
	wrote("\x1b[?2027l\x1b[?1002l\x1b[?1049l"+Reset, false)
	p.Show(epoch, picture(10, 2, "early"), nil, Cursor{})
	p.Close()
	wrote(Reset, false)
}

func TestWait(t *testing.T) {
	p := inside(io.Discard, colorprofile.TrueColor)
	if w := p.Wait(epoch); w != 0 {
		t.Errorf("a quiet screen waits %v", w)
	}
	p.Show(epoch, picture(2, 2), nil, Cursor{})
	if w := p.Wait(epoch.Add(2 * time.Millisecond)); w != Interval-2*time.Millisecond {
		t.Errorf("a busy screen waits %v", w)
	}
	p.Key(epoch.Add(2 * time.Millisecond))
	if w := p.Wait(epoch.Add(3 * time.Millisecond)); w != 0 {
		t.Errorf("after a key it waits %v", w)
	}
	p.Show(epoch.Add(20*time.Millisecond), picture(2, 2), nil, Cursor{})
	if w := p.Wait(epoch.Add(21 * time.Millisecond)); w == 0 {
		t.Error("the credit of a key does not end")
	}
}

func TestSync(t *testing.T) {
	var out bytes.Buffer
	p := inside(&out, colorprofile.TrueColor)
	p.SetSync(true)
	p.Show(epoch, picture(4, 1, "a"), nil, Cursor{})
	out.Reset()
	p.Show(epoch, picture(4, 1, "b"), nil, Cursor{X: 1, Visible: true, Shape: 5})
	if want := "\x1b[?2026h\x1b[1;1Hb\x1b[1;2H\x1b[5 q\x1b[?25h\x1b[?2026l"; out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
}

func TestProfiles(t *testing.T) {
	cell := uv.Cell{Content: "x", Width: 1, Style: uv.Style{Fg: color.RGBA{0xff, 0, 0, 0xff}, Attrs: uv.AttrBold, Underline: uv.UnderlineCurly}, Link: uv.NewLink("https://example.org")}
	tests := []struct {
		profile colorprofile.Profile
		want    []string
		not     []string
	}{
		{colorprofile.TrueColor, []string{"38;2;255;0;0", "1;", "4:3", "]8;;https://example.org"}, nil},
		{colorprofile.ANSI256, []string{"38;5;", "4:3"}, []string{"38;2"}},
		{colorprofile.ANSI, []string{"91"}, []string{"38;"}},
		{colorprofile.Ascii, []string{"1"}, []string{"38", "91"}},
	}
	for _, test := range tests {
		var out bytes.Buffer
		p := inside(&out, test.profile)
		b := uv.NewBuffer(3, 1)
		b.SetCell(0, 0, &cell)
		p.Show(epoch, b, nil, Cursor{})
		for _, s := range test.want {
			if !strings.Contains(out.String(), s) {
				t.Errorf("%v: no %q in %q", test.profile, s, out.String())
			}
		}
		for _, s := range test.not {
			if strings.Contains(out.String(), s) {
				t.Errorf("%v: %q in %q", test.profile, s, out.String())
			}
		}
	}
}

// TestHostileLink: an application's link cannot end its own sequence.
func TestHostileLink(t *testing.T) {
	var out bytes.Buffer
	p := inside(&out, colorprofile.TrueColor)
	b := uv.NewBuffer(2, 1)
	b.SetCell(0, 0, &uv.Cell{Content: "x", Width: 1, Link: uv.NewLink("https://a\x1b\\\x1b]0;pwned\x07")})
	p.Show(epoch, b, nil, Cursor{})
	if strings.Contains(out.String(), "pwned") {
		t.Errorf("wrote %q", out.String())
	}
}

// TestRowsConverge: whatever came before, the front is the picture after.
func TestRowsConverge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	p := inside(io.Discard, colorprofile.TrueColor)
	for range 300 {
		b := uv.NewBuffer(12, 2)
		for x := 0; x < 12; x++ {
			c := uv.Cell{Content: string(rune('a' + rng.IntN(3))), Width: 1}
			if rng.IntN(3) == 0 {
				c = uv.Cell{Content: "日", Width: 2}
			}
			b.SetCell(x, rng.IntN(2), &c)
		}
		p.Show(epoch, b, nil, Cursor{})
		for y, row := range b.Lines {
			for x := range row {
				if p.front[y][x] != row[x] {
					t.Fatalf("cell %d,%d is %+v, want %+v", x, y, p.front[y][x], row[x])
				}
			}
		}
	}
}

func BenchmarkEcho(b *testing.B) {
	p := inside(io.Discard, colorprofile.TrueColor)
	pics := []*uv.Buffer{picture(160, 48, "a"), picture(160, 48, "b")}
	damage := make([]bool, 48)
	damage[0] = true
	for i := 0; b.Loop(); i++ {
		p.Show(epoch, pics[i%2], damage, Cursor{X: 1, Visible: true})
	}
}

func BenchmarkWhole(b *testing.B) {
	p := inside(io.Discard, colorprofile.TrueColor)
	pics := []*uv.Buffer{picture(160, 48), picture(160, 48)}
	for y := range 48 {
		for x := range 160 {
			for i, pic := range pics {
				pic.SetCell(x, y, &uv.Cell{Content: string(rune('a' + i)), Width: 1})
			}
		}
	}
	for i := 0; b.Loop(); i++ {
		p.Show(epoch, pics[i%2], nil, Cursor{})
	}
}
