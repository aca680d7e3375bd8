package adapters

import (
	"encoding/json"
	"strings"

	"signaltty/proto"
)

// openCodeTools are the canonical tools of OpenCode's own. One that is not
// here is an MCP server's or a plugin's.
var openCodeTools = map[string]string{
	"bash": proto.ToolRun,
	"read": proto.ToolRead, "lsp": proto.ToolRead,
	"glob": proto.ToolSearch, "grep": proto.ToolSearch, "list": proto.ToolSearch,
	"edit": proto.ToolEdit, "write": proto.ToolEdit, "multiedit": proto.ToolEdit,
	"patch": proto.ToolEdit, "apply_patch": proto.ToolEdit,
	"webfetch": proto.ToolFetch, "websearch": proto.ToolFetch, "codesearch": proto.ToolFetch,
	"task":      proto.ToolAgent,
	"skill":     "",
	"todowrite": "", "todoread": "", "question": "", "plan_enter": "", "plan_exit": "", "invalid": "",
}

// openCodeCall says what a tool call would touch, and from which directory, ""
// for the session's own.
func openCodeCall(tool string, input json.RawMessage) (c proto.Call, dir string) {
	canonical, known := openCodeTools[tool]
	c = proto.Call{Tool: canonical, Name: tool}
	if !known {
		c.Tool = proto.ToolMCP
		return *mcpCall(&c, input), ""
	}
	var f fields
	if json.Unmarshal(input, &f) != nil {
		c.Partial = "the input is not an object"
		return c, ""
	}
	switch canonical {
	case proto.ToolRun:
		c.Command, dir = f.text("command"), f.text("workdir")
		if c.Command == "" {
			c.Partial = "the input has no command"
		}
	case proto.ToolRead, proto.ToolEdit:
		c.Paths = texts(f.text("filePath"))
		if patch := f.text("patchText"); patch != "" {
			changes, _ := readPatch(patch) // OpenCode's is Codex's
			c.Paths = paths(changes)
		}
		if len(c.Paths) == 0 {
			c.Partial = "the input names no file"
		}
	case proto.ToolSearch:
		c.Paths = []string{first(f.text("path"), ".")}
		if p := f.text("pattern"); tool == "glob" && climbs(p) {
			c.Paths = append(c.Paths, p)
		}
	case proto.ToolFetch:
		c.URL = f.text("url")
	}
	return c, dir
}

// climbs says that a glob may reach out of the directory that it starts in.
func climbs(pattern string) bool {
	return strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~") || strings.Contains(pattern, "..") || strings.Contains(pattern, "{/")
}
