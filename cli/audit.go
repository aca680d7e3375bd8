package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"signaltty/proto"
	"signaltty/store"

	"github.com/spf13/cobra"
)

func auditCommand() *cobra.Command {
	var q auditQuery
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Read the record of what was asked, answered and refused",
		Long: "Read the record of what was asked, who or which rule answered, and how it ended; of\n" +
			"panes, turns and what agents told of their tools. It is read from the database, with\n" +
			"or without a running server, and has every row in the order in which it was written.\n\n" +
			"With --json each row is one object, as `signaltty audit export` prints it. Secrets are\n" +
			"redacted before a row is written.",
		Example: "  signaltty audit --since 1h --verdict deny\n  signaltty audit --pane p3-1 --json | jq .body.prompt\n  signaltty audit --follow --kind guardrail_violation",
		Args:    words(),
	}
	f := cmd.Flags()
	q.flags(cmd)
	asJSON := jsonFlag(cmd)
	follow := f.BoolP("follow", "f", false, "go on with the rows that are written from now on")
	f.IntVar(&q.last, "last", 0, "only the last `N` of them (default: all)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r, err := openAuditReader(cmd)
		if err != nil {
			return err
		}
		defer r.Close()
		p := &rowPrinter{out: cmd.OutOrStdout(), asJSON: *asJSON}
		if !*follow || q.last > 0 || !q.since.IsZero() {
			after, err := q.print(cmd.Context(), r, p)
			if err != nil {
				return err
			}
			q.filter.After = after
		}
		if !*follow {
			return nil
		}
		return r.Follow(cmd.Context(), q.filter, p.print)
	}
	cmd.AddCommand(auditVerifyCommand(), auditExportCommand())
	return cmd
}

func auditExportCommand() *cobra.Command {
	var q auditQuery
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print rows as JSON, one a line, with their hashes",
		Long: "Print the rows of the audit as JSON, one a line: those that were set aside too. A whole\n" +
			"export, or one that begins anywhere and leaves nothing out, is checked by\n" +
			"`signaltty audit verify FILE`, or without signaltty by the program in docs/audit.md.",
		Args: words(),
	}
	q.flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r, err := openAuditReader(cmd)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = q.print(cmd.Context(), r, &rowPrinter{out: cmd.OutOrStdout(), asJSON: true})
		return err
	}
	return cmd
}

// settleWait bounds how long a running server is waited for.
const settleWait = 3 * time.Second

// openAuditReader opens the audit of this person. A running server is asked
// how it is first, which it answers when its rows are on disk.
func openAuditReader(cmd *cobra.Command) (*store.Reader, error) {
	ctx, cancel := context.WithTimeout(cmd.Context(), settleWait)
	defer cancel()
	if c, _, err := proto.Dial(ctx, proto.SocketPath(), proto.Hello{Client: cmd.Name(), Build: build()}); err == nil {
		_ = c.Call(ctx, proto.MethodStatus, proto.None{}, nil) // one that does not answer keeps nobody from reading
		c.Close()
	}
	dir, err := proto.StateDir()
	if err != nil {
		return nil, err
	}
	return store.OpenReader(filepath.Join(dir, databaseName))
}

// auditQuery says which rows to print.
type auditQuery struct {
	filter       store.Filter
	since, until momentFlag
	kinds        []string
	verdict      string
	last         int
}

// verdicts are what --verdict takes.
var verdicts = []proto.Behavior{proto.Allow, proto.Deny, proto.AskFirst, proto.NoVerdict}

