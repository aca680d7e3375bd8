package main

import (
	"errors"
	"fmt"
	"time"
)

// The keys of signaltty's own commands, and what their picture draws that was
// not there before: the heavy line of the pane that gets the focus, the whole
// of it for one that is zoomed, and the box of the help.
var uiKeys = []struct{ name, key, drawn, back string }{
	{"next pane", "\x1do", "━", "\x1dp"},
	{"zoom", "\x1dz", "━", "\x1dz"},
	{"help", "\x1d?", "┏", "q"},
}

// ui measures the time from the key of a command to its picture.
func (b *bench) ui() error {
	fmt.Fprintf(b.out, "\n### Command to picture, milliseconds\n\n| scene | command | p50 | p95 | p99 |\n|---|---|---|---|---|\n")
	for _, s := range scenes {
		if err := b.uiScene(s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (b *bench) uiScene(s scene) (err error) {
	st, err := begin(b, startSignaltty)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.end(st)) }()
	pane, err := st.open(s.argv(b))
	if err != nil {
		return err
	}
	if err := st.beside(pane, []string{"cat"}); err != nil {
		return err
	}
	for range s.hidden {
		if _, err := st.open(b.child("lines", "400")); err != nil {
			return err
		}
	}
	argv, _ := st.attach(pane)
	g, err := openGlass(argv, st.environ())
	if err != nil {
		return err
	}
	defer g.close()
	g.pass(time.Second)
	for _, k := range uiKeys {
		t := &target{name: k.name}
		for range max(b.keys/4, 10) {
			g.pass(60 * time.Millisecond)
			took, err := g.key(k.key, k.drawn)
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			t.took = append(t.took, took)
			g.pass(60 * time.Millisecond)
			if _, err := g.master.WriteString(k.back); err != nil {
				return err
			}
		}
		report(b.out, s.name, t)
	}
	return b.bar(s, st, g)
}
