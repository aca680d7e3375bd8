package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Keys is what the keys do: the chords of each command, by its name. All but
// the prefix are pressed after the prefix.
type Keys map[string][]Chord

// prefixName is the name of the chord that all commands begin with.
const prefixName = "prefix"

// DefaultKeys are the keys of a person who configured none.
func DefaultKeys() Keys {
	k := Keys{prefixName: {mustChord("ctrl+]")}}
	for _, c := range commands() {
		for s := range strings.FieldsSeq(c.keys) {
			k[c.name] = append(k[c.name], mustChord(s))
		}
	}
	return k
}

func mustChord(s string) Chord {
	c, err := ParseChord(s)
	if err != nil {
		panic(err)
	}
	return c
}

// KeyNames are the names that Set knows, in the order of the help.
func KeyNames() []string {
	names := []string{prefixName}
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// Set gives a command its chords in place of the ones it had. The error names
// all that is wrong with them, joined, and the command keeps what it had.
func (k Keys) Set(name string, chords ...string) error {
	if !slices.Contains(KeyNames(), name) {
		return fmt.Errorf("key name %q is not known; the names are %s", name, strings.Join(KeyNames(), ", "))
	}
	if len(chords) == 0 {
		return fmt.Errorf("key %s has no key; leave it out to keep %s", name, joinChords(k[name]))
	}
	var list []Chord
	var wrong []error
	for _, s := range chords {
		c, err := ParseChord(s)
		switch {
		case err != nil:
		case name == prefixName:
			err = c.asPrefix()
		default:
			err = c.asCommand()
		}
		if err == nil && slices.Contains(list, c) {
			err = fmt.Errorf("%s is given twice; once is enough", c)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("key %s: %w", name, err))
		}
		list = append(list, c)
	}
	if len(wrong) == 0 {
		k[name] = list
	}
	return errors.Join(wrong...)
}

// asPrefix says why a chord cannot be the prefix: programs in panes need it,
// by itself or as the control character that it is in the legacy encoding.
func (c Chord) asPrefix() error {
	legacy := map[rune]string{'[': "esc", 'i': "tab", 'm': "enter", 'c': "interrupt", 'd': "end of input", 'z': "suspend"}
	function := c.Code >= tea.KeyF1 && c.Code <= tea.KeyF12
	switch {
	case c.Mod&^tea.ModShift == 0 && !function:
		return fmt.Errorf("%s alone is a key that panes need; add ctrl+ or alt+", c)
	case c.Mod == tea.ModCtrl && legacy[c.Code] != "":
		return fmt.Errorf("%s is a key that panes need (%s); take another, such as ctrl+]", c, legacy[c.Code])
	}
	return nil
}

// asCommand says why a chord cannot follow the prefix as a command.
func (c Chord) asCommand() error {
	switch {
	case c.Mod == 0 && c.Code >= '1' && c.Code <= '9':
		return fmt.Errorf("%s turns to pane %s; take another key", c, c)
	case c == Chord{Code: tea.KeyEscape}:
		return errors.New("esc takes the prefix back; take another key")
	}
	return nil
}

// Clash is a chord that cannot do both of two things.
type Clash struct {
	Chord Chord
	Names [2]string // of the commands, or of a command and the prefix
}

// Clashes finds the chords that two commands share, and those of commands
// that are the prefix, which goes to the pane when it is pressed twice.
func (k Keys) Clashes() []Clash {
	var list []Clash
	owner := map[Chord]string{}
	for _, name := range KeyNames() { // the prefix is the first
		for _, c := range k[name] {
			if other := owner[c]; other != "" && other != name {
				list = append(list, Clash{c, [2]string{other, name}})
				continue
			}
			owner[c] = name
		}
	}
	return list
}

// find is the command that a chord after the prefix stands for.
func (k Keys) find(c Chord) (command, bool) {
	for _, cmd := range commands() {
		if slices.Contains(k[cmd.name], c) {
			return cmd, true
		}
	}
	return command{}, false
}

// label is how a command's first chord is shown.
func (k Keys) label(name string) string {
	if len(k[name]) == 0 {
		return ""
	}
	return k[name][0].String()
}

// chord is how a command is pressed, prefix and all.
func (m *model) chord(name string) string {
	return m.keys.label(prefixName) + " " + m.keys.label(name)
}

func joinChords(list []Chord) string {
	var s []string
	for _, c := range list {
		s = append(s, c.String())
	}
	return strings.Join(s, " ")
}
