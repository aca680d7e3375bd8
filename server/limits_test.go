package server

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"signaltty/adapters"
	"signaltty/proto"
)

// Every part of a hook event is refused by its name when it is too large.
func TestHookEventsAreBounded(t *testing.T) {
	s := runServer(t, Options{})
	long := strings.Repeat("x", maxText*2+1)
	many := make([]proto.Detail, maxDetails+1)
	for field, change := range map[string]func(*proto.HookEvent){
		"agent":          func(e *proto.HookEvent) { e.Agent = long },
		"event":          func(e *proto.HookEvent) { e.Event = long },
		"moment":         func(e *proto.HookEvent) { e.Moment = proto.Moment(long) },
		"session":        func(e *proto.HookEvent) { e.Session = long },
		"subagent_id":    func(e *proto.HookEvent) { e.SubagentID = long },
		"subagent":       func(e *proto.HookEvent) { e.Subagent = long },
		"pane_id":        func(e *proto.HookEvent) { e.Pane = long },
		"tool":           func(e *proto.HookEvent) { e.Tool = long },
		"tool_use":       func(e *proto.HookEvent) { e.ToolUse = long },
		"input_key":      func(e *proto.HookEvent) { e.InputKey = long },
		"source":         func(e *proto.HookEvent) { e.Source = long },
		"cwd":            func(e *proto.HookEvent) { e.Cwd = long },
		"tool_uses":      func(e *proto.HookEvent) { e.ToolUses = []string{long} },
		"ask.kind":       func(e *proto.HookEvent) { e.Ask.Kind = long },
		"ask.tool":       func(e *proto.HookEvent) { e.Ask.Tool = long },
		"ask.where":      func(e *proto.HookEvent) { e.Ask.Where = long },
		"ask.summary":    func(e *proto.HookEvent) { e.Ask.Summary = long },
		"ask.dialog":     func(e *proto.HookEvent) { e.Ask.Dialog = proto.Dialog(long) },
		"launched":       func(e *proto.HookEvent) { e.Launched = long },
		"ask.foreground": func(e *proto.HookEvent) { e.Ask.Foreground = proto.Dialog(long) },
		"ask.amendable":  func(e *proto.HookEvent) { e.Ask.Amendable = long },
		"ask.standing":   func(e *proto.HookEvent) { e.Ask.Standing = &proto.Standing{Rule: long} },
		"ask.questions":  func(e *proto.HookEvent) { e.Ask.Questions = make([]proto.Question, maxQuestions+1) },
		"ask.detail":     func(e *proto.HookEvent) { e.Ask.Detail = many },
		"ask.truncated": func(e *proto.HookEvent) {
			e.Ask.Truncated = &proto.Truncated{Path: long}
		},
		"ask.input, ask.detail and ask.questions": func(e *proto.HookEvent) {
			e.Ask.Input = json.RawMessage(`"` + strings.Repeat("x", maxBody) + `"`)
		},
		"ask.options": func(e *proto.HookEvent) { e.Ask.Options = make([]proto.Option, 9) },
	} {
		ev := ask("s1", "", "k")
		change(&ev)
		err := s.dial("hook").try(proto.MethodHookEvent, ev, nil)
		wantCode(t, err, proto.CodeTooLarge)
		if !strings.Contains(err.Error(), fmt.Sprintf("%q", field)) {
			t.Errorf("%s: error is %v", field, err)
		}
	}
	ev := ask("s1", "", "k")
	ev.Ask.Options[0].ID = "allow everything"
	wantCode(t, s.dial("hook").try(proto.MethodHookEvent, ev, nil), proto.CodeBadRequest)
}

// What the adapter makes of the largest inputs that travel is within bounds.
func TestLargestAsksPass(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	claude, _ := adapters.Lookup("claude")
	for name, input := range map[string]string{
		"control characters": `{"command":"` + strings.Repeat(`\u0001`, proto.MaxInput/6-20) + `"}`,
		"many edits":         `{"file_path":"/f","edits":[` + strings.TrimSuffix(strings.Repeat(`{"old_string":"a","new_string":"b"},`, proto.MaxInput/36-5), ",") + `]}`,
	} {
		tool := map[bool]string{true: "MultiEdit", false: "Bash"}[strings.Contains(input, "edits")]
		payload := fmt.Sprintf(`{"session_id":"s-%s","hook_event_name":"PermissionRequest","tool_name":%q,"tool_input":%s}`, name, tool, input)
		ev, err := claude.Decode("PermissionRequest", []byte(payload))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ev.Wait = true
		_, d := s.hold(c, ev)
		if d.Truncated != nil || len(d.Detail) == 0 {
			t.Errorf("%s: the decision lacks what to read", name)
		}
	}
}

// A button says what the answer does, whatever the asking side calls it.
func TestOptionsHaveTheirOwnLabels(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	ev := ask("s1", "", "k")
	ev.Ask.Options[0].Label, ev.Ask.Options[1].Label = "Deny", "Allow once"
	_, d := s.hold(c, ev)
	for _, o := range d.Options {
		if o.Label != proto.OptionLabels[o.ID] {
			t.Errorf("%s is called %q", o.ID, o.Label)
		}
	}
}

func TestOneSubscriptionForEachConnection(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	wantCode(t, c.try(proto.MethodSubscribe, proto.None{}, nil), proto.CodeBadRequest)
	p := c.pane("exit")
	n := 0
	c.await(proto.EventPaneUpdated, func(m proto.Message) bool {
		n++
		return m.Decode(&p) == nil && p.Exit != nil
	})
	if n > 3 {
		t.Errorf("the events came more than once: %d", n)
	}
}

// A connection that has not said hello does not hold the server's end up.
func TestSilentConnectionDoesNotDelayTheEnd(t *testing.T) {
	s := runServer(t, Options{})
	nc, err := net.Dial("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	s.dial("test") // accepted after it
	s.stop()
	late := time.NewTimer(helloWait / 2)
	defer late.Stop()
	select {
	case err := <-s.done:
		s.done <- err
	case <-late.C:
		t.Fatal("the server still waits for its hello")
	}
}

func TestHookConnectionsDeliverNothingElse(t *testing.T) {
	s := runServer(t, Options{})
	wantCode(t, s.dial("hook").try(proto.MethodStatus, proto.None{}, nil), proto.CodeRefused)
}

// One process cannot take all the connections.
func TestConnectionsOfOneProcess(t *testing.T) {
	s := runServer(t, Options{})
	var last error
	n := 0
	for ; n < maxPerPeer+10 && last == nil; n++ {
		c := s.dial("test")
		last = c.c.Call(t.Context(), proto.MethodStatus, proto.None{}, nil)
	}
	if n != maxPerPeer+1 {
		t.Errorf("connection %d was refused with %v, want number %d", n, last, maxPerPeer+1)
	}
}
