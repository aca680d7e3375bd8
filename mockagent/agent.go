package mockagent

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// agent plays a script. One goroutine owns it; keys, ended hooks and resizes
// come to it as events.
type agent struct {
	session  session
	screen   *screen
	keyboard *keyboard // nil without a terminal
	ended    chan result
	holds    map[string]*hold // by the ask's name
	verdicts map[*hold]result // of ended hooks
	told     []string         // the outcomes, for the summary
	turn     time.Time
}

// maxHolds is how many hooks may end unread: more than a script opens.
const maxHolds = 256

func newAgent(stdin, stdout *os.File, onTerminal bool, resume string) (*agent, error) {
	s, err := newSession(resume)
	if err != nil {
		return nil, err
	}
	a := &agent{
		session: s, ended: make(chan result, maxHolds),
		holds: map[string]*hold{}, verdicts: map[*hold]result{}, turn: time.Now(),
	}
	if onTerminal {
		if a.keyboard, err = openKeyboard(stdin); err != nil {
			return nil, err
		}
	}
	a.screen = newScreen(stdout, onTerminal)
	return a, nil
}

func (a *agent) close() {
	a.screen.close()
	if a.keyboard != nil {
		a.keyboard.close()
	}
}

// play runs the steps; stay keeps the agent at its prompt afterwards, where
// Enter tells the story again. The result is the exit code.
func (a *agent) play(steps []Step, stay bool) int {
	a.screen.header(a.session.cwd)
	a.note(a.session.tell("SessionStart", payload{"source": a.session.source}))
	for {
		a.told = nil
		for _, s := range steps {
			if code, over := a.step(s); over {
				return a.leave(code)
			}
		}
		a.summary()
		if !stay {
			return a.leave(0)
		}
		a.screen.idle("Enter tells the story again, ctrl-c leaves")
		if _, ok := a.line(); !ok {
			return a.leave(0)
		}
	}
}

func (a *agent) leave(code int) int {
	a.note(a.session.tell("SessionEnd", payload{"reason": "prompt_input_exit"}))
	return code
}

// step runs one step; over says that the agent ends with code.
func (a *agent) step(s Step) (code int, over bool) {
	switch s.Do {
	case "say":
		a.screen.paragraph(s.Text)
	case "think":
		over = !a.think(time.Duration(s.Millis) * time.Millisecond)
	case "ask":
		over = !a.asks(s)
	case "end":
		h := a.holds[s.Of]
		a.note(a.session.tell("PostToolUse", h.fields("tool_use_id")))
	case "abort":
		a.holds[s.Of].abort()
	case "join":
		over = !a.join(a.holds[s.Of])
	case "hook":
		fields := payload{}
		if err := json.Unmarshal(s.Fields, &fields); err != nil && len(s.Fields) > 0 {
			a.note(fmt.Errorf("fields of %s: %w", s.Event, err))
		}
		a.note(a.session.tell(s.Event, fields))
	case "read":
		a.screen.idle("waits for a line")
		_, ok := a.line()
		over = !ok
	case "emit":
		a.screen.emit(s.Text)
	case "exit":
		return s.Code, true
	case "crash":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return 0, over
}

// asks opens the hooks of all asks of a step and waits for their answers.
// It reports false when the agent is to end.
func (a *agent) asks(s Step) bool {
	var open []*hold
	for _, ask := range s.Asks {
		h, err := a.session.open(ask, func(r result) { a.ended <- r })
		if err != nil {
			a.note(err)
			continue
		}
		if ask.Name != "" {
			a.holds[ask.Name] = h
		}
		open = append(open, h)
	}
	if s.Leave || len(open) == 0 {
		return true
	}
	d := &dialog{agent: a, open: slices.Clone(open)}
	if !d.run() {
		return false
	}
	if !d.rejected {
		var calls []payload
		for _, h := range open {
			calls = append(calls, h.fields("tool_use_id"))
		}
		batch := payload{"tool_calls": calls}
		if id := s.Asks[0].AgentID; id != "" {
			maps.Copy(batch, payload{"agent_id": id, "agent_type": s.Asks[0].AgentType})
		}
		a.note(a.session.tell("PostToolBatch", batch))
	}
	return true
}

// join waits until a hook has ended and prints what it said.
func (a *agent) join(h *hold) bool {
	for !h.done {
		select {
		case r := <-a.ended:
			a.hookEnded(r)
		case k, ok := <-a.keys():
			if !ok || k == keyCtrlC {
				return false
			}
		}
	}
	r := a.verdicts[h]
	said := "no verdict"
	if r.behavior != "" {
		said = strings.TrimSpace(r.behavior + " " + r.message + r.said)
	}
	a.screen.print(fmt.Sprintf("%s: %s", h.ask.Name, said))
	return true
}

func (a *agent) hookEnded(r result) {
	r.hold.done = true
	a.verdicts[r.hold] = r
}

// keys is nil, and so never ready, without a terminal.
func (a *agent) keys() <-chan key {
	if a.keyboard == nil {
		return nil
	}
	return a.keyboard.keys
}

// resized is nil without a terminal.
func (a *agent) resized() <-chan os.Signal {
	if a.keyboard == nil {
		return nil
	}
	return a.keyboard.resized
}

// think shows the spinner for a while.
func (a *agent) think(d time.Duration) bool {
	end := time.NewTimer(d)
	defer end.Stop()
	tick := time.NewTicker(120 * time.Millisecond)
	defer tick.Stop()
	defer a.screen.live(nil)
	for {
		a.screen.spin(time.Since(a.turn))
		select {
		case <-end.C:
			return true
		case <-tick.C:
		case r := <-a.ended:
			a.hookEnded(r)
		case <-a.resized():
			a.screen.resize()
		case k, ok := <-a.keys():
			if !ok || k == keyCtrlC {
				return false
			}
		}
	}
}

// line reads a line at the prompt; false means that the person leaves.
func (a *agent) line() (string, bool) {
	var typed []rune
	for {
		select {
		case r := <-a.ended:
			a.hookEnded(r)
		case <-a.resized():
			a.screen.resize()
		case k, ok := <-a.keys():
			switch {
			case !ok, k == keyCtrlC, k == keyCtrlD && len(typed) == 0:
				return "", false
			case k == keyEnter:
				a.turn = time.Now()
				return string(typed), true
			case k == keyBackspace && len(typed) > 0:
				typed = typed[:len(typed)-1]
			case k.printable():
				typed = append(typed, []rune(string(k))...)
			}
			a.screen.typed(string(typed))
		}
	}
}

// note prints what went wrong with a hook; the story goes on, as an agent would.
func (a *agent) note(err error) {
	if err != nil {
		a.screen.print("! " + err.Error())
	}
}

// say prints a paragraph, if there is something to say.
func (a *agent) say(text string) {
	if text != "" {
		a.screen.paragraph(text)
	}
}

func (a *agent) summary() {
	if len(a.told) == 0 {
		return
	}
	a.screen.paragraph("● Done. What was asked, and what came of it:")
	for _, t := range a.told {
		a.screen.print("  " + t)
	}
}
