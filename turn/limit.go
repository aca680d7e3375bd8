package turn

import (
	"time"

	"signaltty/proto"
)

// limits are a turn's clocks. While the agent waits for a person, silence is
// not counted.
type limits struct {
	silence, whole time.Duration
	quiet, end     *time.Timer
	paused         bool
}

func newLimits(s proto.TurnSpec) *limits {
	l := &limits{silence: seconds(s.IdleSeconds), whole: seconds(s.TotalSeconds)}
	if l.silence > 0 {
		l.quiet = time.NewTimer(l.silence)
	}
	if l.whole > 0 {
		l.end = time.NewTimer(l.whole)
	}
	return l
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// heard starts the silence anew.
func (l *limits) heard() {
	if l.quiet != nil && !l.paused {
		l.quiet.Reset(l.silence)
	}
}

// waiting says whether the agent waits for a person.
func (l *limits) waiting(is bool) {
	if l.quiet == nil || is == l.paused {
		return
	}
	l.paused = is
	if is {
		l.quiet.Stop()
	} else {
		l.quiet.Reset(l.silence)
	}
}

func (l *limits) idle() <-chan time.Time  { return channel(l.quiet) }
func (l *limits) total() <-chan time.Time { return channel(l.end) }

// channel is that of a timer, or one on which nothing comes.
func channel(t *time.Timer) <-chan time.Time {
	if t == nil {
		return nil
	}
	return t.C
}

func (l *limits) stop() {
	for _, t := range []*time.Timer{l.quiet, l.end} {
		if t != nil {
			t.Stop()
		}
	}
}
