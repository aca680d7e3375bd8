package tui

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"signaltty/budget"
	"signaltty/proto"
	"signaltty/tui/paint"
)

func line(cells []uv.Cell) string {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString(c.Content)
	}
	return strings.TrimRight(b.String(), " ")
}

func rowOf(s *screen, y int) []uv.Cell {
	row := make([]uv.Cell, s.cols)
	s.read(y, row)
	return row
}

func TestFrame(t *testing.T) {
	tests := []struct {
		name string
		runs []proto.Run
		want string
	}{
		{"plain", []proto.Run{{Text: "hello"}, {Col: 8, Text: "x"}}, "hello   x"},
		{"wide", []proto.Run{{Text: "日本", Width: 2}, {Col: 4, Text: "!"}}, "日本!"},
		{"cluster", []proto.Run{{Text: "👩‍👩‍👧", Width: 2, Cluster: true}, {Col: 2, Text: "e\u0301", Cluster: true}}, "👩‍👩‍👧e\u0301"},
		{"font icon", []proto.Run{{Text: "\U000f0001x"}}, "\U000f0001x"},
		{"filler itself", []proto.Run{{Text: "\U0010fffdx"}}, "\U0010fffdx"},
		{"controls", []proto.Run{{Text: "a\x1b[2Jb\u009bc"}}, "a [2Jb c"},
		{"cluster of controls", []proto.Run{{Text: "\x1b\x07", Cluster: true}, {Col: 1, Text: "z"}}, " z"},
		{"beyond the edge", []proto.Run{{Col: 8, Text: "abcdef"}, {Col: -1, Text: "q"}, {Col: 99, Text: "q"}}, "        ab"},
		{"half at the edge", []proto.Run{{Col: 9, Text: "日", Width: 2}}, ""},
		{"overwritten half", []proto.Run{{Text: "日", Width: 2}, {Col: 1, Text: "x"}}, "日x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newScreen()
			s.apply(&proto.Frame{Cols: 10, Lines: 2, Full: true, Rows: []proto.Row{{Y: 1, Runs: test.runs}}})
			if got := line(rowOf(s, 1)); got != test.want {
				t.Errorf("row is %q, want %q", got, test.want)
			}
			if got := line(rowOf(s, 0)); got != "" {
				t.Errorf("the other row is %q", got)
			}
		})
	}
}

func TestFrameStyles(t *testing.T) {
	s := newScreen()
	st := proto.Style{ID: 70000, Fg: "#102030", Bg: "200", Ul: "3", Underline: "curly", Bold: true, Strike: true, Link: "https://example.org"}
	s.apply(&proto.Frame{Cols: 4, Lines: 1, Full: true, Styles: []proto.Style{st}, Rows: []proto.Row{{Runs: []proto.Run{{Text: "ab", Style: 70000}, {Col: 2, Text: "c"}}}}})
	row := rowOf(s, 0)
	want := lookOf(st)
	if row[0].Style != want.style || row[1].Link != want.link || want.style.Underline != uv.UnderlineCurly {
		t.Errorf("cell is %+v, want %+v", row[0], want)
	}
	if !row[2].Style.IsZero() || !row[3].Style.IsZero() {
		t.Errorf("the style runs on: %+v", row[2:])
	}
	s.apply(&proto.Frame{Cols: 4, Lines: 1, Modes: proto.Modes{ReverseScreen: true}})
	if got := rowOf(s, 0)[2].Style.Attrs; got != uv.AttrReverse {
		t.Errorf("a reversed screen has attributes %x", got)
	}
}

// TestFrameReplacesRows: a row comes whole, and rows that do not come stay.
func TestFrameReplacesRows(t *testing.T) {
	s := newScreen()
	s.apply(&proto.Frame{Cols: 10, Lines: 2, Full: true, Rows: []proto.Row{{Y: 0, Runs: []proto.Run{{Text: "日本語", Width: 2}}}, {Y: 1, Runs: []proto.Run{{Text: "stay"}}}}})
	s.apply(&proto.Frame{Cols: 10, Lines: 2, Rows: []proto.Row{{Y: 0, Runs: []proto.Run{{Col: 3, Text: "x"}}}}})
	if got := line(rowOf(s, 0)) + "|" + line(rowOf(s, 1)); got != "   x|stay" {
		t.Errorf("screen is %q", got)
	}
	s.apply(&proto.Frame{Cols: 10, Lines: 2, Full: true})
	if got := line(rowOf(s, 0)) + line(rowOf(s, 1)); got != "" {
		t.Errorf("after a full frame without rows: %q", got)
	}
}

// TestClustersAreSwept: an application that makes up clusters for ever costs
// no more than its screen.
func TestClustersAreSwept(t *testing.T) {
	s := newScreen()
	s.apply(&proto.Frame{Cols: 2, Lines: 1, Full: true, Rows: []proto.Row{{Runs: []proto.Run{{Text: "k\u0301", Cluster: true}}}}})
	for i := range clusterCap + 10 {
		s.cluster("x" + string(rune(0x300+i%0x70)) + string(rune(0x4e00+i/0x70)))
	}
	if n := len(s.clusters); n > clusterCap {
		t.Errorf("%d clusters are kept", n)
	}
	if got := line(rowOf(s, 0)); got != "k\u0301" {
		t.Errorf("the screen became %q", got)
	}
}

