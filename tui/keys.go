package tui

import (
	"fmt"
	"slices"
	"strings"
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
// what is unknown.
func (k Keys) Set(name string, chords ...string) error {
	if !slices.Contains(KeyNames(), name) {
		return fmt.Errorf("key name %q is not known; the names are %s", name, strings.Join(KeyNames(), ", "))
	}
	if len(chords) == 0 {
		return fmt.Errorf("key %s has no key; leave it out to keep %s", name, joinChords(k[name]))
	}
	var list []Chord
	for _, s := range chords {
		c, err := ParseChord(s)
		if err != nil {
			return fmt.Errorf("key %s: %w", name, err)
		}
		list = append(list, c)
	}
	if name == prefixName && list[0].Mod == 0 && list[0].Code < 0x110000 && list[0].Code >= ' ' {
		return fmt.Errorf("key prefix: %s alone is a key that panes need; add ctrl+ or alt+", list[0])
	}
	k[name] = list
	return nil
}

// Check finds a chord that two commands share.
func (k Keys) Check() error {
	owner := map[Chord]string{}
	for _, name := range KeyNames() {
		if name == prefixName {
			continue
		}
		for _, c := range k[name] {
			if other := owner[c]; other != "" {
				return fmt.Errorf("key %s is both %s and %s", c, other, name)
			}
			owner[c] = name
		}
	}
	return nil
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

func joinChords(list []Chord) string {
	var s []string
	for _, c := range list {
		s = append(s, c.String())
	}
	return strings.Join(s, " ")
}
