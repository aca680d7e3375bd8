package server

import "time"

const (
	// frameEvery is the least time between two frames to one client, except
	// while it has key credit.
	frameEvery = 10 * time.Millisecond
	// keyCredit is how long after a key frames are sent at once: the echo of
	// what the person types never waits behind a repaint.
	keyCredit = 15 * time.Millisecond
	// syncWait is how long an application may hold a frame back by
	// synchronized output.
	syncWait = 150 * time.Millisecond
)

// pace decides when frames go out: at once when it has been quiet, else at
// the end of frameEvery.
type pace struct {
	last  time.Time
	timer *time.Timer
	armed bool
}

func newPace() *pace {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return &pace{timer: t}
}

// ready says whether frames may go out now. If not, the timer is set for the
// time when they may.
func (p *pace) ready(credit bool) bool {
	wait := frameEvery - time.Since(p.last)
	if credit || wait <= 0 {
		return true
	}
	p.later(wait)
	return false
}

// later sets the timer unless it is set for something sooner.
func (p *pace) later(wait time.Duration) {
	if !p.armed {
		p.armed = true
		p.timer.Reset(wait)
	}
}

// sent notes that frames went out.
func (p *pace) sent() {
	p.last = time.Now()
	p.timer.Stop()
	p.armed = false
}

func (p *pace) stop() { p.timer.Stop() }
