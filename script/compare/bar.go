package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"signaltty/proto"
)

// asker is an agent that asks: each ask is held, and shows in the bar by a
// text that no other has a cell of in common with.
type asker struct {
	st   *signaltty
	n    int
	open []*proto.Conn
}

// ask holds an ask and returns the text that shows it.
func (a *asker) ask() (string, error) {
	text := strings.Repeat(string(rune('A'+a.n%26)), 12)
	a.n++
	conn, _, err := proto.Dial(context.Background(), filepath.Join(a.st.home, "s"), proto.Hello{Client: "hook"})
	if err != nil {
		return "", err
	}
	a.open = append(a.open, conn)
	return text, conn.Send(2, proto.MethodHookEvent, proto.HookEvent{
		Agent: "claude", Event: "PermissionRequest", Moment: proto.MomentAsk, Session: text, Tool: "Bash", InputKey: text, Wait: true,
		Ask: &proto.Ask{
			Kind: proto.KindPermission, Tool: "Bash", Summary: text, Answerable: true, Dialog: proto.DialogBeside,
			Detail:  []proto.Detail{{Form: "command", Text: text}},
			Options: []proto.Option{{ID: "once", Label: "Once"}, {ID: "deny", Label: "Deny", Message: true}},
		},
	})
}

func (a *asker) close() {
	for _, c := range a.open {
		c.Close()
	}
}

// settle is longer than the bar refuses answers to a new decision, and longer
// than it takes a second press of a key for the first one still down.
const settle = 900 * time.Millisecond

// bar measures the decision bar's own keys.
func (b *bench) bar(s scene, st *signaltty, g *glass) error {
	a := &asker{st: st}
	defer a.close()
	shown, err := a.ask()
	if err != nil {
		return err
	}
	if _, err := g.await(shown); err != nil {
		return err
	}
	next, err := a.ask()
	if err != nil {
		return err
	}
	times := max(b.keys/8, 10)
	keys := []struct {
		name, key string
		pause     time.Duration
		drawn     func() string
		after     func() error
	}{
		{"focus the bar", "\x1db", 100 * time.Millisecond, func() string { return "┏" }, func() error {
			_, err := g.master.WriteString("\x1b")
			return err
		}},
		{"next that waits", "\x1dj", 100 * time.Millisecond, func() string { return next }, func() error {
			shown, next = next, shown
			return nil
		}},
		{"answer, and the next one shows", "\x1dy", settle, func() string { return next }, func() (err error) {
			shown = next
			next, err = a.ask()
			return err
		}},
	}
	for _, k := range keys {
		t := &target{name: k.name}
		for range times {
			g.pass(k.pause)
			took, err := g.key(k.key, k.drawn())
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			t.took = append(t.took, took)
			g.pass(k.pause)
			if err := k.after(); err != nil {
				return err
			}
		}
		report(b.out, s.name, t)
	}
	return nil
}
