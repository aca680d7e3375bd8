package adapters

import (
	"encoding/json"
	"strings"

	"signaltty/proto"
)

// claudeCanonical are the canonical tools of Claude Code's own, "" for those that
// touch nothing outside of the session.
var claudeCanonical = map[string]string{
	"Bash": proto.ToolRun, "Monitor": proto.ToolRun, "PowerShell": proto.ToolRun,
	"Read": proto.ToolRead, "NotebookRead": proto.ToolRead,
	"Write": proto.ToolEdit, "Edit": proto.ToolEdit, "MultiEdit": proto.ToolEdit, "NotebookEdit": proto.ToolEdit,
	"Grep": proto.ToolSearch, "Glob": proto.ToolSearch, "LS": proto.ToolSearch,
	"WebFetch": proto.ToolFetch, "WebSearch": proto.ToolFetch,
	"Agent": proto.ToolAgent, "Task": proto.ToolAgent, "Workflow": proto.ToolAgent, "RemoteTrigger": proto.ToolAgent, "SendMessage": proto.ToolAgent,
	"ListMcpResourcesTool": proto.ToolMCP, "ReadMcpResourceTool": proto.ToolMCP,
	"TodoWrite": "", "AskUserQuestion": "", "EnterPlanMode": "", "ExitPlanMode": "", "Skill": "", "SlashCommand": "", "ToolSearch": "",
	"TaskCreate": "", "TaskUpdate": "", "TaskGet": "", "TaskList": "", "TaskOutput": "", "TaskStop": "", "BashOutput": "", "KillShell": "",
	"WaitForMcpServers": "", "EnterWorktree": "", "ExitWorktree": "", "CronList": "", "CronDelete": "", "ScheduleWakeup": "", "StructuredOutput": "",
}

// claudeCall tells what a call of Claude Code's would touch.
func claudeCall(tool string, input json.RawMessage) *proto.Call {
	canonical, known := claudeCanonical[tool]
	c := &proto.Call{Tool: canonical, Name: tool}
	switch {
	case strings.HasPrefix(tool, "mcp__"):
		c.Tool = proto.ToolMCP
		return mcpCall(c, input)
	case !known:
		c.Partial = unknownTool
		return boundCall(c)
	}
	var f fields
	if json.Unmarshal(input, &f) != nil {
		c.Partial = "the tool's input is not an object"
		return c
	}
	switch canonical {
	case proto.ToolRun:
		c.Command = f.text("command")
		if c.Command == "" {
			c.Partial = "the tool's input has no command"
		}
	case proto.ToolRead, proto.ToolEdit:
		c.Paths = texts(f.text("file_path"), f.text("notebook_path"))
		if len(c.Paths) == 0 {
			c.Partial = "the tool's input names no file"
		}
	case proto.ToolSearch:
		c.Paths = []string{first(f.text("path"), ".")}
	case proto.ToolFetch:
		c.URL = f.text("url")
	}
	return boundCall(c)
}
