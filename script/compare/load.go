package main

import (
	"fmt"
	"time"
)

// load is what a process did over a time.
type load struct {
	cpu, wakeups  float64 // percent of a core, per second
	before, after float64 // MiB
}

// loadOf watches a process while pass lasts.
func loadOf(pids []int, pass func() time.Duration) (all []load, err error) {
	all = make([]load, len(pids))
	cpus, woken := make([]time.Duration, len(pids)), make([]int, len(pids))
	for i, pid := range pids {
		if cpus[i], err = cpu(pid); err != nil {
			return nil, err
		}
		if woken[i], err = wakeups(pid); err != nil {
			return nil, err
		}
		if all[i].before, err = memory(pid); err != nil {
			return nil, err
		}
	}
	took := pass().Seconds()
	for i, pid := range pids {
		c, err := cpu(pid)
		if err != nil {
			return nil, err
		}
		w, err := wakeups(pid)
		if err != nil {
			return nil, err
		}
		all[i].cpu, all[i].wakeups = (c-cpus[i]).Seconds()/took*100, float64(w-woken[i])/took
		if all[i].after, err = memory(pid); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (b *bench) loadRow(m mux, g *glass, d time.Duration) error {
	all, err := loadOf([]int{m.pid(), g.cmd.Process.Pid}, func() time.Duration { g.pass(d); return d })
	if err != nil {
		return err
	}
	for i, part := range []string{"server", "client"} {
		l := all[i]
		fmt.Fprintf(b.out, "| %s %s | %.1f | %.1f | %.1f | %.1f |\n", m.name(), part, l.cpu, l.wakeups, l.before, l.after)
	}
	return nil
}

const loadHead = "| process | CPU, %% of a core | wakeups/s | MiB before | MiB after |\n|---|---|---|---|---|\n"

// flood measures the load of a pane that paints all of its screen 200 times a
// second.
func (b *bench) flood() error {
	fmt.Fprintf(b.out, "\n### One visible pane repaints %dx%d 200/s, 10 s\n\n"+loadHead, size.Cols, size.Lines)
	return b.pair(func(muxes []mux) error {
		for _, m := range muxes {
			pane, err := m.open(b.child("flood", "200"))
			if err != nil {
				return err
			}
			argv, err := m.attach(pane)
			if err != nil {
				return err
			}
			g, err := openGlass(argv, m.environ())
			if err != nil {
				return err
			}
			g.pass(2 * time.Second)
			err = b.loadRow(m, g, 10*time.Second)
			g.close()
			if err == nil {
				err = m.shut(pane)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// idle measures what many panes with full scrollback cost that do nothing, and
// how long a client takes to show one of them.
func (b *bench) idle() error {
	return b.pair(func(muxes []mux) error {
		last := map[mux]string{}
		for _, m := range muxes {
			for range b.panes {
				pane, err := m.open(b.child("filled", "10100"))
				if err != nil {
					return err
				}
				last[m] = pane
			}
		}
		if err := b.firstScreens(muxes, last); err != nil {
			return err
		}
		fmt.Fprintf(b.out, "\n### %d idle panes with full scrollback (10,000 lines each), 10 s\n\n"+loadHead, b.panes)
		for _, m := range muxes {
			argv, err := m.attach(last[m])
			if err != nil {
				return err
			}
			g, err := openGlass(argv, m.environ())
			if err != nil {
				return err
			}
			g.pass(5 * time.Second)
			err = b.loadRow(m, g, 10*time.Second)
			g.close()
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// firstScreens attaches again and again, taking turns.
func (b *bench) firstScreens(muxes []mux, panes map[mux]string) error {
	took := map[mux][]time.Duration{}
	for n := range 11 {
		for _, m := range muxes {
			argv, err := m.attach(panes[m])
			if err != nil {
				return err
			}
			began := time.Now()
			g, err := openGlass(argv, m.environ())
			if err != nil {
				return err
			}
			at, err := g.await(ready)
			g.close()
			if err != nil {
				return err
			}
			if n > 0 { // the first waits for the panes to fill
				took[m] = append(took[m], at.Sub(began))
			}
		}
	}
	fmt.Fprintf(b.out, "\n### First complete screen of %d panes, medians of 10\n\n| client | ms |\n|---|---|\n", b.panes)
	for _, m := range muxes {
		fmt.Fprintf(b.out, "| %s | %.0f |\n", m.name(), ms(median(took[m])))
	}
	return nil
}
