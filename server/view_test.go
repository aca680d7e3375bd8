package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"signaltty/proto"
)

// awaitPane waits until a pane is as ok wants it.
func (c *testConn) awaitPane(id string, ok func(proto.Pane) bool) proto.Pane {
	c.t.Helper()
	var list proto.PaneList
	c.call(proto.MethodPaneList, proto.None{}, &list)
	for _, p := range list.Panes {
		if p.ID == id && ok(p) {
			return p
		}
	}
	var p proto.Pane
	c.await(proto.EventPaneUpdated, func(m proto.Message) bool {
		p = proto.Pane{}
		return m.Decode(&p) == nil && p.ID == id && ok(p)
	})
	return p
}

// shows sizes and watches a pane, as a screen does.
func (c *testConn) shows(pane string, size proto.Size) {
	c.t.Helper()
	c.call(proto.MethodPaneResize, proto.PaneResize{Pane: pane, Size: size}, nil)
	c.call(proto.MethodPaneWatch, proto.PaneWatch{Pane: pane}, nil)
}

func (c *testConn) types(pane, text string) {
	c.t.Helper()
	c.call(proto.MethodPaneInput, proto.PaneInput{Pane: pane, Data: []byte(text)}, nil)
}

// Programs that ask get the colours of the client that was active last, also
// those that start later.
func TestColorsAreThoseOfTheActiveClient(t *testing.T) {
	s := runServer(t, Options{})
	a, b := s.dial("attach"), s.dial("attach")
	// It asks for one colour after the other, as the lines that it reads say.
	const script = `stty -echo -icanon; echo ready
while read n; do [ "$n" ] || continue; stty raw; printf "\033]$n;?\033\\"; dd bs=1 count=$((${#n}+23)) 2>/dev/null | od -An -c | tr -d ' \n'; stty -raw -echo -icanon; echo; done`
	p := a.pane(script)
	size := proto.Size{Cols: 100, Lines: 30}
	a.shows(p.ID, size)
	b.shows(p.ID, size)
	a.awaitText(p.ID, "ready")
	a.types(p.ID, "\n") // it is the active one
	a.call(proto.MethodClientColors, proto.ClientColors{Fg: "#102030", Bg: "#aabbcc", Cursor: "#010203", Palette: []string{"#000000", "#cd0102"}}, nil)
	b.call(proto.MethodClientColors, proto.ClientColors{Fg: "#ffffff", Bg: "#000000"}, nil)
	for _, q := range []struct{ ask, want string }{
		{"10", "10;rgb:1010/2020/3030"}, {"11", "11;rgb:aaaa/bbbb/cccc"}, {"12", "12;rgb:0101/0202/0303"}, {"4;1", "4;1;rgb:cdcd/0101/0202"},
	} {
		a.types(p.ID, q.ask+"\n")
		a.awaitText(p.ID, q.want)
	}
	b.types(p.ID, "11\n")
	b.awaitText(p.ID, "11;rgb:0000/0000/0000")
	later := b.pane(script)
	b.call(proto.MethodPaneWatch, proto.PaneWatch{Pane: later.ID}, nil)
	b.awaitText(later.ID, "ready")
	b.types(later.ID, "10\n")
	b.awaitText(later.ID, "10;rgb:ffff/ffff/ffff")
	wantCode(t, a.try(proto.MethodClientColors, proto.ClientColors{Palette: make([]string, 300)}, nil), proto.CodeBadRequest)
}

// What a program copies goes to the active client, when that shows the pane;
// what the clipboard holds is told to no program.
func TestCopiesGoToTheActiveClient(t *testing.T) {
	s := runServer(t, Options{})
	a, b := s.dial("attach"), s.dial("attach")
	a.subscribe()
	p := a.pane(`stty -echo; printf '\033]52;c;?\033\\'; while read x; do printf "\033]52;c;$x\007%s\n" "sent $x"; done`)
	for _, c := range []*testConn{a, b} {
		c.shows(p.ID, proto.Size{Cols: 80, Lines: 24})
	}
	a.types(p.ID, "b25l\n")
	var got proto.PaneCopied
	if m := a.await(proto.EventPaneCopied, nil); m.Decode(&got) != nil || got.Text != "one" || got.Pane != p.ID {
		t.Errorf("the client got %+v", got)
	}
	b.awaitText(p.ID, "sent b25l")
	if slices.ContainsFunc(b.events, func(m proto.Message) bool { return m.Event == proto.EventPaneCopied }) {
		t.Error("the idle client got it too")
	}
	a.call(proto.MethodPaneUnwatch, proto.PaneRef{Pane: p.ID}, nil)
	a.types(p.ID, "dHdv\n")
	b.awaitText(p.ID, "sent dHdv")
	a.call(proto.MethodPaneWatch, proto.PaneWatch{Pane: p.ID}, nil)
	a.types(p.ID, "dGhyZWU=\n")
	if m := a.await(proto.EventPaneCopied, nil); m.Decode(&got) != nil || got.Text != "three" {
		t.Errorf("the client got %+v of a pane that it did not show", got)
	}
}

