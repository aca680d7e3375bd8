package adapters

import (
	"encoding/json"
	"strings"
	"testing"

	"signaltty/proto"
)

// asked decodes an ask of Claude Code, and answer says what its hook prints.
type asked struct {
	t       *testing.T
	event   string
	payload []byte
	proto.Ask
}

func ask1(t *testing.T, event string, payload []byte) asked {
	t.Helper()
	e, err := claude(t).Decode(event, payload)
	if err != nil {
		t.Fatal(err)
	}
	return asked{t, event, payload, *e.Ask}
}

func (a asked) answer(v proto.Verdict) string {
	a.t.Helper()
	out := claude(a.t).Encode(a.event, a.payload, v)
	if out.Exit != 0 || (len(out.Stdout) == 0) != (out.Stderr != "") {
		a.t.Errorf("%+v says %q, %q, exit %d", v, out.Stdout, out.Stderr, out.Exit)
	}
	return strings.TrimSpace(string(out.Stdout))
}

func allow(option string, answers ...[]string) proto.Verdict {
	return proto.Verdict{Behavior: proto.Allow, Option: option, Answers: answers}
}

func decided(rest string) string {
	return `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{` + rest + `}}}`
}

func TestQuestions(t *testing.T) {
	a := ask1(t, "PermissionRequest", read(t, fixtures+"/claude/PermissionRequest.askuserquestion.in.json"))
	if a.Kind != proto.KindQuestion || len(a.Questions) != 2 || a.Questions[0].Multi || !a.Questions[1].Multi || !a.Questions[1].FreeText {
		t.Fatalf("the questions are %+v", a.Ask)
	}
	if got := ids(a.Options); got != "answer deny handback" {
		t.Errorf("the options are %s", got)
	}
	var input fields
	if err := json.Unmarshal(a.Input, &input); err != nil {
		t.Fatal(err)
	}
	// The whole input comes back, as it was, with the answers in it.
	want := decided(`"behavior":"allow","updatedInput":{"answers":{"Which features?":"Red, Blue","Which library should we use?":"Neither, <none> & \"no\""},"questions":` + compact(input["questions"]) + `}`)
	if got := a.answer(allow(proto.OptionAnswer, []string{`Neither, <none> & "no"`}, []string{"Red", "Blue"})); got != want {
		t.Errorf("the hook says\n%s\nwant\n%s", got, want)
	}
	for name, v := range map[string]proto.Verdict{
		"a bare allow": allow(""), "once": allow(proto.OptionOnce), "one answer": allow(proto.OptionAnswer, []string{"Alpha"}),
	} {
		if got := a.answer(v); got != "" {
			t.Errorf("%s says %s", name, got)
		}
	}
}

