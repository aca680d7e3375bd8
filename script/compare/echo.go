package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"
)

// target is one way to reach a pane, and the times of its keys.
type target struct {
	name  string
	glass *glass
	took  []time.Duration
}

// scene is what happens around the typing.
type scene struct {
	name   string
	argv   func(*bench) []string
	hidden int // panes that print 400 lines a second each
}

var scenes = []scene{
	{"idle", func(*bench) []string { return []string{"cat"} }, 0},
	{"the pane repaints 20 rows 60/s", func(b *bench) []string { return b.child("typed", "60") }, 0},
	{"15 hidden panes at 400 lines/s", func(*bench) []string { return []string{"cat"} }, 15},
}

// echo measures the time from a key to its echo.
func (b *bench) echo() error {
	fmt.Fprintf(b.out, "\n### Key to echo, %dx%d, milliseconds\n\n| scene | way | p50 | p95 | p99 |\n|---|---|---|---|---|\n", size.Cols, size.Lines)
	for _, s := range scenes {
		err := b.pair(func(muxes []mux) error {
			targets, err := b.targets(s, muxes)
			defer func() {
				for _, t := range targets {
					t.glass.close()
				}
			}()
			if err != nil {
				return err
			}
			if err := b.typeAll(targets); err != nil {
				return err
			}
			for _, t := range targets {
				report(b.out, s.name, t)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// targets are the ways to reach the program of a scene.
func (b *bench) targets(s scene, muxes []mux) (targets []*target, err error) {
	add := func(name string, argv, env []string) {
		if err != nil {
			return
		}
		var g *glass
		if g, err = openGlass(argv, env); err == nil {
			targets = append(targets, &target{name: name, glass: g})
		}
	}
	add("no multiplexer", s.argv(b), environ(b.dir))
	for _, m := range muxes {
		pane, e := m.open(s.argv(b))
		if e != nil {
			return targets, e
		}
		for range s.hidden {
			if _, e := m.open(b.child("lines", "400")); e != nil {
				return targets, e
			}
		}
		argv, e := m.attach(pane)
		if e != nil {
			return targets, e
		}
		add(m.name(), argv, m.environ())
	}
	// A pane of its own, so that the two clients do not size the same one.
	st := muxes[1].(*signaltty)
	pane, e := st.open(s.argv(b))
	if e != nil {
		return targets, e
	}
	add("signaltty --raw", st.raw(pane), st.environ())
	for _, t := range targets {
		t.glass.pass(time.Second)
	}
	return targets, err
}

// typeAll presses the keys, taking turns in an order that chance decides.
func (b *bench) typeAll(targets []*target) error {
	rng := rand.New(rand.NewPCG(1, 2))
	const warmUp = 10
	for n := range warmUp + b.keys {
		for _, i := range rng.Perm(len(targets)) {
			for _, t := range targets { // a pause, with every PTY drained
				t.glass.pass(time.Duration(5+rng.IntN(10)) * time.Millisecond / 2)
			}
			letter := string(rune("abcdefghijklmnopqrstuvwxyz"[n%26]))
			took, err := targets[i].glass.key(letter, letter)
			if err != nil {
				return fmt.Errorf("%s: %w", targets[i].name, err)
			}
			if n >= warmUp {
				targets[i].took = append(targets[i].took, took)
			}
		}
	}
	return nil
}

func report(w io.Writer, scene string, t *target) {
	slices.Sort(t.took)
	fmt.Fprintf(w, "| %s | %s | %.2f | %.2f | %.2f |\n", scene, t.name, ms(part(t.took, 50)), ms(part(t.took, 95)), ms(part(t.took, 99)))
}

// part is the p-th percentile of what is sorted.
func part[T any](sorted []T, p int) T { return sorted[min(len(sorted)-1, len(sorted)*p/100)] }

func median[T int | float64 | time.Duration](v []T) T {
	return part(slices.Sorted(slices.Values(v)), 50)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
