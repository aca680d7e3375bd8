package adapters

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"signaltty/proto"
)

// openCodeTools are the canonical tools of OpenCode's own. One that is not
// here is an MCP server's or a plugin's.
var openCodeTools = map[string]string{
	"bash": proto.ToolRun,
	"read": proto.ToolRead, "list": proto.ToolRead, "skill": proto.ToolRead, "lsp": proto.ToolRead,
	"glob": proto.ToolSearch, "grep": proto.ToolSearch,
	"edit": proto.ToolEdit, "write": proto.ToolEdit, "multiedit": proto.ToolEdit,
	"patch": proto.ToolEdit, "apply_patch": proto.ToolEdit,
	"webfetch": proto.ToolFetch, "websearch": proto.ToolFetch, "codesearch": proto.ToolFetch,
	"task":      proto.ToolAgent,
	"todowrite": "", "todoread": "", "question": "", "plan_enter": "", "plan_exit": "", "invalid": "",
}

// openCodeCall says what a tool call would touch, and from which directory, ""
// for the session's own.
func openCodeCall(tool string, input json.RawMessage) (c proto.Call, dir string) {
	canonical, known := openCodeTools[tool]
	c = proto.Call{Tool: canonical, Name: tool}
	if !known {
		c.Tool, c.Partial = proto.ToolMCP, "what a tool of an MCP server or of a plugin touches is not known"
		return c, ""
	}
	var f fields
	if json.Unmarshal(input, &f) != nil {
		c.Partial = "the input is not an object"
		return c, ""
	}
	path := func(keys ...string) {
		for _, key := range keys {
			if p := f.text(key); p != "" {
				c.Paths = append(c.Paths, p)
			}
		}
	}
	switch tool {
	case "bash":
		c.Command, dir = f.text("command"), f.text("workdir")
	case "read", "list", "lsp", "edit", "write", "multiedit":
		path("filePath", "path")
	case "glob", "grep":
		c.Paths = []string{first(f.text("path"), ".")}
		if p := first(f.text("include"), f.text("pattern")); tool == "glob" && climbs(p) {
			c.Paths = append(c.Paths, p)
		}
	case "patch", "apply_patch":
		c.Paths = patchPaths(f.text("patchText"))
		if len(c.Paths) == 0 {
			c.Partial = "the patch names no file"
		}
	case "skill":
		c.Partial = "where the skill is read from is not known"
	case "webfetch":
		c.URL = f.text("url")
	case "websearch", "codesearch":
		c.Partial = "the service that is asked is not known"
	}
	return c, dir
}

// climbs says that a pattern reaches out of the directory it starts in.
func climbs(pattern string) bool {
	return filepath.IsAbs(pattern) || strings.HasPrefix(pattern, "~") || slices.Contains(strings.Split(pattern, "/"), "..")
}

// patchPaths are the files that a patch names, in the form that OpenCode and
// Codex share.
func patchPaths(patch string) []string {
	var paths []string
	for line := range strings.Lines(patch) {
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if p, ok := strings.CutPrefix(strings.TrimSpace(line), head); ok {
				paths = append(paths, strings.TrimSpace(p))
			}
		}
	}
	return paths
}
