package server

import (
	"fmt"
	"strings"
	"testing"

	"signaltty/proto"
)

func TestPasteIsBracketedWhenAsked(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	for _, tt := range []struct{ name, mode, want string }{
		{"asked", `printf '\033[?2004h'; `, `033[200~one\rtw[20[201~1~o033[201~`},
		{"not asked", ``, `one\rtw033[20033[201~1~o`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.ReplaceAll(strings.ReplaceAll(tt.want, "033", "\x1b"), `\r`, "\r")
			p := c.pane(fmt.Sprintf("stty raw -echo; %secho ready; dd bs=1 count=%d 2>/dev/null | od -An -c | tr -d ' \\n'; echo; cat", tt.mode, len(want)))
			c.call(proto.MethodPaneWatch, proto.PaneWatch{Pane: p.ID}, nil)
			c.awaitText(p.ID, "ready")
			c.call(proto.MethodPanePaste, proto.PanePaste{Pane: p.ID, Text: "one\n", More: true}, nil)
			c.call(proto.MethodPanePaste, proto.PanePaste{Pane: p.ID, Text: "tw\x1b[20\x1b[201~1~o"}, nil)
			c.awaitText(p.ID, tt.want)
		})
	}
}

func TestInputToAPaneThatExitedIsRefused(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	p := c.pane("exit 3")
	c.await(proto.EventPaneUpdated, func(m proto.Message) bool {
		return m.Decode(&p) == nil && p.Exit != nil
	})
	wantCode(t, c.try(proto.MethodPaneInput, proto.PaneInput{Pane: p.ID, Data: []byte("x")}, nil), proto.CodePaneExited)
	wantCode(t, c.try(proto.MethodPanePaste, proto.PanePaste{Pane: p.ID, Text: "x"}, nil), proto.CodePaneExited)
}

// Handing a decision back whose dialog only then appears holds the pane's
// input for a moment; an answer that does not count holds nothing, and neither
// does one whose dialog stood there all along.
func TestHandBackHoldsTheInput(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("attach")
	c.subscribe()
	for _, tt := range []struct {
		name   string
		dialog proto.Dialog
		pane   string // named in the answer, "" for the right one
		held   bool
	}{
		{"dialog appears", proto.DialogAfter, "", true},
		{"dialog stood beside", proto.DialogBeside, "", false},
		{"answer does not count", proto.DialogAfter, "p9-9", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := c.pane("cat >/dev/null")
			ev := ask("s-"+tt.name, p.ID, "k")
			ev.Ask.Dialog = tt.dialog
			_, d := s.hold(c, ev)
			err := c.try(proto.MethodDecisionAnswer, proto.DecisionAnswer{Pane: tt.pane, Decision: d.ID, Option: "handback"}, nil)
			if (err != nil) != (tt.pane != "") {
				t.Fatalf("the answer gave %v", err)
			}
			err = c.try(proto.MethodPaneInput, proto.PaneInput{Pane: p.ID, Data: []byte("x")}, nil)
			if !tt.held {
				if err != nil {
					t.Fatalf("input gave %v", err)
				}
				return
			}
			wantCode(t, err, proto.CodePaneBusy)
			// What is not the person's own input passes, and so does all of it later.
			c.call(proto.MethodPaneInput, proto.PaneInput{Pane: p.ID, Data: []byte("x"), Passive: true}, nil)
			for c.try(proto.MethodPaneInput, proto.PaneInput{Pane: p.ID, Data: []byte("x")}, nil) != nil {
			}
		})
	}
}
