package tui_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"signaltty/proto"
	"signaltty/tui/tuitest"
)

// kinds presses keys at a decision of any kind and wants one answer, or none.
func kinds(t *testing.T, d proto.Decision, want *proto.DecisionAnswer, act func(*tuitest.Driver)) {
	t.Helper()
	bubble(t, tuitest.Setup{Cols: 120, Lines: 40}, func(dr *tuitest.Driver) {
		dr.Decide(d)
		dr.Pass(time.Second)
		act(dr)
		dr.Idle()
		got := dr.Answers()
		if want == nil {
			if len(got) > 0 {
				t.Fatalf("it was answered: %+v", got)
			}
			return
		}
		if len(got) != 1 {
			t.Fatalf("%d answers, want one\n%s", len(got), dr.Glass.Text())
		}
		got[0].Key, want.Pane, want.Decision = "", "p1", "d1"
		if !reflect.DeepEqual(got[0], *want) {
			t.Fatalf("answered %+v, want %+v", got[0], *want)
		}
		if typed := dr.Typed("p1"); typed != "" {
			t.Fatalf("the pane got %q", typed)
		}
	})
}

func answers(list ...[]string) *proto.DecisionAnswer {
	return &proto.DecisionAnswer{Option: proto.OptionAnswer, Answers: list}
}

