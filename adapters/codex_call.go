package adapters

import (
	"encoding/json"
	"strings"

	"signaltty/proto"
)

// unknownTool is why a call of a tool that nobody described is partial.
const unknownTool = "signaltty does not know what this tool touches"

// codexCall tells what a call of Codex would touch.
func codexCall(tool string, input json.RawMessage) *proto.Call {
	var f fields
	c := &proto.Call{Name: tool}
	if json.Unmarshal(input, &f) != nil {
		c.Partial = "the tool's input is not an object"
		return c
	}
	switch {
	case tool == "Bash":
		c.Tool, c.Command = proto.ToolRun, f.text("command")
	case tool == "apply_patch":
		c.Tool = proto.ToolEdit
		changes, ok := readPatch(f.text("command"))
		if !ok {
			c.Partial = "the patch could not be read"
		}
		c.Paths = paths(changes)
	case tool == "write_stdin":
		c.Tool, c.Partial = proto.ToolRun, "it types into a command that runs already"
	case tool == "view_image":
		c.Tool, c.Paths = proto.ToolRead, texts(f.text("path"))
	case tool == "spawn_agent", tool == "send_input", tool == "resume_agent":
		c.Tool = proto.ToolAgent
	case strings.HasPrefix(tool, "mcp__"):
		c.Tool = proto.ToolMCP
		return mcpCall(c, input)
	case tool == "update_plan", tool == "request_user_input", tool == "wait_agent", tool == "close_agent":
	default:
		c.Partial = unknownTool
	}
	return c
}

// texts is a list of what is not empty.
func texts(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}
