package server

import (
	"testing"

	"signaltty/proto"
)

// A process that drives no turn tells nothing of one, a plain pane's own
// program neither.
func TestOnlyTheDriverTellsOfATurn(t *testing.T) {
	s := runServer(t, Options{})
	c := s.dial("turn")
	c.pane("sleep 1000")
	wantCode(t, c.try(proto.MethodTurnStart, proto.None{}, nil), proto.CodeRefused)
	wantCode(t, c.try(proto.MethodTurnEnd, proto.TurnEnd{}, nil), proto.CodeRefused)
	var list proto.TurnList
	c.call(proto.MethodTurnList, proto.TurnQuery{}, &list)
	if len(list.Turns) != 0 {
		t.Errorf("records of %+v", list.Turns)
	}
}
