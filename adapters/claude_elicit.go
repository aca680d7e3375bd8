package adapters

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"signaltty/proto"
)

// What a form may have to be filled in here; a larger one is the pane's.
const (
	maxFields  = 32
	maxChoices = 256
)

// elicitation is the name of the event, and of what stands for its tool: an
// MCP server asks the person to fill in a form.
const elicitation = "Elicitation"

// elicitationResult tells how a form ended in Claude's own dialog.
const elicitationResult = "ElicitationResult"

// property is one field of the form: a part of a JSON schema.
type property struct {
	Type        string            `json:"type"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Format      string            `json:"format"`
	Enum        []json.RawMessage `json:"enum"`
	EnumNames   []string          `json:"enumNames"`
	OneOf       []constant        `json:"oneOf"`
	AnyOf       []constant        `json:"anyOf"` // of the items of a list
	Items       *property         `json:"items"` // of a list
}

type constant struct {
	Const json.RawMessage `json:"const"`
	Title string          `json:"title"`
}

// formField is a property made a question, with the values that its choices stand for.
type formField struct {
	name     string
	kind     string // the property's type
	question proto.Question
	values   []json.RawMessage
}

// claudeElicitation translates an Elicitation. Its hook runs before any
// dialog of Claude's; without a verdict the dialog opens.
func claudeElicitation(p claudePayload) (proto.Ask, error) {
	input, err := encodePlain(p.Schema)
	if err != nil {
		return proto.Ask{}, proto.Errorf(proto.CodeBadRequest, "%s: encoding %q: %v", elicitation, "requested_schema", err)
	}
	a := proto.Ask{
		Kind: proto.KindQuestion, Tool: elicitation, Summary: firstLine(first(p.Message, p.Server+" asks")),
		Input: bytes.TrimSpace(input), Answerable: true,
		Detail:  []proto.Detail{{Label: "MCP server", Form: "text", Text: p.Server}, {Form: "text", Text: p.Message}},
		Options: []proto.Option{option(proto.OptionAnswer), option(proto.OptionDeny), option(proto.OptionHandBack)},
	}
	form, err := formFields(p.Schema)
	if err != nil || p.Mode != "" && p.Mode != "form" {
		a.Detail = append(a.Detail, proto.Detail{Form: "text", Text: first(p.URL, p.Schema.lines())})
		shownOnly(&a, proto.KindQuestion)
	}
	for _, f := range form {
		a.Questions = append(a.Questions, f.question)
	}
	bound(&a, "")
	return a, nil
}

// formFields are the fields of a form in their order. Its error says what in
// the schema has no translation.
func formFields(schema fields) ([]formField, error) {
	var properties map[string]property
	if err := json.Unmarshal(schema["properties"], &properties); err != nil {
		return nil, err
	}
	var required []string
	if raw, ok := schema["required"]; ok {
		if err := json.Unmarshal(raw, &required); err != nil {
			return nil, err
		}
	}
	var list []formField
	if len(properties) > maxFields {
		return nil, fmt.Errorf("it has more than %d fields", maxFields)
	}
	for _, name := range keysInOrder(schema["properties"]) {
		f, err := properties[name].field(name)
		if err != nil {
			return nil, fmt.Errorf("the field %q: %w", name, err)
		}
		f.question.Optional = !slices.Contains(required, name)
		list = append(list, f)
	}
	if len(list) == 0 {
		return nil, errors.New("the form has no fields")
	}
	return list, nil
}

func (p property) field(name string) (formField, error) {
	f := formField{name: name, kind: p.Type, question: proto.Question{
		Header: first(p.Title, name), Text: first(p.Description, p.Title, name),
	}}
	if p.Format != "" {
		f.question.Text += " (" + p.Format + ")"
	}
	source := p
	if p.Type == "array" {
		if p.Items == nil {
			return f, errors.New("it is a list of nothing")
		}
		f.question.Multi, source = true, *p.Items
	}
	if err := f.choices(source); err != nil {
		return f, err
	}
	if len(f.values) > 0 {
		return f, nil
	}
	switch p.Type {
	case "string":
		f.question.FreeText = true
	case "integer", "number":
		f.question.FreeText, f.question.Form = true, p.Type
	case "boolean":
		f.question.Choices = []proto.Choice{{Label: "yes"}, {Label: "no"}}
		f.values = []json.RawMessage{json.RawMessage("true"), json.RawMessage("false")}
	default:
		return f, fmt.Errorf("its type is %q", p.Type)
	}
	return f, nil
}

// choices are the values that a property lists, under their titles.
func (f *formField) choices(p property) error {
	add := func(value json.RawMessage, title string) error {
		label := first(title, plain(value))
		known := slices.ContainsFunc(f.question.Choices, func(c proto.Choice) bool { return c.Label == label })
		if len(value) == 0 || label == "" || known || len(f.values) >= maxChoices {
			return errors.New("its choices cannot be told apart")
		}
		f.question.Choices = append(f.question.Choices, proto.Choice{Label: label})
		f.values = append(f.values, value)
		return nil
	}
	for i, value := range p.Enum {
		title := ""
		if len(p.EnumNames) == len(p.Enum) {
			title = p.EnumNames[i]
		}
		if err := add(value, title); err != nil {
			return err
		}
	}
	for _, c := range slices.Concat(p.OneOf, p.AnyOf) {
		if err := add(c.Const, c.Title); err != nil {
			return err
		}
	}
	return nil
}

// keysInOrder are the keys of an object as they were written.
func keysInOrder(object json.RawMessage) []string {
	var keys []string
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return nil
		}
		if name, ok := key.(string); ok && len(keys) < maxFields && !slices.Contains(keys, name) {
			keys = append(keys, name)
		}
	}
	return keys
}

// claudeForm is what Claude Code reads from an Elicitation hook.
type claudeForm struct {
	Output struct {
		Event   string                     `json:"hookEventName"`
		Action  string                     `json:"action"` // accept, decline
		Content map[string]json.RawMessage `json:"content,omitempty"`
	} `json:"hookSpecificOutput"`
}

// encodeForm translates a verdict on a form.
func encodeForm(p claudePayload, v proto.Verdict) (any, error) {
	var r claudeForm
	r.Output.Event = elicitation
	if v.Behavior == proto.Deny {
		r.Output.Action = "decline"
		return r, nil
	}
	form, err := formFields(p.Schema)
	if err != nil || len(form) != len(v.Answers) {
		return nil, fmt.Errorf("a form of %d fields is not filled in by %d answers", len(form), len(v.Answers))
	}
	r.Output.Action, r.Output.Content = "accept", map[string]json.RawMessage{}
	for i, f := range form {
		if len(v.Answers[i]) == 0 {
			continue
		}
		if r.Output.Content[f.name], err = f.value(v.Answers[i]); err != nil {
			return nil, fmt.Errorf("the field %q: %w", f.name, err)
		}
	}
	return r, nil
}

// value is the JSON of the answers to one field.
func (f formField) value(answers []string) (json.RawMessage, error) {
	var values []json.RawMessage
	for _, a := range answers {
		i := slices.IndexFunc(f.question.Choices, func(c proto.Choice) bool { return c.Label == a })
		switch {
		case i >= 0:
			values = append(values, f.values[i])
		case f.kind == "integer" || f.kind == "number":
			if _, err := strconv.ParseFloat(a, 64); err != nil || !json.Valid([]byte(a)) {
				return nil, fmt.Errorf("%q is no number", a)
			}
			values = append(values, json.RawMessage(a))
		case f.question.FreeText:
			raw, err := encodePlain(a)
			if err != nil {
				return nil, err
			}
			values = append(values, bytes.TrimSpace(raw))
		default:
			return nil, fmt.Errorf("%q is not one of its choices", a)
		}
	}
	if f.kind == "array" {
		return encodePlain(values)
	}
	if len(values) != 1 {
		return nil, fmt.Errorf("it has %d answers: %s", len(values), strings.Join(answers, ", "))
	}
	return values[0], nil
}