// A program's own word counts until a hook speaks for its pane, and above its
// title.
func TestProgramStatus(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	p := c.pane(`stty -echo; while read x; do printf "\033]$x\007"; done`)
	for _, step := range []struct {
		osc   string
		state proto.State
		call  proto.Attention
	}{
		{"7501;state=working:app=codex", proto.StateWorking, ""},
		{"7501;state=blocked:app=codex:kind=permission", proto.StateBlocked, proto.AttentionNotice},
		{"7501;state=done:app=codex", proto.StateDone, proto.AttentionDone},
		{"7501;state=error:app=codex", proto.StateFailed, proto.AttentionDone},
		{"7501;state=idle:app=codex", proto.StateIdle, ""},
	} {
		c.call(proto.MethodPaneSeen, proto.PaneRef{Pane: p.ID}, nil)
		c.types(p.ID, step.osc+"\n")
		c.awaitPane(p.ID, func(p proto.Pane) bool { return p.State == step.state && p.Attention == step.call })
	}
	ev := proto.HookEvent{Agent: "codex", Event: "UserPromptSubmit", Moment: proto.MomentPrompt, Session: "s1", Pane: p.ID}
	h := s.dial("hook")
	h.call(proto.MethodHookEvent, ev, nil)
	c.awaitPane(p.ID, func(p proto.Pane) bool { return p.Reason == "hook UserPromptSubmit" })
	c.types(p.ID, "7501;state=idle:app=codex\n")
	c.types(p.ID, "0;then\n")
	if got := c.awaitPane(p.ID, func(p proto.Pane) bool { return p.Title == "then" }); got.State != proto.StateWorking {
		t.Errorf("a hook said that it works, and the program makes it %s", got.State)
	}
}

// Directory, progress, bell and notifications of a pane that nobody shows.
func TestWhatAPaneTellsOfItself(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	p := c.pane(`stty -echo; while read -r x; do printf "$x\007"; done`)
	c.types(p.ID, `\033]7;file://localhost/usr`+"\n")
	c.awaitPane(p.ID, func(p proto.Pane) bool { return p.Cwd == "/usr" })
	c.types(p.ID, `\033]9;4;1;40`+"\n")
	c.awaitPane(p.ID, func(p proto.Pane) bool { return p.Progress == proto.Progress{State: "normal", Percent: 40} })
	c.types(p.ID, `\033]9;4;0`+"\n")
	c.awaitPane(p.ID, func(p proto.Pane) bool { return p.Progress == proto.Progress{} })
	for text, want := range map[string]proto.PaneNotice{
		`\033]9;ready`:               {Body: "ready"},
		`\033]777;notify;Build;done`: {Title: "Build", Body: "done"},
		`\033]99;;hello`:             {Title: "hello"},
		``:                           {Bell: true},
	} {
		c.call(proto.MethodPaneSeen, proto.PaneRef{Pane: p.ID}, nil)
		c.types(p.ID, text+"\n")
		want.Pane = p.ID
		c.await(proto.EventPaneNotice, func(m proto.Message) bool {
			var n proto.PaneNotice
			return m.Decode(&n) == nil && n == want
		})
		c.awaitPane(p.ID, func(p proto.Pane) bool { return p.Attention == proto.AttentionNotice })
	}
}

// The rows of the scrollback keep their numbers while output goes on.
func TestHistoryKeepsItsNumbers(t *testing.T) {
	s := runServer(t, Options{HistoryLines: 300})
	c := s.dial("attach")
	c.subscribe()
	p := c.pane(`stty -echo; printf 'ready\r'; n=0; while read count; do while [ $count -gt 0 ]; do [ $((n%100)) = 0 ] && printf '\033]133;A\007'; echo "row $n"; n=$((n+1)); count=$((count-1)); done; printf "at $n\r"; done`)
	c.shows(p.ID, proto.Size{Cols: 40, Lines: 10})
	c.awaitText(p.ID, "ready")
	c.types(p.ID, "200\n")
	c.awaitText(p.ID, "at 200")
	var young, old proto.PaneHistoryPart
	c.call(proto.MethodPaneHistory, proto.PaneHistory{Pane: p.ID, Count: 50, Places: true}, &young)
	if len(young.Rows) != 50 || !young.More || len(young.Prompts) != 2 {
		t.Fatalf("the youngest part has %d rows, more %v, prompts %v", len(young.Rows), young.More, young.Prompts)
	}
	c.types(p.ID, "150\n")
	c.awaitText(p.ID, "at 350")
	c.call(proto.MethodPaneHistory, proto.PaneHistory{Pane: p.ID, Before: young.First}, &old)
	for _, part := range []proto.PaneHistoryPart{young, old} {
		for i, r := range part.Rows {
			if want := fmt.Sprintf("row %d", int(part.First)+i); r.Text != want {
				t.Fatalf("row %d is %q", int(part.First)+i, r.Text)
			}
		}
	}
	if old.First+uint64(len(old.Rows)) != young.First || old.More || old.First == 0 {
		t.Errorf("the older part is %d rows from %d on, more %v; the younger one begins at %d", len(old.Rows), old.First, old.More, young.First)
	}
	c.call(proto.MethodPaneHistory, proto.PaneHistory{Pane: p.ID, Before: 1}, &old)
	if len(old.Rows) != 0 || old.More {
		t.Errorf("of rows that are no more there are %d", len(old.Rows))
	}
	_, _ = s.hold(c, ask("s1", p.ID, "k"))
	c.call(proto.MethodPaneHistory, proto.PaneHistory{Pane: p.ID, Places: true}, &young)
	if end := young.First + uint64(len(young.Rows)); young.Asked == nil || *young.Asked < end || *young.Asked > end+10 {
		t.Errorf("the decision arrived at %v, and the screen begins at %d", young.Asked, end)
	}
	if !strings.HasPrefix(young.Rows[0].Text, "row ") {
		t.Errorf("the oldest row is %q", young.Rows[0].Text)
	}
}
