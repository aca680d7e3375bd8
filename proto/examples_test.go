package proto_test

import (
	"encoding/json"
	"time"

	"signaltty/proto"
)

// example is what one kind's golden lines say.
type example struct {
	params any
	result any // of a request that has a reply
}

var (
	at   = time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	size = proto.Size{Cols: 80, Lines: 24}
	none = proto.None{}

	pane = proto.Pane{
		ID: "p1", Workspace: "w1", Tab: "t1", Agent: "claude", Name: "refactor", State: proto.StateBlocked,
		Reason: "hook PermissionRequest", Attention: proto.AttentionDecision, Cwd: "/src/shop", Title: "✳ Refactor the cart",
		Size: size, PID: 4711, Argv: []string{"claude", "--model", "haiku"}, Pending: 1, Session: "0b3c6a52", Since: at, Confined: true,
		Progress: proto.Progress{State: "normal", Percent: 40},
	}
	exited = proto.Pane{
		ID: "p2", Workspace: "w1", Tab: "t1", State: proto.StateFailed, Cwd: "/src/shop", Title: "sh",
		Size: size, PID: 4712, Exit: &proto.Exit{Code: -1, Signal: "SIGKILL"}, Resume: proto.ResumeAgain, Since: at,
	}
	workspace = proto.Workspace{ID: "w1", Dir: "/src/shop", Name: "shop", Tabs: []proto.Tab{{ID: "t1", Tree: tree}}}
	tree      = &proto.Split{Dir: "columns", Share: 60, A: &proto.Split{Pane: "p1"}, B: &proto.Split{Pane: "p2"}}
	options   = []proto.Option{
		{ID: proto.OptionOnce, Label: "Once"},
		{ID: proto.OptionDeny, Label: "Deny", Message: true, Interrupt: true, Tells: true},
		{ID: proto.OptionHandBack, Label: "Hand back"},
	}
	detail    = []proto.Detail{{Label: "command", Form: "command", Text: "go test ./..."}}
	questions = []proto.Question{{
		Header: "Database", Text: "Which database?", Multi: true, FreeText: true,
		Choices: []proto.Choice{{Label: "SQLite", Description: "one file"}, {Label: "Postgres"}},
	}, {Text: "How many connections?", FreeText: true, Optional: true, Form: proto.FormInteger}}
	standing = &proto.Standing{
		Rule: "Bash(go test *)", Destination: "/src/shop/.claude/settings.local.json", Undo: "remove the rule from that file",
	}
	truncated = &proto.Truncated{Path: "/src/shop/dump.sql", Bytes: 7340032, SHA256: "9f86d081884c7d65"}
	decision  = proto.Decision{
		ID: "d1", Pane: "p1", Agent: "claude", Session: "0b3c6a52", Subagent: "reviewer", Kind: proto.KindPermission,
		Tool: "Bash", Prompt: "go test ./...", Input: json.RawMessage(`{"command":"go test ./..."}`), Detail: detail,
		Standing: standing, Amendable: "command",
		Options: options, Answerable: true, Dialog: proto.DialogBeside, Phase: proto.PhasePending,
		ReceivedAt: at, Deadline: at.Add(24 * time.Hour), Cwd: "/src/shop",
	}
	answering = proto.Decision{
		ID: "d2", Pane: "p1", Agent: "claude", Session: "0b3c6a52", Kind: proto.KindPermission, Tool: "Write",
		Prompt: "/src/shop/dump.sql", Truncated: truncated, Options: options, Answerable: true, Dialog: proto.DialogAfter,
		Phase: proto.PhaseAnswering, ReceivedAt: at, Deadline: at.Add(2 * time.Minute), Chosen: proto.OptionOnce,
	}
	question = proto.Decision{
		ID: "d3", Pane: "p1", Agent: "claude", Session: "0b3c6a52", Kind: proto.KindQuestion, Tool: "AskUserQuestion",
		Prompt: "Which database?", Questions: questions, Options: []proto.Option{options[2]}, Where: "answer in the pane",
		Dialog: proto.DialogBeside, Phase: proto.PhasePending, ReceivedAt: at, Deadline: at.Add(24 * time.Hour),
	}
	brief = proto.Decision{
		ID: "d1", Pane: "p1", Agent: "claude", Session: "0b3c6a52", Kind: proto.KindPermission, Tool: "Bash",
		Prompt: "go test ./...", Options: options, Answerable: true, Dialog: proto.DialogBeside, Phase: proto.PhasePending,
		ReceivedAt: at, Deadline: at.Add(24 * time.Hour), Brief: true,
	}
	asked  = uint64(20488)
	cursor = proto.Cursor{X: 2, Y: 22, Visible: true, Shape: 2}
)

