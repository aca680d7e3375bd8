package adapters

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// docs/adapters.md is made from the tables; -update writes it.
func TestDocs(t *testing.T) {
	const file = "../docs/adapters.md"
	page := docs()
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(read(t, file)) != page {
		t.Errorf("%s is stale: go generate ./adapters", file)
	}
}

func docs() string {
	var b strings.Builder
	b.WriteString(`# Adapters

<!-- Made by go generate ./adapters from the tables in adapters/. Do not edit. -->

An adapter is what signaltty knows about one coding agent: how to launch it so that its hooks arrive, how to read
them, how to answer. What an agent's hooks cannot do stands here as plainly as what they can.

## What can be done with each agent

| | ` + row(func(a Adapter) string { return a.Title }) + `
|---|` + strings.Repeat("---|", len(registry)) + `
`)
	line := func(label string, cell func(Adapter) string) {
		fmt.Fprintf(&b, "| %s | %s\n", label, row(cell))
	}
	line("name", func(a Adapter) string { return "`" + a.Name + "`" })
	line("program", func(a Adapter) string { return orElse(a.Binary, "built in") })
	line("answered here", func(a Adapter) string { return orElse(strings.Join(a.Can.Kinds, ", "), "nothing") })
	line("shown, answered in the pane", func(a Adapter) string { return orElse(strings.Join(a.Can.Shown, ", "), "nothing") })
	line("a standing permission with an answer", func(a Adapter) string { return yes(a.Can.Always) })
	line("a denial's text reaches the model", func(a Adapter) string { return yes(a.Can.DenyMessage) })
	line("a tool can be stopped before it runs", func(a Adapter) string { return orElse(a.Can.Gate, "no") })
	line("told of a policy in its own terms", func(a Adapter) string { return orElse(a.Can.Told, "nothing") })
	line("not seen by its gate", func(a Adapter) string { return orElse(a.Can.Ungated, "nothing known") })
	line("its own state, which a confined pane may write", func(a Adapter) string { return orElse(code(a.StateDirs()), "none") })
	line("what deciding here takes on (`new --decide`)", func(a Adapter) string { return orElse(a.Can.Decide, "nothing") })
	line("its own dialog during a hold", func(a Adapter) string { return string(a.Can.Dialog) })
	line("the same, for a subagent's ask", func(a Adapter) string { return string(a.Can.SubagentDialog) })
	line("what it does without telling", func(a Adapter) string { return orElse(a.Can.Unconfirmed, "nothing known") })

	b.WriteString("\nDialog: `beside` is on the pane's screen at the same time, and the first answer wins; `after` appears only when\nthe ask is handed back; `none` means that there is no other way to answer.\n")
	for a := range All() {
		fmt.Fprintf(&b, "\n## The hook events of %s\n\n| event | moment | when there is no verdict | time-out in the agent | ours |\n|---|---|---|---|---|\n", a.Title)
		for _, e := range a.Events {
			installed, ours := "not installed", ""
			switch {
			case e.Of != "":
				installed, ours = "as "+e.Of, e.Deadline().String()
			case e.TimeoutSeconds > 0:
				installed = (time.Duration(a.InstalledSeconds(e)) * time.Second).String()
				ours = e.Deadline().String()
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", e.Name, e.Moment, orElse(failing(e), "nothing to decide"), installed, ours)
		}
	}
	b.WriteString(`
## Adding an agent

One Go file in ` + "`adapters/`" + ` that registers an ` + "`Adapter`" + `, and one folder of what was captured,
` + "`testdata/agents/NAME/`" + `: payloads of hooks (` + "`EVENT.CASE.in.json`" + `) and streams of turns (` + "`CASE.in.jsonl`" + `). The
conformance tests range over all adapters: what is decoded and encoded is compared to goldens (` + "`go test ./adapters -update`" + `
writes them), unknown fields change nothing, and a field of the wrong type is refused by its name.

Pi shows that nothing else is needed. What its commit changed in signaltty, its own tests and this page aside:

    adapters/pi.go             | 381 +++++
    testdata/agents/pi/ (23 files)

Its events, its gate, its place in the list of new panes, its headless turns and their gate, sessions and audit come from that
one value.
`)
	return b.String()
}

// code lists paths below the home directory.
func code(dirs []string) string {
	var list []string
	for _, dir := range dirs {
		list = append(list, "`~/"+dir+"`")
	}
	return strings.Join(list, ", ")
}

func failing(e EventRow) string {
	switch {
	case e.Fail == FailDeny:
		return "the tool is denied"
	case e.Hold:
		return "the agent's own dialog decides"
	}
	return ""
}

func row(cell func(Adapter) string) string {
	var cells []string
	for a := range All() {
		cells = append(cells, cell(a))
	}
	return strings.Join(cells, " | ") + " |"
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
