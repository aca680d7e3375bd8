package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"signaltty/proto"
)

// column is one property of what a verb lists: under its name in JSON, and
// under the same name as a heading in the table. It is defined once for both.
type column[T any] struct {
	name  string
	value func(T) any
	// only keeps a column out of the table, for what only programs read.
	only bool
}

// list prints items as a table, or with asJSON as one object a line.
func list[T any](w io.Writer, asJSON bool, columns []column[T], items []T) error {
	if asJSON {
		for _, item := range items {
			if err := printObject(w, columns, item); err != nil {
				return err
			}
		}
		return nil
	}
	if len(items) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(cell func(column[T]) string) {
		var cells []string
		for _, c := range columns {
			if !c.only {
				cells = append(cells, cell(c))
			}
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	row(func(c column[T]) string { return strings.ToUpper(c.name) })
	for _, item := range items {
		row(func(c column[T]) string { return cell(c.value(item)) })
	}
	return t.Flush()
}

// details prints one item as "name: value" lines, or with asJSON as an object.
func details[T any](w io.Writer, asJSON bool, columns []column[T], item T) error {
	if asJSON {
		return printObject(w, columns, item)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range columns {
		if !c.only {
			fmt.Fprintf(t, "%s:\t%s\n", c.name, cell(c.value(item)))
		}
	}
	return t.Flush()
}

// printObject writes one line of JSON with the columns in their order.
func printObject[T any](w io.Writer, columns []column[T], item T) error {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, c := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		v, err := encode(c.value(item))
		if err != nil {
			return fmt.Errorf("writing %s: %w", c.name, err)
		}
		fmt.Fprintf(&b, "%q:%s", c.name, v)
	}
	b.WriteString("}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// encode is JSON that is safe to look at: what a terminal would obey or hide
// is escaped, and & < > stay readable.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return []byte(escapeJSON(strings.TrimSpace(b.String()))), nil
}

// cell is a value as the table shows it.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case time.Time:
		return age(v)
	case proto.State:
		if v == proto.StateUnknown { // a shell, which no hook tells of
			return "-"
		}
	case proto.Size:
		return fmt.Sprintf("%dx%d", v.Cols, v.Lines)
	case *proto.Exit:
		return exitText(v)
	case []proto.Option:
		ids := make([]string, len(v))
		for i, o := range v {
			ids[i] = o.ID
		}
		return cell(strings.Join(ids, ","))
	}
	if s := visible(fmt.Sprint(v)); s != "" {
		return s
	}
	return "-"
}

// exitText tells how a process ended.
func exitText(e *proto.Exit) string {
	switch {
	case e == nil:
		return "-"
	case e.Signal != "":
		return e.Signal
	}
	return fmt.Sprintf("%d", e.Code)
}

// age is how long ago t was, or how long it is until then.
func age(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	d := time.Since(t)
	if d < 0 {
		return "in " + short(-d)
	}
	return short(d)
}

func short(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
