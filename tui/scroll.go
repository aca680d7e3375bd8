package tui

import (
	"image"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// scrollKey is a row of the table of what the keys of scroll mode do. The
// keys of vi come first, those of emacs after them.
type scrollKey struct {
	keys string
	run  func(*model, *frozen) tea.Cmd
}

// move makes a row's function of one that moves the cursor.
func move(to func(*frozen) image.Point) func(*model, *frozen) tea.Cmd {
	return func(_ *model, f *frozen) tea.Cmd {
		f.moveTo(to(f))
		return nil
	}
}

// by makes one of a number of columns and rows.
func by(x, y int) func(*model, *frozen) tea.Cmd {
	return move(func(f *frozen) image.Point { return f.at.Add(image.Pt(x, y)) })
}

// pages scrolls by a part of what is in sight: 1 is half of it.
func pages(halves int) func(*model, *frozen) tea.Cmd {
	return func(m *model, f *frozen) tea.Cmd {
		rows := max(1, f.height*halves/2)
		if halves < 0 {
			rows = min(-1, f.height*halves/2)
		}
		y := f.at.Y - rows
		m.scrollBack(rows)
		f.at.Y = max(f.top, min(y, f.top+f.height-1))
		f.follow()
		return nil
	}
}

func scrollKeys() []scrollKey {
	return []scrollKey{
		{"h left", by(-1, 0)},
		{"j down ctrl+n", by(0, 1)},
		{"k up ctrl+p", by(0, -1)},
		{"l right", by(1, 0)},
		{"0 ctrl+a", move(func(f *frozen) image.Point { return image.Pt(0, f.at.Y) })},
		{"^", move(func(f *frozen) image.Point { return image.Pt(f.indent(), f.at.Y) })},
		{"$ ctrl+e", move(func(f *frozen) image.Point { return image.Pt(f.lineEnd(), f.at.Y) })},
		{"w alt+f", move((*frozen).nextWord)},
		{"b alt+b", move((*frozen).previousWord)},
		{"e", move((*frozen).wordEnd)},
		{"g home alt+<", move(func(f *frozen) image.Point { return image.Pt(0, f.first()) })},
		{"G end alt+>", move(func(f *frozen) image.Point { return image.Pt(0, f.last()) })},
		{"H", move(func(f *frozen) image.Point { return image.Pt(f.at.X, f.top) })},
		{"M", move(func(f *frozen) image.Point { return image.Pt(f.at.X, f.top+f.height/2) })},
		{"L", move(func(f *frozen) image.Point { return image.Pt(f.at.X, f.top+f.height-1) })},
		{"ctrl+u", pages(1)},
		{"ctrl+d", pages(-1)},
		{"pgup ctrl+b alt+v", pages(2)},
		{"pgdown ctrl+f ctrl+v space", pages(-2)},
		{"ctrl+y", func(m *model, _ *frozen) tea.Cmd { m.scrollBack(1); return nil }},
		{"/ ctrl+s", func(m *model, _ *frozen) tea.Cmd { m.openSearch(false); return nil }},
		{"? ctrl+r", func(m *model, _ *frozen) tea.Cmd { m.openSearch(true); return nil }},
		{"n", func(m *model, f *frozen) tea.Cmd { return m.nextHit(f.search.back) }},
		{"N", func(m *model, f *frozen) tea.Cmd { return m.nextHit(!f.search.back) }},
		{"[ {", (*model).previousPrompt},
		{"] }", (*model).nextPrompt},
		{"D", (*model).toDecision},
		{"v ctrl+space", func(_ *model, f *frozen) tea.Cmd { f.mark(false); return nil }},
		{"V", func(_ *model, f *frozen) tea.Cmd { f.mark(true); return nil }},
		{"o", func(_ *model, f *frozen) tea.Cmd { f.swap(); return nil }},
		{"y enter alt+w", (*model).yank},
		{"Y", func(m *model, f *frozen) tea.Cmd {
			f.marked, f.lines = true, false
			f.anchor, f.head = f.unit(f.at, 3)
			return m.yank(f)
		}},
		{"esc ctrl+g", func(m *model, f *frozen) tea.Cmd {
			if f.marked {
				f.marked = false
			} else {
				m.frozen = nil
			}
			return nil
		}},
		{"q i ctrl+c", func(m *model, _ *frozen) tea.Cmd { m.frozen = nil; return nil }},
	}
}

// scrollChords is the table by chord.
var scrollChords = sync.OnceValue(func() map[Chord]scrollKey {
	list := map[Chord]scrollKey{}
	for _, k := range scrollKeys() {
		for s := range strings.FieldsSeq(k.keys) {
			list[mustChord(s)] = k
		}
	}
	return list
})

// countMost bounds the number that is typed before a key.
const countMost = 10_000

// startScroll turns scroll mode on: the keys move in what scrolled off.
func (m *model) startScroll() {
	if f, ok := m.hold(); ok {
		f.keys = true
		f.at.Y = max(f.top, min(f.at.Y, f.top+f.height-1))
	}
}

// scrollKey handles a key of scroll mode.
func (m *model) scrollKey(k tea.Key) tea.Cmd {
	f, c := m.frozen, m.pressed
	if bareModifier(k.Code) {
		return nil
	}
	if c.Mod == 0 && c.Code >= '0' && c.Code <= '9' && (f.count > 0 || c.Code != '0') {
		f.count = min(f.count*10+int(c.Code-'0'), countMost)
		return nil
	}
	times := max(f.count, 1)
	f.count = 0
	key, ok := scrollChords()[c]
	if !ok {
		m.say(c.String()+" does nothing while you scroll; q goes back to the pane", notePlain)
		return nil
	}
	if _, once := onceKeys[c]; once {
		times = 1
	}
	var cmd tea.Cmd
	for range times {
		if m.frozen != f || f.search.input != nil {
			break
		}
		cmd = key.run(m, f)
	}
	if f.marked && m.frozen == f && f.selecting {
		f.head = f.at
	}
	return cmd
}

// onceKeys take no number.
var onceKeys = map[Chord]bool{{Code: 'v'}: true, {Code: 'V'}: true, {Code: 'o'}: true, {Code: ' ', Mod: tea.ModCtrl}: true}

// moveTo moves the cursor and has the view follow.
func (f *frozen) moveTo(p image.Point) {
	f.at = f.clamp(p)
	switch {
	case f.at.Y < f.top-f.height || f.at.Y >= f.top+2*f.height:
		f.top = f.at.Y - f.height/2 // far away: with what is around it
	case f.at.Y < f.top:
		f.top = f.at.Y
	case f.at.Y >= f.top+f.height:
		f.top = f.at.Y - f.height + 1
	}
	f.top = max(f.first(), min(f.top, f.live))
	f.follow()
}

// follow has the end of a selection that the keys make follow the cursor.
func (f *frozen) follow() {
	if f.selecting {
		f.head = f.at
	}
}

// mark begins a selection at the cursor, or ends it.
func (f *frozen) mark(lines bool) {
	if f.marked && f.selecting && f.lines == lines {
		f.marked, f.selecting = false, false
		return
	}
	if !f.marked || !f.selecting {
		f.anchor = f.at
	}
	f.marked, f.selecting, f.lines, f.head = true, true, lines, f.at
}

// swap goes to the other end of the selection.
func (f *frozen) swap() {
	if f.marked && f.selecting {
		f.anchor, f.head = f.head, f.anchor
		f.moveTo(f.head)
	}
}

// yank copies what is selected and leaves.
func (m *model) yank(f *frozen) tea.Cmd {
	if f.marked {
		m.copySelection(f)
	}
	m.frozen = nil
	return nil
}

// indent and lineEnd are the columns of the first and of the last character
// of the cursor's row.
func (f *frozen) indent() int {
	for x, c := range f.read(f.at.Y) {
		if kindOf(c) != kindBlank {
			return x
		}
	}
	return 0
}

func (f *frozen) lineEnd() int {
	row := f.read(f.at.Y)
	for x := len(row) - 1; x > 0; x-- {
		if kindOf(row[x]) != kindBlank {
			return x
		}
	}
	return 0
}

// wordReach is how many cells a word is looked for in.
const wordReach = 10_000

// step is the cell after or before p, over the ends of lines.
func (f *frozen) step(p image.Point, by int) (image.Point, bool) {
	p.X += by
	switch {
	case p.X < 0:
		p = image.Pt(f.cols-1, p.Y-1)
	case p.X >= f.cols:
		p = image.Pt(0, p.Y+1)
	}
	return p, p.Y >= f.first() && p.Y <= f.last()
}

func (f *frozen) nextWord() image.Point {
	was, p := f.kind(f.at), f.at
	for range wordReach {
		next, ok := f.step(p, 1)
		if !ok {
			break
		}
		if kind := f.kind(next); kind != was || next.Y != p.Y {
			if kind != kindBlank {
				return next
			}
			was = kindBlank
		}
		p = next
	}
	return p
}

func (f *frozen) previousWord() image.Point {
	p := f.at
	for range wordReach {
		next, ok := f.step(p, -1)
		if !ok {
			return p
		}
		p = next
		before, ok := f.step(p, -1)
		if kind := f.kind(p); kind != kindBlank && (!ok || before.Y != p.Y || f.kind(before) != kind) {
			return p
		}
	}
	return p
}

func (f *frozen) wordEnd() image.Point {
	p := f.at
	for range wordReach {
		next, ok := f.step(p, 1)
		if !ok {
			return p
		}
		p = next
		after, ok := f.step(p, 1)
		if kind := f.kind(p); kind != kindBlank && (!ok || after.Y != p.Y || f.kind(after) != kind) {
			return p
		}
	}
	return p
}

func (m *model) previousPrompt(f *frozen) tea.Cmd {
	for i := len(f.prompts) - 1; i >= 0; i-- {
		if f.prompts[i] < f.at.Y {
			f.toRow(f.prompts[i])
			return nil
		}
	}
	m.say("there is no prompt before this; shells mark them with OSC 133", notePlain)
	return nil
}

func (m *model) nextPrompt(f *frozen) tea.Cmd {
	for _, y := range f.prompts {
		if y > f.at.Y && y <= f.last() {
			f.toRow(y)
			return nil
		}
	}
	m.say("there is no prompt after this; shells mark them with OSC 133", notePlain)
	return nil
}

// toDecision goes to where the pane's last decision arrived.
func (m *model) toDecision(f *frozen) tea.Cmd {
	switch {
	case f.decided == nil:
		m.say("no decision of this pane is known", notePlain)
	case *f.decided < f.first() && f.whole:
		m.say("what was there when the last decision arrived is no more", notePlain)
	default:
		f.toRow(*f.decided)
	}
	return nil
}

// toRow goes to a row and has it first in sight, where there is enough below.
func (f *frozen) toRow(y int) {
	f.moveTo(image.Pt(0, y))
	f.top = max(f.first(), min(f.at.Y, f.live))
	f.follow()
}
