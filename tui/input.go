package tui

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"signaltty/proto"
)

// altCommands are the commands that a single chord of alt and their key does
// as well, while the bar shows and where the terminal speaks the kitty
// keyboard protocol. In the legacy encoding alt+y is ESC y, which a person who
// presses escape and types on sends too.
var altCommands = []string{"once", "deny", "deny-reason", "hand-back", cmdNext}

// keyDown takes a key press, or the repeat of one that is held.
func (m *model) keyDown(k tea.Key) tea.Cmd {
	if k.IsRepeat && m.eaten[k.Code] {
		return nil
	}
	m.pressed = chordOf(k)
	defer func() { m.pressed = Chord{} }()
	ours, cmd := m.ours(k)
	if ours {
		m.eaten[k.Code] = true
		m.stale = true
		return cmd
	}
	delete(m.eaten, k.Code)
	m.typeInto(stroke{key: k})
	return nil
}

// keyUp takes a release: the pane sees it if it saw the press.
func (m *model) keyUp(k tea.Key) {
	if m.eaten[k.Code] {
		delete(m.eaten, k.Code)
		return
	}
	if m.online && m.dialog == nil {
		m.typeInto(stroke{key: k, release: true})
	}
}

// ours handles the keys that are signaltty's, and says whether this one was.
func (m *model) ours(k tea.Key) (bool, tea.Cmd) {
	c := m.pressed
	switch {
	case !m.online:
		if m.strayed(c) {
			return true, nil
		}
		return true, m.goneKey(c)
	case m.dialog != nil:
		return true, m.dialog.key(m, k)
	case m.bar.reason != nil:
		m.reasonKey(k)
		return true, nil
	case m.frozen != nil && m.frozen.search.input != nil:
		return true, m.searchKey(k)
	case m.prefixed:
		return m.afterPrefix(k)
	case slices.Contains(m.keys[prefixName], c):
		m.prefixed = !k.IsRepeat
		return true, nil
	case m.bar.focused:
		return true, m.barKey()
	case m.kitty && m.bar.id != "" && c.Mod == tea.ModAlt:
		if cmd, ok := m.keys.find(Chord{Code: c.Code}); ok && slices.Contains(altCommands, cmd.name) {
			return true, m.run(cmd)
		}
	case !m.events && m.bar.held(c, m.now()):
		return true, nil // an answering key that is still down
	case m.strayed(c):
		return true, nil
	case m.frozen != nil && m.frozen.keys:
		return true, m.scrollKey(k)
	case m.frozen != nil:
		return m.frozen.lookKey(m), nil
	}
	return false, nil
}

// afterPrefix handles the key after the prefix.
func (m *model) afterPrefix(k tea.Key) (bool, tea.Cmd) {
	c := m.pressed
	if k.IsRepeat || bareModifier(k.Code) {
		return true, nil
	}
	m.prefixed = false
	if slices.Contains(m.keys[prefixName], c) {
		return false, nil // doubled, it is the pane's
	}
	if cmd, ok := m.keys.find(c); ok {
		return true, m.run(cmd)
	}
	if n, err := strconv.Atoi(string(c.Code)); err == nil && c.Mod == 0 && n > 0 {
		if ids := m.order(); n <= len(ids) {
			m.focusPane(ids[n-1])
		} else {
			m.say("there is no pane "+itoa(n), notePlain)
		}
		return true, nil
	}
	if c.Code != tea.KeyEscape {
		m.say(m.keys.label(prefixName)+" "+c.String()+" does nothing; "+m.chord(cmdHelp)+" lists the keys", notePlain)
	}
	return true, nil
}

func (m *model) run(cmd command) tea.Cmd {
	cmd.run(m)
	if m.leaving {
		return tea.Quit
	}
	return nil
}

// barKey handles a key while the bar has the focus.
func (m *model) barKey() tea.Cmd {
	c := m.pressed
	switch {
	case c.Code == tea.KeyEscape:
		m.leaveBar()
	case c.Code == tea.KeyUp:
		m.scrollBar(-1)
	case c.Code == tea.KeyDown:
		m.scrollBar(1)
	case c.Code == tea.KeyPgUp:
		m.scrollBar(-m.bar.page)
	case c.Code == tea.KeyPgDown || c.Code == ' ':
		m.scrollBar(m.bar.page)
	case c.Code >= '1' && c.Code <= '9' && c.Mod == 0:
		if d, i := m.shown(); i >= 0 && int(c.Code-'1') < len(d.Options) {
			m.answer(d.Options[c.Code-'1'].ID, "")
		}
	default:
		if cmd, ok := m.keys.find(c); ok && cmd.group == groupDecision {
			return m.run(cmd)
		}
	}
	return nil
}

// typeInto sends a key to the focused pane.
func (m *model) typeInto(s stroke) {
	scr := m.screens[m.focus]
	if scr == nil {
		return
	}
	data := encode(s, scr.modes)
	if len(data) == 0 {
		return
	}
	passive := s.release || bareModifier(s.key.Code)
	if !passive && m.frozen != nil {
		m.frozen = nil
		m.stale = true
	}
	m.post(proto.MethodPaneInput, proto.PaneInput{Pane: m.focus, Data: data, Passive: passive})
}

// pastePart is the most bytes of a paste in one request.
const pastePart = 256 << 10

// paste gives pasted text to what has the focus. It never answers.
func (m *model) paste(text string) {
	switch {
	case !m.online:
	case m.dialog != nil:
		if p, ok := m.dialog.(*prompt); ok {
			insert(p.input, text)
		}
		m.stale = true
	case m.bar.reason != nil:
		insert(m.bar.reason.input, text)
		m.stale = true
	case m.bar.focused:
		m.say("a paste does not answer; esc leaves the bar", notePlain)
	case m.frozen != nil && m.frozen.search.input != nil:
		insert(m.frozen.search.input, text)
		m.stale = true
	case m.strayed(Chord{Code: tea.KeyExtended}):
	case m.screens[m.focus] != nil:
		m.prefixed, m.frozen, m.stale = false, nil, true
		for {
			n := min(len(text), pastePart)
			for n < len(text) && !utf8.RuneStart(text[n]) {
				n--
			}
			part := proto.PanePaste{Pane: m.focus, Text: text[:n], More: n < len(text)}
			m.post(proto.MethodPanePaste, part)
			if text = text[n:]; text == "" {
				break
			}
		}
	}
}

// inputLimit is the most characters of a name or a reason.
const inputLimit = 2000

func newInput(value string) *textinput.Model {
	in := textinput.New()
	in.CharLimit = inputLimit
	in.SetValue(value)
	in.CursorEnd()
	in.Focus() // the blinking that it asks for is the terminal's business here
	return &in
}

// edit gives a key to a text input.
func edit(in *textinput.Model, k tea.Key) {
	*in, _ = in.Update(tea.KeyPressMsg(k))
}

// insert puts pasted text, as one line, where the cursor of a text input is.
func insert(in *textinput.Model, text string) {
	*in, _ = in.Update(tea.PasteMsg{Content: text})
}

func (m *model) detach() { m.leaving = true }
