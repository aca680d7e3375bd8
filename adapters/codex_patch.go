package adapters

import (
	"strings"

	"signaltty/proto"
)

// change is what a patch of apply_patch does to one file.
type change struct {
	verb  string // "Add", "Update" or "Delete"
	path  string
	moved string // where an updated file moves to, "" when it stays
	body  []string
}

// The marks of a patch's lines. Measured on Codex 0.171.0: it takes the marks
// with white space around them.
const (
	patchBegin = "*** Begin Patch"
	patchEnd   = "*** End Patch"
	patchMove  = "*** Move to: "
)

// readPatch reads the patch format of Codex. It reports false for a text that
// holds anything else, since what is not understood must not be left out.
func readPatch(text string) ([]change, bool) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) < 2 || strings.TrimSpace(lines[0]) != patchBegin || strings.TrimSpace(lines[len(lines)-1]) != patchEnd {
		return nil, false
	}
	var changes []change
	for _, line := range lines[1 : len(lines)-1] {
		if c, ok := startsChange(line); ok {
			changes = append(changes, c)
			continue
		}
		if len(changes) == 0 {
			return nil, false
		}
		c := &changes[len(changes)-1]
		to, moves := strings.CutPrefix(strings.TrimSpace(line), patchMove)
		switch {
		case moves && len(c.body) == 0 && c.verb == "Update" && c.moved == "":
			c.moved = to
		default:
			c.body = append(c.body, line)
		}
	}
	return changes, len(changes) > 0
}

func startsChange(line string) (change, bool) {
	line = strings.TrimSpace(line)
	for _, verb := range []string{"Add", "Update", "Delete"} {
		if path, ok := strings.CutPrefix(line, "*** "+verb+" File: "); ok && path != "" {
			return change{verb: verb, path: path}, true
		}
	}
	return change{}, false
}

// paths are the files that the changes touch.
func paths(changes []change) []string {
	var list []string
	for _, c := range changes {
		list = append(list, c.path)
		if c.moved != "" {
			list = append(list, c.moved)
		}
	}
	return list
}

// showPatch shows each change as the file and its diff, and the fields of the
// input beside the patch.
func showPatch(changes []change, f fields) (summary string, detail []proto.Detail) {
	summary = strings.Join(paths(changes), ", ")
	for _, c := range changes {
		detail = append(detail, proto.Detail{Label: c.verb + " file", Form: "path", Text: c.path})
		if c.moved != "" {
			detail = append(detail, proto.Detail{Label: "Move to", Form: "path", Text: c.moved})
		}
		detail = append(detail, diff(c.body)...)
	}
	rest := fields{}
	for key, raw := range f {
		if key != "command" {
			rest[key] = raw
		}
	}
	if text := rest.lines(); text != "" {
		detail = append(detail, proto.Detail{Form: "text", Text: text})
	}
	return summary, detail
}

// diff puts lines that start with + or - into blocks of what comes and what
// goes, and the rest, context and places, between them as it is.
func diff(lines []string) []proto.Detail {
	var list []proto.Detail
	for _, line := range lines {
		form, text := "text", line
		switch {
		case strings.HasPrefix(line, "+"):
			form, text = "add", line[1:]
		case strings.HasPrefix(line, "-"):
			form, text = "delete", line[1:]
		}
		if n := len(list); n > 0 && list[n-1].Form == form {
			list[n-1].Text += "\n" + text
			continue
		}
		list = append(list, proto.Detail{Form: form, Text: text})
	}
	return list
}
