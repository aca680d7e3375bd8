package server

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"signaltty/proto"
	"signaltty/server/term"
)

// TestStormOfSizes: the application gets the first size at once and after the
// storm one SIGWINCH, with the last.
func TestStormOfSizes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var z sizing
		var got []int
		apply := func(s proto.Size) error { got = append(got, s.Cols); return nil }
		for n := range 40 {
			z.resize(proto.Size{Cols: 80 + n, Lines: 24}, apply)
			<-time.After(time.Millisecond)
		}
		<-time.After(time.Second)
		synctest.Wait()
		if want := []int{80, 119}; !slices.Equal(got, want) {
			t.Errorf("the sizes %v came through, want %v", got, want)
		}
		z.resize(proto.Size{Cols: 50, Lines: 24}, apply)
		z.resize(proto.Size{Cols: 60, Lines: 24}, apply)
		z.end()
		z.resize(proto.Size{Cols: 70, Lines: 24}, apply)
		<-time.After(time.Second)
		synctest.Wait()
		if want := []int{80, 119, 50}; !slices.Equal(got, want) {
			t.Errorf("the sizes %v came through, want %v", got, want)
		}
	})
}

// TestUpdateEndsByItself: what an application holds back by synchronized
// output shows after syncWait.
func TestUpdateEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, sc := &pane{term: term.New(proto.Size{Cols: 20, Lines: 4}, term.Options{})}, &screen{}
		p.draw([]byte("seen"))
		if changed, wait := p.fill(sc); !changed || wait != 0 {
			t.Fatalf("before it: %v, %v", changed, wait)
		}
		p.sent(sc)
		p.draw([]byte("\x1b[?2026hheld"))
		if changed, wait := p.fill(sc); changed || wait != syncWait {
			t.Fatalf("within it: %v, %v", changed, wait)
		}
		<-time.After(syncWait)
		if changed, wait := p.fill(sc); !changed || wait != 0 || p.term.Synchronized() {
			t.Fatalf("after its time: %v, %v", changed, wait)
		}
	})
}
