package store

import (
	"fmt"
	"testing"
	"time"

	"signaltty/proto"
)

func TestTurnsAreKeptByAgeAndCount(t *testing.T) {
	s := open(t, Options{})
	now := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	begin := func(id string, at time.Time) {
		t.Helper()
		if err := s.TurnBegan(t.Context(), "p1", proto.TurnRecord{ID: id, Began: at, Agent: "mock", Dir: "/w"}, Row{}); err != nil {
			t.Fatal(err)
		}
	}
	begin("old", now.Add(-turnAge-time.Hour))
	for i := range 3 {
		begin(fmt.Sprint("new", i), now.Add(time.Duration(i)*time.Second))
	}
	end := proto.TurnEnd{Session: "s1", Complete: proto.TurnComplete{Outcome: proto.OutcomeOK}}
	if err := s.TurnEnded(t.Context(), "p1", proto.TurnRecord{ID: "new2", Agent: "mock"}, end, Row{}); err != nil {
		t.Fatal(err)
	}
	list, err := s.Turns(t.Context(), proto.TurnQuery{Agent: "mock", Dir: "/w"})
	if err != nil || len(list) != 3 {
		t.Fatalf("%d turns, %v", len(list), err)
	}
	if got := list[0]; got.ID != "new2" || got.Session != "s1" || got.Outcome != proto.OutcomeOK || got.Ended.IsZero() {
		t.Errorf("%+v", got)
	}
	if list, err := s.Turns(t.Context(), proto.TurnQuery{Agent: "mock", Dir: "/other"}); err != nil || len(list) != 0 {
		t.Errorf("elsewhere: %v, %v", list, err)
	}
}
