package tui

import (
	"context"
	"image"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/clipperhouse/displaywidth"
)

// search is what is searched for in a frozen pane.
type search struct {
	input   *textinput.Model // open while the pattern is typed
	back    bool             // towards the older rows
	pattern string
	re      *regexp.Regexp
	run     int   // counts the searches; only the last one's hits count
	hits    []hit // the oldest first
	at      int   // the hit that the cursor was moved to; -1 for none
	cut     bool  // there are more than hits
	busy    bool
	from    image.Point // where the cursor was when it began
}

// hit is a place where the pattern matches, from its first to its last cell.
type hit struct{ from, to image.Point }

// found is the end of a search.
type found struct {
	frozen *frozen
	run    int
	stay   bool // the cursor was moved to a hit already
	hits   []hit
	cut    bool
}

// The bounds of a search.
const (
	searchTime = 2 * time.Second
	hitsMost   = 100_000
	lineMost   = 64 << 10 // bytes of rows that wrap into each other
)

// compile reads a pattern: a regular expression, or plain text where it is
// none. Without capitals it takes both cases.
func compile(pattern string) *regexp.Regexp {
	fold := "(?i)"
	escaped := false
	for _, r := range pattern {
		if unicode.IsUpper(r) && !escaped {
			fold = ""
		}
		escaped = r == '\\' && !escaped
	}
	re, err := regexp.Compile(fold + pattern)
	if err != nil {
		re = regexp.MustCompile(fold + regexp.QuoteMeta(pattern))
	}
	return re
}

// openSearch asks for a pattern.
func (m *model) openSearch(back bool) {
	f, ok := m.hold()
	if !ok {
		return
	}
	f.keys = true
	f.search.back, f.search.input = back, newInput("")
}

// searchKey handles a key while a pattern is typed.
func (m *model) searchKey(k tea.Key) tea.Cmd {
	f := m.frozen
	s := &f.search
	switch m.pressed.Code {
	case tea.KeyEscape:
		s.input = nil
	case tea.KeyEnter:
		pattern := s.input.Value()
		s.input = nil
		if pattern == "" {
			return m.nextHit(s.back)
		}
		s.pattern, s.re, s.from = pattern, compile(pattern), f.at
		return m.searching(f, false)
	case tea.KeyBackspace:
		if s.input.Value() == "" {
			s.input = nil
			return nil
		}
		edit(s.input, k)
	default:
		edit(s.input, k)
	}
	return nil
}

// again searches anew, now that all of what scrolled off is here.
func (m *model) again(f *frozen) {
	m.later = append(m.later, m.searching(f, f.search.at >= 0))
}

// searching begins a search, which goes on beside the screen.
func (m *model) searching(f *frozen, stay bool) tea.Cmd {
	s := &f.search
	s.run++
	s.hits, s.at, s.cut, s.busy = nil, -1, false, true
	run, re := s.run, s.re
	rows := frozenRows{f.screen, f.past}
	return func() tea.Msg {
		ctx, done := context.WithTimeout(context.Background(), searchTime)
		defer done()
		hits, cut := rows.search(ctx, re)
		return found{f, run, stay, hits, cut}
	}
}

// foundHits takes the end of a search and turns to the first hit.
func (m *model) foundHits(r found) {
	f := r.frozen
	s := &f.search
	if m.frozen != f || s.run != r.run {
		return
	}
	s.hits, s.cut, s.busy = r.hits, r.cut, false
	m.stale = true
	if len(s.hits) == 0 {
		if f.whole {
			m.say("nothing matches "+Visible(s.pattern), notePlain)
		}
		return
	}
	if r.stay {
		s.at = slices.IndexFunc(s.hits, func(h hit) bool { return h.from == f.at })
		return
	}
	f.at = s.from
	m.nextHit(s.back)
}

