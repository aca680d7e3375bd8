package server

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"signaltty/proto"
	"signaltty/store"
)

// Bounds of the person's command for new decisions.
const (
	announceWait    = 30 * time.Second
	announceRuns    = 4   // at the same time
	announceBacklog = 256 // decisions that wait for their run
)

// announcer runs the person's command for each new decision, with the decision
// as JSON on its stdin. What the command says is discarded, and nothing waits
// for it: it tells, and cannot answer.
type announcer struct {
	argv  []string
	env   []string
	wait  time.Duration // for one run
	store *store.Store
	reap  *reaper
	queue chan proto.Decision
	stop  chan struct{}
	wg    sync.WaitGroup
}

// announce starts an announcer, or nothing when there is no command.
func announce(argv []string, socket string, st *store.Store, r *reaper) *announcer {
	a := &announcer{
		argv: argv, wait: announceWait, env: append(os.Environ(), proto.EnvSocket+"="+socket), store: st, reap: r,
		queue: make(chan proto.Decision, announceBacklog), stop: make(chan struct{}),
	}
	if len(argv) == 0 {
		return a
	}
	_, feed := st.Subscribe()
	a.wg.Go(func() { a.listen(feed) })
	for range announceRuns {
		a.wg.Go(a.work)
	}
	return a
}

// close ends what runs and returns when it is gone.
func (a *announcer) close() {
	close(a.stop)
	a.wg.Wait()
}

// listen queues the new decisions. A feed that was closed because this
// goroutine was too slow is replaced: what was missed is not announced.
func (a *announcer) listen(feed *store.Feed) {
	defer func() { a.store.Unsubscribe(feed) }()
	for {
		select {
		case <-a.stop:
			return
		case e, ok := <-feed.C:
			if !ok {
				select {
				case <-feed.Behind:
					_, feed = a.store.Subscribe()
					continue
				default: // the store ends
					return
				}
			}
			if d, ok := e.Data.(proto.Decision); ok && e.Name == proto.EventDecisionAdded {
				a.add(d)
			}
		}
	}
}

func (a *announcer) add(d proto.Decision) {
	select {
	case a.queue <- d:
	default:
		report("on_decision: %d decisions wait for the command; %s is not announced", announceBacklog, d.ID)
	}
}

func (a *announcer) work() {
	for {
		select {
		case <-a.stop:
			return
		case d := <-a.queue:
			// One that has ended meanwhile is no news.
			if _, err := a.store.Decision(d.ID); err != nil {
				continue
			}
			if err := a.run(d); err != nil {
				report("on_decision: %s: %v", a.argv[0], err)
			}
		}
	}
}

// run runs the command for one decision. Its time over, its process group is
// killed.
func (a *announcer) run(d proto.Decision) error {
	line, err := json.Marshal(d)
	if err != nil {
		return err
	}
	cmd := exec.Command(a.argv[0], a.argv[1:]...)
	cmd.Env, cmd.Stdin = a.env, bytes.NewReader(append(line, '\n'))
	cmd.WaitDelay = time.Second // it may not read, and leave someone who holds the pipe
	// A session of its own, so that the reaper takes what it leaves behind.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := a.reap.start(cmd); err != nil {
		return err
	}
	ended := make(chan struct{})
	var killer sync.WaitGroup
	killer.Go(func() {
		timer := time.NewTimer(a.wait)
		defer timer.Stop()
		select {
		case <-ended:
			return
		case <-timer.C:
			report("on_decision: %s did not end within %v and is killed", a.argv[0], a.wait)
		case <-a.stop:
		}
		// It may have just ended; then what is left of its group is meant.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	})
	err = a.reap.wait(cmd)
	close(ended)
	killer.Wait()
	return err
}