// examples has one entry per kind; a request's golden is the request and its reply.
var examples = map[string]example{
	proto.MethodHello: {
		proto.Hello{Version: 1, Client: "attach", Build: "v1.2.3"},
		proto.Welcome{Version: 1, Build: "v1.2.3", PID: 4242, ClientID: "c7", Person: true, Inside: "p2"},
	},
	proto.MethodSubscribe: {none, proto.Snapshot{
		Unconfined: "the kernel does not limit processes: it has no Landlock",
		Seq:        41, Workspaces: []proto.Workspace{workspace}, Panes: []proto.Pane{pane, exited},
		Decisions: []proto.Decision{decision}, Trouble: "the audit cannot be written: no space left on device",
	}},
	proto.MethodStatus: {none, proto.Status{
		Unconfined: "the kernel does not limit processes: it has no Landlock",
		Version:    "v1.2.3", PID: 4242, Socket: "/run/user/1000/signaltty/server.sock",
		Database: "/home/me/.local/state/signaltty/state.db", Uptime: 3601.5, Panes: 2, Clients: 1, Decisions: 1,
		Holds: 1, Unbound: 1, Trouble: "the audit cannot be written: no space left on device",
		Audit: proto.AuditStatus{Rows: 812, Hash: "9f86d081884c7d65", Sink: "/run/collector/audit", Dropped: 3,
			Trouble: "nobody reads the FIFO /run/collector/audit"},
	}},
	proto.MethodTurnStart: {none, none},
	proto.MethodTurnCalls: {proto.TurnCalls{Calls: []proto.TurnCall{
		{Session: "0b3c6a52", ID: "toolu_1", Name: "Write", Moment: proto.MomentToolStart}, {Session: "0b3c6a52", ID: "toolu_1", Moment: proto.MomentToolEnd, OK: true},
	}}, none},
	proto.MethodTurnEnd: {proto.TurnEnd{
		Session: "0b3c6a52",
		Complete: proto.TurnComplete{
			Outcome: proto.OutcomeBlocked, Exit: proto.ExitBlocked, AgentExit: &proto.Exit{Code: 0, Signal: "killed"}, StopReason: "end_turn", DurationMS: 4120,
			Usage: proto.TurnUsage{Input: 812, Output: 96, CacheRead: 12000, Reasoning: 40, Cost: 0.012}, Tools: 3, Denials: []string{"Write: /etc/hosts"}, Blocked: 1,
			Health: []string{"2 files of 15 bytes are over the limit of 1 bytes"},
		},
		Blocked: []proto.TurnBlocked{{
			Path: "/src/shop/go.mod", Tool: proto.ToolEdit, Call: "toolu_1", Rule: "built-in: the turn's limits", Action: "restored",
			Reason: "it was changed, and is not among the paths that may be written", Quarantine: "/home/me/.local/state/signaltty/quarantine/20261201-093000-5f1c/tree/go.mod",
		}},
	}, none},
	proto.MethodTurnList: {
		proto.TurnQuery{Agent: "claude", Dir: "/src/shop", Prompt: "9f86d081884c7d65"},
		proto.TurnList{Turns: []proto.TurnRecord{{
			ID: "20261201-093000-5f1c", Began: at, Ended: at.Add(time.Minute), Agent: "claude", Dir: "/src/shop-2", Origin: "/src/shop",
			Base: "4b825dc642cb6eb9", Prompt: "9f86d081884c7d65", Session: "0b3c6a52", Outcome: proto.OutcomeOK,
		}}},
	},
	proto.MethodPolicyTrust: {proto.PolicyTrust{Dir: "/src/shop", SHA256: "9f86d081884c7d65", Forget: true}, none},
	proto.MethodDecisionPast: {
		proto.DecisionPast{Pane: "p1", Limit: 20},
		proto.PastDecisions{Decisions: []proto.PastDecision{{
			ID: "d1", Agent: "claude", Subagent: "reviewer", Kind: proto.KindPermission, Tool: "Bash", Prompt: "go test ./...",
			AskedAt: at, WaitedMS: 2300, End: proto.EndAnswered, Option: proto.OptionDeny, Rule: "no-tests", Message: "not now",
			Cause: "client c7", Client: "c7", ClientKind: "attach", UID: 1000, PID: 4243,
		}}},
	},
	proto.MethodStop:     {none, none},
	proto.MethodPaneList: {none, proto.PaneList{Seq: 41, Panes: []proto.Pane{pane, exited}}},
	proto.MethodPaneNew: {
		proto.PaneNew{
			Agent: "claude", Argv: []string{"--model", "haiku"}, Cwd: "/src/shop", Name: "refactor", Size: size,
			Env: []string{"HOME=/home/me", "PATH=/usr/bin"}, Beside: "p2", Dir: "rows", Command: "/home/me/bin/claude-in-a-box", Decide: true, Confine: true, Allow: []string{"/src/lib/**"}, Ports: []uint16{443},
			Turn: &proto.TurnSpec{
				ID: "20261201-093000-5f1c", Commits: true, Base: "4b825dc642cb6eb9",
				Agent: "claude", Prompt: "Add a --json flag", Dir: "/src/shop-2", Origin: "/src/shop", Image: "agents:1", Model: "haiku", Tools: []string{proto.ToolRead, proto.ToolEdit},
				Paths: []string{"report/**"}, AllPaths: true, Resume: "0b3c6a52", Ask: proto.AskBar, IdleSeconds: 300, TotalSeconds: 3600,
				Runtime: "none", BaselineMax: 1 << 30, Envelopes: "/run/user/1000/signaltty/run-1/envelopes.sock",
			},
		}, pane,
	},
	proto.MethodPaneResume: {proto.PaneResume{Pane: "p1", Env: []string{"HOME=/home/me", "PATH=/usr/bin"}}, pane},
	proto.MethodPaneExplain: {proto.PaneRef{Pane: "p1"}, proto.PaneExplained{Pane: pane, Signals: []proto.Signal{
		{At: at, From: "hook UserPromptSubmit", Says: proto.StateWorking},
		{At: at, From: "title", Says: proto.StateWorking, Not: "it is working already", Count: 3},
	}}},
	proto.MethodPaneClose:  {proto.PaneRef{Pane: "p2"}, proto.PaneClosed{Exit: proto.Exit{Code: -1, Signal: "SIGHUP"}}},
	proto.MethodPaneRename: {proto.PaneRename{Pane: "p1", Name: "cart"}, none},
	proto.MethodPaneInput:  {proto.PaneInput{Pane: "p1", Data: []byte("\x1b[<65;10;5M"), Passive: true}, none},
	proto.MethodPanePaste:  {proto.PanePaste{Pane: "p1", Text: "first line\nsecond", More: true}, none},
	proto.MethodPaneResize: {proto.PaneResize{Pane: "p1", Size: size}, none},
	proto.MethodPaneWatch:  {proto.PaneWatch{Pane: "p1"}, none},
	proto.MethodPaneUnwatch: {
		proto.PaneRef{Pane: "p1"}, none,
	},
	proto.MethodPaneSeen: {proto.PaneRef{Pane: "p1"}, none},
	proto.MethodPaneCapture: {
		proto.PaneCapture{Pane: "p1", ANSI: true, Scrollback: true, Start: 5000},
		proto.PaneCaptured{Lines: []string{"$ go test ./...", "\x1b[32mok\x1b[m  signaltty/proto"}, Cursor: cursor, Next: 10000},
	},
	proto.MethodPaneHistory: {
		proto.PaneHistory{Pane: "p1", Before: 20510, Count: 2, Places: true},
		proto.PaneHistoryPart{
			First: 20508, Rows: []proto.HistoryRow{{Text: "$ go test ./...", Wrapped: true}, {Text: "\x1b[32mok\x1b[m"}},
			More: true, Cols: 80, Prompts: []uint64{20508}, Asked: &asked,
		},
	},
	proto.MethodClientColors: {
		proto.ClientColors{Fg: "#d0d0d0", Bg: "#101010", Cursor: "#ffffff", Palette: []string{"#000000", "#cc0000"}}, none,
	},
	proto.MethodTabArrange:   {proto.TabArrange{Tab: "t1", Tree: tree}, none},
	proto.MethodDecisionList: {none, proto.DecisionList{Seq: 41, Decisions: []proto.Decision{decision, answering, question, brief}}},
	proto.MethodDecisionGet:  {proto.DecisionRef{Decision: "d1"}, decision},
	proto.MethodDecisionAnswer: {
		proto.DecisionAnswer{Pane: "p1", Decision: "d1", Option: proto.OptionDeny, Message: "use the staging database",
			Answers: [][]string{{"SQLite", "and a backup"}}, Amended: "go test ./cart", Interrupt: true, Key: "V2RQHPLYT5GKDZVX"},
		proto.DecisionAnswered{Decision: "d1", Option: proto.OptionDeny, Repeat: true},
	},
	proto.MethodHookEvent: {
		proto.HookEvent{
			Agent: "claude", Event: "PermissionRequest", Moment: proto.MomentAsk, Session: "0b3c6a52", SubagentID: "a1",
			Subagent: "reviewer", Pane: "p1", Cwd: "/src/shop", Tool: "Bash", ToolUse: "toolu_01", InputKey: "5feceb66",
			ToolUses: []string{"toolu_01", "toolu_02"}, Source: "startup", Message: "Claude needs your permission", Wait: true,
			Background: true, Launched: "a2", Installed: true, Canary: "d5b0c1e7",
			Gate: true, Call: &proto.Call{
				Tool: proto.ToolRun, Name: "Bash", Paths: []string{"cart.go"}, Command: "go test ./...",
				URL: "https://example.com/", Partial: "the script that it runs was not read",
			},
			Ask: &proto.Ask{
				Kind: proto.KindPermission, Tool: "Bash", Summary: "go test ./...", Input: decision.Input, Detail: detail,
				Truncated: truncated, Answerable: true, Where: "answer in the pane", Dialog: proto.DialogBeside,
				Foreground: proto.DialogBeside, Options: options, WaitSeconds: 120, Questions: questions, Standing: standing, Amendable: "command",
			},
		},
		proto.Verdict{
			Behavior: proto.Deny, Message: "use the staging database", Option: proto.OptionDeny, Answers: [][]string{{"SQLite"}},
			Amended: "go test ./cart", Interrupt: true, Rule: "no-network", Decision: "d1", End: proto.EndAnswered,
		},
	},
	proto.MethodHookAbort:  {params: none},
	proto.MethodHookCanary: {none, proto.Canary{Token: "d5b0c1e7"}},

	proto.EventFrame: {params: proto.Frame{
		Pane: "p1", Rev: 907, Cols: 80, Lines: 24, Full: true, More: true,
		Rows: []proto.Row{
			{Y: 0, Runs: []proto.Run{{Col: 0, Text: "✳", Style: 3}, {Col: 2, Text: "漢字", Width: 2}}, Wrapped: true},
			{Y: 1, Runs: []proto.Run{{Col: 0, Text: "👩‍👧", Width: 2, Cluster: true}}},
		},
		Styles: []proto.Style{{
			ID: 3, Fg: "#d77757", Bg: "236", Ul: "1", Underline: "curly", Bold: true, Faint: true, Italic: true, Blink: true,
			Reverse: true, Conceal: true, Strike: true, Overline: true, Link: "https://example.com/",
		}},
		Cursor: cursor,
		Modes: proto.Modes{
			AltScreen: true, AppCursor: true, AppKeypad: true, BracketedPaste: true, FocusEvents: true, Mouse: 1002,
			MouseSGR: true, Kitty: 1, ModifyOtherKeys: 2, ReverseScreen: true,
		},
		History: 512, Scrolled: 20512,
	}},
	proto.EventPaneUpdated: {params: pane},
	proto.EventPaneRemoved: {params: proto.PaneRef{Pane: "p2"}},
	proto.EventPaneNotice:  {params: proto.PaneNotice{Pane: "p1", Bell: true, Title: "Claude Code", Body: "needs your permission"}},
	proto.EventTurnGated: {params: proto.TurnGated{Pane: "p1", Call: "toolu_1", Kind: proto.ToolEdit, Paths: []string{"/etc/hosts"}, Decided: proto.TurnDecision{
		Tool: "Write", Summary: "/etc/hosts", Behavior: proto.Deny, Decision: "d1", Option: proto.OptionDeny, Rule: "built-in: the turn's limits", Message: "this turn may not write /etc/hosts",
	}}},
	proto.EventPaneCopied:        {params: proto.PaneCopied{Pane: "p1", Text: "go test ./..."}},
	proto.EventWorkspaceUpdated:  {params: workspace},
	proto.EventWorkspaceRemoved:  {params: proto.WorkspaceRef{Workspace: "w1"}},
	proto.EventDecisionAdded:     {params: decision},
	proto.EventDecisionUpdated:   {params: answering},
	proto.EventDecisionEnded:     {params: proto.DecisionEnded{Decision: "d1", Pane: "p1", End: proto.EndAnswered, Option: proto.OptionOnce, Cause: "client c7"}},
	proto.EventDecisionConfirmed: {params: proto.DecisionConfirmed{Decision: "d1", Pane: "p1", Cause: "PostToolUse"}},
	proto.EventServerTrouble:     {params: proto.Trouble{Message: "the audit cannot be written: no space left on device"}},
	proto.EventServerStopping:    {params: none},
}
