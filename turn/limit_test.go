package turn

import (
	"testing"
	"testing/synctest"
	"time"

	"signaltty/proto"
)

func TestWaitingForAPersonIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		l := newLimits(proto.TurnSpec{IdleSeconds: 10, TotalSeconds: 3600})
		defer l.stop()
		time.Sleep(9 * time.Second)
		l.heard()
		time.Sleep(9 * time.Second)
		l.waiting(true)
		time.Sleep(time.Minute)
		select {
		case <-l.idle():
			t.Error("idle while a person was asked")
		default:
		}
		l.waiting(false)
		<-l.idle()
		if took := time.Since(began); took != 88*time.Second {
			t.Errorf("idle after %s", took)
		}
		<-l.total()
		if took := time.Since(began); took != time.Hour {
			t.Errorf("over after %s", took)
		}
	})
}

func TestNoLimitsNeverEnd(t *testing.T) {
	l := newLimits(proto.TurnSpec{})
	defer l.stop()
	l.heard()
	l.waiting(true)
	if l.idle() != nil || l.total() != nil {
		t.Error("there is a clock")
	}
}
