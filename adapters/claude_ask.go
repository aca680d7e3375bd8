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

// claudeAsk translates a PermissionRequest. Its input must be an object.
func claudeAsk(p claudePayload) (proto.Ask, error) {
	var f fields
	if json.Unmarshal(p.Input, &f) != nil || f == nil {
		return proto.Ask{}, proto.Errorf(proto.CodeBadRequest, "PermissionRequest: field %q is not an object", "tool_input")
	}
	a := proto.Ask{Kind: proto.KindPermission, Tool: p.Tool, Input: p.Input, Answerable: true}
	switch p.Tool {
	case toolQuestion:
		askQuestions(&a, f)
	case toolPlan:
		askPlan(&a, f)
	default:
		a.Summary, a.Detail = toolView(p.Tool).show(f, p.Input)
		askPermission(&a, p, f)
	}
	bound(&a, first(f.text("file_path"), f.text("notebook_path")))
	return a, nil
}

// askPermission adds the answers to a permission: always where there is a rule
// to save, never as the first of them, and an edited command where there is one.
func askPermission(a *proto.Ask, p claudePayload, f fields) {
	a.Options = []proto.Option{option(proto.OptionOnce), denial()}
	if a.Standing, _ = claudeStanding(p.Tool, p.Suggestions); a.Standing != nil {
		a.Options = append(a.Options, option(proto.OptionAlways))
	}
	a.Options = append(a.Options, option(proto.OptionHandBack))
	var command string
	if p.Tool == "Bash" && json.Unmarshal(f["command"], &command) == nil && command != "" {
		a.Amendable = "command"
	}
}

// shownOnly takes the answers away, where none could be translated.
func shownOnly(a *proto.Ask, kind string) {
	a.Kind, a.Answerable, a.Where = kind, false, "answer in the pane"
	a.Options = []proto.Option{option(proto.OptionHandBack)}
	a.Questions = nil
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