// nextHit moves to the next hit, or with back to the one before, and from the
// last one on to the first.
func (m *model) nextHit(back bool) tea.Cmd {
	f := m.frozen
	s := &f.search
	if s.pattern == "" {
		m.say("nothing was searched for yet; / searches", notePlain)
		return nil
	}
	if len(s.hits) == 0 {
		if !s.busy {
			m.say("nothing matches "+Visible(s.pattern), notePlain)
		}
		return nil
	}
	i := 0
	for i < len(s.hits) && !before(f.at, s.hits[i].from) {
		i++ // the first one after the cursor
	}
	if back {
		for i > 0 && !before(s.hits[i-1].from, f.at) {
			i--
		}
		i--
	}
	switch {
	case i < 0:
		i = len(s.hits) - 1
		m.say("from the bottom again", notePlain)
	case i == len(s.hits):
		i = 0
		m.say("from the top again", notePlain)
	}
	s.at = i
	f.moveTo(s.hits[i].from)
	return nil
}

// words tells how many hits there are, and which one this is.
func (s *search) words() string {
	n := itoa(len(s.hits))
	if s.cut {
		n += "+"
	}
	switch {
	case s.busy:
		return "searching"
	case len(s.hits) == 0:
		return "no match"
	case s.at >= 0:
		return itoa(s.at+1) + " of " + n
	}
	return n + " matches"
}

// paint highlights the hits in a row, the current one more than the others.
func (s *search) paint(t *theme, y int, row []uv.Cell) {
	first, _ := s.around(y)
	for i := first; i < len(s.hits) && s.hits[i].from.Y <= y; i++ {
		h, style := s.hits[i], t.match
		if i == s.at {
			style = t.matched
		}
		for x := range row {
			if p := image.Pt(x, y); !before(p, h.from) && !before(h.to, p) {
				row[x].Style.Fg, row[x].Style.Bg = style.Fg, style.Bg
				row[x].Style.Attrs |= style.Attrs
				row[x].Style.Underline = style.Underline
			}
		}
	}
}

// around is the first hit that ends in row y or after it.
func (s *search) around(y int) (int, bool) {
	low, high := 0, len(s.hits)
	for low < high {
		if mid := (low + high) / 2; s.hits[mid].to.Y < y {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, low < len(s.hits)
}

// frozenRows is the rows of a frozen pane at one moment. They do not change.
type frozenRows struct{ screen, past []heldRow }

func (r frozenRows) at(y int) heldRow {
	if y < 0 {
		return r.past[-1-y]
	}
	return r.screen[y]
}

// search finds the matches, line by line; rows that wrap into each other are
// one line. cut says that it did not come to the end.
func (r frozenRows) search(ctx context.Context, re *regexp.Regexp) (hits []hit, cut bool) {
	for y := -len(r.past); y < len(r.screen); {
		if y&0xff == 0 && ctx.Err() != nil {
			return hits, true
		}
		from := y
		var line strings.Builder
		var starts []int // where in the line each row begins
		for {
			row := r.at(y)
			starts = append(starts, line.Len())
			line.WriteString(row.text())
			if y++; !row.joined || y == len(r.screen) || line.Len() > lineMost {
				break
			}
		}
		hits = appendHits(hits, re, line.String(), from, starts)
		if len(hits) >= hitsMost {
			return hits[:hitsMost], true
		}
	}
	return hits, false
}

func appendHits(hits []hit, re *regexp.Regexp, line string, y int, starts []int) []hit {
	for _, m := range re.FindAllStringIndex(line, hitsMost) {
		if m[0] == m[1] {
			continue
		}
		hits = append(hits, hit{cellOf(line, y, starts, m[0], false), cellOf(line, y, starts, m[1], true)})
	}
	return hits
}

// cellOf is the cell of the character at an offset of a line that begins in
// row y, or with last the cell before that offset.
func cellOf(line string, y int, starts []int, offset int, last bool) image.Point {
	i := len(starts) - 1
	for i > 0 && (starts[i] > offset || last && starts[i] == offset) {
		i--
	}
	x := displaywidth.String(line[starts[i]:offset])
	if last {
		x--
	}
	return image.Pt(x, y+i)
}
