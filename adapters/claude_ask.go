package adapters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"signaltty/proto"
)

// The options of a permission. Always is not among them yet.
func permissionOptions() []proto.Option {
	return []proto.Option{
		{ID: proto.OptionOnce, Label: proto.OptionLabels[proto.OptionOnce]},
		{ID: proto.OptionDeny, Label: proto.OptionLabels[proto.OptionDeny], Message: true},
		{ID: proto.OptionHandBack, Label: proto.OptionLabels[proto.OptionHandBack]},
	}
}

// claudeAsk translates a PermissionRequest. Its input must be an object.
func claudeAsk(p claudePayload) (proto.Ask, error) {
	var f fields
	if json.Unmarshal(p.Input, &f) != nil || f == nil {
		return proto.Ask{}, proto.Errorf(proto.CodeBadRequest, "PermissionRequest: field %q is not an object", "tool_input")
	}
	a := proto.Ask{
		Kind: proto.KindPermission, Tool: p.Tool, Input: p.Input,
		Answerable: true, Options: permissionOptions(),
	}
	switch p.Tool {
	case "AskUserQuestion":
		a.Summary, a.Detail = questions(f)
		shownOnly(&a, proto.KindQuestion)
	case "ExitPlanMode":
		a.Summary, a.Detail = plan(f)
		shownOnly(&a, proto.KindPlan)
	default:
		a.Summary, a.Detail = toolView(p.Tool).show(f, p.Input)
	}
	bound(&a, first(f.text("file_path"), f.text("notebook_path")))
	return a, nil
}

// shownOnly takes the answers away. A bare allow would tell the model that
// the question was not answered, and would approve a plan that nobody chose how to run.
func shownOnly(a *proto.Ask, kind string) {
	a.Kind, a.Answerable, a.Where = kind, false, "answer in the pane"
	a.Options = []proto.Option{{ID: proto.OptionHandBack, Label: proto.OptionLabels[proto.OptionHandBack]}}
}

// view tells how a tool's input is read: the field that is the summary, and
// the fields that have a form of their own. What it does not name is shown
// as well, so that nothing an agent asks for is out of sight.
type view struct {
	summary string
	blocks  []block
	edits   bool // the field "edits" is a list of old and new texts
	whole   bool // show the JSON, for tools that nobody described
}

type block struct{ field, label, form string }

func toolView(tool string) view {
	file := block{"file_path", "File", "path"}
	oldText := block{"old_string", "", "delete"}
	newText := block{"new_string", "", "add"}
	switch tool {
	case "Bash":
		return view{summary: "command", blocks: []block{{"command", "", "command"}, {"description", "Description", "text"}}}
	case "Write":
		return view{summary: "file_path", blocks: []block{file, {"content", "", "add"}}}
	case "Edit":
		return view{summary: "file_path", blocks: []block{file, oldText, newText}}
	case "MultiEdit":
		return view{summary: "file_path", blocks: []block{file}, edits: true}
	case "NotebookEdit":
		return view{summary: "notebook_path", blocks: []block{
			{"notebook_path", "Notebook", "path"}, {"cell_id", "Cell", "text"}, {"edit_mode", "Mode", "text"}, {"new_source", "", "add"},
		}}
	case "Read":
		return view{summary: "file_path", blocks: []block{file}}
	case "WebFetch":
		return view{summary: "url", blocks: []block{{"url", "URL", "url"}, {"prompt", "Prompt", "text"}}}
	case "WebSearch":
		return view{summary: "query", blocks: []block{{"query", "Query", "text"}}}
	}
	return view{whole: !strings.HasPrefix(tool, "mcp__")}
}

func (v view) show(f fields, input json.RawMessage) (summary string, detail []proto.Detail) {
	if v.whole {
		return compact(input), []proto.Detail{{Form: "text", Text: indent(input)}}
	}
	summary = compact(input)
	if s := f.text(v.summary); s != "" {
		summary = s
	}
	rest := maps.Clone(f)
	for _, b := range v.blocks {
		if _, ok := rest[b.field]; ok {
			detail = append(detail, proto.Detail{Label: b.label, Form: b.form, Text: f.text(b.field)})
			delete(rest, b.field)
		}
	}
	if v.edits {
		if edits, ok := editBlocks(f["edits"]); ok {
			detail = append(detail, edits...)
			delete(rest, "edits")
		}
	}
	if text := rest.lines(); text != "" {
		detail = append(detail, proto.Detail{Form: "text", Text: text})
	}
	return summary, detail
}

// lines shows fields as "key: value", in the order of their keys.
func (f fields) lines() string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(f)) {
		lines = append(lines, key+": "+f.text(key))
	}
	return strings.Join(lines, "\n")
}

// editBlocks shows a list of edits as what goes and what comes. It reports
// false when the list is of another shape, which is then shown as it is.
func editBlocks(raw json.RawMessage) ([]proto.Detail, bool) {
	var edits []fields
	if json.Unmarshal(raw, &edits) != nil {
		return nil, false
	}
	var out []proto.Detail
	v := view{blocks: []block{{"old_string", "", "delete"}, {"new_string", "", "add"}}}
	for i, e := range edits {
		_, detail := v.show(e, nil)
		if len(detail) > 0 {
			detail[0].Label = fmt.Sprintf("Edit %d of %d", i+1, len(edits))
		}
		out = append(out, detail...)
	}
	return out, true
}

// questions shows what AskUserQuestion asks.
func questions(f fields) (summary string, detail []proto.Detail) {
	var list []struct {
		Question string `json:"question"`
		Header   string `json:"header"`
		Multi    bool   `json:"multiSelect"`
		Options  []struct {
			Label       string `json:"label"`
			Description string `json:"description"`
		} `json:"options"`
	}
	if json.Unmarshal(f["questions"], &list) != nil || len(list) == 0 {
		return "a question", []proto.Detail{{Form: "text", Text: f.lines()}}
	}
	for _, q := range list {
		var b strings.Builder
		b.WriteString(q.Question)
		if q.Multi {
			b.WriteString(" (any number)")
		}
		for i, o := range q.Options {
			fmt.Fprintf(&b, "\n%d. %s", i+1, o.Label)
			if o.Description != "" {
				b.WriteString(": " + o.Description)
			}
		}
		detail = append(detail, proto.Detail{Label: q.Header, Form: "text", Text: b.String()})
	}
	summary = list[0].Question
	if n := len(list); n > 1 {
		summary += fmt.Sprintf(" (and %d more)", n-1)
	}
	return summary, detail
}

// plan shows what ExitPlanMode offers.
func plan(f fields) (summary string, detail []proto.Detail) {
	text := f.text("plan")
	return firstLine(text), []proto.Detail{{Label: "Plan", Form: "text", Text: text}}
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func indent(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