// What cannot be answered without a doubt is the pane's.
func TestOddQuestions(t *testing.T) {
	twice := map[string]any{"question": "Which?", "options": []any{map[string]any{"label": "A"}}}
	for name, input := range map[string]any{
		"no list": map[string]any{"questions": "none"}, "none": map[string]any{"questions": []any{}},
		"two alike":   map[string]any{"questions": []any{twice, twice}},
		"empty label": map[string]any{"questions": []any{map[string]any{"question": "Which?", "options": []any{map[string]any{}}}}},
	} {
		if a := decodeAsk(t, "AskUserQuestion", input); a.Answerable || a.Where == "" || len(a.Detail) == 0 || ids(a.Options) != "handback" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	a := decodeAsk(t, "AskUserQuestion", map[string]any{"questions": []any{twice}, "surprise": "v-surprise"})
	if !a.Answerable || len(a.Detail) != 1 || !strings.Contains(a.Detail[0].Text, "v-surprise") {
		t.Errorf("a field beside the questions is out of sight: %+v", a)
	}
}

func TestPlans(t *testing.T) {
	a := ask1(t, "PermissionRequest", read(t, fixtures+"/claude/PermissionRequest.exitplanmode.in.json"))
	if a.Kind != proto.KindPlan || ids(a.Options) != "approve accept_edits deny handback" || a.Detail[0].Form != "markdown" {
		t.Fatalf("the plan is %+v", a.Ask)
	}
	for option, mode := range map[string]string{proto.OptionApprove: "default", proto.OptionAcceptEdits: "acceptEdits"} {
		want := decided(`"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"` + mode + `","destination":"session"}]`)
		if got := a.answer(allow(option)); got != want {
			t.Errorf("%s says %s", option, got)
		}
	}
	if got := a.answer(proto.Verdict{Behavior: proto.Deny, Option: proto.OptionDeny, Message: "Use sqlc"}); got != decided(`"behavior":"deny","message":"Use sqlc"`) {
		t.Errorf("sent back it says %s", got)
	}
	if got := a.answer(allow("")); got != "" {
		t.Errorf("a bare allow says %s", got)
	}
}

func TestC10Standing(t *testing.T) {
	rule := func(tool, content, destination string) string {
		r := map[string]any{"toolName": tool}
		if content != "" {
			r["ruleContent"] = content
		}
		return string(encoded(t, map[string]any{"type": "addRules", "rules": []any{r}, "behavior": "allow", "destination": destination}))
	}
	two := `{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"a *"},{"toolName":"Bash","ruleContent":"b *"}],"behavior":"allow","destination":"session"}`
	mode := `{"type":"setMode","mode":"acceptEdits","destination":"session"}`
	dirs := `{"type":"addDirectories","directories":["/workspace"],"destination":"session"}`
	tests := []struct {
		name, tool, suggestions string
		want                    string // the rule; "" when always is not offered
	}{
		{"a command", "Bash", rule("Bash", "npm test *", "localSettings"), "Bash(npm test *)"},
		{"behind others", "Bash", dirs + "," + mode + "," + rule("Bash", "touch *", "session"), "Bash(touch *)"},
		{"a host", "WebFetch", rule("WebFetch", "domain:example.com", "localSettings"), "WebFetch(domain:example.com)"},
		{"an MCP tool", "mcp__x__y", rule("mcp__x__y", "", "localSettings"), "mcp__x__y"},
		{"a directory to read", "Read", rule("Read", "//etc/**", "session"), "Read(//etc/**)"},
		{"none", "Bash", "", ""},
		{"a redirect's directory", "Bash", dirs, ""},
		{"a mode", "Write", mode, ""},
		{"two rules", "Bash", two, ""},
		{"all of a tool", "Bash", rule("Bash", "", "localSettings"), ""},
		{"any command", "Bash", rule("Bash", "*", "localSettings"), ""},
		{"any program", "Bash", rule("Bash", "python3 *", "localSettings"), ""},
		{"any program, old form", "Bash", rule("Bash", "sudo:*", "localSettings"), ""},
		{"anything to read", "Read", rule("Read", "//**", "session"), ""},
		{"another tool", "Bash", rule("Read", "//etc/**", "session"), ""},
		{"for everyone", "Bash", rule("Bash", "npm test *", "projectSettings"), ""},
		{"a denial", "Bash", strings.Replace(rule("Bash", "npm test *", "session"), `"allow"`, `"deny"`, 1), ""},
		{"a shape of the future", "Bash", `7,"x",{"rules":5}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			payload := `{"session_id":"s","tool_name":"` + tt.tool + `","tool_input":{"command":"c"},"permission_suggestions":[` + tt.suggestions + `]}`
			a := ask1(t, "PermissionRequest", []byte(payload))
			if tt.want == "" {
				if a.Standing != nil || strings.Contains(ids(a.Options), proto.OptionAlways) {
					t.Errorf("always is offered as %+v", a.Standing)
				}
				if got := a.answer(allow(proto.OptionAlways)); got != "" {
					t.Errorf("always says %s", got)
				}
				return
			}
			if a.Standing == nil || a.Standing.Rule != tt.want || a.Standing.Destination == "" || a.Standing.Undo == "" {
				t.Fatalf("standing is %+v, want %s", a.Standing, tt.want)
			}
			if a.Options[0].ID != proto.OptionOnce {
				t.Errorf("the default is %s", a.Options[0].ID)
			}
			// Verbatim, and alone.
			last := tt.suggestions[strings.LastIndex(tt.suggestions, `{"behavior"`):]
			if got := a.answer(allow(proto.OptionAlways)); got != decided(`"behavior":"allow","updatedPermissions":[`+last+`]`) {
				t.Errorf("always says %s", got)
			}
		})
	}
}

func TestAmended(t *testing.T) {
	a := ask1(t, "PermissionRequest", request(t, "Bash", map[string]any{"command": "rm -r build", "description": "Clean", "timeout": 600000}))
	if a.Amendable != "command" {
		t.Fatalf("amendable is %q", a.Amendable)
	}
	v := allow(proto.OptionOnce)
	v.Amended = "rm -r build/tmp && echo <done>"
	want := decided(`"behavior":"allow","updatedInput":{"command":"rm -r build/tmp && echo <done>","description":"Clean","timeout":600000}`)
	if got := a.answer(v); got != want {
		t.Errorf("the hook says\n%s\nwant\n%s", got, want)
	}
	for tool, input := range map[string]any{"Write": map[string]any{"command": "x"}, "Bash": map[string]any{"command": 7}} {
		if a := decodeAsk(t, tool, input); a.Amendable != "" {
			t.Errorf("%s %v is amendable", tool, input)
		}
	}
}

func TestInterrupt(t *testing.T) {
	a := ask1(t, "PermissionRequest", request(t, "Bash", map[string]any{"command": "ls"}))
	got := a.answer(proto.Verdict{Behavior: proto.Deny, Option: proto.OptionDeny, Message: "no", Interrupt: true})
	if got != decided(`"behavior":"deny","message":"no","interrupt":true`) {
		t.Errorf("the hook says %s", got)
	}
}

func TestElicitation(t *testing.T) {
	payload := `{"session_id":"s","hook_event_name":"Elicitation","mcp_server_name":"shop","message":"Where to?\nTell me.","mode":"form","requested_schema":{"type":"object","properties":{
		"name":{"type":"string","description":"Your name"},"size":{"type":"string","enum":["s","l"],"enumNames":["Small","Large"]},
		"count":{"type":"integer","minimum":1},"gift":{"type":"boolean","title":"A gift?"},
		"extras":{"type":"array","items":{"anyOf":[{"const":"b","title":"Bow"},{"const":"c","title":"Card"}]}},
		"mail":{"type":"string","format":"email"},"fee":{"type":"number"}},"required":["name","count"]}}`
	a := ask1(t, "Elicitation", []byte(payload))
	if a.Kind != proto.KindQuestion || a.Dialog != proto.DialogAfter || ids(a.Options) != "answer deny handback" || len(a.Questions) != 7 {
		t.Fatalf("the form is %+v", a.Ask)
	}
	var texts []string
	for _, q := range a.Questions {
		texts = append(texts, q.Text)
	}
	if got := strings.Join(texts, "|"); got != "Your name|size|count|A gift?|extras|mail (email)|fee" {
		t.Errorf("the questions are %s", got)
	}
	got := a.answer(allow(proto.OptionAnswer, []string{"Ann"}, []string{"Large"}, []string{"3"}, []string{"no"}, []string{"Bow", "Card"}, nil, []string{"2.5"}))
	want := `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"count":3,"extras":["b","c"],"fee":2.5,"gift":false,"name":"Ann","size":"l"}}}`
	if got != want {
		t.Errorf("the hook says\n%s\nwant\n%s", got, want)
	}
	if got := a.answer(proto.Verdict{Behavior: proto.Deny}); got != `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}` {
		t.Errorf("declined it says %s", got)
	}
	if got := a.answer(allow("")); got != "" {
		t.Errorf("a bare allow says %s", got)
	}
}

// A form that we cannot fill in, and a page to visit, are the pane's.
func TestOddForms(t *testing.T) {
	for name, rest := range map[string]string{
		"no schema": `"mode":"form"`, "no fields": `"requested_schema":{"properties":{}}`, "an object": `"requested_schema":{"properties":{"a":{"type":"object"}}}`,
		"twins": `"requested_schema":{"properties":{"a":{"enum":["x","x"]}}}`, "a page": `"mode":"url","url":"https://example.com/"`,
	} {
		a := ask1(t, "Elicitation", []byte(`{"session_id":"s","mcp_server_name":"shop","message":"m",`+rest+`}`))
		if a.Answerable || ids(a.Options) != "handback" || a.Questions != nil {
			t.Errorf("%s: %+v", name, a.Ask)
		}
	}
}

func ids(options []proto.Option) string {
	var list []string
	for _, o := range options {
		list = append(list, o.ID)
	}
	return strings.Join(list, " ")
}
