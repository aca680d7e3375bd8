package adapters

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"signaltty/proto"
)

// The tools of Claude Code whose permission hook is not about a tool at all.
const (
	toolQuestion = "AskUserQuestion"
	toolPlan     = "ExitPlanMode"
)

// claudeQuestions reads what AskUserQuestion asks. It reports false when the
// input has a shape in which an answer could miss its question: they are
// answered by their texts.
func claudeQuestions(f fields) ([]proto.Question, bool) {
	var list []struct {
		Question string `json:"question"`
		Header   string `json:"header"`
		Multi    bool   `json:"multiSelect"`
		Options  []struct {
			Label       string `json:"label"`
			Description string `json:"description"`
		} `json:"options"`
	}
	if json.Unmarshal(f["questions"], &list) != nil || len(list) == 0 || len(list) > maxFields {
		return nil, false
	}
	var out []proto.Question
	texts := map[string]bool{}
	for _, q := range list {
		if q.Question == "" || texts[q.Question] || len(q.Options) > maxChoices {
			return nil, false
		}
		texts[q.Question] = true
		// Every question takes words of the person's own: Claude's dialog has
		// "Other" below its choices.
		next := proto.Question{Header: q.Header, Text: q.Question, Multi: q.Multi, FreeText: true}
		for _, o := range q.Options {
			if o.Label == "" {
				return nil, false
			}
			next.Choices = append(next.Choices, proto.Choice{Label: o.Label, Description: o.Description})
		}
		out = append(out, next)
	}
	return out, true
}

// askQuestions makes an ask of AskUserQuestion a question. One of an unknown
// shape is shown, and answered in the pane.
func askQuestions(a *proto.Ask, f fields) {
	questions, ok := claudeQuestions(f)
	if !ok {
		a.Summary, a.Detail = "a question", []proto.Detail{{Form: "text", Text: f.lines()}}
		shownOnly(a, proto.KindQuestion)
		return
	}
	a.Kind, a.Questions, a.Summary = proto.KindQuestion, questions, questions[0].Text
	if n := len(questions); n > 1 {
		a.Summary += fmt.Sprintf(" (and %d more)", n-1)
	}
	rest := maps.Clone(f)
	delete(rest, "questions")
	if text := rest.lines(); text != "" {
		a.Detail = []proto.Detail{{Form: "text", Text: text}}
	}
	a.Options = []proto.Option{
		option(proto.OptionAnswer),
		denial(),
		option(proto.OptionHandBack),
	}
}

// askPlan makes an ask of ExitPlanMode a plan.
func askPlan(a *proto.Ask, f fields) {
	text := f.text("plan")
	a.Kind, a.Summary = proto.KindPlan, firstLine(text)
	a.Detail = []proto.Detail{{Form: "markdown", Text: text}}
	rest := maps.Clone(f)
	delete(rest, "plan")
	if text := rest.lines(); text != "" {
		a.Detail = append(a.Detail, proto.Detail{Form: "text", Text: text})
	}
	a.Options = []proto.Option{
		option(proto.OptionApprove),
		option(proto.OptionAcceptEdits),
		denial(),
		option(proto.OptionHandBack),
	}
}

// permissionOptions are those of a permission where nothing more is taken.
func permissionOptions() []proto.Option {
	deny := option(proto.OptionDeny)
	deny.Message = true
	return []proto.Option{option(proto.OptionOnce), deny, option(proto.OptionHandBack)}
}

func option(id string) proto.Option { return proto.Option{ID: id, Label: proto.OptionLabels[id]} }

// denial can say why, and can end the turn.
func denial() proto.Option {
	o := option(proto.OptionDeny)
	o.Message, o.Interrupt = true, true
	return o
}

// claudeAnswers is the tool's input with the answers in it: what the question
// is answered by. Several answers to one question are one text, as Claude's
// own dialog writes them. Without answers it is an error: a bare allow would
// tell the model that the person did not answer.
func claudeAnswers(f fields, answers [][]string) (json.RawMessage, error) {
	questions, ok := claudeQuestions(f)
	if !ok || len(questions) != len(answers) {
		return nil, fmt.Errorf("a question is answered by %d answers, not by %d", len(questions), len(answers))
	}
	given := map[string]string{}
	for i, q := range questions {
		given[q.Text] = strings.Join(answers[i], ", ")
	}
	return f.with("answers", given)
}

// with is the object with one field set, the others as they came.
func (f fields) with(key string, value any) (json.RawMessage, error) {
	raw, err := encodePlain(value)
	if err != nil {
		return nil, err
	}
	next := maps.Clone(f)
	next[key] = raw
	return encodePlain(next)
}
