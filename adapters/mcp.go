package adapters

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"signaltty/proto"
)

// mcpCall is a call of an MCP server's tool, or of another one that signaltty
// does not know: what it does with its input is the server's own affair, so
// the paths in it and the first URL are what it may touch.
func mcpCall(c *proto.Call, input json.RawMessage) *proto.Call {
	var v any
	if c.Tool != proto.ToolMCP || json.Unmarshal(input, &v) != nil {
		return boundCall(c)
	}
	eachText(v, 0, func(s string) {
		switch {
		case len(c.Paths) > maxPaths:
		case strings.HasPrefix(s, "file://"):
			c.Paths = append(c.Paths, strings.TrimPrefix(s, "file://"))
		case strings.Contains(s, "://"):
			c.URL = first(c.URL, s)
		case looksLikePath(s):
			c.Paths = append(c.Paths, s)
		}
	})
	return boundCall(c)
}

// maxDeep is how deep an input is looked through.
const maxDeep = 16

// eachText calls f with each string of a JSON value, names aside.
func eachText(v any, deep int, f func(string)) {
	if deep > maxDeep {
		return
	}
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, item := range v {
			eachText(item, deep+1, f)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			eachText(v[name], deep+1, f)
		}
	}
}

// looksLikePath says that a text may be meant as a path, and is none of a
// sentence, a program, or a name in a repository.
func looksLikePath(s string) bool {
	if len(s) > maxPath || strings.ContainsAny(s, "\n\r\t\x00<>{}") {
		return false
	}
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, ".") || strings.Contains(s, "/") && !strings.Contains(s, " ")
}