func TestForm(t *testing.T) {
	tests := []struct {
		name string
		want *proto.DecisionAnswer
		act  func(*tuitest.Driver)
	}{
		{"by numbers", answers([]string{"PostgreSQL"}, []string{"Import", "Search"}), func(d *tuitest.Driver) {
			d.Press("ctrl+]", "y", "1", "2", "3", "enter", "enter") // the second is too soon
			d.Want("Review", "pause")
			d.Pass(time.Second)
			d.Press("enter")
		}},
		{"by the cursor", answers([]string{"SQLite"}, []string{"Export"}), func(d *tuitest.Driver) {
			d.Press("ctrl+]", "y", "down", "enter", "space")
			d.Pass(time.Second)
			d.Press("enter")
			d.Pass(time.Second)
			d.Press("enter")
		}},
		{"by the focused bar", answers([]string{"SQLite"}, []string{"Search"}), func(d *tuitest.Driver) {
			d.Press("ctrl+]", "b", "2", "3", "enter")
			d.Pass(time.Second)
			d.Press("y")
		}},
		{"by the mouse", answers([]string{"SQLite"}, []string{"Import"}), func(d *tuitest.Driver) {
			d.Click(d.Find("[y] Answer"))
			d.Idle()
			d.Click(d.Find("( ) SQLite"))
			d.Idle()
			d.Click(d.Find("[ ] Import"))
			d.Press("enter")
			d.Pass(time.Second)
			d.Press("enter")
		}},
		{"in words", answers([]string{"DuckDB, in memory"}, []string{"Export", "and undo"}), func(d *tuitest.Driver) {
			d.Press("ctrl+]", "y", "3")
			d.Send("DuckDB, in memory")
			d.Press("enter", "1", "4")
			d.Paste("and undo")
			d.Press("enter")
			d.Pass(time.Second)
			d.Press("enter")
		}},
		{"taken back", answers([]string{"PostgreSQL"}, []string{"Export"}), func(d *tuitest.Driver) {
			d.Press("ctrl+]", "y", "2")
			d.Press("left", "1")
			d.Pass(time.Second)
			d.Press("1", "2", "2", "enter")
			d.Pass(time.Second)
			d.Press("enter")
		}},
		{"left and opened again", answers([]string{"SQLite"}, []string{"Import"}), func(d *tuitest.Driver) {
			d.Press("ctrl+]", "y", "2")
			d.Pass(time.Second)
			d.Press("2", "esc")
			d.Pass(time.Second)
			d.Press("ctrl+]", "y")
			d.Want("Question 2 of 2", "[x] Import")
			d.Press("enter")
			d.Pass(time.Second)
			d.Press("enter")
		}},
		{"not all answered", nil, func(d *tuitest.Driver) {
			d.Press("ctrl+]", "y", "1", "enter", "enter", "enter")
			d.Want("answer it first")
		}},
		{"pasted", nil, func(d *tuitest.Driver) {
			d.Press("ctrl+]", "y")
			d.Paste("1\n1\n\n")
		}},
		{"no such choice", nil, func(d *tuitest.Driver) { d.Press("ctrl+]", "y", "9", "8", "7") }},
		{"denied", &proto.DecisionAnswer{Option: proto.OptionDeny}, func(d *tuitest.Driver) { d.Press("ctrl+]", "y", "1", "n") }},
		{"stopped", &proto.DecisionAnswer{Option: proto.OptionDeny, Interrupt: true}, func(d *tuitest.Driver) { d.Press("ctrl+]", "y", "i") }},
		{"handed back", &proto.DecisionAnswer{Option: proto.OptionHandBack}, func(d *tuitest.Driver) { d.Press("ctrl+]", "y", "t") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { kinds(t, question("d1", "p1"), tt.want, tt.act) })
	}
}

// A held number answers one question and not the next.
func TestFormHeldKey(t *testing.T) {
	kinds(t, question("d1", "p1"), nil, func(d *tuitest.Driver) {
		d.Press("ctrl+]", "y", "1")
		d.Pass(500 * time.Millisecond)
		d.Hold("1", 60)
		d.Want("Question 2 of 2", "[ ] Export")
	})
}

// A single question is answered by its number. With more choices than there
// are numbers, and than there is room, the cursor reaches them.
func TestFormManyChoices(t *testing.T) {
	d := question("d1", "p1")
	d.Questions = d.Questions[:1]
	d.Questions[0].Choices = nil
	for i := range 60 {
		d.Questions[0].Choices = append(d.Questions[0].Choices, proto.Choice{Label: "choice " + strings.Repeat("i", i)})
	}
	kinds(t, d, answers([]string{"choice i"}), func(d *tuitest.Driver) { d.Press("ctrl+]", "y", "2") })
	kinds(t, d, answers([]string{"choice " + strings.Repeat("i", 40)}), func(d *tuitest.Driver) {
		d.Press("ctrl+]", "y")
		for range 40 {
			d.Press("down")
		}
		d.Idle()
		d.Want("> ", strings.Repeat("i", 40))
		d.Press("enter")
	})
}

// A form of texts walks through its fields; one may be left out.
func TestFormOfTexts(t *testing.T) {
	d := question("d1", "p1")
	d.Questions = []proto.Question{
		{Header: "name", Text: "Your name", FreeText: true},
		{Header: "mail", Text: "mail (email)", FreeText: true, Optional: true},
		{Header: "gift", Text: "A gift?", Choices: []proto.Choice{{Label: "yes"}, {Label: "no"}}},
	}
	kinds(t, d, answers([]string{"Ann"}, nil, []string{"no"}), func(d *tuitest.Driver) {
		d.Press("ctrl+]", "y", "enter")
		d.Want("answer it first")
		d.Send("Ann")
		d.Press("enter")
		d.Pass(time.Second)
		d.Press("enter", "2")
		d.Pass(time.Second)
		d.Want("(nothing)", "Review")
		d.Press("enter")
	})
}

// Settled while it was filled in, a form sends nothing and passes nothing on.
func TestFormSettled(t *testing.T) {
	kinds(t, question("d1", "p1"), nil, func(d *tuitest.Driver) {
		d.Decide(bash("d2", "p1", "rm -rf /"))
		d.Press("ctrl+]", "y", "1")
		d.End(movedOn)
		d.Idle()
		d.Want("settled meanwhile")
		d.Press("1", "y", "enter", "y")
		d.Pass(time.Second)
		d.Want("rm -rf /")
	})
}

// Always shows what it saves, and takes a key of its own, a moment later.
func TestAlways(t *testing.T) {
	tests := []struct {
		name string
		want *proto.DecisionAnswer
		act  func(*tuitest.Driver)
	}{
		{"saved", &proto.DecisionAnswer{Option: proto.OptionAlways}, func(d *tuitest.Driver) {
			d.Press("ctrl+]", "a")
			d.Pass(time.Second)
			d.Want("Bash(npm test *)", "settings.local.json", "take it back")
			d.Press("y")
		}},
		{"too soon", nil, func(d *tuitest.Driver) { d.Press("ctrl+]", "a", "y") }},
		{"the same key", nil, func(d *tuitest.Driver) {
			d.Press("ctrl+]", "a")
			d.Pass(time.Second)
			d.Press("a", "a", "enter", "space")
		}},
		{"left", nil, func(d *tuitest.Driver) { d.Press("ctrl+]", "a"); d.Pass(time.Second); d.Press("esc", "y") }},
		{"not offered", nil, func(d *tuitest.Driver) {
			d.End(movedOn)
			d.Decide(bash("d1", "p1", "npm test"))
			d.Pass(time.Second)
			d.Press("ctrl+]", "a")
			d.Pass(time.Second)
			d.Press("ctrl+]", "esc")
		}},
		{"pasted", nil, func(d *tuitest.Driver) { d.Press("ctrl+]", "a"); d.Pass(time.Second); d.Paste("y") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { kinds(t, rich("d1", "p1"), tt.want, tt.act) })
	}
}

// What is short of time tells it while it is answered.
func TestFormTellsTheTimeLeft(t *testing.T) {
	bubble(t, tuitest.Setup{}, func(d *tuitest.Driver) {
		q := question("d1", "p1")
		q.Deadline = time.Now().Add(time.Minute)
		d.Decide(q)
		d.Pass(time.Second)
		d.Press("ctrl+]", "y")
		d.Pass(10 * time.Second)
		d.Want("49 s left")
	})
}

func TestAmend(t *testing.T) {
	lines := rich("d1", "p1")
	lines.Input = []byte(`{"command":"a\nb\tc"}`)
	odd := rich("d1", "p1")
	odd.Input = []byte(`{"command":"a\u202eb"}`)
	tests := []struct {
		name string
		d    proto.Decision
		want *proto.DecisionAnswer
		act  func(*tuitest.Driver)
	}{
		{"edited", rich("d1", "p1"), &proto.DecisionAnswer{Option: proto.OptionOnce, Amended: "npm test --watch"}, func(d *tuitest.Driver) {
			d.Press("ctrl+]", "m")
			d.Send(" --watch")
			d.Press("enter")
		}},
		{"as it was", rich("d1", "p1"), &proto.DecisionAnswer{Option: proto.OptionOnce}, func(d *tuitest.Driver) { d.Press("ctrl+]", "m", "enter") }},
		{"several lines", lines, &proto.DecisionAnswer{Option: proto.OptionOnce, Amended: "a\nb\tcd"}, func(d *tuitest.Driver) {
			d.Press("ctrl+]", "m")
			d.Want("a↵b⇥c")
			d.Send("d")
			d.Press("enter")
		}},
		{"to nothing", rich("d1", "p1"), nil, func(d *tuitest.Driver) { d.Press("ctrl+]", "m", "ctrl+u", "enter"); d.Want("nothing is left") }},
		{"left", rich("d1", "p1"), nil, func(d *tuitest.Driver) { d.Press("ctrl+]", "m"); d.Send("x"); d.Press("esc") }},
		{"what a line cannot show", odd, nil, func(d *tuitest.Driver) { d.Press("ctrl+]", "m"); d.Want("cannot show") }},
		{"not offered", bash("d1", "p1", "ls"), nil, func(d *tuitest.Driver) { d.Press("ctrl+]", "m"); d.Want("takes no other input") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { kinds(t, tt.d, tt.want, tt.act) })
	}
}

func TestPlanByKey(t *testing.T) {
	small := plan("d1", "p1", "# Small\n\nDo it.")
	long := plan("d1", "p1", strings.Repeat("- step\n", 100))
	tests := []struct {
		name string
		d    proto.Decision
		want *proto.DecisionAnswer
		act  func(*tuitest.Driver)
	}{
		{"approved", small, &proto.DecisionAnswer{Option: proto.OptionApprove}, func(d *tuitest.Driver) { d.Press("ctrl+]", "y") }},
		{"with edits", small, &proto.DecisionAnswer{Option: proto.OptionAcceptEdits}, func(d *tuitest.Driver) { d.Press("ctrl+]", "a") }},
		{"sent back", small, &proto.DecisionAnswer{Option: proto.OptionDeny, Message: "use sqlc"}, func(d *tuitest.Driver) {
			d.Press("ctrl+]", "d")
			d.Want("What to change?")
			d.Send("use sqlc")
			d.Press("enter")
		}},
		{"stopped", small, &proto.DecisionAnswer{Option: proto.OptionDeny, Interrupt: true}, func(d *tuitest.Driver) { d.Press("ctrl+]", "i") }},
		{"unread", long, nil, func(d *tuitest.Driver) {
			d.Press("ctrl+]", "y")
			d.Want("read all of it first")
			d.Press("ctrl+]", "a")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { kinds(t, tt.d, tt.want, tt.act) })
	}
}
