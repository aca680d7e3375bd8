package store

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"signaltty/proto"
)

// maxAnswer is the most bytes that a person's own words in one answer have:
// the message, the answers to questions, the amended input.
const maxAnswer = 64 << 10

// checkAnswer says what is wrong with the answer req of the option o, if
// anything is.
func checkAnswer(d *proto.Decision, o proto.Option, req proto.DecisionAnswer) error {
	wrong := func(format string, args ...any) error {
		return proto.Errorf(proto.CodeBadRequest, format, args...)
	}
	switch {
	case words(req) > maxAnswer:
		return proto.Errorf(proto.CodeTooLarge, "an answer has at most %d bytes of text", maxAnswer)
	case req.Message != "" && !o.Message:
		return proto.Errorf(proto.CodeNoSuchOption, "option %q of decision %q takes no message", o.ID, d.ID)
	case req.Interrupt && !o.Interrupt:
		return proto.Errorf(proto.CodeNoSuchOption, "option %q of decision %q cannot end the agent's turn", o.ID, d.ID)
	case req.Amended != "" && d.Amendable == "":
		return wrong("decision %q takes no amended input", d.ID)
	case req.Amended != "" && o.ID != proto.OptionOnce:
		return wrong("amended input goes with the option %q only", proto.OptionOnce)
	case req.Amended != "" && (strings.TrimSpace(req.Amended) == "" || !utf8.ValidString(req.Amended)):
		return wrong("the amended %s is empty or is not UTF-8", d.Amendable)
	case len(req.Answers) > 0 && o.ID != proto.OptionAnswer:
		return wrong("answers go with the option %q only", proto.OptionAnswer)
	case o.ID == proto.OptionAnswer && len(req.Answers) != len(d.Questions):
		return wrong("decision %q asks %d questions; the answer has %d", d.ID, len(d.Questions), len(req.Answers))
	}
	for i, given := range req.Answers {
		if why := checkQuestion(d.Questions[i], given); why != "" {
			return wrong("question %d: %s", i+1, why)
		}
	}
	return nil
}

// words is how many bytes a person's own text in an answer has.
func words(req proto.DecisionAnswer) int {
	n := len(req.Message) + len(req.Amended)
	for _, given := range req.Answers {
		for _, a := range given {
			n += len(a) + 1
		}
	}
	return n
}

// checkQuestion says what is wrong with what is given as the answer to q; ""
// when nothing is.
func checkQuestion(q proto.Question, given []string) string {
	switch {
	case len(given) == 0 && !q.Optional:
		return "it has no answer"
	case len(given) > 1 && !q.Multi:
		return "it takes one answer"
	}
	typed := 0
	for i, a := range given {
		known := slices.ContainsFunc(q.Choices, func(c proto.Choice) bool { return c.Label == a })
		switch {
		case slices.Contains(given[:i], a):
			return "the answer " + strconv.Quote(a) + " is given twice"
		case known:
			continue
		case !q.FreeText:
			return strconv.Quote(a) + " is not one of its choices: " + labels(q)
		case strings.TrimSpace(a) == "" || !utf8.ValidString(a):
			return "the answer is empty or is not UTF-8"
		case !formed(q.Form, a):
			return strconv.Quote(a) + " is not " + map[string]string{proto.FormInteger: "an integer", proto.FormNumber: "a number"}[q.Form]
		}
		if typed++; typed > 1 {
			return "it takes one typed answer"
		}
	}
	return ""
}

// formed says whether a typed answer has the form that is asked for.
func formed(form, answer string) bool {
	switch form {
	case proto.FormInteger:
		_, err := strconv.ParseInt(answer, 10, 64)
		return err == nil
	case proto.FormNumber:
		var n json.Number
		return json.Unmarshal([]byte(answer), &n) == nil && n.String() == answer
	}
	return true
}

func labels(q proto.Question) string {
	list := make([]string, len(q.Choices))
	for i, c := range q.Choices {
		list[i] = strconv.Quote(c.Label)
	}
	return cutText(strings.Join(list, ", "), 400)
}

// verdict is what an answer says to the agent.
func verdict(req proto.DecisionAnswer) proto.Verdict {
	v := proto.Verdict{
		Behavior: proto.NoVerdict, Decision: req.Decision, Option: req.Option, Message: req.Message,
		Answers: req.Answers, Amended: req.Amended, Interrupt: req.Interrupt,
	}
	switch req.Option {
	case proto.OptionOnce, proto.OptionAlways, proto.OptionAnswer, proto.OptionApprove, proto.OptionAcceptEdits:
		v.Behavior = proto.Allow
	case proto.OptionDeny:
		v.Behavior = proto.Deny
	}
	return v
}

// answerRow is what the audit keeps of an answer, each text to a size.
func answerRow(d *proto.Decision, by By, req proto.DecisionAnswer) map[string]any {
	body := map[string]any{"client_kind": by.Kind, "message": bounded(req.Message)}
	if len(req.Answers) > 0 {
		body["answers"] = boundedAnswers(d.Questions, req.Answers)
	}
	if req.Amended != "" {
		var input map[string]json.RawMessage
		var from string
		if json.Unmarshal(d.Input, &input) == nil {
			_ = json.Unmarshal(input[d.Amendable], &from) // what is no text is not amendable
		}
		body["amended"] = map[string]string{"field": d.Amendable, "from": bounded(from), "to": bounded(req.Amended)}
	}
	if req.Interrupt {
		body["interrupt"] = true
	}
	if req.Option == proto.OptionAlways && d.Standing != nil {
		body["standing"] = map[string]string{"rule": bounded(d.Standing.Rule), "destination": bounded(d.Standing.Destination)}
	}
	return body
}

// boundedAnswers is each question's text with its answer, all of it together
// in a size.
func boundedAnswers(questions []proto.Question, answers [][]string) []map[string]string {
	var list []map[string]string
	left := 16 << 10
	for i, given := range answers {
		q, a := bounded(questions[i].Text), bounded(strings.Join(given, ", "))
		if left -= len(q) + len(a); left < 0 {
			break
		}
		list = append(list, map[string]string{"question": q, "answer": a})
	}
	return list
}

// said tells one answer from another by all that it says.
func said(req proto.DecisionAnswer) [sha256.Size]byte {
	req.Pane, req.Key = "", ""
	line, _ := json.Marshal(req) // strings and bools always encode
	return sha256.Sum256(line)
}
