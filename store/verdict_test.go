package store

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"signaltty/proto"
)

// anAsk is an ask of every kind in one, so that a table can pick.
func anAsk(pane string) proto.HookEvent {
	ev := permission(pane, "s1", "Bash", "k1")
	ev.Ask.Amendable, ev.Ask.Input = "command", json.RawMessage(`{"command":"rm -r build","description":"Clean"}`)
	ev.Ask.Standing = &proto.Standing{Rule: "Bash(rm *)", Destination: "this session", Undo: "end the session"}
	ev.Ask.Questions = []proto.Question{
		{Text: "Which?", Choices: []proto.Choice{{Label: "A"}, {Label: "B"}}},
		{Text: "Which of them?", Multi: true, FreeText: true, Choices: []proto.Choice{{Label: "Red"}, {Label: "Blue"}}},
		{Text: "How many?", FreeText: true, Optional: true, Form: proto.FormInteger},
	}
	ev.Ask.Options = nil
	for id, label := range proto.OptionLabels {
		ev.Ask.Options = append(ev.Ask.Options, proto.Option{ID: id, Label: label, Message: id == proto.OptionDeny, Interrupt: id == proto.OptionDeny})
	}
	return ev
}

func TestVerdicts(t *testing.T) {
	good := [][]string{{"A"}, {"Red", "Blue", "something else"}, {"-3"}}
	answered := func(answers ...[]string) proto.DecisionAnswer {
		return proto.DecisionAnswer{Option: proto.OptionAnswer, Answers: answers}
	}
	tests := []struct {
		name string
		req  proto.DecisionAnswer
		want proto.Verdict
		code proto.Code // of the refusal
	}{
		{"once", proto.DecisionAnswer{Option: proto.OptionOnce}, proto.Verdict{Behavior: proto.Allow}, ""},
		{"amended", proto.DecisionAnswer{Option: proto.OptionOnce, Amended: "rm -r build/tmp"}, proto.Verdict{Behavior: proto.Allow, Amended: "rm -r build/tmp"}, ""},
		{"always", proto.DecisionAnswer{Option: proto.OptionAlways}, proto.Verdict{Behavior: proto.Allow}, ""},
		{"approve", proto.DecisionAnswer{Option: proto.OptionApprove}, proto.Verdict{Behavior: proto.Allow}, ""},
		{"accept edits", proto.DecisionAnswer{Option: proto.OptionAcceptEdits}, proto.Verdict{Behavior: proto.Allow}, ""},
		{"deny", proto.DecisionAnswer{Option: proto.OptionDeny, Message: "no"}, proto.Verdict{Behavior: proto.Deny, Message: "no"}, ""},
		{"interrupt", proto.DecisionAnswer{Option: proto.OptionDeny, Interrupt: true}, proto.Verdict{Behavior: proto.Deny, Interrupt: true}, ""},
		{"hand back", proto.DecisionAnswer{Option: proto.OptionHandBack}, proto.Verdict{Behavior: proto.NoVerdict}, ""},
		{"answers", answered(good...), proto.Verdict{Behavior: proto.Allow, Answers: good}, ""},
		{"optional", answered([]string{"B"}, []string{"Blue"}, nil), proto.Verdict{Behavior: proto.Allow, Answers: [][]string{{"B"}, {"Blue"}, nil}}, ""},

		{"no answers", answered(), proto.Verdict{}, proto.CodeBadRequest},
		{"too few", answered([]string{"A"}), proto.Verdict{}, proto.CodeBadRequest},
		{"one is missing", answered([]string{"A"}, nil, nil), proto.Verdict{}, proto.CodeBadRequest},
		{"two of a single one", answered([]string{"A", "B"}, good[1], nil), proto.Verdict{}, proto.CodeBadRequest},
		{"unknown label", answered([]string{"C"}, good[1], nil), proto.Verdict{}, proto.CodeBadRequest},
		{"twice", answered(good[0], []string{"Red", "Red"}, nil), proto.Verdict{}, proto.CodeBadRequest},
		{"two typed", answered(good[0], []string{"one", "two"}, nil), proto.Verdict{}, proto.CodeBadRequest},
		{"blank", answered(good[0], []string{" "}, nil), proto.Verdict{}, proto.CodeBadRequest},
		{"no integer", answered(good[0], good[1], []string{"3.5"}), proto.Verdict{}, proto.CodeBadRequest},
		{"answers of another option", proto.DecisionAnswer{Option: proto.OptionOnce, Answers: good}, proto.Verdict{}, proto.CodeBadRequest},
		{"amended always", proto.DecisionAnswer{Option: proto.OptionAlways, Amended: "ls"}, proto.Verdict{}, proto.CodeBadRequest},
		{"amended denial", proto.DecisionAnswer{Option: proto.OptionDeny, Amended: "ls"}, proto.Verdict{}, proto.CodeBadRequest},
		{"amended to nothing", proto.DecisionAnswer{Option: proto.OptionOnce, Amended: "  "}, proto.Verdict{}, proto.CodeBadRequest},
		{"interrupting allow", proto.DecisionAnswer{Option: proto.OptionOnce, Interrupt: true}, proto.Verdict{}, proto.CodeNoSuchOption},
		{"message of an allow", proto.DecisionAnswer{Option: proto.OptionOnce, Message: "go"}, proto.Verdict{}, proto.CodeNoSuchOption},
		{"endless", proto.DecisionAnswer{Option: proto.OptionDeny, Message: strings.Repeat("x", maxAnswer+1)}, proto.Verdict{}, proto.CodeTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, Options{})
			d, h := raise(t, s, anAsk(addPane(t, s, "claude")))
			tt.req.Decision = d.ID
			_, err := s.Answer(t.Context(), By{Client: "c1"}, tt.req)
			if tt.code != "" {
				wantCode(t, err, tt.code)
				if len(waits(s)) != 1 {
					t.Error("a refused answer ended the decision")
				}
				return
			}
			must(t, err)
			tt.want.Decision, tt.want.Option, tt.want.End = d.ID, tt.req.Option, proto.EndAnswered
			if tt.req.Option == proto.OptionHandBack {
				tt.want.End = proto.EndHandedBack
			}
			if got := h.verdict(t); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("the hook got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// An input that cannot be amended, an option that cannot interrupt: what an
// agent does not take is refused, never dropped.
func TestWhatTheAgentDoesNotTake(t *testing.T) {
	s := open(t, Options{})
	d, _ := raise(t, s, permission(addPane(t, s, "claude"), "s1", "Bash", "k1"))
	_, err := s.Answer(t.Context(), By{}, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionOnce, Amended: "ls"})
	wantCode(t, err, proto.CodeBadRequest)
	_, err = s.Answer(t.Context(), By{}, proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionDeny, Interrupt: true})
	wantCode(t, err, proto.CodeNoSuchOption)
}

// The audit tells what was asked and what was answered: both commands, each
// question with its answer, the rule that was saved.
func TestAnswersInTheAudit(t *testing.T) {
	tests := []struct {
		req  proto.DecisionAnswer
		want string // the body, without the client
	}{
		{
			proto.DecisionAnswer{Option: proto.OptionOnce, Amended: "rm -r build/tmp"},
			`{"amended":{"field":"command","from":"rm -r build","to":"rm -r build/tmp"},"client_kind":"attach","message":""}`,
		},
		{
			proto.DecisionAnswer{Option: proto.OptionAnswer, Answers: [][]string{{"A"}, {"Red", "Blue"}, nil}},
			`{"answers":[{"answer":"A","question":"Which?"},{"answer":"Red, Blue","question":"Which of them?"},{"answer":"","question":"How many?"}],"client_kind":"attach","message":""}`,
		},
		{
			proto.DecisionAnswer{Option: proto.OptionAlways},
			`{"client_kind":"attach","message":"","standing":{"destination":"this session","rule":"Bash(rm *)"}}`,
		},
		{
			proto.DecisionAnswer{Option: proto.OptionDeny, Message: "no", Interrupt: true},
			`{"client_kind":"attach","interrupt":true,"message":"no"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.req.Option, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			s, err := Open(path, Options{})
			must(t, err)
			d, _ := raise(t, s, anAsk(addPane(t, s, "claude")))
			tt.req.Decision = d.ID
			_, err = s.Answer(t.Context(), By{Client: "c1", Kind: "attach"}, tt.req)
			must(t, err)
			must(t, s.Close())
			if got := rows(t, path, `SELECT body FROM audit WHERE kind = 'verdict'`); len(got) != 1 || got[0] != tt.want {
				t.Errorf("the row says\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// Two answers of one option that say different things are two answers.
func TestOtherAnswersAreNoRepeat(t *testing.T) {
	s := open(t, Options{})
	d, _ := raise(t, s, anAsk(addPane(t, s, "claude")))
	req := proto.DecisionAnswer{Decision: d.ID, Option: proto.OptionAnswer, Answers: [][]string{{"A"}, {"Red"}, nil}}
	_, err := s.Answer(t.Context(), By{Client: "c1"}, req)
	must(t, err)
	a, err := s.Answer(t.Context(), By{Client: "c1"}, req)
	must(t, err)
	if !a.Repeat {
		t.Error("the same answer is not known again")
	}
	req.Answers = [][]string{{"B"}, {"Red"}, nil}
	_, err = s.Answer(t.Context(), By{Client: "c1"}, req)
	wantCode(t, err, proto.CodeNoSuchDecision)
}
