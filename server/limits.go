package server

import "signaltty/proto"

// What a hook may send. A peer that is no hook of ours can send anything, so
// each part is bounded here, whatever the adapter promises.
const (
	maxWord    = 256     // names and ids
	maxText    = 4 << 10 // texts of a line
	maxUses    = 256
	maxPaths   = 256
	maxDetails = 8 << 10
	maxBody    = 256 << 10 // input and details together
)

// checkHook refuses what is too large, by the field's name, and gives the
// options their own labels.
func checkHook(ev *proto.HookEvent) error {
	for _, f := range []struct {
		name, value string
		limit       int
	}{
		{"agent", ev.Agent, maxWord}, {"event", ev.Event, maxWord}, {"moment", string(ev.Moment), maxWord},
		{"session", ev.Session, maxWord}, {"subagent_id", ev.SubagentID, maxWord}, {"subagent", ev.Subagent, maxWord},
		{"pane_id", ev.Pane, maxWord}, {"tool", ev.Tool, maxWord}, {"tool_use", ev.ToolUse, maxWord},
		{"input_key", ev.InputKey, maxWord}, {"source", ev.Source, maxWord}, {"canary", ev.Canary, maxWord}, {"cwd", ev.Cwd, maxText},
	} {
		if len(f.value) > f.limit {
			return tooLarge(f.name, f.limit)
		}
	}
	if len(ev.ToolUses) > maxUses {
		return tooLarge("tool_uses", maxUses)
	}
	for _, use := range ev.ToolUses {
		if len(use) > maxWord {
			return tooLarge("tool_uses", maxWord)
		}
	}
	if err := checkCall(ev.Call); err != nil {
		return err
	}
	if ev.Ask == nil {
		return nil
	}
	return checkAsk(ev.Ask)
}

func checkCall(c *proto.Call) error {
	if c == nil {
		return nil
	}
	body := len(c.Command) + len(c.URL)
	for _, p := range c.Paths {
		body += len(p)
	}
	switch {
	case len(c.Tool) > maxWord || len(c.Name) > maxText || len(c.Partial) > maxText:
		return tooLarge("call", maxText)
	case len(c.Paths) > maxPaths:
		return tooLarge("call.paths", maxPaths)
	case body > maxBody:
		return tooLarge("call", maxBody)
	}
	return nil
}

func checkAsk(a *proto.Ask) error {
	path := ""
	if a.Truncated != nil {
		path = a.Truncated.Path + a.Truncated.SHA256
	}
	for _, f := range []struct {
		name, value string
		limit       int
	}{
		{"ask.kind", a.Kind, maxWord}, {"ask.tool", a.Tool, maxWord}, {"ask.where", a.Where, maxText},
		{"ask.summary", a.Summary, maxText}, {"ask.dialog", string(a.Dialog), maxWord}, {"ask.truncated", path, 2 * maxText},
	} {
		if len(f.value) > f.limit {
			return tooLarge(f.name, f.limit)
		}
	}
	body := len(a.Input)
	for _, d := range a.Detail {
		body += len(d.Label) + len(d.Form) + len(d.Text)
	}
	switch {
	case len(a.Detail) > maxDetails:
		return tooLarge("ask.detail", maxDetails)
	case body > maxBody:
		return tooLarge("ask.input and ask.detail", maxBody)
	case len(a.Options) > len(proto.OptionLabels):
		return tooLarge("ask.options", len(proto.OptionLabels))
	}
	for i, o := range a.Options {
		label, ok := proto.OptionLabels[o.ID]
		if !ok {
			return proto.Errorf(proto.CodeBadRequest, "hook.event: field \"ask.options\" has an unknown answer")
		}
		a.Options[i].Label = label
	}
	return nil
}

func tooLarge(field string, limit int) error {
	return proto.Errorf(proto.CodeTooLarge, "hook.event: field %q is larger than %d", field, limit)
}
