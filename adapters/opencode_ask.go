package adapters

import (
	"encoding/json"
	"strings"

	"signaltty/proto"
)

// openCodeAsk translates a permission or a question.
func openCodeAsk(event string, p openCodePayload) (proto.Ask, error) {
	if event == "question.asked" {
		return openCodeQuestions(p), nil
	}
	var metadata, input fields
	if len(p.Request.Metadata) > 0 && json.Unmarshal(p.Request.Metadata, &metadata) != nil {
		return proto.Ask{}, proto.Errorf(proto.CodeBadRequest, "%s: field %q is not an object", event, "request.metadata")
	}
	_ = json.Unmarshal(p.Input, &input) // shown as it is when it is no object
	r := p.Request
	a := proto.Ask{
		Kind: proto.KindPermission, Tool: r.Permission, Input: p.Input, Answerable: true,
		Options: []proto.Option{option(proto.OptionOnce), option(proto.OptionDeny), option(proto.OptionHandBack)},
	}
	a.Options[1].Message, a.Options[1].Interrupt, a.Options[1].Tells = true, true, true
	if len(a.Input) == 0 {
		a.Input = r.Metadata
	}
	if len(r.Always) > 0 {
		a.Standing = openCodeStanding(r)
		a.Options = append(a.Options, option(proto.OptionAlways))
	}
	a.Summary, a.Detail = openCodeView(p, metadata, input)
	openCodeBound(&a, metadata.text("filepath"), metadata.text("diff"))
	return a, nil
}

// openCodeStanding is what "always" allows: OpenCode's own patterns, which are
// wide (`echo *` for an echo, `*` for an edit), and kept in its memory only.
func openCodeStanding(r openCodeRequest) *proto.Standing {
	rules := make([]string, len(r.Always))
	for i, pattern := range r.Always {
		rules[i] = r.Permission + ": " + pattern
	}
	return &proto.Standing{
		Rule:        clip(strings.Join(rules, ", "), maxSummary),
		Destination: "the memory of this OpenCode, until it ends",
		Undo:        "end this OpenCode and start it again",
	}
}

// openCodeView shows what a permission is about: first what OpenCode says of
// it, then what else the tool call has.
func openCodeView(p openCodePayload, metadata, input fields) (summary string, detail []proto.Detail) {
	r := p.Request
	patterns := strings.Join(r.Patterns, ", ")
	add := func(label, form, text string) {
		if text != "" {
			detail = append(detail, proto.Detail{Label: label, Form: form, Text: text})
		}
	}
	rest := fields{}
	for key, value := range input {
		rest[key] = value
	}
	shown := func(keys ...string) {
		for _, key := range keys {
			delete(rest, key)
		}
	}
	switch {
	case r.Permission == "bash":
		summary = first(metadata.text("command"), input.text("command"), patterns)
		add("", "command", summary)
		add("Description", "text", input.text("description"))
		if input.text("command") == summary {
			shown("command")
		}
		shown("description")
	case r.Permission == "edit":
		summary = first(metadata.text("filepath"), patterns)
		add("File", "path", summary)
		shown("filePath")
		if diff := diffBlocks(metadata.text("diff"), summary); len(diff) > 0 {
			detail = append(detail, diff...)
			// The diff is these, as they would be applied.
			shown("content", "oldString", "newString", "patchText")
		}
	case r.Permission == "webfetch":
		summary = first(metadata.text("url"), patterns)
		add("URL", "url", summary)
		shown("url")
	default:
		summary = first(patterns, r.Permission)
		add("Patterns", "text", summary)
		if len(input) == 0 {
			rest = metadata
		}
	}
	add(p.Tool, "text", rest.lines())
	return summary, detail
}

// diffBlocks parts a unified diff into what goes, what comes and what stays.
// It names the files that are not the one given.
func diffBlocks(diff, file string) []proto.Detail {
	var out []proto.Detail
	var text strings.Builder
	form, hunk := "", false
	end := func() {
		if text.Len() > 0 {
			out = append(out, proto.Detail{Form: form, Text: text.String()})
		}
		text.Reset()
	}
	for line := range strings.Lines(diff) {
		of := map[byte]string{'+': "add", '-': "delete", ' ': "text"}[line[0]]
		switch {
		case strings.HasPrefix(line, "Index: "):
			end()
			hunk = false
		case strings.HasPrefix(line, "@@"):
			end()
			hunk = true
		case hunk && of != "":
			if of != form {
				end()
			}
			form = of
			text.WriteString(line[1:])
		case !hunk && strings.HasPrefix(line, "+++ ") && strings.TrimSpace(line[4:]) != file:
			form = "path"
			text.WriteString(strings.TrimSpace(line[4:]))
			end()
		}
	}
	end()
	return out
}

// mostBlocks is how many parts of a diff travel.
const mostBlocks = 1000

// openCodeBound takes out of an ask what is too large to travel: the input, or
// a diff that is larger than the input it came of.
func openCodeBound(a *proto.Ask, path, diff string) {
	if len(diff) > 2*proto.MaxInput || len(a.Detail) > mostBlocks {
		leaveOut(a, path, []byte(diff))
	}
	bound(a, path)
}

// openCodeQuestions translates what OpenCode's question tool asks.
func openCodeQuestions(p openCodePayload) proto.Ask {
	a := proto.Ask{
		Kind: proto.KindQuestion, Tool: "question", Input: p.Input, Answerable: true,
		// A rejected question takes no words with it.
		Options: []proto.Option{option(proto.OptionAnswer), option(proto.OptionDeny), option(proto.OptionHandBack)},
	}
	for _, q := range p.Request.Questions {
		question := proto.Question{Header: q.Header, Text: q.Question, Multi: q.Multiple, FreeText: q.Custom == nil || *q.Custom}
		for _, o := range q.Options {
			question.Choices = append(question.Choices, proto.Choice{Label: o.Label, Description: o.Description})
		}
		a.Questions = append(a.Questions, question)
	}
	a.Summary = a.Questions[0].Text
	bound(&a, "")
	return a
}
