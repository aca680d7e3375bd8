package mockagent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// dialog is the agent's own permission dialog, beside the hooks that are held
// for the same asks. The first answer wins.
type dialog struct {
	agent    *agent
	open     []*hold // the asks without an outcome
	selected int     // 0 Yes, 1 No
	rejected bool    // a No or Esc ended the turn
}

// run asks until every ask has an outcome. It reports false when the keyboard is gone.
func (d *dialog) run() bool {
	a := d.agent
	defer a.screen.live(nil)
	for len(d.open) > 0 {
		shown := d.shown()
		switch {
		case shown != nil:
			a.screen.dialog(shown.ask, d.selected)
		case a.keyboard == nil && d.waiting() == nil:
			// Nobody is left to ask.
			for len(d.open) > 0 {
				d.outcome(d.open[0], false, "nobody answered")
			}
			return true
		default:
			a.screen.spin(0)
		}
		select {
		case r := <-a.ended:
			a.hookEnded(r)
			d.answer(r)
		case <-a.resized():
			a.screen.resize()
		case k, ok := <-a.keys():
			if !ok {
				return false
			}
			if shown != nil {
				d.press(k, shown)
			}
		}
	}
	return true
}

// shown is the ask on the screen: the newest, since the order of dialogs is
// not that of hooks. A subagent's ask is not shown while its hook is held.
func (d *dialog) shown() *hold {
	if d.agent.keyboard == nil {
		return nil
	}
	for _, h := range slices.Backward(d.open) {
		if h.ask.AgentID == "" && h.ask.Tool != elicitation || h.done {
			return h
		}
	}
	return nil
}

// waiting is an open ask whose hook is held.
func (d *dialog) waiting() *hold {
	for _, h := range d.open {
		if !h.done {
			return h
		}
	}
	return nil
}

// answer takes a hook's verdict, if its ask is still open.
func (d *dialog) answer(r result) {
	if !slices.Contains(d.open, r.hold) {
		return
	}
	switch r.behavior {
	case "allow":
		how := "allowed by signaltty"
		if r.said != "" {
			how += ": " + r.said
		}
		d.outcome(r.hold, true, how)
	case "deny":
		if r.interrupt {
			d.no() // the turn ends as by Esc, and no event tells
			return
		}
		d.outcome(r.hold, false, "denied by signaltty: "+r.message)
	}
}

func (d *dialog) press(k key, h *hold) {
	switch k {
	case keyUp, keyDown:
		d.selected = 1 - d.selected
	case "1", "y":
		d.yes(h)
	case "2", "n", keyEsc:
		d.no()
	case keyEnter:
		if d.selected == 0 {
			d.yes(h)
		} else {
			d.no()
		}
	}
}

// yes leaves the hook alive: only PostToolUse tells that the ask is over.
func (d *dialog) yes(h *hold) { d.outcome(h, true, "allowed in the dialog") }

// no ends the turn: every open hook is aborted, and no event tells of it.
func (d *dialog) no() {
	d.rejected = true
	for len(d.open) > 0 {
		h := d.open[0]
		h.abort()
		d.outcome(h, false, "rejected in the dialog")
	}
}

// outcome closes an ask, prints what came of it, and tells the end of a tool that ran.
func (d *dialog) outcome(h *hold, allowed bool, how string) {
	a := d.agent
	d.open = slices.DeleteFunc(d.open, func(o *hold) bool { return o == h })
	d.selected = 0
	a.screen.live(nil)
	a.screen.paragraph(fmt.Sprintf("● %s(%s)", h.ask.Tool, h.ask.subject()))
	a.screen.print("  ⎿  " + how)
	a.told = append(a.told, fmt.Sprintf("%s(%s): %s", h.ask.Tool, h.ask.subject(), how))
	if h.ask.Tool == elicitation {
		action := map[bool]string{true: "accept", false: "decline"}[allowed]
		a.note(a.session.tell("ElicitationResult", payload{"mcp_server_name": "demo", "mode": "form", "action": action}))
	}
	if !allowed {
		a.say(h.ask.Denied)
		return
	}
	if h.ask.Output != "" {
		a.screen.print("     " + h.ask.Output)
	}
	a.say(h.ask.Allowed)
	if h.ask.Tool == elicitation {
		return
	}
	f := h.fields("tool_use_id")
	f["tool_response"] = h.ask.Output
	a.note(a.session.tell("PostToolUse", f))
}

// subject is the part of an input that names what the call is about.
func (a Ask) subject() string {
	in := a.fields()
	for _, key := range []string{"command", "file_path", "url", "plan"} {
		if s, ok := in[key].(string); ok {
			line, _, _ := strings.Cut(s, "\n")
			return line
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(in)), ", ")
}

func (a Ask) fields() map[string]any {
	var in map[string]any
	_ = json.Unmarshal(a.Input, &in) // an input that is no object has no fields to show
	return in
}