func (q *auditQuery) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&q.since, "since", "only rows from then on: a time ago, such as 2h, or a `MOMENT`, such as 2026-12-01T09:30:00Z")
	f.Var(&q.until, "until", "only rows before that `MOMENT`")
	f.StringVar(&q.filter.Agent, "agent", "", "only rows of this `AGENT`")
	f.StringVar(&q.filter.Pane, "pane", "", "only rows of this `PANE`")
	f.StringVar(&q.filter.Decision, "decision", "", "only rows of this `DECISION`")
	f.StringVar(&q.filter.Rule, "rule", "", "only rows in which this `RULE` decided")
	f.StringSliceVar(&q.kinds, "kind", nil, "only rows of this `KIND`; may be given several times")
	f.StringVar(&q.verdict, "verdict", "", "only `VERDICT`s: allow, deny, ask, or none (handed back, ended without an answer)")
	_ = cmd.RegisterFlagCompletionFunc("kind", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completions(store.RowKinds), cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.RegisterFlagCompletionFunc("verdict", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completions(verdicts), cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.RegisterFlagCompletionFunc("agent", completeAgents) // they fail only for a flag that is not there
	cmd.PreRunE = func(*cobra.Command, []string) error { return q.check() }
}

func completions[T ~string](words []T) []cobra.Completion {
	var out []cobra.Completion
	for _, w := range words {
		out = append(out, string(w))
	}
	return out
}

// check turns the flags into a filter.
func (q *auditQuery) check() error {
	for _, k := range q.kinds {
		if !slices.Contains(store.RowKinds, store.RowKind(k)) {
			return usagef("audit: there is no kind %q; there are %s", k, strings.Join(completions(store.RowKinds), ", "))
		}
		q.filter.Kinds = append(q.filter.Kinds, store.RowKind(k))
	}
	q.filter.Verdict = proto.Behavior(q.verdict)
	if q.verdict != "" && !slices.Contains(verdicts, q.filter.Verdict) {
		return usagef("audit: there is no verdict %q; there are %s", q.verdict, strings.Join(completions(verdicts), ", "))
	}
	if q.last < 0 {
		return usagef("audit: --last is a number of rows, not %d", q.last)
	}
	q.filter.Since, q.filter.Until = q.since.Time, q.until.Time
	return nil
}

// print prints the rows, and tells after which one others may follow.
func (q *auditQuery) print(ctx context.Context, r *store.Reader, p *rowPrinter) (after int64, err error) {
	var kept []store.Written
	var failed error
	err = r.Rows(ctx, q.filter, func(w store.Written) bool {
		after = w.ID
		switch {
		case q.last == 0:
			failed = p.print(w)
		case len(kept) == q.last:
			kept = append(kept[1:], w)
		default:
			kept = append(kept, w)
		}
		return failed == nil
	})
	for _, w := range kept {
		if failed == nil {
			failed = p.print(w)
		}
	}
	if failed != nil {
		return after, failed
	}
	return after, err
}

// rowPrinter prints rows as they come: there may be many.
type rowPrinter struct {
	out    io.Writer
	asJSON bool
	begun  bool
}

// auditForm has the widths of what every row has; the rest is its own text.
const auditForm = "%-7v %-19s %-20s %-9s %-7s %-7s %-11s %s\n"

func (p *rowPrinter) print(w store.Written) error {
	if p.asJSON {
		line, err := w.Line() // in ASCII: nothing in it hides or acts
		if err == nil {
			_, err = p.out.Write(line)
		}
		return err
	}
	if !p.begun {
		p.begun = true
		if _, err := fmt.Fprintf(p.out, auditForm, "ID", "AT", "KIND", "AGENT", "PANE", "DECISION", "VERDICT", "WHAT"); err != nil {
			return err
		}
	}
	at := w.At
	if t, err := time.Parse(time.RFC3339Nano, w.At); err == nil {
		at = t.Local().Format("2006-01-02 15:04:05")
	}
	verdict := w.Option
	if w.Kind == store.RowEnd {
		verdict = w.End
	}
	_, err := fmt.Fprintf(p.out, auditForm, w.ID, at, w.Kind, cell(w.Agent), cell(w.Pane), cell(w.Decision), cell(verdict), visible(w.Text()))
	return err
}

// momentFlag reads a moment: a time ago, a day, or RFC 3339.
type momentFlag struct{ time.Time }

func (m *momentFlag) String() string {
	if m.IsZero() {
		return ""
	}
	return m.Format(time.RFC3339)
}

func (m *momentFlag) Type() string { return "MOMENT" }

func (m *momentFlag) Set(text string) error {
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		m.Time = time.Now().Add(-d)
		return nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		m.Time = t
		return nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		m.Time = t
		return nil
	}
	return fmt.Errorf("it is a time ago such as 90s or 2h, a day such as 2026-12-01, or a moment such as 2026-12-01T09:30:00Z")
}
