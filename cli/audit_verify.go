package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"signaltty/store"

	"github.com/spf13/cobra"
)

func auditVerifyCommand() *cobra.Command {
	var heads string
	var kept bool
	cmd := &cobra.Command{
		Use:   "verify [FILE]",
		Short: "Check that nobody changed, moved or removed a row",
		Long: "Check the chain of the audit and its anchor; or with FILE, an export. It names the first\n" +
			"bad row and ends in 1.\n\n" +
			"The anchor shows that rows were cut off at the end. It is a file of this user, who can\n" +
			"write the whole audit anew, the anchor with it: only heads that were kept elsewhere\n" +
			"show that, by the command of the setting audit.anchor. --heads reads those.",
		Args: cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&heads, "heads", "", "heads that were kept elsewhere, one a line, in this `FILE`; - is stdin")
	cmd.Flags().BoolVar(&kept, "kept", false, "check only what the database keeps, without the files of rows set aside")
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		known, err := readHeads(heads, cmd.InOrStdin())
		if err != nil {
			return err
		}
		c, err := verifyAudit(cmd, args, known, kept)
		if err != nil {
			return err
		}
		return tellChecked(cmd.OutOrStdout(), *asJSON, c)
	}
	return cmd
}

func verifyAudit(cmd *cobra.Command, args []string, heads []store.Head, kept bool) (store.Checked, error) {
	if len(args) > 0 {
		f, err := os.Open(args[0])
		if err != nil {
			return store.Checked{}, fmt.Errorf("opening the export: %w", err)
		}
		defer f.Close()
		return store.VerifyExport(f, heads)
	}
	r, err := openAuditReader(cmd)
	if err != nil {
		return store.Checked{}, err
	}
	defer r.Close()
	return r.Verify(cmd.Context(), heads, kept)
}

// readHeads reads what the person's command kept.
func readHeads(path string, stdin io.Reader) ([]store.Head, error) {
	if path == "" {
		return nil, nil
	}
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("opening the heads: %w", err)
		}
		defer f.Close()
		stdin = f
	}
	var heads []store.Head
	lines := bufio.NewScanner(stdin)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		h, err := store.ParseHead(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("reading the heads: %w; each line is one that the command of audit.anchor got", err)
		}
		heads = append(heads, h)
	}
	return heads, lines.Err()
}

// checkedColumns are what a check found.
var checkedColumns = []column[store.Checked]{
	{name: "ok", value: func(c store.Checked) any { return len(c.Faults) == 0 }},
	{name: "rows", value: func(c store.Checked) any { return c.Rows }},
	{name: "first", value: func(c store.Checked) any { return c.First }},
	{name: "last", value: func(c store.Checked) any { return c.Last }},
	{name: "hash", value: func(c store.Checked) any { return c.Hash }},
	{name: "anchored", value: func(c store.Checked) any { return c.Anchored.ID }},
	{name: "bad_row", value: func(c store.Checked) any { return c.Bad() }},
	{name: "faults", value: func(c store.Checked) any { return texts(c.Faults) }},
	{name: "notes", value: func(c store.Checked) any { return append([]string{}, c.Notes...) }},
}

func texts(faults []store.Fault) []string {
	out := []string{}
	for _, f := range faults {
		out = append(out, f.String())
	}
	return out
}

// tellChecked prints what was found. The error is the first fault.
func tellChecked(out io.Writer, asJSON bool, c store.Checked) error {
	if asJSON {
		if err := printObject(out, checkedColumns, c); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "%d rows, %d to %d, head %s\n", c.Rows, c.First, c.Last, c.Hash)
		for _, note := range c.Notes {
			fmt.Fprintf(out, "note: %s\n", visible(note))
		}
		for _, fault := range c.Faults {
			fmt.Fprintf(out, "bad: %s\n", visible(fault.String()))
		}
	}
	if len(c.Faults) > 0 {
		return fmt.Errorf("the audit is not as it was written: %s; docs/audit.md says what each finding means", c.Faults[0])
	}
	return nil
}