// still is a link that keeps what is posted.
type still struct{ posted []request }

func (l *still) post(r request) bool { l.posted = append(l.posted, r); return true }
func (l *still) retry()              {}

func (l *still) methods() (list []string) {
	for _, r := range l.posted {
		list = append(list, r.method)
	}
	return list
}

// onePane is a model that shows one pane, painted to nowhere.
func onePane(t *testing.T) (*model, *still) {
	t.Helper()
	l := &still{}
	glass := paint.New(io.Discard, colorprofile.TrueColor)
	glass.Enter("", "")
	m := newModel(Options{}, l, glass)
	now := time.Unix(1e9, 0)
	m.now = func() time.Time { now = now.Add(time.Second); return now }
	m.resize(80, 24)
	m.Update(linkUp{welcome: proto.Welcome{Person: true}, snapshot: proto.Snapshot{
		Workspaces: []proto.Workspace{{ID: "w", Name: "w", Tabs: []proto.Tab{{ID: "t", Tree: &proto.Split{Pane: "p"}}}}},
		Panes:      []proto.Pane{{ID: "p", Agent: "claude"}},
	}})
	m.Update(event{proto.EventFrame, &proto.Frame{Pane: "p", Cols: 57, Lines: 22, Full: true, Rows: []proto.Row{{Y: 2, Runs: []proto.Run{{Text: "hello"}}}}}})
	m.View()
	return m, l
}

// TestCellsComeFromVT10x: what a pane shows is what its vt10x terminal holds.
func TestCellsComeFromVT10x(t *testing.T) {
	m, _ := onePane(t)
	body := m.plan.tiles[0].body
	if got := line(m.canvas.Lines[body.Min.Y+2][body.Min.X:]); got != "hello" {
		t.Fatalf("the pane shows %q", got)
	}
	m.screens["p"].term.Write([]byte("\x1b[3;1HJ"))
	m.stale = true
	m.View()
	if got := line(m.canvas.Lines[body.Min.Y+2][body.Min.X:]); got != "Jello" {
		t.Fatalf("a cell was altered in vt10x and the pane shows %q", got)
	}
}

// TestBarKeepsTheScreen: the bar comes and goes over the same vt10x terminal,
// and nothing is asked of the server for that.
func TestBarKeepsTheScreen(t *testing.T) {
	m, l := onePane(t)
	before, posted := m.screens["p"].term, len(l.posted)
	m.Update(event{proto.EventDecisionAdded, &proto.Decision{ID: "d", Pane: "p", Kind: proto.KindPermission, Prompt: "ls", Answerable: true, Options: []proto.Option{{ID: "once", Label: "Once"}}}})
	m.View()
	if m.bar.area.Empty() {
		t.Fatal("the bar does not show")
	}
	m.Update(event{proto.EventDecisionEnded, &proto.DecisionEnded{Decision: "d", End: proto.EndMovedOn}})
	m.View()
	if !m.bar.area.Empty() {
		t.Fatal("the bar still shows")
	}
	if m.screens["p"].term != before {
		t.Error("the pane has another vt10x terminal")
	}
	if got := l.methods()[posted:]; len(got) > 0 {
		t.Errorf("the server was asked for %v", got)
	}
}

// TestDamageIsEnough: drawing only the rows that changed gives the same
// picture as drawing all.
func TestDamageIsEnough(t *testing.T) {
	m, _ := onePane(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		f := &proto.Frame{Pane: "p", Cols: 57, Lines: 22, Rows: []proto.Row{{Y: rng.IntN(22), Runs: []proto.Run{{Col: rng.IntN(50), Text: strings.Repeat("日", rng.IntN(4)), Width: 2}}}}}
		m.Update(event{proto.EventFrame, f})
		m.View()
		got := m.canvas.Render()
		m.stale = true
		m.draw()
		if want := m.canvas.Render(); got != want {
			t.Fatalf("by damage:\n%s\nwhole:\n%s", got, want)
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(10, 3, 1, 2, "日本\x1b[2J", 2, 1, false)
	f.Add(-1, 1<<30, -5, 70000, "\U000f0000e\u0301", 9, 1<<25, true)
	f.Fuzz(func(t *testing.T, cols, lines, col, y int, text string, width, style int, cluster bool) {
		budget.Keep(t, len(text)+max(cols%300, 1)*max(lines%300, 1), 2000, func() {
			s := newScreen()
			run := proto.Run{Col: col, Text: text, Width: width, Style: style, Cluster: cluster}
			cols, lines = cols%300, lines%300
			fr := &proto.Frame{Cols: cols, Lines: lines, Styles: []proto.Style{{ID: style, Fg: text, Bold: true}}, Rows: []proto.Row{{Y: y, Runs: []proto.Run{run, run}}, {Y: 0, Runs: []proto.Run{run}}}}
			s.apply(fr)
			s.apply(fr)
			for y := range s.lines {
				x := 0
				for _, c := range rowOf(s, y) {
					if strings.ContainsFunc(c.Content, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
						t.Fatalf("a control character is on the screen: %q", c.Content)
					}
					x += c.Width
				}
				if x != s.cols {
					t.Fatalf("row %d is %d columns wide, want %d", y, x, s.cols)
				}
			}
		})
	})
}
