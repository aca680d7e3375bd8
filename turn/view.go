package turn

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"signaltty/proto"
)

// view shows a turn as text, for the pane that it runs in.
type view struct{ w io.Writer }

func newView(w io.Writer) *view {
	if w == nil {
		w = io.Discard
	}
	return &view{w}
}

const (
	bold, faint, red, green, plain = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[m"
	shownOutput                    = 6 // lines of a result
)

// uncoloured takes the attributes out of a text. Nothing else in it is a
// control sequence.
var uncoloured = strings.NewReplacer(bold, "", faint, "", red, "", green, "", plain, "")

// Plain is Text without attributes.
func Plain(e proto.Envelope, data any) string { return uncoloured.Replace(Text(e, data)) }

// show writes one envelope. A pane that cannot be written to changes nothing.
func (v *view) show(e proto.Envelope, data any) {
	if text := Text(e, data); text != "" {
		_, _ = io.WriteString(v.w, strings.ReplaceAll(text, "\n", "\r\n")+"\r\n")
	}
}

// Text is an envelope for a person, with attributes; "" when there is nothing
// to see. What the agent wrote cannot send a control sequence of its own.
func Text(e proto.Envelope, data any) string {
	switch d := data.(type) {
	case proto.TurnText:
		switch e.Type {
		case proto.EnvelopeUserMessage:
			return bold + "> " + visible(d.Text) + plain
		case proto.EnvelopeThinking:
			return faint + visible(d.Text) + plain
		}
		return visible(d.Text)
	case proto.TurnToolCall:
		return bold + "● " + visible(d.Name) + plain + " " + visible(d.Summary)
	case proto.TurnToolResult:
		return indent(d)
	case proto.TurnBlocked:
		return fmt.Sprintf("%s✗ %s %s%s %s", red, visible(d.Action), visible(d.Tool+d.Path), plain, visible(d.Reason))
	case proto.TurnDecision:
		return fmt.Sprintf("%s? %s %s: %s%s", bold, visible(d.Tool), visible(d.Summary), d.Behavior, plain)
	case proto.TurnError:
		return fmt.Sprintf("%s! %s:%s %s", red, visible(d.Source), plain, visible(d.Message))
	case proto.TurnComplete:
		colour := green
		if d.Outcome != proto.OutcomeOK {
			colour = red
		}
		return fmt.Sprintf("%s■ %s%s %.1f s, %d tools, %d tokens in, %d out", colour, d.Outcome, plain,
			float64(d.DurationMS)/1000, d.Tools, d.Usage.Input, d.Usage.Output)
	}
	return ""
}

// indent shows the head of a result below its call.
func indent(d proto.TurnToolResult) string {
	mark := green + "  ✓ " + plain
	if !d.OK {
		mark = red + "  ✗ " + plain
	}
	var b strings.Builder
	b.WriteString(mark)
	lines := strings.Split(strings.TrimRight(d.Output, "\n"), "\n")
	for i, l := range lines[:min(len(lines), shownOutput)] {
		if i > 0 {
			b.WriteString("\n    ")
		}
		b.WriteString(visible(l))
	}
	if n := len(lines) - shownOutput; n > 0 {
		fmt.Fprintf(&b, "\n    %s… %d more lines%s", faint, n, plain)
	}
	for _, f := range d.Diff {
		fmt.Fprintf(&b, "\n    %s +%d -%d", visible(f.Path), f.Added, f.Removed)
	}
	return b.String()
}

// visible replaces what a terminal would take for a command, or not show.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return '�'
		}
		return r
	}, s)
}
